"""A few ratios against Spark that take less than three minutes, and a record of what they once were."""

from __future__ import annotations

import json
from pathlib import Path

from bench import stream_works, works
from bench.compare import compare
from bench.data import Data
from bench.engines import Kinds, engines
from bench.engines.spark import SparkEngine
from bench.engines.spark_stream import SparkStreamEngine
from bench.measure import thrice
from bench.results import measured
from bench.tell import tell
from bench.work import OURS, Work, engine_of

RECORD = Path(__file__).with_name("recorded.json")
LEAST = 0.5  # of the recorded ratio
ON_TABLES = [
    works.tuple_jump(300, 1000),
    works.tuple_jump(300, 1000, by_site=True),
    works.overlapping_tuple_jump(40_000, 1000),
    works.time_jump(10),
    works.tuple_slide("AVG", 1000),
    works.time_slide(works.HOUR),
]
ON_STREAMS = [stream_works.time_jump(10)]


def record() -> None:
    RECORD.write_text(json.dumps(ratios(), indent=1) + "\n", encoding="utf-8")


def check() -> None:
    """Ends with an error if a ratio has fallen below half of what it was."""
    if not RECORD.exists():
        raise SystemExit(f"There is no {RECORD.name} to compare with: python -m bench record makes it.")
    recorded: dict[str, float] = json.loads(RECORD.read_text(encoding="utf-8"))
    found = ratios()
    fallen = worse(recorded, found)
    for name, ratio in found.items():
        verdict = "FALLEN" if name in fallen else "holds "
        tell(f"{verdict} {ratio:7.2f}, recorded {recorded[name]:7.2f}  {name}")
    if fallen:
        raise SystemExit(f"{len(fallen)} of {len(found)} ratios fell below {LEAST:.0%} of the recorded ones.")


def worse(recorded: dict[str, float], found: dict[str, float]) -> list[str]:
    return [name for name, ratio in found.items() if ratio < LEAST * recorded[name]]


def ratios() -> dict[str, float]:
    """How many times as fast ours is as Spark."""
    on_tables = _ratios({OURS: SparkEngine, "Spark": SparkEngine}, ON_TABLES, Data(400_000))
    streams: Kinds = {OURS: SparkStreamEngine, "Spark": SparkStreamEngine}
    on_streams = _ratios(streams, ON_STREAMS, Data(200_000, files=8))
    return {**on_tables, **{f"{name}, on a stream": ratio for name, ratio in on_streams.items()}}


def _ratios(kinds: Kinds, todo: list[Work], data: Data) -> dict[str, float]:
    found = {}
    with engines(kinds) as started:
        for work in todo:
            labels = [first(work, OURS), first(work, "Spark")]
            compared = compare(started, work, data, "quick", labels, thrice)
            ours, spark = (measured(each) for each in compared["measured"])
            found[work.name] = ours.speed / spark.speed
    return found


def first(work: Work, engine: str) -> str:
    return next(label for label in work.questions if engine_of(label) == engine)
