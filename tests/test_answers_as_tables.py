"""Plain Spark on top of a windowed query's answer: the same rows as on a table that holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as f

ROWS = "(1, 10, 1), (1, 20, 2), (2, 30, 3), (2, NULL, 4), (1, 50, 5), (3, 7, 5), (3, 8, 9)"
QUERIES = {
    "slide": "SELECT id, sum(v) AS n FROM s [Rows 3] GROUP BY id",
    "jump": "SELECT id, v AS n FROM s [Range 3 Seconds, Frequency 2 Seconds]",
    "over": "SELECT id, sum(v) OVER (PARTITION BY id ROWS 1 PRECEDING SLIDE 2) AS n FROM s",
    "istream": "ISTREAM(SELECT id, v AS n FROM s [Range 2 Seconds])",
    "join": "SELECT a.id, b.v AS n FROM s [Rows 2] a JOIN s [Rows 3] b ON a.id = b.id",
}


def in_view(query: str) -> Callable[[Any], Any]:
    def read(answer: Any) -> Any:
        answer.createOrReplaceTempView("answers")
        return answer.sparkSession.sql(query)

    return read


USES: dict[str, Callable[[Any], Any]] = {
    "self-join": lambda d: d.alias("a").join(d.alias("b"), f.col("a.id") == f.col("b.n") / 10),
    "union": lambda d: d.union(d),
    "intersect": lambda d: d.intersect(d),
    "exceptAll": lambda d: d.exceptAll(d.limit(0)),
    "distinct": lambda d: d.dropDuplicates(["id"]).select("id"),
    "cached": lambda d: d.cache().select("id").union(d.select("n")),
    "view twice": in_view("SELECT x.id, y.n FROM answers x, answers y WHERE x.id = y.id"),
    "WITH twice": in_view("WITH c AS (SELECT * FROM answers) SELECT * FROM c x JOIN c y ON x.id = y.id"),
    "subqueries": in_view(
        "SELECT id, (SELECT max(n) FROM answers) FROM answers WHERE id IN (SELECT id FROM answers)"
    ),
}


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.sql(
        "CREATE TEMPORARY STREAM s ORDER BY ts AS "
        f"SELECT id, v, timestamp_seconds(t) AS ts FROM VALUES {ROWS} AS q(id, v, t)"
    )
    return own


@pytest.mark.parametrize("query", QUERIES)
def test_uses(session: Any, query: str) -> None:
    answer = session.sql(QUERIES[query])
    table = session.createDataFrame(answer.collect(), answer.schema)
    for name, use in USES.items():
        rows = [sorted(map(str, use(read).collect())) for read in (session.sql(QUERIES[query]), table)]
        assert rows[0] == rows[1], name


@pytest.mark.parametrize("query", QUERIES)
def test_the_order_of_the_answer(session: Any, query: str) -> None:
    answer = session.sql(QUERIES[query])
    rows = answer.collect()
    assert answer.tail(2) == rows[-2:]
    assert answer.limit(3).collect() == rows[:3]
    assert answer.observe("seen", f.count("*").alias("rows")).collect() == rows


@pytest.mark.parametrize("query", QUERIES)
def test_a_cached_answer_is_read_again(session: Any, query: str) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW cached AS {QUERIES[query]}")
    rows = session.table("cached").collect()
    session.sql("CACHE TABLE cached")
    plan = session.table("cached")._jdf.queryExecution().optimizedPlan().toString()
    assert "InMemoryRelation" in plan
    assert session.table("cached").collect() == rows
    session.sql("UNCACHE TABLE cached")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, n FROM windowed [Rows 3]",
        "SELECT id FROM windowed [Frequency 2 Tuples]",
        "SELECT id FROM (SELECT * FROM windowed) [Rows 2]",
        "ISTREAM(SELECT id FROM windowed)",
        "SELECT id FROM s [Rows 2] WHERE v IN (SELECT n FROM windowed)",
        "SELECT a.id FROM s [Rows 2] a JOIN windowed [Rows 2] b ON a.id = b.id",
        "SELECT id FROM windowed UNION SELECT id FROM s [Rows 2]",
        "SELECT SUM(n) OVER (ROWS 1 PRECEDING SLIDE 2) AS n FROM windowed",
        "WITH w AS (SELECT * FROM windowed) SELECT id FROM w [Rows 2]",
    ],
)
def test_temporary_views_over_temporary_views(session: Any, query: str) -> None:
    """Spark lets a view see the temporary views that stood in its plan, and a stored one none at all."""
    session.sql(
        "CREATE OR REPLACE TEMPORARY VIEW windowed AS SELECT id, sum(v) AS n FROM s [Rows 3] GROUP BY id"
    )
    expected = sorted(map(str, session.sql(query).collect()))
    for kind in ("VIEW", "STREAM"):
        session.sql(f"CREATE OR REPLACE TEMPORARY {kind} above AS {query}")
        assert sorted(map(str, session.sql("SELECT * FROM above").collect())) == expected
        with pytest.raises(AnalysisException, match="INVALID_TEMP_OBJ_REFERENCE"):
            session.sql(f"CREATE {kind} stored AS {query}")
        session.sql(f"DROP {kind} above")
