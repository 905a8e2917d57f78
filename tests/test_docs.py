"""The pages of docs/: what they show is true.

docs/language.md is read as one case file: its ```slt blocks are the file, everything else is blank. The answers are the
oracle's and Spark's. Its ```sql blocks are statements that the oracle has no word in; they run one after the other in a
session of their own, and what they print holds the ```text block below.

    python -m tests.test_docs      # write the oracle's answers into the page
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.batch import Batch, error_class_of, position_of
from tests.oracle.check import answers_of, check_answers, check_refusals
from tests.values import difference, render

DOCS = Path(__file__).resolve().parent.parent / "docs"
LANGUAGE = DOCS / "language.md"
PAGES = sorted(DOCS.glob("*.md"))


@dataclass(frozen=True)
class Fence:
    language: str
    text: str
    line: int  # of its first line, from 1


@dataclass(frozen=True)
class Shown:
    """Statements, and what they print or a part of it."""

    statements: list[str]
    line: int
    text: str = ""


def fences(page: Path) -> Iterator[Fence]:
    found: list[str] | None = None
    language, start = "", 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if found is None:
            if line.startswith("```"):
                found, language, start = [], line[3:].strip(), number + 1
        elif line.startswith("```"):
            yield Fence(language, "\n".join(found), start)
            found = None
        else:
            found.append(line)
    assert found is None, f"{page.name}: the block that begins at line {start} has no end"


def cases_of(page: Path) -> slt.CaseFile:
    """The page's case blocks as one file, each line in its place, so that answers can be written back."""
    lines = [""] * len(page.read_text(encoding="utf-8").splitlines())
    for fence in fences(page):
        if fence.language == "slt":
            block = fence.text.splitlines()
            lines[fence.line - 1 : fence.line - 1 + len(block)] = block
    return slt.Reader(page, "\n".join(lines)).read()


def shown_on(page: Path) -> list[Shown]:
    found: list[Shown] = []
    for fence in fences(page):
        if fence.language == "sql":
            statements = [s.strip() for s in re.split(r";\s*(?:\n|$)", fence.text) if s.strip()]
            found.append(Shown(statements, fence.line))
        elif fence.language == "text":
            assert found, f"{page.name}:{fence.line}: what prints this?"
            found[-1] = replace(found[-1], text=fence.text)
    return found


CASES = cases_of(LANGUAGE)
SHOWN = shown_on(LANGUAGE)


@pytest.fixture(scope="module")
def batch(spark: Any) -> Batch:
    return Batch(spark, CASES.relations.values(), partitions=3)


@pytest.fixture(scope="module")
def transcript(spark: Any) -> Batch:
    return Batch(spark, CASES.relations.values(), partitions=1)


def test_the_answers_are_the_oracles() -> None:
    problems = check_answers(CASES) + check_refusals(CASES)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("query", CASES.queries, ids=lambda q: q.name)
def test_spark_answers_as_the_page_says(batch: Batch, query: slt.Query) -> None:
    actual = batch.answer(query.sql, query.settings, query.args)
    told = difference(query.rows, actual, query.ordered)
    assert told is None, f"{LANGUAGE.name}:{query.line}\n{query.sql}\n{told}"


@pytest.mark.parametrize("refusal", CASES.refusals, ids=lambda r: f"{r.line}:{r.error_class}")
def test_spark_refuses_as_the_page_says(batch: Batch, refusal: slt.Refusal) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        batch.answer(refusal.sql, refusal.settings)
    place = f"{LANGUAGE.name}:{refusal.line}\n{refusal.sql}\n{caught.value}"
    assert error_class_of(caught.value) == refusal.error_class, place
    if refusal.position:
        assert position_of(caught.value) == refusal.position, place


def printed(spark: Any, statement: str) -> str:
    """The rows of an answer, one a line; the text that EXPLAIN gives; or the message of a refusal."""
    try:
        rows = spark.sql(statement).collect()
    except Exception as error:
        return str(error)
    if statement.upper().startswith(("SET ", "RESET ")):
        return ""
    return "\n".join("  ".join(v if isinstance(v, str) else render(v) for v in row) for row in rows)


def words(text: str) -> list[str]:
    """Lines may be broken, and columns set, as they read best."""
    return text.split()


def test_statements_print_what_the_page_shows(transcript: Batch) -> None:
    for shown in SHOWN:
        output = "\n".join(printed(transcript.spark, statement) for statement in shown.statements)
        place = f"{LANGUAGE.name}:{shown.line} prints\n{output}"
        if shown.text:
            assert " ".join(words(shown.text)) in " ".join(words(output)), place
        else:
            assert not words(output), place


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if not points_somewhere(page, link)]
    assert not missing, f"{page.name} links to {missing}"


def points_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


def anchors_of(page: Path) -> set[str]:
    """GitHub's names for the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_paths_named_on_the_architecture_page_exist() -> None:
    """Every `path/of/a/file.ext` in code font is there, from the top of the repository or from the page's sources."""
    root = DOCS.parent
    sources = root / "jvm" / "src" / "main" / "scala" / "org" / "sparkcsql"
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+/[\w.-]+\.(?:scala|py|json|slt|md))`", text))
    missing = sorted(n for n in named if not (root / n).exists() and not (sources / n).exists())
    assert not missing, f"architecture.md names {missing}"


def complete(page: Path) -> list[str]:
    file = cases_of(page)
    answers, problems = answers_of(file)
    page.write_text(slt.complete(file, answers), encoding="utf-8")
    return problems + check_refusals(cases_of(page))


if __name__ == "__main__":
    left = complete(LANGUAGE)
    print("\n".join(left), file=sys.stderr, end="\n" if left else "")
    sys.exit(1 if left else 0)
