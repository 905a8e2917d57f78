"""Random queries that call aggregates written in SQL, made from a seed: base calls, OVER, and windows in brackets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from tests.random_clauses import Clauses
from tests.random_data import Source, World, world
from tests.random_queries import RandomQuery
from tests.slt import Relation

QUERIES_PER_WORLD = 20
ROWS = 14  # of a stream: the oracle runs every statement again for every tuple of every window

DEFINITIONS = {
    "mean": """AGGREGATE mean_of(n DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE, c INT);
  INITIALIZE: { INSERT INTO state SELECT COALESCE(n, 0), CASE WHEN n IS NULL THEN 0 ELSE 1 END; }
  ITERATE: { UPDATE state SET s = s + n, c = c + 1 WHERE n IS NOT NULL; }
  TERMINATE: { INSERT INTO RETURN SELECT CASE WHEN c > 0 THEN s / c END FROM state; }
}""",
    "sum": """AGGREGATE sum_of(n DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE);
  INITIALIZE: { INSERT INTO state VALUES (n); }
  ITERATE: { UPDATE state SET s = COALESCE(s, 0) + n WHERE n IS NOT NULL; }
  TERMINATE: { INSERT INTO RETURN SELECT s FROM state; }
}""",
    "delta": """WINDOW AGGREGATE delta_of(n DOUBLE) : STRUCT<s: DOUBLE, c: INT> {
  TABLE state(s DOUBLE, c INT);
  TABLE inwindow(w DOUBLE);
  INITIALIZE: { INSERT INTO state VALUES (COALESCE(n, 0), 1); INSERT INTO RETURN SELECT s, c FROM state; }
  ITERATE: { UPDATE state SET s = s + COALESCE(n, 0), c = c + 1; INSERT INTO RETURN SELECT s, c FROM state; }
  EXPIRE: { UPDATE state SET s = s - COALESCE(oldest().w, 0), c = c - 1; INSERT INTO RETURN SELECT s, c FROM state; }
}""",
    "largest": """WINDOW AGGREGATE largest_of(n INT) : STRUCT<m: INT, held: BIGINT> {
  TABLE inwindow(w INT);
  ITERATE: {
    DELETE FROM inwindow WHERE w < n OR (w IS NULL AND n IS NOT NULL);
    INSERT INTO RETURN SELECT oldest(), COUNT(*) FROM inwindow; }
  EXPIRE: { INSERT INTO RETURN SELECT oldest(), COUNT(*) FROM inwindow; }
}""",
    "naive": """WINDOW AGGREGATE naive_of(n DOUBLE) : DOUBLE {
  TABLE inwindow(w DOUBLE);
  ITERATE: { INSERT INTO RETURN SELECT mean_of(w) FROM inwindow; }
}""",
    "algebraic": """ALGEBRAIC AGGREGATE pane_max(n INT) : INT {
  TABLE top(m INT);
  INITIALIZE: { INSERT INTO top VALUES (n); }
  ITERATE: { UPDATE top SET m = n WHERE n > m OR m IS NULL; }
  TERMINATE: { INSERT INTO RETURN SELECT m FROM top; }
}""",
    "algebraic-window": """ALGEBRAIC WINDOW AGGREGATE pane_max(n INT) : INT {
  TABLE inwindow(w INT);
  ITERATE: {
    DELETE FROM inwindow WHERE w < n OR (w IS NULL AND n IS NOT NULL);
    INSERT INTO RETURN VALUES (oldest()); }
  EXPIRE: { INSERT INTO RETURN SELECT MAX(w) FROM inwindow; }
}""",
    "algebraic-text": """ALGEBRAIC AGGREGATE text_of(s STRING) : STRING {
  TABLE t(all_of STRING);
  INITIALIZE: { INSERT INTO t VALUES (s); }
  ITERATE: { UPDATE t SET all_of = all_of || '-' || s; }
  TERMINATE: { INSERT INTO RETURN SELECT all_of FROM t; }
}""",
    "running": """AGGREGATE running_of(n INT) : BIGINT {
  TABLE state(s BIGINT);
  INITIALIZE: { INSERT INTO state VALUES (COALESCE(n, 0)); INSERT INTO RETURN SELECT s FROM state; }
  ITERATE: { UPDATE state SET s = s + COALESCE(n, 0); INSERT INTO RETURN SELECT s FROM state; }
}""",
    "counts": """AGGREGATE counts_of(n INT) : STRING {
  TABLE seen(y INT, c INT);
  ITERATE: {
    UPDATE seen SET c = c + 1 WHERE y = n;
    INSERT INTO seen SELECT n, 1 WHERE n IS NOT NULL AND NOT EXISTS (SELECT 1 FROM seen WHERE y = n);
    INSERT INTO RETURN SELECT y || 'x' || c FROM seen WHERE y = n; }
}""",
    "top": """AGGREGATE top_of(n INT) : INT {
  TABLE kept(y INT);
  ITERATE: { INSERT INTO kept VALUES (n); }
  TERMINATE: { INSERT INTO RETURN SELECT y FROM kept WHERE y IS NOT NULL ORDER BY y DESC LIMIT 2; }
}""",
}
CALLS = {  # by what they are called: what they take, and whether they may return other than one row
    "mean_of": ("x", False),
    "sum_of": ("v", False),
    "delta_of": ("x", False),
    "largest_of": ("v", False),
    "naive_of": ("x", False),
    "pane_max": ("v", False),
    "text_of": ("seq", False),
    "running_of": ("v", False),
    "counts_of": ("g", True),
    "top_of": ("v", True),
}
WINDOW_ONLY = ("delta_of", "largest_of", "naive_of")
EACH_TUPLE = ("running_of", "counts_of")
# what the queries of a corpus must use
USED = frozenset(
    (
        *("base", "over", "brackets", "rows", "range", "unbounded", "no-frame", "tumble", "slide", "active"),
        *("partition", "group-by", "where", "jumping", "sliding", "built-in"),
        *CALLS,
    )
)


def aggregates() -> list[Relation]:
    return [
        Relation("aggregate", text.split("(")[0].split()[-1], [], query=f"CREATE OR REPLACE TEMPORARY {text}")
        for text in DEFINITIONS.values()
    ]


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
        return self.rng.choice([self.over, self.over, self.over, self.brackets, self.brackets, self.base])()

    def declared(self) -> Source:
        return self.rng.choice([s for s in self.world.sources if s.text in ("S", "Z", "N", "D")])

    def calls(self, most: int, names: tuple[str, ...] = tuple(CALLS)) -> list[str]:
        """Names of aggregates, at most one of which returns other than one row."""
        chosen: list[str] = []
        for _ in range(self.rng.randint(1, most)):
            name = self.rng.choice(names)
            if not (CALLS[name][1] and any(CALLS[c][1] for c in chosen)):
                chosen.append(name)
        return chosen

    def call(self, name: str) -> str:
        argument = CALLS[name][0]
        return f"{name}({argument})" if self.chance(0.8) or argument == "seq" else f"{name}({argument} + 1)"

    def where(self, tags: set[str], share: float = 0.35) -> str:
        if not self.chance(share):
            return ""
        tags.add("where")
        return " WHERE " + self.rng.choice(
            ["v > 4", "v IS NOT NULL", "x < 3", "k IN ('a', 'b')", "g <> 1", "seq % 3 > 0", "k = 'zz'"]
        )

    def over(self) -> RandomQuery:
        source, tags = self.declared(), {"over"}
        window, active = self.frame(source, tags)
        names = self.calls(1 if active else 2)
        outputs = ["seq"]
        for i, name in enumerate(names):
            if i and self.chance(0.5):
                window, _ = self.frame(source, tags, active=False)
            outputs.append(f"{self.call(name)} OVER ({window}) AS o{i}")
        if not active and self.chance(0.3):
            tags.add("built-in")
            outputs.append(f"SUM(v) OVER ({window}) AS s")
        if active or self.chance(0.2):
            outputs.append("evaluation_time() AS at")
        sql = f"SELECT {', '.join(outputs)} FROM {source.text}{self.where(tags)}"
        return RandomQuery(sql, tags | set(names))

    def frame(self, source: Source, tags: set[str], active: bool = True) -> tuple[str, bool]:
        """What stands between the parentheses of an OVER, and whether tuples expire by themselves."""
        parts = []
        if self.chance(0.4):
            tags.add("partition")
            parts.append(f"PARTITION BY {self.rng.choice(['k', 'g', 'k, g', 'g % 2'])}")
        kind = self.rng.choice(["rows"] * 3 + ["range"] * 3 + ["unbounded", "no-frame"])
        tags.add(kind)
        expires = False
        if kind == "rows":
            parts.append(f"ROWS {self.rng.randint(0, 5)} PRECEDING")
        elif kind == "range":
            parts.append(f"RANGE {self.clauses.span(source.time)} PRECEDING")
            expires = active and self.chance(0.5)
        elif kind == "unbounded":
            parts.append(f"{self.rng.choice(['ROWS', 'RANGE'])} UNBOUNDED PRECEDING")
        if expires:
            tags.add("active")
            parts.append("ACTIVE EXPIRATION")
        elif kind == "range" and self.chance(0.6):
            tags.add("slide")
            parts.append(f"SLIDE {self.clauses.span(source.time)}")
        elif kind == "rows" and self.chance(0.6):
            window = int(parts[-1].split()[1]) + 1
            slide = self.rng.randint(1, window + 3)
            tags.add("tumble" if slide >= window else "slide")
            parts.append(f"SLIDE {slide}")
        return " ".join(parts), expires

    def brackets(self) -> RandomQuery:
        source, tags = self.rng.choice(self.world.sources), {"brackets"}
        clause = self.clauses.clause(source)
        tags.add("jumping" if clause.jumping else "sliding")
        names = self.calls(2)
        return self.block(f"{source.text} {clause.text}", names, tags)

    def base(self) -> RandomQuery:
        return self.block(self.declared().text, self.calls(2, EACH_TUPLE), {"base"})

    def block(self, item: str, names: list[str], tags: set[str]) -> RandomQuery:
        keys = self.rng.sample(["k", "g"], self.rng.choice([0, 0, 1, 1, 2]))
        outputs = [*keys, *(f"{self.call(name)} AS o{i}" for i, name in enumerate(names))]
        if "base" not in tags and self.chance(0.4):
            tags.add("built-in")
            outputs.append("COUNT(*) AS n")
        group = ""
        if keys:
            tags.add("group-by")
            group = f" GROUP BY {', '.join(keys)}"
        sql = f"SELECT {', '.join(outputs)} FROM {item}{self.where(tags)}{group}"
        return RandomQuery(sql, tags | set(names))


def corpus(seed: int, count: int) -> Iterator[tuple[World, RandomQuery]]:
    """The queries of a seed, each with the world it is asked in."""
    shared: World | None = None
    for number in range(count):
        rng = Random(f"aggregates {seed} {number}")
        if number % QUERIES_PER_WORLD == 0 or shared is None:
            made = world(Random(f"aggregates {seed} world {number}"))
            relations = [replace(r, rows=r.rows[:ROWS]) for r in made.relations]
            shared = World([*aggregates(), *relations], made.sources)
        yield shared, Generator(rng, shared).query()
