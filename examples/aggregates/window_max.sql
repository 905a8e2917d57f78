-- The largest value: smaller ones that came earlier can never be it again, so they leave at once.
CREATE OR REPLACE ALGEBRAIC WINDOW AGGREGATE window_max(Next DOUBLE) : DOUBLE {
  TABLE inwindow(wnext DOUBLE);
  ITERATE: {
    DELETE FROM inwindow WHERE wnext < Next;
    INSERT INTO RETURN VALUES (oldest()); }
  EXPIRE: { INSERT INTO RETURN SELECT wnext FROM inwindow LIMIT 1 OFFSET 1; }
}
