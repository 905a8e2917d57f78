-- A sample of one element of the window: the one of the highest priority, which is drawn when the element comes.
CREATE OR REPLACE WINDOW AGGREGATE priority_sample(element STRING, priority DOUBLE) : STRING {
  TABLE inwindow(e STRING, p DOUBLE);
  ITERATE: {
    DELETE FROM inwindow WHERE p < priority;
    INSERT INTO RETURN VALUES (oldest().e); }
}
