-- Products that are read within two seconds of each other belong to one case: each with the number of its case.
CREATE OR REPLACE AGGREGATE product_group(tag STRING, at TIMESTAMP) : STRUCT<tag: STRING, grp: INT> {
  TABLE seen(last TIMESTAMP, grp INT);
  INITIALIZE: {
    INSERT INTO seen VALUES (at, 1);
    INSERT INTO RETURN VALUES (tag, 1); }
  ITERATE: {
    UPDATE seen SET grp = grp + 1 WHERE at - last > INTERVAL 2 SECONDS;
    UPDATE seen SET last = at;
    INSERT INTO RETURN SELECT tag, grp FROM seen; }
}
