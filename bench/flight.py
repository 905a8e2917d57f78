"""Java's own flight recordings: what the threads of tasks do, where they are, and how much they allocate."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
DEEPEST = 128  # frames of a stack


@contextmanager
def recorded(jvm: Any, file: Path) -> Iterator[None]:
    """Record the Java process while the body runs."""
    process = str(jvm.java.lang.ProcessHandle.current().pid())
    file.parent.mkdir(parents=True, exist_ok=True)
    _jcmd(process, "JFR.configure", f"stackdepth={DEEPEST}")
    _jcmd(process, "JFR.start", "name=bench", "settings=profile")
    try:
        yield
    finally:
        _jcmd(process, "JFR.stop", "name=bench", f"filename={file}")


def _jcmd(process: str, *command: str) -> None:
    subprocess.run(["jcmd", process, *command], check=True, capture_output=True)


@dataclass(frozen=True)
class Flight:
    stacks: list[
        list[str]
    ]  # of the tasks' threads, one for each sample: classes with methods, innermost first
    allocated_mb: float

    @classmethod
    def of(cls, file: Path) -> Flight:
        samples = (event for event in events(file, "jdk.ExecutionSample") if in_task(event["sampledThread"]))
        allocated = sum(float(event["weight"]) for event in events(file, "jdk.ObjectAllocationSample"))
        return cls([frames(event) for event in samples], allocated / MEGABYTE)

    @property
    def shares(self) -> dict[str, float]:
        """Of each activity in the time of the tasks."""
        found = Counter(activity(stack) for stack in self.stacks)
        return {name: found[name] / max(1, len(self.stacks)) for name in (*ACTIVITIES, OTHER)}


def activity(stack: Iterable[str]) -> str:
    """Of a stack, the innermost frame first."""
    for name in stack:
        for does, parts in ACTIVITIES.items():
            if any(part in name for part in parts):
                return does
    return OTHER


def frames(event: dict[str, Any]) -> list[str]:
    stack = event["stackTrace"] or {"frames": []}
    methods = (frame["method"] for frame in stack["frames"])
    return [f"{method['type']['name'].replace('.', '/')}.{method['name']}" for method in methods]


def in_task(thread: dict[str, Any] | None) -> bool:
    return str((thread or {}).get("javaName")).startswith("Executor task")


def events(file: Path, name: str) -> Iterator[dict[str, Any]]:
    command = ["jfr", "print", "--json", "--stack-depth", str(DEEPEST), "--events", name, str(file)]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return (event["values"] for event in printed["recording"]["events"])
