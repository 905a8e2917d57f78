"""Windows of the last tuples of a long stream run in stretches, many at a time: sums up to each tuple tell their answers."""

from __future__ import annotations

from typing import Any

import pytest

ROWS = 150_000  # more than two stretches of 65,536 tuples
STREAM = f"SELECT id, (id * 7919) % 1000 AS x, timestamp_micros(id * 1000) AS ts FROM range(0, {ROWS}, 1, 3)"


@pytest.fixture(scope="module")
def streams(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = str(tmp_path_factory.mktemp("long") / "shuffled")
    spark.sql(f"{STREAM} SORT BY x").write.parquet(folder)
    spark.read.parquet(folder).createOrReplaceTempView("long_shuffled")
    spark.sql(STREAM).createOrReplaceTempView("long_ordered")
    return spark


@pytest.mark.parametrize("stream", ["long_ordered", "long_shuffled"])
@pytest.mark.parametrize(("window", "where"), [(1, "true"), (100, "x % 3 = 0"), (20_000, "true")])
def test_stretches_answer_as_one(streams: Any, stream: str, window: int, where: str) -> None:
    ours = streams.sql(f"SELECT MAX(id), COUNT(*), SUM(x) FROM {stream} [Rows {window}] WHERE {where}")
    before = f"(ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND {window} PRECEDING)"
    totals = ", ".join(
        f"SUM(IF({where}, {value}, 0)) OVER (ORDER BY ts) - "
        f"COALESCE(SUM(IF({where}, {value}, 0)) OVER {before}, 0) AS {name}"
        for value, name in (("1", "n"), ("x", "total"))
    )
    plain = streams.sql(f"SELECT id, n, total FROM (SELECT *, {totals} FROM {stream}) WHERE {where}")
    assert ours.count() == plain.count() > 0
    assert ours.exceptAll(plain).isEmpty()
