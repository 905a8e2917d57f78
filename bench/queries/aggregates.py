"""Aggregates of users, the same in every language: sums, over all rows and over windows."""

from __future__ import annotations

from collections.abc import Sequence

SUM = """
CREATE OR REPLACE TEMPORARY AGGREGATE sql_sum(x DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE);
  INITIALIZE: { INSERT INTO state VALUES (x); }
  ITERATE: { UPDATE state SET s = s + x; }
  TERMINATE: { INSERT INTO RETURN SELECT s FROM state; }
}"""
WINDOW_SUM = """
CREATE OR REPLACE TEMPORARY WINDOW AGGREGATE {name}(x DOUBLE) : DOUBLE {{
  TABLE state(s DOUBLE);
  INITIALIZE: {{ INSERT INTO state VALUES (x); }}
  ITERATE: {{ UPDATE state SET s = s + x; }}
  TERMINATE: {{ INSERT INTO RETURN SELECT s FROM state; }}
  EXPIRE: {{ UPDATE state SET s = s - x; }}
}}"""
PANED_SUM = SUM.replace("TEMPORARY AGGREGATE sql_sum", "TEMPORARY ALGEBRAIC AGGREGATE paned_sum")
NAIVE_SUM = SUM.replace("sql_sum", "naive_sum")


def own_window(size: int) -> str:
    """Keeps the tuples of the window by itself, as one must where there is no EXPIRE."""
    return f"""
CREATE OR REPLACE TEMPORARY AGGREGATE own_window_{size}(x DOUBLE) : DOUBLE {{
  TABLE state(s DOUBLE, n INT);
  TABLE kept(no INT, v DOUBLE);
  INITIALIZE: {{ INSERT INTO state VALUES (x, 1); INSERT INTO kept VALUES (1, x); }}
  ITERATE: {{
    UPDATE state SET s = s + x, n = n + 1;
    INSERT INTO kept SELECT n, x FROM state;
    UPDATE state SET s = s - (SELECT v FROM kept WHERE no = n - {size}) WHERE n > {size};
    DELETE FROM kept WHERE no = (SELECT n FROM state) - {size};
  }}
  TERMINATE: {{ INSERT INTO RETURN SELECT s FROM state; }}
}}"""


def in_sql(sizes: Sequence[int]) -> list[str]:
    windows = [WINDOW_SUM.format(name=name) for name in ("sql_sum", "paned_sum", "delta_sum")]
    return [SUM, PANED_SUM, NAIVE_SUM, *windows, *map(own_window, sizes)]


IN_SCALA = [
    "CREATE OR REPLACE TEMPORARY AGGREGATE scala_sum(x DOUBLE) : DOUBLE"
    " LANGUAGE JVM 'org.sparkcsql.bench.ScalaSum'",
    "CREATE OR REPLACE TEMPORARY WINDOW AGGREGATE scala_sum(x DOUBLE) : DOUBLE"
    " LANGUAGE JVM 'org.sparkcsql.bench.ScalaWindowSum'",
]


class PythonSum:
    total = 0.0

    def iterate(self, x: float) -> None:
        self.total += x

    def terminate(self) -> float:
        return self.total


class PythonWindowSum(PythonSum):
    def expire(self, x: float) -> None:
        self.total -= x


def over(call: str, rows: int | None, slide: int = 1, stream: str = "ordered") -> str:
    """Over so many tuples, or over all of them so far."""
    back = "UNBOUNDED" if rows is None else rows - 1
    frame = f"ROWS {back} PRECEDING" + (f" SLIDE {slide}" if slide > 1 else "")
    return f"SELECT ts AS t, {call}(load) OVER ({frame}) AS v FROM {stream}"


def grouped(call: str) -> str:
    return f"SELECT id AS k, {call}(load) AS v FROM cpu GROUP BY id"
