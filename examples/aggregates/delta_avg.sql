-- The average over a window at the same cost for a window of any size: EXPIRE takes back what leaves.
CREATE OR REPLACE WINDOW AGGREGATE delta_avg(Next DOUBLE) : DOUBLE {
  TABLE state(tsum DOUBLE, cnt INT);
  TABLE inwindow(wnext DOUBLE);
  INITIALIZE: {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN VALUES (Next); }
  ITERATE: {
    UPDATE state SET tsum = tsum + Next, cnt = cnt + 1;
    INSERT INTO RETURN SELECT tsum / cnt FROM state; }
  EXPIRE: {
    UPDATE state SET tsum = tsum - oldest().wnext, cnt = cnt - 1;
    INSERT INTO RETURN SELECT tsum / cnt FROM state WHERE cnt > 0; }
}
