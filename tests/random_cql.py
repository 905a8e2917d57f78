"""Random queries over several windowed streams, made from a seed; each tells which parts of the language it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.random_clauses import Clauses
from tests.random_cql_data import COLUMNS, World, world
from tests.random_data import Source

QUERIES_PER_WORLD = 20
OPERATORS = ("ISTREAM", "DSTREAM", "RSTREAM")
JOINS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
SETS = ("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
AGGREGATES = ("COUNT(*)", "COUNT({})", "SUM({})", "MAX({})", "MIN({})", "AVG({})", "COUNT(DISTINCT {})")
# what the queries of a corpus must use
PARTS = frozenset(
    [
        "istream",
        "dstream",
        "rstream",
        "default",
        "around",
        "evaluation-time",
        "distinct",
        "group-by",
        "having",
    ]
    + ["top-n", "table", "table-kept", "three-streams", "self-join", "together", "where", "no-clause"]
    + ["in", "not-in", "exists", "not-exists", "scalar", "relation", "stream-again"]
    + [join.lower().replace(" ", "-") for join in JOINS]
    + [kind.lower().replace(" ", "-") for kind in SETS]
)


@dataclass
class RandomQuery:
    sql: str
    tags: set[str]


@dataclass
class Item:
    """A FROM item: its text, its alias, and whether it is a relation whose rows have no number."""

    text: str
    alias: str
    relation: bool = False


@dataclass
class Generator:
    rng: Random
    world: World
    tags: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.clauses = Clauses(self.rng)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def query(self) -> RandomQuery:
        draw = self.rng.random()
        if draw < 0.3:
            sql = self.set_operation()
        elif draw < 0.38:
            sql = self.stream_again()
        else:
            sql = self.block(self.operator())
        return RandomQuery(sql, self.tags)

    def operator(self) -> str:
        chosen = self.rng.choice([*OPERATORS, "", ""])
        self.tags.add(chosen.lower() or "default")
        return chosen

    def stream(self) -> str:
        return self.rng.choice(self.world.streams)

    def source(self, name: str) -> Source:
        return Source(name, {**COLUMNS, self.world.time: "time"}, self.world.kind, "seq")

    def window(self, name: str, frequency: str | None = None) -> str:
        """A clause, or nothing; `frequency` is the one that all items of the block have."""
        if frequency is None and self.chance(0.1):
            self.tags.add("no-clause")
            return ""
        unused: set[str] = set()
        window = self.clauses.window(self.source(name), unused)
        while window.startswith("Tumble"):
            window = self.clauses.window(self.source(name), unused)
        if frequency is None and self.chance(0.2):
            by_time = self.chance(0.6)
            length = self.clauses.span(self.world.kind) if by_time else f"{self.rng.randint(1, 3)} Tuples"
            frequency = f"Frequency {length}"
        return f" [{window}{f', {frequency}' if frequency else ''}]"

    def items(self, operator: str) -> list[Item]:
        count = self.rng.choice([1, 2, 2, 2, 2, 3])
        frequency = None
        if count > 1 and self.chance(0.2):
            frequency = f"Frequency {self.clauses.span(self.world.kind)}"
            self.tags.add("together")
        names = [self.stream() for _ in range(count)]
        self.tags |= {"three-streams"} if count == 3 else set()
        self.tags |= {"self-join"} if len(set(names)) < count else set()
        found = []
        for number, name in enumerate(names):
            alias = "xyz"[number]
            if operator and frequency is None and number and self.chance(0.25):
                found.append(Item(f"({self.relation(name)}) {alias}", alias, relation=True))
            else:
                found.append(Item(f"{name}{self.window(name, frequency)} {alias}", alias))
        if self.windowless(found):
            found[0] = Item(f"{names[0]} [Rows {self.rng.randint(1, 4)}] x", "x")
        return found

    def windowless(self, items: list[Item]) -> bool:
        return not any("[" in item.text for item in items)

    def relation(self, name: str) -> str:
        """A subquery that is a relation of the enclosing block, with the columns k and v."""
        self.tags.add("relation")
        window = self.window(name)
        return self.rng.choice(
            [
                f"SELECT k, MAX(v) AS v FROM {name}{window} GROUP BY k",
                f"SELECT DISTINCT k, g AS v FROM {name}{window}",
                f"SELECT k, v FROM {name}{window} WHERE v > 0",
            ]
        )

    def block(self, operator: str) -> str:
        items = self.items(operator)
        start = [items[0].text]
        kinds = []
        for item in items[1:]:
            kinds.append(self.rng.choice(JOINS))
            start.append(f"{kinds[-1]} {item.text}{self.condition(kinds[-1], items, item)}")
        aliases = [i.alias for i in items]
        if self.chance(0.5 if len(items) == 1 else 0.15):
            aliases.append(self.table(start))
        where = self.where(aliases)
        columns = [f"{a}.{c}" for a in aliases if a != "t" for c in ("k", "v")]
        columns += ["t.tk", "t.w"] if "t" in aliases else []
        aggregate = self.chance(0.35)
        group = self.rng.sample([c for c in columns if c.endswith("k")], 1) if self.chance(0.6) else []
        list_ = self.outputs(columns, aggregate, group)
        distinct = ""
        tail = f" GROUP BY {', '.join(group)}" if aggregate and group else ""
        if tail:
            self.tags.add("group-by")
            if self.chance(0.4):
                self.tags.add("having")
                tail += f" HAVING COUNT(*) > {self.rng.randint(0, 1)}"
        countable = operator and not any(i.relation for i in items) and "t" not in aliases
        if countable and self.chance(0.25) and (not aggregate or group) and "HAVING" not in tail:
            tail += self.top(items, group if aggregate else [])
        elif not aggregate and self.chance(0.15):
            self.tags.add("distinct")
            distinct = "DISTINCT "
        return self.written(operator, distinct, list_, f" FROM {' '.join(start)}{where}{tail}")

    def written(self, operator: str, distinct: str, outputs: list[str], rest: str) -> str:
        if not operator:
            return f"SELECT {distinct}{', '.join(outputs)}{rest}"
        if self.chance(0.3):
            self.tags.add("around")
            return f"{operator}(SELECT {distinct}{', '.join(outputs)}{rest})"
        return f"SELECT {operator}({distinct}{', '.join(outputs)}){rest}"

    def condition(self, kind: str, items: list[Item], item: Item) -> str:
        self.tags.add(kind.lower().replace(" ", "-"))
        if kind == "CROSS JOIN":
            return ""
        other = self.rng.choice(items[: items.index(item)]).alias
        equal = f"{other}.k = {item.alias}.k"
        return " ON " + self.rng.choice(
            [
                equal,
                equal,
                f"{other}.k <=> {item.alias}.k",
                f"{equal} AND {other}.v < {item.alias}.v",
                f"{other}.v > {item.alias}.v",
            ]
        )

    def table(self, start: list[str]) -> str:
        """The table T behind the streams, or before them, where an outer join keeps its rows."""
        self.tags.add("table")
        if len(start) == 1:
            self.tags.add("table-kept")
            start[:] = [f"T t LEFT JOIN {start[0]} ON x.k = t.tk"]
        else:
            start.append(self.rng.choice(["JOIN", "LEFT JOIN"]) + " T t ON t.tk = x.k")
        return "t"

    def where(self, aliases: list[str]) -> str:
        parts = []
        if self.chance(0.25):
            self.tags.add("where")
            parts.append(self.rng.choice(["x.v > 1", "x.g = 0", "x.v IS NOT NULL", "x.k IN ('a', 'b')"]))
        if self.chance(0.35):
            parts.append(self.subquery())
        return " WHERE " + self.rng.choice([" AND ", " AND ", " OR "]).join(parts) if parts else ""

    def subquery(self) -> str:
        kind = self.rng.choice(["in", "not-in", "exists", "not-exists", "scalar"])
        self.tags.add(kind)
        name = self.stream()
        item = f"{name}{self.window(name)} s"
        if kind in ("in", "not-in"):
            given = self.rng.choice(["", " WHERE s.k IS NOT NULL", " WHERE s.v > 2 AND s.k IS NOT NULL"])
            return f"x.k {'NOT ' * (kind == 'not-in')}IN (SELECT s.k FROM {item}{given})"
        if kind == "scalar":
            function = self.rng.choice(["MAX(s.v)", "COUNT(*)", "AVG(s.v)"])
            correlated = self.rng.choice(["", " WHERE s.k = x.k"])
            return f"x.v >= (SELECT {function} FROM {item}{correlated})"
        return f"{'NOT ' * (kind == 'not-exists')}EXISTS (SELECT 1 FROM {item} WHERE s.k = x.k)"

    def outputs(self, columns: list[str], aggregate: bool, group: list[str]) -> list[str]:
        time = []
        if self.chance(0.5):
            self.tags.add("evaluation-time")
            time = ["evaluation_time()"]
        if not aggregate:
            return time + self.rng.sample(columns, min(len(columns), self.rng.choice([1, 2, 2, 3])))
        numbers = [c for c in columns if c.endswith((".v", ".w"))]
        chosen = self.rng.sample(AGGREGATES, self.rng.choice([1, 1, 2]))
        return time + group + [a.format(self.rng.choice(numbers)) for a in chosen]

    def top(self, items: list[Item], group: list[str]) -> str:
        """ORDER BY … LIMIT with an order that leaves nothing open."""
        self.tags.add("top-n")
        way = self.rng.choice(["", " DESC"])
        keys = group or [f"{i.alias}.seq" for i in items]
        return f" ORDER BY {', '.join(f'{key}{way}' for key in keys)} LIMIT {self.rng.randint(1, 3)}"

    def set_operation(self) -> str:
        kind, operator = self.rng.choice(SETS), self.operator()
        self.tags.add(kind.lower().replace(" ", "-"))
        time = "evaluation_time() AS at, " if self.chance(0.4) else ""
        self.tags |= {"evaluation-time"} if time else set()
        columns = self.rng.choice(["k", "k", "k, g", "v"])
        sides = []
        for _ in range(2):
            name = self.stream()
            window = self.window(name) or f" [Rows {self.rng.randint(1, 4)}]"
            where = self.rng.choice(["", "", " WHERE v > 1", " WHERE k IS NOT NULL"])
            sides.append(f"SELECT {time}{columns} FROM {name}{window}{where}")
        text = f" {kind} ".join(sides)
        self.tags |= {"around"} if operator else set()
        return f"{operator}({text})" if operator else text

    def stream_again(self) -> str:
        """A window over the answer of a block with an operator."""
        self.tags.add("stream-again")
        name, operator = self.stream(), self.rng.choice(OPERATORS)
        self.tags.add(operator.lower())
        inner = f"SELECT {operator}(k, v) FROM {name}{self.window(name)}"
        window = self.rng.choice(["Rows 2", "Range Unbounded", f"Range {self.clauses.span(self.world.kind)}"])
        outer = self.rng.choice(["COUNT(*), SUM(v)", "ISTREAM(COUNT(*))", "RSTREAM(k, v)", "k, v"])
        self.tags |= {o.lower() for o in OPERATORS if o in outer}
        return f"SELECT {outer} FROM ({inner}) y [{window}]"


def corpus(seed: int, count: int) -> Iterator[tuple[World, RandomQuery]]:
    """`count` queries; many in a row share a world. The same seed gives the same corpus."""
    rng = Random(seed)
    shared = world(rng)
    for number in range(count):
        if number and number % QUERIES_PER_WORLD == 0:
            shared = world(rng)
        yield shared, Generator(rng, shared).query()
