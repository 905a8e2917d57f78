"""python -m tests.oracle --complete FILE… writes the answers under the queries; --check FILE… compares them.

Without files, all of tests/cases.
"""

from __future__ import annotations

import argparse
import sys

from tests import slt
from tests.oracle.check import answers_of, check_answers, check_refusals


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--complete", action="store_true")
    todo.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    problems: list[str] = []
    for file in slt.case_files(given.files):
        if given.complete:
            answers, unanswered = answers_of(file)
            problems += unanswered
            file.path.write_text(slt.complete(file, answers), encoding="utf-8")
        else:
            problems += check_answers(file)
        problems += check_refusals(file)
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


sys.exit(main())
