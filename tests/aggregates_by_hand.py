"""Small streams and aggregates over which answers can be worked out by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests import slt
from tests.oracle import Catalog

FILE = """
stream S (k STRING, v INT, ts TIMESTAMP) order by ts

feed S
a  1  2026-01-01 00:00:01
b  4  2026-01-01 00:00:02
a  3  2026-01-01 00:00:03
a  2  2026-01-01 00:00:10
b  6  2026-01-01 00:00:11
a  8  2026-01-01 00:00:12

table E (k STRING, v INT)

table N (k STRING, v INT)

feed N
a     1
NULL  NULL
a     NULL
NULL  5

aggregate
CREATE AGGREGATE average(x DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE, n INT);
  INITIALIZE: { INSERT INTO state VALUES (x, 1); }
  ITERATE: { UPDATE state SET s = s + x, n = n + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT s / n FROM state; }
}

aggregate
CREATE AGGREGATE running(x INT) : INT {
  TABLE state(s INT);
  INITIALIZE: { INSERT INTO state VALUES (x); INSERT INTO RETURN VALUES (x); }
  ITERATE: { UPDATE state SET s = s + x; INSERT INTO RETURN SELECT s FROM state; }
}

aggregate
CREATE AGGREGATE which(x INT) : STRING {
  TABLE t(n INT);
  INITIALIZE: { INSERT INTO t VALUES (1); }
  ITERATE: { UPDATE t SET n = n + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT 'base ' || n FROM t; }
}

aggregate
CREATE WINDOW AGGREGATE which(x INT) : STRING {
  TABLE t(n INT, gone INT);
  TABLE inwindow(w INT);
  INITIALIZE: { INSERT INTO t VALUES (1, 0); INSERT INTO RETURN VALUES ('window 1 0'); }
  ITERATE: { UPDATE t SET n = n + 1; INSERT INTO RETURN SELECT 'window ' || n || ' ' || gone FROM t; }
  EXPIRE: { UPDATE t SET gone = gone + 1; INSERT INTO RETURN SELECT 'gone ' || gone || ' ' || x FROM t; }
}

aggregate
CREATE WINDOW AGGREGATE peak(x INT) : STRUCT<top: INT, held: BIGINT, gone: INT> {
  TABLE inwindow(w INT);
  TABLE t(gone INT);
  INITIALIZE: { INSERT INTO t VALUES (0); INSERT INTO RETURN VALUES (x, 1, 0); }
  ITERATE: {
    DELETE FROM inwindow WHERE w < x; -- what can never be the largest again
    INSERT INTO RETURN SELECT oldest(), (SELECT COUNT(*) FROM inwindow), gone FROM t; }
  EXPIRE: { UPDATE t SET gone = gone + 1 WHERE oldest().w = x }
}

aggregate
CREATE AGGREGATE tops(x INT, n INT) : INT {
  TABLE kept(y INT);
  ITERATE: { INSERT INTO kept VALUES (x); }
  TERMINATE: {
    INSERT INTO RETURN
      SELECT y FROM kept WHERE (SELECT COUNT(*) FROM kept k WHERE k.y > kept.y) < 2 ORDER BY y DESC; }
}

aggregate
CREATE AGGREGATE large(x INT) : INT {
  ITERATE: { INSERT INTO RETURN VALUES (x) WHERE x > 3; }
}

aggregate
CREATE AGGREGATE held(x INT) : BIGINT {
  TABLE t(x INT);
  ITERATE: { INSERT INTO t VALUES (x); }
  TERMINATE: { INSERT INTO RETURN SELECT COUNT(*) FROM t; }
}

aggregate
CREATE AGGREGATE total(x INT) : BIGINT {
  TABLE state(s BIGINT);
  INITIALIZE: { INSERT INTO state VALUES (x); }
  ITERATE: { UPDATE state SET s = s + x; }
  TERMINATE: { INSERT INTO RETURN SELECT s FROM state; }
}

aggregate
CREATE WINDOW AGGREGATE total(x INT) : BIGINT {
  TABLE state(s BIGINT);
  INITIALIZE: { INSERT INTO state VALUES (x); INSERT INTO RETURN VALUES (x); }
  ITERATE: { UPDATE state SET s = s + x; INSERT INTO RETURN SELECT s FROM state; }
  EXPIRE: { UPDATE state SET s = s - x; }
}

aggregate
CREATE AGGREGATE last_of(x INT) : INT {
  ITERATE: { }
  TERMINATE: { INSERT INTO RETURN VALUES (x); }
}

aggregate
CREATE WINDOW AGGREGATE through(x DOUBLE) : DOUBLE {
  TABLE inwindow(w DOUBLE);
  ITERATE: { INSERT INTO RETURN SELECT average(w) + 100 FROM inwindow; }
}
"""


@cache
def case_file() -> slt.CaseFile:
    return slt.Reader(Path("here.slt"), FILE).read()


@cache
def catalog() -> Catalog:
    return Catalog.of(case_file().relations.values())
