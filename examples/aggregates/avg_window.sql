-- The average over a window, added up anew for each answer. The avg that it calls is the one for tables.
CREATE OR REPLACE TEMPORARY WINDOW AGGREGATE avg(Next DOUBLE) : DOUBLE {
  TABLE inwindow(wnext DOUBLE);
  INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT avg(wnext) FROM inwindow; }
}
