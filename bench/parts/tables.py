"""Questions on tables: to all engines, and to ours on one core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.compare import compare
from bench.data import Data
from bench.engines import engines
from bench.engines.tables import TABLES
from bench.work import OURS, Work


def on_tables(
    rows: int, ordered: Sequence[Work], shuffled: Sequence[Work], on_one_core: Sequence[Work]
) -> list[dict[str, Any]]:
    in_order, out_of_order = Data(rows), Data(rows, shuffled=True)
    with engines(TABLES) as two_cores:
        found = [compare(two_cores, work, in_order, "ordered") for work in ordered]
        found += [compare(two_cores, work, out_of_order, "shuffled") for work in shuffled]
    with engines(TABLES, cores=1) as one_core:
        found += [compare(one_core, work, in_order, "one core", [OURS]) for work in on_one_core]
    return found
