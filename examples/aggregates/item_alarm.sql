-- An item at the door, and nobody authorised ('ap') before or after it: an alarm when the item leaves the window.
CREATE OR REPLACE WINDOW AGGREGATE item_alarm(tagid STRING, tagtype STRING) : STRING {
  TABLE inwindow(tid, ttype);
  INITIALIZE: ITERATE: {
    DELETE FROM inwindow WHERE tagtype = 'ap' AND ttype = 'item';
    DELETE FROM inwindow WHERE tagtype = 'item' AND ttype = 'item'
      AND EXISTS (SELECT tid FROM inwindow WHERE ttype = 'ap'); }
  EXPIRE: {
    INSERT INTO RETURN VALUES ('larceny alarm')
      WHERE tagtype = 'item' AND NOT EXISTS (SELECT tid FROM inwindow WHERE ttype = 'ap'); }
}
