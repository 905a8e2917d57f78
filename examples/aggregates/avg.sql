-- The average, from its parts. It takes the place of Spark's own avg in this session.
CREATE OR REPLACE TEMPORARY AGGREGATE avg(Next DOUBLE) : DOUBLE {
  TABLE state(tsum DOUBLE, cnt INT);
  INITIALIZE: { INSERT INTO state VALUES (Next, 1); }
  ITERATE: { UPDATE state SET tsum = tsum + Next, cnt = cnt + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT tsum / cnt FROM state; }
}
