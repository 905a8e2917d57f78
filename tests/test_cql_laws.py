"""Laws that hold between the answers to different queries over several streams, for the oracle and in batch.

They need no right answer: what enters and leaves a relation adds up to it, joins commute, counts of set operations
add up, and two ways of saying the same answer the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from tests.batch import INTERPRETED, Batch
from tests.oracle import Catalog, answer
from tests.random_cql import Generator
from tests.random_cql_data import World, world
from tests.values import Row

SEEDS = (11, 12, 13)
Bag = Counter[str]


def bag(rows: list[Row]) -> Bag:
    return Counter(map(repr, rows))


def by_time(rows: list[Row]) -> dict[Any, Bag]:
    """Rows whose first column is the time of the answer, by that time."""
    found: dict[Any, list[Row]] = {}
    for time, *values in rows:
        found.setdefault(time, []).append(tuple(values))
    return {time: bag(values) for time, values in found.items()}


@dataclass
class Asking:
    """A world with three streams and who answers about it; windows are drawn for each law anew."""

    world: World
    ask: Callable[[str], list[Row]]
    rng: Random

    def window(self) -> str:
        return Generator(self.rng, self.world).window("P") or " [Range Unbounded]"

    def time_window(self) -> str:
        return f" [Range {Generator(self.rng, self.world).clauses.span(self.world.kind)}]"

    def course(self, columns: str, rest: str) -> Callable[[Any], Bag]:
        """A relation over time, put together from what enters and what leaves it."""
        enters = by_time(self.ask(f"SELECT ISTREAM(evaluation_time(), {columns}) {rest}"))
        leaves = by_time(self.ask(f"SELECT DSTREAM(evaluation_time(), {columns}) {rest}"))
        return lambda time: put_together(enters, leaves, time)

    def times(self) -> list[Any]:
        """Every instant of the world at which something may happen, and those after it."""
        at = [row[-1] for r in self.world.relations if r.kind == "stream" for row in r.rows]
        return sorted(set(at))


def put_together(enters: dict[Any, Bag], leaves: dict[Any, Bag], until: Any) -> Bag:
    now: Bag = Counter()
    for time in sorted({*enters, *leaves}):
        if time <= until:
            gone = leaves.get(time, Counter())
            assert not gone - now, f"{gone} leaves {now} at {time}"
            now = now + enters.get(time, Counter()) - gone
    return now


@pytest.fixture(scope="module", params=["oracle", "batch"])
def asking(request: pytest.FixtureRequest) -> Callable[[int, str], Asking]:
    """Worlds by their seed; a law's name chooses its windows."""
    spark = request.getfixturevalue("spark") if request.param == "batch" else None
    made: dict[int, tuple[World, Callable[[str], list[Row]]]] = {}

    def of(seed: int, law: str) -> Asking:
        if seed not in made:
            given = world(Random(seed))
            if spark is None:
                catalog = Catalog.of(given.relations)
                made[seed] = given, lambda sql: answer(catalog, sql).rows
            else:
                made[seed] = given, Batch(spark, given.relations, 2, INTERPRETED).answer
        return Asking(*made[seed], Random(f"{seed} {law}"))

    return of


FROM = [
    "FROM P{} x",
    "FROM P{} x JOIN Q{} y ON x.k = y.k",
    "FROM P{} x LEFT JOIN Q{} y ON x.k = y.k",
    "FROM P{} x WHERE x.k NOT IN (SELECT k FROM Q{} WHERE k IS NOT NULL)",
    "FROM T LEFT JOIN P{} x ON x.k = T.tk",
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("text", FROM)
def test_what_enters_and_leaves_adds_up(asking: Callable[[int, str], Asking], seed: int, text: str) -> None:
    given = asking(seed, text)
    rest = text.format(given.window(), given.window())
    now = given.course("x.k, x.v", rest)
    relation = by_time(given.ask(f"SELECT RSTREAM(evaluation_time(), x.k, x.v) {rest}"))
    changes = by_time(given.ask(f"SELECT ISTREAM(evaluation_time(), x.k, x.v) {rest}"))
    for time in sorted({*relation, *changes}):
        assert now(time) == relation.get(time, Counter()), f"{rest} at {time}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "other"), [("JOIN", "JOIN"), ("LEFT JOIN", "RIGHT JOIN"), ("FULL JOIN",) * 2]
)
def test_joins_commute(asking: Callable[[int, str], Asking], seed: int, kind: str, other: str) -> None:
    given = asking(seed, kind)
    left, right = f"P{given.window()} x", f"Q{given.window()} y"
    operator = given.rng.choice(["ISTREAM", "DSTREAM", "RSTREAM"])
    columns = f"{operator}(evaluation_time(), x.k, x.v, y.v)"
    one = given.ask(f"SELECT {columns} FROM {left} {kind} {right} ON x.k = y.k")
    two = given.ask(f"SELECT {columns} FROM {right} {other} {left} ON x.k = y.k")
    assert bag(one) == bag(two), f"{left} {kind} {right}, {operator}"


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_of_set_operations_add_up(asking: Callable[[int, str], Asking], seed: int) -> None:
    given = asking(seed, "sets")
    sides = [f"SELECT k FROM P{given.window()}", f"SELECT k FROM Q{given.window()}"]
    a, b = (given.course("k", f"FROM ({side}) s") for side in sides)

    def of(kind: str) -> Callable[[Any], Bag]:
        return given.course("k", f"FROM ({f' {kind} '.join(sides)}) s")

    both, common, only = of("UNION ALL"), of("INTERSECT ALL"), of("EXCEPT ALL")
    any_, shared, left = of("UNION"), of("INTERSECT"), of("EXCEPT")
    for time in given.times():
        place = f"{sides} at {time}"
        assert both(time) == a(time) + b(time), place
        assert common(time) == a(time) & b(time), place
        assert only(time) == a(time) - b(time), place
        assert common(time) + only(time) == a(time), place
        assert set(any_(time).elements()) == {*a(time), *b(time)}, place
        assert set(shared(time).elements()) == {*a(time)} & {*b(time)}, place
        assert set(left(time).elements()) == {*a(time)} - {*b(time)}, place
        assert all(max(found(time).values(), default=1) == 1 for found in (any_, shared, left)), place


def same(given: Asking, one: str, two: str) -> None:
    assert bag(given.ask(one)) == bag(given.ask(two)), f"{one}\n{two}"


@pytest.mark.parametrize("seed", SEEDS)
def test_two_ways_of_saying_the_same(asking: Callable[[int, str], Asking], seed: int) -> None:
    given = asking(seed, "ways")
    p, q, time = given.window(), given.window(), given.time_window()
    list_ = "evaluation_time(), x.k, x.v"
    same(
        given,
        f"SELECT ISTREAM({list_}) FROM P [Range Unbounded] x WHERE x.v > 1",
        f"SELECT RSTREAM({list_}) FROM P [Now] x WHERE x.v > 1",
    )
    same(
        given,
        f"SELECT ISTREAM({list_}) FROM P{time} x WHERE x.v > 1",
        f"SELECT ISTREAM({list_}) FROM (SELECT k, v FROM P WHERE v > 1) x{time}",
    )
    same(
        given,
        f"SELECT ISTREAM({list_}) FROM P{p} x WHERE x.k IN (SELECT k FROM Q{q})",
        f"SELECT ISTREAM({list_}) FROM P{p} x WHERE EXISTS (SELECT 1 FROM Q{q} y WHERE y.k = x.k)",
    )
    same(
        given,
        f"SELECT ISTREAM({list_}) FROM P{p} x WHERE x.k NOT IN (SELECT k FROM Q{q})",
        f"SELECT ISTREAM({list_}) FROM P{p} x "
        f"WHERE NOT EXISTS (SELECT 1 FROM Q{q} y WHERE y.k = x.k OR y.k IS NULL OR x.k IS NULL)",
    )
    same(
        given,
        f"SELECT DSTREAM({list_}) FROM P{p} x LEFT JOIN Q{q} y ON x.k = y.k WHERE y.seq IS NULL",
        f"SELECT DSTREAM({list_}) FROM P{p} x WHERE NOT EXISTS (SELECT 1 FROM Q{q} y WHERE y.k = x.k)",
    )
    same(
        given,
        f"SELECT RSTREAM(DISTINCT {list_}) FROM P{p} x",
        f"SELECT RSTREAM({list_}) FROM P{p} x GROUP BY x.k, x.v",
    )
    same(
        given,
        f"SELECT x.k, y.v FROM P{p} x JOIN Q{q} y ON x.k = y.k",
        f"SELECT x.k, y.v FROM P{p} x, Q{q} y WHERE x.k = y.k",
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("operator", ["ISTREAM", "DSTREAM", "RSTREAM"])
def test_one_tuple_for_each_value_is_as_good_as_all(
    asking: Callable[[int, str], Asking], seed: int, operator: str
) -> None:
    """A condition on both sides has to look at all tuples; this one is always true."""
    given = asking(seed, operator)
    select = f"SELECT {operator}(evaluation_time(), x.k, x.v) FROM P{given.window()} x WHERE"
    past, looks = "Q [Range Unbounded] y WHERE", "y.v + x.v IS NOT DISTINCT FROM x.v + y.v"
    same(
        given,
        f"{select} EXISTS (SELECT 1 FROM {past} y.k = x.k)",
        f"{select} EXISTS (SELECT 1 FROM {past} y.k = x.k AND {looks})",
    )
    same(
        given,
        f"{select} x.k NOT IN (SELECT y.k FROM {past} y.v > 1)",
        f"{select} NOT EXISTS (SELECT 1 FROM {past} y.v > 1 AND (y.k = x.k OR y.k IS NULL OR x.k IS NULL))",
    )
    same(
        given,
        f"SELECT {operator}(DISTINCT evaluation_time(), k) FROM P [Range Unbounded]",
        f"SELECT {operator}(evaluation_time(), k) FROM P [Range Unbounded] GROUP BY k",
    )
