"""Results of a part, read back from its file."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from bench.data import HOME
from bench.measure import Measured

FOLDER = HOME / "results"


class NotMeasured(LookupError):
    """The engine was left out, or failed."""


class Result:
    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self.rows: int = content["rows"]
        self.works: dict[tuple[str, str], list[Measured]] = {
            (work["name"], work["how"]): [measured(each) for each in work["measured"] if "failed" not in each]
            for work in content["works"]
        }

    def fastest(self, name: str, how: str, label: str) -> Measured:
        """Where the label is only an engine: of its formulations the one that did best."""
        found = [each for each in self.works[name, how] if label in (each.label, each.engine)]
        if not found:
            raise NotMeasured(f"{label}: {name}")
        return max(found, key=lambda each: each.speed)


def measured(content: dict[str, Any]) -> Measured:
    return Measured(**{field.name: content[field.name] for field in fields(Measured)})


def path(part: str) -> Path:
    return FOLDER / f"{part}.json"


def write(part: str, content: dict[str, Any]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path(part).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read(part: str) -> dict[str, Any] | None:
    """None if the part has not run."""
    return json.loads(path(part).read_text(encoding="utf-8")) if path(part).exists() else None
