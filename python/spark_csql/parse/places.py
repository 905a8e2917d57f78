"""Where a bracket may stand: behind a relation of a FROM, or in a SELECT list.

Spark's grammar decides that in the engine. Here the text is followed token by token, without our own clauses.
Every keyword may be a name, as in ``SELECT from FROM group``: such a text is doubtful, and nothing is said of
the places in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_csql.parse.brackets import ENDS_ELEMENT, like_clause
from spark_csql.parse.cursor import Tokens, is_word_like
from spark_csql.parse.lexer import END, NUMBERS, Token
from spark_csql.parse.relations import BEFORE_GROUP, BEFORE_NAME, BEFORE_RELATION, CLAUSE_STARTS

_SET_OPERATIONS = frozenset(("UNION", "EXCEPT", "SETMINUS", "INTERSECT"))
_BEFORE_STATEMENT = frozenset(
    ("", "SEMICOLON", "EXPLAIN", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "COLON")
)
_EXPLAIN_MODES = frozenset(("EXTENDED", "FORMATTED", "COST", "CODEGEN"))
_OTHER_FROM = frozenset(("DELETE", "SHOW", "DESCRIBE", "DESC", "REVOKE", "UNCACHE"))
"""Statements whose own FROM names no relation of a query."""
_CONTINUING = """
AND OR NOT IN LIKE ILIKE RLIKE BETWEEN IS DIV COLLATE OVER FILTER WITHIN WHEN THEN ELSE END ESCAPE
"""
_CONTINUES_EXPRESSION = frozenset(_CONTINUING.split())
_NAMES_UNLESS_CALLED = frozenset(("OVER", "FILTER", "WITHIN"))
"""Words that continue an expression only with a parenthesis behind them."""
_LIST_STARTS = frozenset(("SELECT", "COMMA"))
_BEFORE_ELEMENT = frozenset(("SELECT", "DISTINCT", "ALL", "HENT_END", "COMMA"))
_BEFORE_RELATION_END = frozenset(
    ("FROM", "JOIN", "COMMA", "LEFT_PAREN", "DOT", "AS", "LATERAL", "STREAM", "RIGHT_BRACKET")
)
_CLOSED_VALUES = frozenset(
    ("RIGHT_PAREN", "RIGHT_BRACKET", "BACKQUOTED_IDENTIFIER", "STRING_LITERAL", "DOUBLEQUOTED_STRING")
)
_OPERATORS = frozenset(("STAR", "OPERATOR", "MINUS", "LT", "GT", "NEQ", "DOT", "AND", "OR", "NOT"))
_WITH_BY = frozenset(("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"))
_NAMES = frozenset(("IDENTIFIER", "BACKQUOTED_IDENTIFIER"))


@dataclass(frozen=True)
class Slot:
    """A place where a bracket may stand, ``select`` or ``from``; brackets of one owner have equal slots."""

    section: str
    level: int
    owner: int


class _Level:
    """One level of parentheses; ``section`` is what the text is in the middle of."""

    def __init__(self, number: int, call: bool) -> None:
        self.number = number
        self.call = call  # it may hold the arguments of a function
        self.section = ""
        self.query = False  # a SELECT has begun
        self.relation = False  # between FROM, JOIN or a comma and ON, PIVOT and the like
        self.values = False  # between VALUES and its alias
        self.lateral_view = False  # behind LATERAL VIEW, whose commas part columns
        self.cases = 0  # open CASE expressions
        self.owners = 0  # relations and SELECT lists that have begun

    def start(self, section: str) -> None:
        self.section = section
        self.relation = section == "from"
        self.values = self.lateral_view = False
        self.cases = 0
        self.owners += 1


class Places:
    """Fed with each visible token; ``slot`` tells what a bracket that follows belongs to."""

    def __init__(self) -> None:
        self.levels = [_Level(0, call=False)]
        self.count = 0
        self.previous = ""
        self.before_previous = ""
        self.statement = ""
        self.doubtful = False

    def next(self, token: Token, following: str) -> None:
        """``following`` is the kind of the token behind it."""
        kind, level = token.kind, self.levels[-1]
        self.doubtful = self.doubtful or self._may_be_name(level, kind, following)
        if self._starts_statement:
            self.statement = token.word
        if kind == "LEFT_PAREN":
            self._open(level)
        elif kind == "RIGHT_PAREN":
            if len(self.levels) > 1:
                self.levels.pop()
        elif kind == "SELECT":
            level.query = True
            level.start("select")
        elif kind == "FROM":
            self._from(level)
        elif self.previous not in BEFORE_NAME and kind in CLAUSE_STARTS:
            level.section = "" if kind in _SET_OPERATIONS or kind == "SEMICOLON" else "clause"
        elif level.section == "from":
            self._in_from(level, kind)
        elif level.section == "select" and kind in ("CASE", "END"):
            level.cases += 1 if kind == "CASE" else -1
        self.before_previous, self.previous = self.previous, kind

    @property
    def _starts_statement(self) -> bool:
        """Also behind EXPLAIN, and inside of a script."""
        explained = self.before_previous == "EXPLAIN" and self.previous in _EXPLAIN_MODES
        return explained or self.previous in _BEFORE_STATEMENT

    def _may_be_name(self, level: _Level, kind: str, following: str) -> bool:
        if kind == "SELECT":
            return level.section == "select" or self.previous in BEFORE_NAME
        if kind == "FROM":
            wants_value = level.section == "select" and self._wants_value()
            return wants_value or level.section == "from" or following in ("COMMA", "RIGHT_PAREN", END)
        if kind in CLAUSE_STARTS:
            lacks_content = following in ("COMMA", "LEFT_BRACKET") or (kind in _WITH_BY and following != "BY")
            return self.previous in BEFORE_NAME or lacks_content
        return False

    def _open(self, level: _Level) -> None:
        self.count += 1
        nested = level.section == "from" and level.relation and self.previous in BEFORE_RELATION
        inner = _Level(self.count, call=not nested and self.previous not in BEFORE_GROUP)
        if nested:
            inner.start("from")
        self.levels.append(inner)

    def _from(self, level: _Level) -> None:
        comparison = self.previous == "DISTINCT" and self.before_previous in ("IS", "NOT", "BANG")
        other = len(self.levels) == 1 and not level.query and self.statement in _OTHER_FROM
        is_name = level.section == "select" and self.previous in _LIST_STARTS
        begins = level.query or not level.call
        if begins and not (is_name or comparison or other or self.previous == "CHANGES"):
            level.start("from")

    def _wants_value(self) -> bool:
        """Behind an operator or a word like one, and behind DISTINCT."""
        is_star = self.previous == "STAR" and self.before_previous in _BEFORE_ELEMENT | {"DOT"}
        return self.previous in (_BEFORE_ELEMENT | _OPERATORS) - _LIST_STARTS and not is_star

    def _in_from(self, level: _Level, kind: str) -> None:
        if kind == "JOIN" or (kind == "COMMA" and not level.values and not level.lateral_view):
            level.start("from")
        elif kind == "VALUES":
            level.values = True
        elif kind == "VIEW" and self.previous == "LATERAL":
            level.relation = False
            level.lateral_view = True
        elif self.previous in BEFORE_NAME:
            return
        elif kind in ("ON", "USING", "PIVOT", "UNPIVOT", "NEAREST"):
            level.relation = False
        elif level.values and kind in _NAMES | {"AS"}:
            level.values = False

    def forget_comma(self) -> None:
        """The last token is hidden: what follows stands behind an element of the list."""
        self.previous = "IDENTIFIER"

    def slot(self, tokens: Tokens, opening: int, closing: int) -> Slot | None:
        """What the bracket between these two tokens belongs to; None if it stands where it cannot."""
        level = self.levels[-1]
        if tokens.kind(opening - 1) in ("FROM", "AS") and not _starts_name(tokens, closing + 1):
            self.doubtful = True
        if level.section == "from":
            values_go_on = level.values and tokens.kind(closing + 1) == "COMMA"
            fits = level.relation and not values_go_on and _behind_relation(tokens, opening, closing)
        else:
            fits = level.section == "select" and level.cases == 0 and _in_list(tokens, opening, closing)
        return Slot(level.section, level.number, level.owners) if fits else None


def _starts_name(tokens: Tokens, index: int) -> bool:
    kind = tokens.kind(index)
    is_word = is_word_like(kind, tokens.word(index)) and kind not in CLAUSE_STARTS
    return is_word or kind in ("BACKQUOTED_IDENTIFIER", "LEFT_PAREN")


def _behind_relation(tokens: Tokens, opening: int, closing: int) -> bool:
    following = tokens.kind(closing + 1)
    before, is_name = tokens.kind(opening - 1), tokens.kind(opening - 2) in BEFORE_RELATION
    is_alias = before == "STREAM" and not is_name
    return (
        (is_alias or before not in _BEFORE_RELATION_END)
        and following != "DOT"
        and (following != "LEFT_PAREN" or is_name)
    )


def _in_list(tokens: Tokens, opening: int, closing: int) -> bool:
    before, behind = tokens.kind(opening - 1), _behind_clauses(tokens, closing + 1)
    after = tokens.kind(behind)
    if before in _BEFORE_ELEMENT:
        return True
    return _ends_value(tokens, opening - 1, before) and (
        after in ENDS_ELEMENT
        or after in CLAUSE_STARTS
        or after in _NAMES
        or after in (END, "AS")
        or (tokens.word(behind) != "" and after not in _CONTINUES_EXPRESSION)
    )


def _behind_clauses(tokens: Tokens, index: int) -> int:
    """Where the text goes on behind more brackets that look like clauses."""
    while tokens.kind(index) == "LEFT_BRACKET" and like_clause(tokens, index, in_relation=False):
        depth = 0
        while tokens.kind(index) != END:
            depth += {"LEFT_BRACKET": 1, "RIGHT_BRACKET": -1}.get(tokens.kind(index), 0)
            index += 1
            if depth == 0:
                break
    return index


def _ends_value(tokens: Tokens, index: int, kind: str) -> bool:
    if kind == "AS" or kind in _CONTINUES_EXPRESSION - _NAMES_UNLESS_CALLED - {"END"}:
        return False
    return (
        is_word_like(kind, tokens.word(index)) or kind in NUMBERS or kind in _CLOSED_VALUES or kind == "STAR"
    )
