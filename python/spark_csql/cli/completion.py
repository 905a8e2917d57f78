"""Completion of keywords, of streams and tables, and of their columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_csql.parse.clause import PART_WORDS
from spark_csql.parse.heads import SYNTAX
from spark_csql.parse.keywords import KEYWORDS
from spark_csql.parse.lexer import lex
from spark_csql.parse.operators import STREAM_OPERATORS
from spark_csql.parse.units import UNITS
from spark_csql.quoting import quoted

_CLAUSE_WORDS = PART_WORDS | UNITS.keys() | {"BY", "FROM", "UNBOUNDED", "UNTIL"}
_IN_BRACKETS = sorted(word.capitalize() for word in _CLAUSE_WORDS)
_OWN = {word for syntax in SYNTAX for word in syntax.split()} | set(STREAM_OPERATORS)
_ELSEWHERE = sorted(KEYWORDS | _OWN)


class Names:
    """Relations and columns that a session knows; asked again after each statement."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.relations: list[str] = []
        self.columns: dict[str, list[str]] = {}

    def refresh(self) -> None:
        try:
            self.relations = sorted(table.tableName for table in self.spark.sql("SHOW TABLES").collect())
        except PySparkException:  # as when the current database was dropped: there is nothing to offer
            self.relations = []
        self.columns = {name: found for name, found in self.columns.items() if name in self.relations}

    def columns_of(self, relation: str) -> list[str]:
        known = {name.lower(): name for name in self.relations}
        name = known.get(relation.lower())
        if name is None:
            return []
        if name not in self.columns:
            try:
                self.columns[name] = list(self.spark.table(quoted(name)).columns)
            except PySparkException:  # as when what a view reads was dropped
                self.columns[name] = []
        return self.columns[name]


class SqlCompleter(Completer):
    def __init__(self, names: Names, commands: Iterable[str]) -> None:
        self.names = names
        self.commands = sorted(commands)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        start = before.split()[-1] if before and not before[-1].isspace() else ""
        if before.startswith("."):
            yield from _matching(before if " " not in before else "", self.commands)
            return
        word = start.rsplit("(", 1)[-1].rsplit(",", 1)[-1].rsplit("[", 1)[-1]
        if "." in word:
            yield from self._of_relation(document.text, *word.rsplit(".", 1))
            return
        if not word:
            return
        if _inside_bracket(before):
            yield from _matching(word, _IN_BRACKETS)
        else:
            yield from _matching(word, self.names.relations)
            yield from _matching(word, _ELSEWHERE)
        yield from _matching(word, self._columns(document.text))

    def _columns(self, text: str) -> list[str]:
        """Columns of the relations that the statement names."""
        words = {token.text for token in lex(text) if token.word}
        return sorted({column for word in words for column in self.names.columns_of(word)})

    def _of_relation(self, text: str, relation: str, start: str) -> Iterator[Completion]:
        """``relation`` may be an alias: the word behind the name, with or without AS."""
        words = [token.text for token in lex(text) if token.visible and token.word != "AS"]
        named = [name for name, alias in itertools.pairwise(words) if alias.lower() == relation.lower()]
        for name in [relation, *named]:
            yield from _matching(start, self.names.columns_of(name))


def _inside_bracket(text: str) -> bool:
    return text.rfind("[") > text.rfind("]")


def _matching(start: str, words: Iterable[str]) -> Iterator[Completion]:
    for word in words:
        if word.lower().startswith(start.lower()) and word.lower() != start.lower():
            yield Completion(word, start_position=-len(start))
