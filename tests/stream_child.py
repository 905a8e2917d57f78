"""A driver of its own that runs streaming queries, to be killed: python -m tests.stream_child SPEC.

SPEC is a JSON file, written by tests/stream_faults.py. The child starts a session, waits for a line on its input,
runs all queries to the end of what has arrived, writes the file `done` and waits for the end of its input.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TZ"] = "UTC"
time.tzset()

import spark_csql  # noqa: E402 - the time zone comes first
from pyspark import TaskContext  # noqa: E402


def flaky(marks: str, share: float) -> Callable[[Any], Any]:
    """Gives back what it gets, but fails at the first attempt of this share of the tasks, and leaves a mark."""

    def same(value: Any) -> Any:
        task = TaskContext.get()
        if task is None or task.attemptNumber() > 0:
            return value
        place = f"{task.stageId()}-{task.partitionId()}"
        if random.Random(place).random() < share:
            Path(marks, place).touch()
            raise RuntimeError("planned failure of a task")
        return value

    return same


def started(session: Any, spec: dict[str, Any], name: str, sql: str) -> Any:
    home = Path(spec["home"])
    writer = session.sql(sql).writeStream.format("parquet").outputMode("append").queryName(name)
    writer = writer.option("path", str(home / "out" / name))
    writer = writer.option("checkpointLocation", str(home / "checkpoint" / name))
    return writer.trigger(availableNow=True).start()


def run(session: Any, spec: dict[str, Any]) -> None:
    home = Path(spec["home"])
    source = session.readStream.schema(spec["schema"]).option("maxFilesPerTrigger", 1)
    source.parquet(str(home / "source")).createOrReplaceTempView("S_data")
    if spec["flaky"]:
        marks = home / "marks"
        marks.mkdir(exist_ok=True)
        session.udf.register("flaky", flaky(str(marks), spec["flaky"]), "bigint")
    session.sql(spec["declaration"])
    queries = [started(session, spec, name, sql) for name, sql in spec["queries"].items()]
    for query in queries:
        query.awaitTermination()
        if query.exception() is not None:
            raise query.exception()


def main() -> None:
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    session = spark_csql.session(spec["conf"], master=spec["master"], app_name="stream-child")
    sys.stdin.readline()
    run(session, spec)
    Path(spec["home"], f"done-{os.getpid()}").touch()
    sys.stdin.read()
    session.stop()


if __name__ == "__main__":
    main()
