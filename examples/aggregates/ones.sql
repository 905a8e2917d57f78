-- How many ones are among the last bits.
CREATE OR REPLACE WINDOW AGGREGATE ones(bit INT) : INT {
  TABLE state(n INT);
  INITIALIZE: { INSERT INTO state VALUES (bit); INSERT INTO RETURN VALUES (bit); }
  ITERATE: { UPDATE state SET n = n + bit; INSERT INTO RETURN SELECT n FROM state; }
  EXPIRE: { UPDATE state SET n = n - bit; }
}
