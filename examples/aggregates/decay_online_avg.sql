-- An average that answers at each tuple and forgets slowly. Without TERMINATE it needs no window on a stream.
CREATE OR REPLACE AGGREGATE decay_online_avg(Next DOUBLE) : DOUBLE {
  TABLE state(tsum DOUBLE, cnt INT);
  INITIALIZE: {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN VALUES (Next); }
  ITERATE: {
    UPDATE state SET tsum = 0.9D * tsum + 1.1D * Next, cnt = cnt + 1;
    INSERT INTO RETURN SELECT tsum / cnt FROM state; }
}
