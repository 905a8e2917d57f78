"""Writes the results into docs/benchmarks.md, between the marks of each part, and shows them."""

from __future__ import annotations

import re
import shutil
from importlib import import_module

from rich.console import Console
from rich.markdown import Markdown

from bench import results
from bench.data import ROOT
from bench.report.plots import PICTURES

PAGE = ROOT / "docs" / "benchmarks.md"


def write(parts: tuple[str, ...]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for part in parts:
        if (content := results.read(part)) is not None:
            text = import_module(f"bench.report.{part}").report(results.Result(content))
            Console().print(Markdown(text))
            page = between_marks(page, part, text)
            shutil.copy(results.path(part), PICTURES)
    PAGE.write_text(page, encoding="utf-8")


def between_marks(page: str, part: str, text: str) -> str:
    begin, end = f"<!-- {part}: made by make bench -->", f"<!-- {part}: end -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE.name} lacks the marks {begin} and {end}.")
    return pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page, count=1)
