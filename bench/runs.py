"""One run of one question on one engine, and what it took."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    seconds: float
    answer: tuple[float, ...]
    memory_mb: float  # the most that was live: heap after a collection in Java, resident memory elsewhere
    spill_mb: float = 0.0


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
    """The most heap that was left after a collection since ``reset``, from the JVM's own log."""

    LEFT = re.compile(r"Pause (?:Young|Full) .* \d+M->(\d+)M")

    def __init__(self, log: Path) -> None:
        self.log, self.read = log, 0
        self.option = f"-Xlog:gc:file={log}"

    def reset(self) -> None:
        self.read = self.log.stat().st_size

    def peak_mb(self) -> float:
        with self.log.open(encoding="utf-8") as log:
            log.seek(self.read)
            return max((float(left) for left in self.LEFT.findall(log.read())), default=0.0)
