"""One run of one question on one engine, and what it took."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bench.data import Data

HEAP = "6g"


@dataclass(frozen=True)
class Run:
    rows: int
    seconds: float
    answer: tuple[float, ...]
    memory_mb: float  # the most that was live: heap after a collection in Java, resident memory elsewhere
    spill_mb: float = 0.0
    told: dict[str, float] = field(default_factory=dict)  # what else the engine says of itself


class Runs(Protocol):
    """An engine, here or in another process."""

    def run(self, question: Any, columns: Sequence[str], data: Data) -> Run: ...


class ResidentMemory:
    """The most resident memory of this process since ``reset``, from Linux."""

    def reset(self) -> None:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def peak_mb(self) -> float:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
        assert found
        return int(found[1]) / 1024


class CollectedHeap:
    """The most heap that was left after a collection, from the log of a Java process."""

    LEFT = re.compile(r"Pause (?:Young|Full) .* \d+M->(\d+)M")

    def __init__(self, log: Path) -> None:
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        # The heap has its full size at once: the collection before each run would make it shrink.
        self.options = [f"-Xms{HEAP}", f"-Xlog:gc:file={log}"]
        self.begin()

    def begin(self) -> None:
        """Before a process starts."""
        self.log.unlink(missing_ok=True)
        self.read = 0

    def reset(self) -> None:
        """Forget what a running process has told until now."""
        self.read = self.log.stat().st_size

    def peak_mb(self) -> float:
        with self.log.open(encoding="utf-8") as log:
            log.seek(self.read)
            return max((float(left) for left in self.LEFT.findall(log.read())), default=0.0)
