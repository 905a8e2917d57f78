-- Nothing has come for as long as the window is: the tuple that expires was the last one in it.
CREATE OR REPLACE WINDOW AGGREGATE silence(what STRING) : STRING {
  TABLE inwindow(held STRING);
  ITERATE: { }
  EXPIRE: {
    INSERT INTO RETURN SELECT 'nothing since ' || what WHERE (SELECT COUNT(*) FROM inwindow) = 1; }
}
