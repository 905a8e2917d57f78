"""The .slt case files (see tests/cases/README.md): parse them, and write answers into them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.values import Row, parse, parse_as, render_rows, tokens

CASES = Path(__file__).parent / "cases"
FLAGS = ("unordered",)


class BadCase(ValueError):
    """A file that does not follow the format."""


@dataclass(frozen=True)
class Column:
    name: str
    type: str


@dataclass
class Relation:
    """A declared stream, a plain table, a derived stream or view, or an aggregate.

    Columns of a derived stream and of a view come from their `query`; that of an aggregate is the statement that
    creates it.
    """

    kind: str  # "stream", "table", "view" or "aggregate"
    name: str
    columns: list[Column]
    order_by: list[str] = field(default_factory=list)
    query: str | None = None
    rows: list[Row] = field(default_factory=list)  # in arrival order


@dataclass
class Query:
    name: str
    sql: str
    rows: list[Row]
    flags: list[str]
    args: dict[str, int]  # for the parameter markers :name
    settings: dict[str, str]
    line: int  # of the header, from 1
    answer: tuple[int, int]  # the answer's lines: from, to (exclusive), from 0

    @property
    def ordered(self) -> bool:
        return "unordered" not in self.flags


@dataclass
class Refusal:
    """A statement that must fail with this error class, at this place (line, column from 1) if given."""

    error_class: str
    position: tuple[int, int] | None
    sql: str
    settings: dict[str, str]
    line: int


@dataclass
class CaseFile:
    path: Path
    relations: dict[
        str, Relation
    ]  # by name in lower case (see aggregate_key), in the order of their declarations
    feeds: list[tuple[str, list[Row]]]  # the arrivals of the whole file, in order
    queries: list[Query]
    refusals: list[Refusal]

    @property
    def label(self) -> str:
        return self.path.relative_to(CASES).as_posix() if self.path.is_relative_to(CASES) else self.path.name


def case_files(paths: Iterable[str | Path] = ()) -> list[CaseFile]:
    """The files given, or all files of tests/cases."""
    return [read(Path(p)) for p in paths] or [read(p) for p in sorted(CASES.rglob("*.slt"))]


def read(path: Path) -> CaseFile:
    return Reader(path, path.read_text(encoding="utf-8")).read()


def columns_of(text: str) -> list[Column]:
    """`a INT, b DECIMAL(10, 2)` as columns."""
    parts = re.split(r",(?![^(]*\))", text)
    return [Column(*part.strip().split(None, 1)) for part in parts]


def aggregate_key(name: str, window: bool) -> str:
    """A key that no stream and no table has; an aggregate may have two versions."""
    return f"{'window ' if window else ''}aggregate {name.lower()}"


class Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0
        self.settings: dict[str, str] = {}
        self.file = CaseFile(path, {}, [], [], [])

    def fail(self, message: str) -> BadCase:
        return BadCase(f"{self.file.path}:{self.at}: {message}")

    def read(self) -> CaseFile:
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            self.at += 1
            if not line or line.startswith("#"):
                continue
            word, _, rest = line.partition(" ")
            directive = getattr(self, f"on_{word}", None)
            if directive is None:
                raise self.fail(f"unknown directive {word!r}")
            directive(rest.strip())
        names = [q.name for q in self.file.queries]
        if len(names) != len(set(names)):
            raise self.fail("two queries have the same name")
        return self.file

    def until_blank(self) -> list[str]:
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at].strip():
            self.at += 1
        return self.lines[start : self.at]

    def declare(self, kind: str, text: str) -> None:
        pattern = r"(\w+)\s*(?:\((.*)\))?\s*(?:order by\s+(.*?))?(\s+as)?\s*(?:#.*)?"
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if not found:
            raise self.fail(f"cannot read the declaration of a {kind}")
        name, columns, order_by, derived = found.groups()
        if name.lower() in self.file.relations:
            raise self.fail(f"{name} is declared twice")
        relation = Relation(kind, name, columns_of(columns) if columns else [])
        relation.order_by = [c.strip() for c in order_by.split(",")] if order_by else []
        relation.query = "\n".join(self.until_blank()) if derived else None
        if bool(relation.query) == bool(columns) or (kind == "table" and (order_by or derived)):
            raise self.fail(f"a {kind} has columns, and only a stream has an order or a query instead")
        if kind == "view" and (order_by or not derived):
            raise self.fail("a view has a query and no order")
        self.file.relations[name.lower()] = relation

    def on_stream(self, rest: str) -> None:
        self.declare("stream", rest)

    def on_table(self, rest: str) -> None:
        self.declare("table", rest)

    def on_aggregate(self, rest: str) -> None:
        text = "\n".join(self.until_blank())
        found = re.match(r"CREATE\s+(.*?)\bAGGREGATE\s+(\w+)", text, re.IGNORECASE | re.DOTALL)
        if not found or rest:
            raise self.fail("`aggregate`, and CREATE … AGGREGATE below")
        key = aggregate_key(found[2], "WINDOW" in found[1].upper())
        if key in self.file.relations:
            raise self.fail(f"{found[2]} is declared twice")
        self.file.relations[key] = Relation("aggregate", found[2], [], query=text)

    def on_view(self, rest: str) -> None:
        self.declare("view", rest)

    def on_feed(self, name: str) -> None:
        relation = self.file.relations.get(name.lower())
        if relation is None or relation.query:
            raise self.fail(f"nothing called {name} can be fed")
        rows: list[Row] = []
        for line in self.until_blank():
            if line.strip().startswith("#"):
                continue
            values = tokens(line)
            if len(values) != len(relation.columns):
                raise self.fail(
                    f"{line!r} has {len(values)} values, {name} has {len(relation.columns)} columns"
                )
            rows.append(tuple(parse_as(v, c.type) for v, c in zip(values, relation.columns, strict=True)))
        relation.rows.extend(rows)
        self.file.feeds.append((relation.name, rows))

    def on_set(self, rest: str) -> None:
        key, _, value = rest.partition("=")
        self.settings = {**self.settings, key.strip(): value.strip()}

    def on_reset(self, key: str) -> None:
        self.settings = {k: v for k, v in self.settings.items() if k != key}

    def on_query(self, rest: str) -> None:
        line = self.at
        name, *words = rest.split() or [""]
        flags = [word for word in words if "=" not in word]
        if not name or any(flag not in FLAGS for flag in flags):
            raise self.fail("`query NAME [parameter=number …] [unordered]` expected")
        args = {key: int(value) for key, value in (word.split("=") for word in words if "=" in word)}
        sql: list[str] = []
        while self.at < len(self.lines) and self.lines[self.at].strip() not in ("", "----"):
            sql.append(self.lines[self.at])
            self.at += 1
        if self.at < len(self.lines) and self.lines[self.at].strip() == "----":
            self.at += 1
        start = self.at
        rows = [tuple(parse(v) for v in tokens(row)) for row in self.until_blank()]
        query = Query(name, "\n".join(sql), rows, flags, args, dict(self.settings), line, (start, self.at))
        self.file.queries.append(query)

    def on_error(self, rest: str) -> None:
        line = self.at
        found = re.fullmatch(r"([A-Z_.]+)(?:\s+(\d+):(\d+))?", rest)
        if not found:
            raise self.fail("`error CLASS [line:column]` expected")
        position = (int(found[2]), int(found[3])) if found[2] else None
        sql = "\n".join(self.until_blank())
        if not sql:
            raise self.fail("no statement below")
        self.file.refusals.append(Refusal(found[1], position, sql, dict(self.settings), line))


def complete(file: CaseFile, answers: Mapping[str, tuple[Sequence[Row], bool]]) -> str:
    """The file's text with these answers (rows, ordered) under its queries."""
    lines = file.path.read_text(encoding="utf-8").splitlines()
    for query in reversed(file.queries):
        if query.name not in answers:
            continue
        rows, ordered = answers[query.name]
        start, end = query.answer
        fresh = render_rows(rows)
        if lines[start - 1].strip() != "----":
            fresh = ["----", *fresh]
        lines[start:end] = fresh
        args = [f"{key}={value}" for key, value in query.args.items()]
        lines[query.line - 1] = " ".join(["query", query.name, *args, *([] if ordered else ["unordered"])])
    return "\n".join(lines) + "\n"


def dump(relations: Iterable[Relation], queries: Iterable[tuple[str, str, Sequence[Row], bool]]) -> str:
    """A whole case file: relations with their rows, queries (name, sql, answer, ordered)."""
    blocks: list[list[str]] = []
    for r in relations:
        if r.kind == "aggregate":
            blocks.append(["aggregate", r.query or ""])
            continue
        head = f"{r.kind} {r.name}"
        if r.columns:
            head += " (" + ", ".join(f"{c.name} {c.type}" for c in r.columns) + ")"
        if r.order_by:
            head += " order by " + ", ".join(r.order_by)
        blocks.append([head + " as", r.query] if r.query else [head])
        if r.rows:
            blocks.append([f"feed {r.name}", *render_rows(r.rows)])
    for name, sql, rows, ordered in queries:
        head = f"query {name}" + ("" if ordered else " unordered")
        blocks.append([head, sql, "----", *render_rows(rows)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
