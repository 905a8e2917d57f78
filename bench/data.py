"""The rows that every engine reads: cpu(id, site, load, ts, seq) in parquet files, made once.

Machines, each with its ``id``, stand at a ``site`` and tell their ``load``, together about 50 times a second.
``seq`` is the place of a row in the order of time. Every value is a function of ``seq``.
No time is a whole second, and no two times are a window's length apart: engines that count the bounds of a
window in and those that count them out give the same answers.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".build" / "bench"
SITES = 50
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
START_MICROS = int(START.timestamp()) * 1_000_000
SPACING_MICROS = 20_000
TIME = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Data:
    """Rows in files: ``shuffled`` over all files, or in the order of time, file after file."""

    rows: int
    keys: int = 1000
    files: int = 8
    shuffled: bool = False

    @property
    def folder(self) -> Path:
        order = "shuffled" if self.shuffled else "ordered"
        return HOME / "data" / f"{self.rows}-rows-{self.keys}-keys-{self.files}-files-{order}"

    def paths(self) -> list[str]:
        """The files, in the order of time if they have one; made when they are not there."""
        if not self.folder.exists():
            self._make()
        return [str(path) for path in sorted(self.folder.glob("*.parquet"))]

    def _make(self) -> None:
        unfinished = self.folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        order = np.arange(1, self.rows + 1)
        if self.shuffled:
            np.random.default_rng(1).shuffle(order)
        for number, piece in enumerate(np.array_split(order, self.files)):
            path = unfinished / f"part-{number:03d}.parquet"
            parquet.write_table(rows(piece, self.keys), path, row_group_size=2**18)
        unfinished.rename(self.folder)


def rows(seq: np.ndarray, keys: int) -> pa.Table:
    noise = mixed(seq)
    ident = (noise % np.uint64(keys)).astype(np.int32)
    # Steps of 20 µs, then a remainder that tells rows a whole number of seconds apart from each other.
    late = (noise >> np.uint64(20)) % np.uint64(950) * np.uint64(20)
    times = START_MICROS + seq * SPACING_MICROS + late.astype(np.int64) + seq % 19 + 1
    columns = {
        "id": ident,
        "site": ident % SITES,
        "load": ((noise >> np.uint64(40)) % np.uint64(10_000)).astype(np.float64) / 100,
        "ts": pa.array(times).cast(TIME),
        "seq": seq,
    }
    return pa.table(columns)


def mixed(seq: np.ndarray) -> np.ndarray:
    """Well mixed bits (splitmix64)."""
    bits = seq.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    done: np.ndarray = bits ^ (bits >> np.uint64(31))
    return done


def last_tick_micros(rows: int) -> int:
    """The last whole minute before the last row."""
    minute = 60_000_000
    return (START_MICROS + rows * SPACING_MICROS) // minute * minute
