"""What must be equal before a time counts: the size of an answer, and sums over it that know no order.

Answers have a value ``v``, and where the question has them a key ``k`` and an instant ``t``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

TOLERANCE = 1e-9  # relative, for sums of doubles


def sums(columns: Sequence[str], t: str = "t") -> list[str]:
    """Expressions in SQL; ``t`` gives the instant as a number near 1."""
    weights = {"k": "(k + 1)", "t": f"({t})"}
    return ["COUNT(v)", "SUM(v)", "SUM(v * v)", *(f"SUM(v * {weights[c]})" for c in columns if c != "v")]


def agree(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """The sum of nothing is NULL in SQL and 0 elsewhere."""
    return len(one) == len(other) and all(
        math.isclose(a or 0, b or 0, rel_tol=TOLERANCE) for a, b in zip(one, other, strict=True)
    )
