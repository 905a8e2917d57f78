"""Write docs/errors.md from the catalogue of error conditions, or with --check only compare."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "jvm/src/main/resources/error/csql-error-conditions.json"
PAGE = ROOT / "docs/errors.md"

HEAD = """\
# Errors

Every refusal has a condition (`getCondition()` in Python and Scala), an SQLSTATE and, for errors in a query's
text, the place. Words in `<…>` are filled in. This page is made from
`jvm/src/main/resources/error/csql-error-conditions.json` by `make fmt`; do not edit it.
"""


def page() -> str:
    catalogue = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    return "\n".join([HEAD, *(_section(name, condition) for name, condition in sorted(catalogue.items()))])


def _section(name: str, condition: dict[str, Any], state: str = "", level: str = "##") -> str:
    state = condition.get("sqlState", state)
    lines = [f"{level} {name}", "", f"SQLSTATE {state}", "", _words(condition["message"]), ""]
    for sub, detail in sorted(condition.get("subClass", {}).items()):
        lines.append(_section(f"{name}.{sub}", detail, state, level + "#"))
    return "\n".join(lines)


def _words(message: list[str]) -> str:
    """Placeholders as code, so that no renderer takes them for HTML."""
    return re.sub(r"<\w+>", lambda found: f"`{found[0]}`", "  \n".join(message))


def main() -> None:
    if "--check" in sys.argv:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit("docs/errors.md does not match the catalogue of errors; run 'make fmt'.")
        return
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
