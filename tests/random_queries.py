"""Random queries over random data, made from a seed; each tells which parts of the language it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.random_clauses import Clauses
from tests.random_data import Source, World, world

QUERIES_PER_WORLD = 25
AGGREGATES = {  # template, what it takes, what it gives
    "COUNT(*)": ("", "int"),
    "COUNT({})": ("int double str", "int"),
    "COUNT(DISTINCT {})": ("int str", "int"),
    "SUM({})": ("int", "int"),
    "SUM({}) ": ("double", "double"),
    "AVG({})": ("int double", "double"),
    "MIN({})": ("int str", "same"),
    "MAX({})": ("int double str time", "same"),
    "COUNT(*) FILTER (WHERE {} > 3)": ("int double", "int"),
    "SUM({}) FILTER (WHERE {} IS NOT NULL)": ("int", "int"),
    "STDDEV_POP({})": ("int double", "double"),
    "VAR_SAMP({})": ("int", "double"),
    "count_if({} > 0)": ("int double", "int"),
    "bool_or({} > 5)": ("int", "bool"),
    "percentile({}, 0.5)": ("int", "double"),
    "first({})": ("int str", "same"),
    "last({})": ("int str", "same"),
    "collect_list({})": ("int", "list"),
}
ORDERED = ("first({})", "last({})", "collect_list({})")


@dataclass
class RandomQuery:
    sql: str
    tags: set[str]


@dataclass
class Block:
    """A SELECT that is being made; `source` is what its answer offers to a query around it."""

    sql: str
    source: Source
    tags: set[str]


@dataclass
class Generator:
    rng: Random
    world: World
    clauses: Clauses = field(init=False)

    def __post_init__(self) -> None:
        self.clauses = Clauses(self.rng)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def query(self) -> RandomQuery:
        draw = self.rng.random()
        if draw < 0.08:
            return self.union()
        if draw < 0.16:
            return self.plain_around()
        block = self.block(self.source(depth=1))
        return RandomQuery(block.sql, block.tags)

    def source(self, depth: int) -> Source:
        """A stream of the world, or a nested block."""
        base = self.rng.choice(self.world.sources)
        if depth == 0 or self.chance(0.75):
            return base
        inner = self.block(base, nested=True)
        return Source(
            f"({inner.sql})",
            inner.source.columns,
            inner.source.time,
            "",
            "",
            frozenset(inner.tags | {"nested"}),
        )

    def union(self) -> RandomQuery:
        base = self.rng.choice([s for s in self.world.sources if s.time])
        sides, tags = [], {"union-all"}
        first = self.clauses.clause(base)
        second = self.clauses.clause(base)
        while (" On " in first.text) != (" On " in second.text):  # times of one type can be merged
            second = self.clauses.clause(base)
        for number, clause in ((1, first), (2, second)):
            where = self.where(base, tags)
            what = self.rng.choice(["COUNT(*)", "SUM(v)", "v"])
            sides.append(
                f"SELECT {number} AS side, CAST({what} AS BIGINT) AS c FROM {base.text} {clause.text}{where}"
            )
            tags |= clause.tags
        return RandomQuery(" UNION ALL ".join(sides), tags)

    def plain_around(self) -> RandomQuery:
        inner = self.block(self.source(depth=0), nested=True)
        keys = inner.source.of("int", "str")
        if self.chance(0.5) or not keys:
            sql = f"SELECT COUNT(*) AS answers, COUNT(c0) AS given FROM ({inner.sql}) y"
        else:
            key = self.rng.choice(keys)
            sql = f"SELECT {key}, COUNT(*) AS answers FROM ({inner.sql}) y GROUP BY {key} ORDER BY {key}"
        return RandomQuery(sql, inner.tags | {"plain-around"})

    def where(self, source: Source, tags: set[str], share: float = 0.4) -> str:
        if not self.chance(share):
            return ""
        numbers, strings = source.of("int", "double"), source.of("str")
        options = [f"{c} > {self.rng.choice([-2, 0, 1, 4])}" for c in numbers] + [
            f"{c} IS NOT NULL" for c in numbers
        ]
        options += [f"{c} % 2 = 0" for c in source.of("int")] + [f"{c} IN ('a', 'b')" for c in strings]
        options += [f"{c} = 'b'" for c in strings] + ["false"] * self.chance(0.1)
        if not options:
            return ""
        tags.add("where")
        chosen = self.rng.sample(options, min(len(options), self.rng.choice([1, 1, 2])))
        return " WHERE " + self.rng.choice([" AND ", " OR "]).join(chosen)

    def join(self, source: Source, tags: set[str]) -> tuple[str, Source]:
        """A join with the table T, and what can be named then."""
        kind = self.rng.choice(["JOIN", "LEFT JOIN", "CROSS JOIN"])
        keys = source.of("str")
        if kind != "CROSS JOIN" and not keys:
            kind = "CROSS JOIN"
        tags.add({"JOIN": "join", "LEFT JOIN": "left-join", "CROSS JOIN": "cross-join"}[kind])
        on = "" if kind == "CROSS JOIN" else f" ON {self.rng.choice(keys)} = T.tk"
        columns = {**source.columns, "tk": "str", "w": "int"}
        return f" {kind} T{on}", Source(source.text, columns, source.time)

    def block(self, source: Source, nested: bool = False) -> Block:
        """A windowed SELECT; its columns are called o0, o1, …, those of a nested one c0, c1, …"""
        name = "c" if nested else "o"
        clause = self.clauses.clause(source)
        tags = set(source.tags) | clause.tags
        item = (
            f"{source.text} AS y {clause.text}"
            if source.text.startswith("(")
            else f"{source.text} {clause.text}"
        )
        cte = ""
        if source.text.startswith("(") and self.chance(0.4):
            tags.add("cte")
            cte, item = f"WITH y AS {source.text} ", f"y {clause.text}"
        joined, visible = self.join(source, tags) if self.chance(0.2) else ("", source)
        where = self.where(visible, tags)
        aggregate = self.chance(0.65)
        group = self.groups(visible) if aggregate and self.chance(0.6) else []
        items = self.outputs(visible, aggregate, group, bool(joined))
        order, distinct = "", ""
        if self.chance(0.2) and (not aggregate or clause.jumping):
            distinct = "DISTINCT "
            tags.add("distinct")
        elif clause.jumping and self.chance(0.3) and (group or (not aggregate and source.unique)):
            order = self.top(source, visible, group, items, name, tags)
        having = ""
        if group:
            tags.add("group-by")
            if self.chance(0.3):
                having = f" HAVING COUNT(*) > {self.rng.randint(0, 2)}"
                if order:  # Spark itself does not find a grouping expression in ORDER BY behind such a HAVING
                    having = ""
                else:
                    tags.add("having")
        select = [f"{text} AS {name}{i}" for i, (text, _) in enumerate(items)]
        columns = {f"{name}{i}": kind for i, (_, kind) in enumerate(items)}
        answer = Source("", columns, clause.time)
        if self.chance(0.3):
            text = f"[{self.clauses.frequency(answer, tags, 'answer-frequency')}]"
            select[-1] = (
                select[-1].replace(" AS ", f" {text} AS ", 1) if self.chance(0.5) else f"{select[-1]} {text}"
            )
        if source.time and self.chance(0.4):
            tags.add("evaluation-time")
            select.append("evaluation_time() AS et")
        grouped = f" GROUP BY {', '.join(group)}" if group else ""
        sql = f"{cte}SELECT {distinct}{', '.join(select)} FROM {item}{joined}{where}{grouped}{having}{order}"
        return Block(sql, answer, tags)

    def groups(self, source: Source) -> list[str]:
        columns = [c for c in source.of("str", "int") if c != source.unique]
        keys = columns + [f"{c} % 2" for c in source.of("int")]
        return self.rng.sample(keys, min(len(keys), self.rng.choice([1, 1, 2])))

    def outputs(
        self, source: Source, aggregate: bool, group: list[str], joined: bool
    ) -> list[tuple[str, str]]:
        """The SELECT list: expressions with their kinds."""
        if not aggregate:
            names = self.rng.sample(list(source.columns), self.rng.randint(1, min(3, len(source.columns))))
            return [(name, source.columns[name]) for name in names]
        items = [(key, source.columns.get(key, "int")) for key in group if self.chance(0.85)]
        for template in self.rng.sample(list(AGGREGATES), self.rng.randint(1, 3)):
            takes, gives = AGGREGATES[template]
            columns = source.of(*takes.split())
            if not takes:
                items.append((template, gives))
            elif columns and not (joined and template in ORDERED):
                column = self.rng.choice(columns)
                items.append(
                    (
                        template.replace("{}", column).strip(),
                        source.columns[column] if gives == "same" else gives,
                    )
                )
        return items or [("COUNT(*)", "int")]

    def top(
        self,
        source: Source,
        visible: Source,
        group: list[str],
        items: list[tuple[str, str]],
        name: str,
        tags: set[str],
    ) -> str:
        """ORDER BY … LIMIT with an order that leaves nothing open."""
        tags.add("top-n")
        way = self.rng.choice(["", " DESC"])
        if group:
            first = [
                f"{name}{i}{way}"
                for i, (text, kind) in enumerate(items)
                if kind == "int" and text not in group
            ][:1]
            keys = first + group
        else:
            keys = [f"{c}{way}" for c in self.rng.sample(visible.of("int", "str"), 1)] + [source.unique]
            keys += ["w", "tk"] if visible is not source else []
        return f" ORDER BY {', '.join(keys)} LIMIT {self.rng.randint(1, 4)}"


def corpus(seed: int, count: int) -> Iterator[tuple[World, RandomQuery]]:
    """`count` queries; many in a row share a world. The same seed gives the same corpus."""
    rng = Random(seed)
    shared = world(rng)
    for number in range(count):
        if number and number % QUERIES_PER_WORLD == 0:
            shared = world(rng)
        yield shared, Generator(rng, shared).query()
