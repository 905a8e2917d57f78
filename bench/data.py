"""The rows that every engine reads: cpu(id, site, load, ts, seq) in parquet files, made once.

Machines, each with its ``id``, stand at a ``site`` and tell their ``load``, together about 50 times a second.
``seq`` is the place of a row in the order of time. Every value is a function of ``seq``.
No time is a whole second, and no two times are a window's length apart: engines that count the bounds of a
window in and those that count them out give the same answers. Times are whole milliseconds, as in Flink.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".build" / "bench"
SITES = 50
PARTS = 256
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
START_MICROS = int(START.timestamp()) * 1_000_000
SPACING_MICROS = 20_000
TIME = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Data:
    """Rows in files: ``shuffled`` over all files, or in the order of time, file after file."""

    rows: int  # before some are left out
    keys: int = 1000
    files: int = 8
    shuffled: bool = False
    only: tuple[str, int] | None = None  # leaves out rows in which this column is not below the number

    def part(self, axis: Literal["seq", "id", "site"], parts: int) -> Data:
        """So many of 256 parts: the first rows, or all rows of some of the machines or sites.

        Windows of one machine's rows are as long on some of the machines as on all, not so on the first rows.
        """
        if parts == PARTS:
            return self
        if axis == "seq":
            return replace(self, rows=self.rows * parts // PARTS)
        values = self.keys if axis == "id" else SITES
        return replace(self, only=(axis, max(1, values * parts // PARTS)))

    @property
    def folder(self) -> Path:
        order = "shuffled" if self.shuffled else "ordered"
        only = f"-{self.only[0]}-below-{self.only[1]}" if self.only else ""
        return HOME / "data" / f"{self.rows}-rows-{self.keys}-keys-{self.files}-files-{order}{only}"

    @property
    def half_micros(self) -> int:
        """The middle of the time."""
        return START_MICROS + self.rows * SPACING_MICROS // 2

    @property
    def settled_micros(self) -> int:
        """The last whole minute of nine tenths of the time: a stream has all answers before it at its end."""
        minute = 60_000_000
        return (START_MICROS + self.rows * SPACING_MICROS * 9 // 10) // minute * minute

    @cached_property
    def count(self) -> int:
        """How many rows there are in the files."""
        return sum(parquet.read_metadata(path).num_rows for path in self.paths())

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
            made = rows(piece, self.keys)
            if self.only:
                made = made.filter(compute.less(made[self.only[0]], self.only[1]))
            parquet.write_table(made, path, row_group_size=2**18)
            os.utime(path, (START.timestamp() + number,) * 2)  # streams read the oldest file first
        unfinished.rename(self.folder)


def rows(seq: np.ndarray, keys: int) -> pa.Table:
    noise = mixed(seq)
    ident = (noise % np.uint64(keys)).astype(np.int32)
    # The remainder in 20 ms is never 0, and differs for rows a window's length apart.
    times = START_MICROS + seq * SPACING_MICROS + (seq % 19 + 1) * 1000
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
