"""Java's own flight recordings: what the threads of tasks do, and how much they allocate."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# By parts of class names. The innermost class of a stack that is known here says what a thread does.
ACTIVITIES = {
    "sort": ("UnsafeExternalSorter", "UnsafeInMemorySorter", "RadixSort", "UnsafeExternalRowSorter"),
    "shuffle": ("spark/shuffle", "spark/storage", "jpountz", "RowBlocks", "UnsafeRowSerializer"),
    "state": ("HDFSBackedStateStore", "RocksDB", "rocksdb", "WaitingRoom", "StoreShelf"),
    "windows and aggregates": (
        "sparkcsql/kernel",
        "sparkcsql/stream",
        "PackedBuffers",
        "SpecificBufferCode",
        "Aggregation",
    ),
    "reading files": ("parquet", "spark/sql/execution/datasources", "spark/sql/execution/vectorized"),
    "order, numbers and keys": ("sparkcsql/batch",),
    "making rows": ("GeneratedClass",),
}
OTHER = "the rest of Spark"
MEGABYTE = 2**20


@contextmanager
def recorded(jvm: Any, file: Path) -> Iterator[None]:
    """Record the Java process while the body runs."""
    process = str(jvm.java.lang.ProcessHandle.current().pid())
    file.parent.mkdir(parents=True, exist_ok=True)
    _jcmd(process, "JFR.start", "name=bench", "settings=profile")
    try:
        yield
    finally:
        _jcmd(process, "JFR.stop", "name=bench", f"filename={file}")


def _jcmd(process: str, *command: str) -> None:
    subprocess.run(["jcmd", process, *command], check=True, capture_output=True)


def told(file: Path) -> dict[str, float]:
    """The share of each activity in the time of the tasks, and the megabytes that were allocated."""
    samples = (event for event in events(file, "jdk.ExecutionSample") if in_task(event["sampledThread"]))
    stacks = [frames(event) for event in samples]
    found = Counter(activity(stack) for stack in stacks)
    allocated = sum(float(event["weight"]) for event in events(file, "jdk.ObjectAllocationSample"))
    shares = {name: found[name] / max(1, len(stacks)) for name in (*ACTIVITIES, OTHER)}
    return {**shares, "allocated MB": allocated / MEGABYTE}


def activity(stack: Iterable[str]) -> str:
    """Of the classes of a stack, the innermost first."""
    for name in stack:
        for does, parts in ACTIVITIES.items():
            if any(part in name for part in parts):
                return does
    return OTHER


def frames(event: dict[str, Any]) -> list[str]:
    stack = event["stackTrace"] or {"frames": []}
    return [frame["method"]["type"]["name"].replace(".", "/") for frame in stack["frames"]]


def in_task(thread: dict[str, Any] | None) -> bool:
    return str((thread or {}).get("javaName")).startswith("Executor task")


def events(file: Path, name: str) -> Iterator[dict[str, Any]]:
    command = ["jfr", "print", "--json", "--stack-depth", "64", "--events", name, str(file)]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return (event["values"] for event in printed["recording"]["events"])
