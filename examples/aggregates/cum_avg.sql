-- The average so far, at each tuple.
CREATE OR REPLACE AGGREGATE cum_avg(Next DOUBLE) : DOUBLE {
  TABLE state(tsum DOUBLE, cnt INT);
  INITIALIZE: {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN VALUES (Next); }
  ITERATE: {
    UPDATE state SET tsum = tsum + Next, cnt = cnt + 1;
    INSERT INTO RETURN SELECT tsum / cnt FROM state; }
  TERMINATE: { }
}
