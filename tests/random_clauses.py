"""Random bracket clauses over a source, with the names of what they use."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.random_data import Source

LITERALS = {
    "TIMESTAMP": lambda n: f"TIMESTAMP '2026-01-01 00:00:{n:02d}'",
    "DATE": lambda n: f"DATE '2026-01-{n % 28 + 1:02d}'",
    "INT": lambda n: str(n),
}


# what the queries of a corpus must use
CLAUSES = frozenset(
    [
        "rows",
        "range-tuples",
        "range-time",
        "now",
        "unbounded",
        "partition-by-rows",
        "partitioned-range",
        "lag-tuples",
        "lag-time",
        "landmark-from",
        "landmark-until",
        "band",
        "tumble",
        "sliding",
        "jumping",
        "mixed",
        "frequency-tuples",
        "frequency-time",
        "frequency-one",
        "frequency-partitioned",
        "lone-frequency-tuples",
        "lone-frequency-time",
        "lone-frequency-partitioned",
        "origin",
        "on",
        "slide",
        "answer-frequency-tuples",
        "answer-frequency-time",
        "answer-frequency-partitioned",
        "evaluation-time",
        "where",
        "group-by",
        "having",
        "distinct",
        "top-n",
        "join",
        "left-join",
        "cross-join",
        "nested",
        "cte",
        "union-all",
        "plain-around",
    ]
)


@dataclass
class Clause:
    text: str
    jumping: bool
    time: str  # what kind of time the answer has
    tags: set[str] = field(default_factory=set)


@dataclass
class Clauses:
    rng: Random

    def span(self, time: str, small: bool = False) -> str:
        """A length of time for this kind of time."""
        n = self.rng.randint(1, 4 if small else 12)
        if time == "INT":
            return str(n)
        if time == "DATE":
            return f"{n} Day{'s' if n > 1 or self.rng.random() < 0.5 else ''}"
        unit = self.rng.choice(
            ["Second", "Second", "Second", "Millisecond", "Minute" if not small else "Second"]
        )
        n = n * 250 if unit == "Millisecond" else n
        return f"{n} {unit}{'s' if n > 1 else ''}"

    def tuples(self, top: int) -> str:
        n = self.rng.randint(1, top)
        return f"{n} {self.rng.choice(['Tuple', 'Row'])}{'s' if n > 1 else ''}"

    def partition(self, source: Source) -> str:
        given = source.of("str", "int")
        columns = self.rng.sample(given, min(len(given), 1 if self.rng.random() < 0.8 else 2))
        columns = [c for c in columns if c != source.unique] or given[:1]
        return (
            f" {self.rng.choice(['Partitioned By', 'Partitioned By', 'Partition By'])} {', '.join(columns)}"
        )

    def literal(self, time: str, low: int, high: int) -> str:
        return LITERALS[time](self.rng.randint(low, high))

    def window(self, source: Source, tags: set[str]) -> str:
        """The window part; Tumble brings its own frequency."""
        by_tuples = ["rows"] * 2 + ["range-tuples", "unbounded", "lag-tuples"]
        if source.of("str", "int"):
            by_tuples += ["partition-by-rows", "partitioned-range"]
        by_time = ["range-time"] * 3 + [
            "now",
            "lag-time",
            "tumble",
            "landmark-from",
            "landmark-until",
            "band",
        ]
        kind = self.rng.choice(by_tuples + (by_time if source.time else []))
        tags.add(kind)
        if kind == "rows":
            return f"Rows {self.rng.randint(1, 9)}"
        if kind == "partition-by-rows":
            return f"{self.partition(source).strip().replace('Partitioned', 'Partition')} Rows {self.rng.randint(1, 3)}"
        if kind == "range-tuples":
            return f"Range {self.tuples(9)}"
        if kind == "unbounded":
            return self.rng.choice(["Range Unbounded", "Rows Unbounded"])
        if kind == "partitioned-range":
            return f"Range {self.tuples(3)}{self.partition(source)}"
        if kind == "lag-tuples":
            return f"Rows {self.rng.randint(1, 5)} Lag {self.tuples(4)}"
        if kind == "now":
            return "Now"
        if kind == "range-time":
            return f"Range {self.span(source.time)}"
        if kind == "lag-time":
            return f"Range {self.span(source.time)} Lag {self.span(source.time, small=True)}"
        if kind == "tumble":
            return f"Tumble {self.span(source.time)}"
        if kind == "band":
            low = self.literal(source.time, 0, 5)
            return f"Band From {low} Until {self.literal(source.time, 6, 20)}"
        word = "From" if kind == "landmark-from" else "Until"
        return f"Landmark {word} {self.literal(source.time, 0, 12)}"

    def frequency(self, source: Source, tags: set[str], prefix: str) -> str:
        """A frequency; `prefix` tells in the tags where it stands."""
        word = self.rng.choice(["Frequency", "Frequency", "Frequency", "Slide"])
        if word == "Slide":
            tags.add("slide")
        by_time = bool(source.time) and self.rng.random() < 0.5
        tags.add(f"{prefix}-{'time' if by_time else 'tuples'}")
        text = f"{word} {self.span(source.time) if by_time else self.tuples(5)}"
        if source.of("str", "int") and self.rng.random() < 0.3:
            tags.add(f"{prefix}-partitioned")
            text += self.partition(source)
        if by_time and self.rng.random() < 0.25:
            tags.add("origin")
            text += f" Origin {self.literal(source.time, 0, 9)}"
        return text

    def clause(self, source: Source) -> Clause:
        """A whole clause for a FROM item."""
        tags: set[str] = set()
        on = ""
        if source.on and self.rng.random() < 0.4:
            tags.add("on")
            on = f" On {source.on}"
            source = Source(source.text, source.columns, "DATE", source.unique)
        if self.rng.random() < 0.15:
            return Clause(f"[{self.frequency(source, tags, 'lone-frequency')}{on}]", False, source.time, tags)
        window = self.window(source, tags)
        jumping = window.startswith("Tumble")
        parts = [window]
        if not jumping and self.rng.random() < 0.6:
            frequency = self.frequency(source, tags, "frequency")
            if "artition" in window and "artition" in frequency:  # only one of them has columns
                frequency = frequency[: frequency.index(" Partition")]
                tags.discard("frequency-partitioned")
                tags.discard("origin")
            one = any(f"{w} 1 {u}" in frequency for w in ("Frequency", "Slide") for u in ("Tuple", "Row"))
            jumping = not one
            tags.add("frequency-one" if one else "jumping")
            parts.append(frequency)
            tuple_window = bool(tags & {"rows", "range-tuples", "partitioned-range", "lag-tuples"})
            if (tuple_window and "frequency-time" in tags) or (
                "range-time" in tags and "frequency-tuples" in tags
            ):
                tags.add("mixed")
        elif not jumping:
            tags.add("sliding")
        if self.rng.random() < 0.15 and not window.startswith("Partition") and "artition" not in window:
            parts.reverse()
        return Clause(f"[{self.rng.choice([', ', ', ', ' ']).join(parts)}{on}]", jumping, source.time, tags)
