"""python -m tests.oracle --complete FILE… writes the answers under the queries; --check FILE… compares them.

Without files, all of tests/cases.
"""

from __future__ import annotations

import argparse
import sys

from tests import slt
from tests.oracle import Catalog, NotCovered, Refused, Undetermined, answer
from tests.values import difference

Answers = dict[str, tuple[list[tuple[object, ...]], bool]]


def answers_of(file: slt.CaseFile) -> tuple[Answers, list[str]]:
    """The answers to the file's queries, and what went wrong."""
    answers: Answers = {}
    problems = []
    for query in file.queries:
        try:
            result = answer(Catalog.of(file.relations.values(), query.settings), query.sql)
            answers[query.name] = (result.rows, result.ordered)
        except (NotCovered, Refused, Undetermined) as e:
            problems.append(f"{file.label}:{query.line} {query.name}: {type(e).__name__}: {e}")
    return answers, problems


def check_answers(file: slt.CaseFile) -> list[str]:
    answers, problems = answers_of(file)
    for query in file.queries:
        if query.name in answers:
            rows, ordered = answers[query.name]
            told = difference(rows, query.rows, ordered)
            if ordered != query.ordered:
                told = f"should {'not ' if ordered else ''}be marked unordered"
            if told:
                problems.append(f"{file.label}:{query.line} {query.name}: {told}")
    return problems


def check_refusals(file: slt.CaseFile) -> list[str]:
    problems = []
    for refusal in file.refusals:
        place = f"{file.label}:{refusal.line} {refusal.error_class}"
        try:
            answer(Catalog.of(file.relations.values(), refusal.settings), refusal.sql)
            problems.append(f"{place}: answered")
        except Refused as e:
            at = refusal.position in (None, e.position)
            if e.error_class != refusal.error_class or not at:
                problems.append(f"{place} {refusal.position or ''}: refused with {e}")
        except NotCovered:
            continue  # written from the contract by hand
    return problems


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
