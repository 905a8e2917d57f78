"""Part «stream»: questions on streams, the same files replayed to each engine, at most two million rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.compare import compare
from bench.data import Data
from bench.engines import engines
from bench.engines.java import EsperEngine, FlinkEngine
from bench.engines.spark_stream import TwoFilesAtOnce
from bench.java import CannotBuild, build
from bench.measure import longest
from bench.stream_works import ALL, BY_HAND
from bench.tell import tell
from bench.work import OURS

MOST_ROWS = 2_000_000
FILES = 8
RUNS = 3
LIMIT = 20.0  # seconds for both halves
STREAMS = {OURS: TwoFilesAtOnce, "Spark": TwoFilesAtOnce, "Flink": FlinkEngine, "Esper": EsperEngine}
PROGRAMS = {
    "spark-peers": tuple(BY_HAND),
    "flink": ("Flink",),
    "esper": ("Esper",),
}  # and what labels begin with


def run(rows: int) -> dict[str, Any]:
    data = Data(min(rows // 2, MOST_ROWS), files=FILES)
    missing = cannot_build()
    left_out = tuple(start for program in missing for start in PROGRAMS[program])
    measure = partial(longest, most=RUNS, limit=LIMIT / 2)  # the other half fills the windows
    found = []
    with engines(STREAMS) as started:
        for work in ALL:
            labels = [label for label in work.questions if not label.startswith(left_out)]
            found.append(compare(started, work, data, "stream", labels, measure))
    return {"works": found, "missing": missing, "replayed": data.rows}


def cannot_build() -> dict[str, str]:
    """The programs that cannot be had here, and why."""
    missing = {}
    for program in PROGRAMS:
        tell(f"building bench/{program}")
        try:
            build(program)
        except CannotBuild as reason:
            tell(f"  {program} is left out: {reason}")
            missing[program] = str(reason)
    return missing
