-- The same for tables. It also makes the panes of a window that slides by many tuples.
CREATE OR REPLACE ALGEBRAIC AGGREGATE window_max(Next DOUBLE) : DOUBLE {
  TABLE top(m DOUBLE);
  INITIALIZE: { INSERT INTO top VALUES (Next); }
  ITERATE: { UPDATE top SET m = Next WHERE m < Next; }
  TERMINATE: { INSERT INTO RETURN SELECT m FROM top; }
}
