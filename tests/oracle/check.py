"""The answers of whole case files, and what is wrong with those that stand there."""

from __future__ import annotations

from tests import slt
from tests.oracle.errors import NotCovered, Refused, Undetermined
from tests.oracle.query import Catalog, answer
from tests.values import difference

Answers = dict[str, tuple[list[tuple[object, ...]], bool]]


class Catalogs:
    """A file's relations, once per setting."""

    def __init__(self, file: slt.CaseFile) -> None:
        self.file = file
        self.made: dict[tuple[tuple[str, str], ...], Catalog] = {}

    def under(self, settings: dict[str, str]) -> Catalog:
        key = tuple(sorted(settings.items()))
        if key not in self.made:
            self.made[key] = Catalog.of(self.file.relations.values(), settings)
        return self.made[key]


def answers_of(file: slt.CaseFile) -> tuple[Answers, list[str]]:
    """The answers to the file's queries, and what went wrong."""
    answers: Answers = {}
    problems = []
    catalogs = Catalogs(file)
    for query in file.queries:
        try:
            result = answer(catalogs.under(query.settings), query.sql, query.args)
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
    catalogs = Catalogs(file)
    for refusal in file.refusals:
        if refusal.error_class == "CSQL_NOT_SUPPORTED_YET":
            continue  # part of the language: the oracle may know the answer
        place = f"{file.label}:{refusal.line} {refusal.error_class}"
        try:
            answer(catalogs.under(refusal.settings), refusal.sql)
            problems.append(f"{place}: answered")
        except Refused as e:
            at = refusal.position in (None, e.position)
            if e.error_class != refusal.error_class or not at:
                problems.append(f"{place} {refusal.position or ''}: refused with {e}")
        except NotCovered:
            continue  # written from the contract by hand
    return problems
