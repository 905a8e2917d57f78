-- About how often an item is in the window: counts in two hash tables, of which the smaller one is taken.
CREATE OR REPLACE WINDOW AGGREGATE frequency_of(item INT) : INT {
  TABLE h1(slot INT, n INT);
  TABLE h2(slot INT, n INT);
  INITIALIZE: ITERATE: {
    INSERT INTO h1 SELECT item % 97, 0 WHERE NOT EXISTS (SELECT 1 FROM h1 WHERE slot = item % 97);
    INSERT INTO h2 SELECT item % 89, 0 WHERE NOT EXISTS (SELECT 1 FROM h2 WHERE slot = item % 89);
    UPDATE h1 SET n = n + 1 WHERE slot = item % 97;
    UPDATE h2 SET n = n + 1 WHERE slot = item % 89;
    INSERT INTO RETURN
      SELECT LEAST(h1.n, h2.n) FROM h1, h2 WHERE h1.slot = item % 97 AND h2.slot = item % 89; }
  EXPIRE: {
    UPDATE h1 SET n = n - 1 WHERE slot = item % 97;
    UPDATE h2 SET n = n - 1 WHERE slot = item % 89; }
}
