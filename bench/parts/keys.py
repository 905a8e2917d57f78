"""Part «keys»: streams of one key, of a hundred and of a hundred thousand, in both state stores."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.compare import compare
from bench.data import Data
from bench.engines import engines
from bench.engines.spark_stream import TwoFilesAtOnce
from bench.java import CannotBuild, build
from bench.measure import longest
from bench.stream_works import AS_THEY_ARRIVE, BY_HAND, spark_time_jump, spark_tuple_slide
from bench.tell import tell
from bench.work import OURS

KEYS = (1, 100, 100_000)
MOST_ROWS = 1_000_000
FILES = 12
RUNS = 3
WORKS = [
    spark_time_jump(1, "id"),
    spark_time_jump(10, "id"),
    spark_tuple_slide("AVG", 100, "id"),
    spark_tuple_slide("AVG", 10_000, "id"),
]


def how(keys: int) -> str:
    return f"{keys:,} keys" if keys > 1 else "1 key"


def run(rows: int) -> dict[str, Any]:
    replayed = min(rows // 2, MOST_ROWS)
    left_out = {*AS_THEY_ARRIVE}
    try:
        build("spark-peers")
    except CannotBuild as reason:
        tell(f"  {', '.join(BY_HAND)} are left out: {reason}")
        left_out |= {*BY_HAND}
    found = []
    with engines({OURS: TwoFilesAtOnce, "Spark": TwoFilesAtOnce}) as started:
        for keys in KEYS:
            for work in WORKS:
                labels = [label for label in work.questions if label not in left_out]
                data = Data(replayed, keys=keys, files=FILES)
                measure = partial(longest, most=RUNS)
                compared = compare(started, work, data, how(keys), labels, measure)
                found.append({**compared, "keys": keys})
    return {"works": found, "replayed": replayed}
