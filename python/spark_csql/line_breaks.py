"""Where a pretty-printed text begins a new line."""

from __future__ import annotations

from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import Findings
from spark_csql.parse.heads import Head
from spark_csql.parse.places import Places

STEP = 2
_NEW_LINE = """
WHERE GROUP HAVING QUALIFY ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW OPERATOR_PIPE UNION EXCEPT
SETMINUS INTERSECT
"""
_STARTS_LINE = frozenset(_NEW_LINE.split())
_JOINING = frozenset(("LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL", "SEMI", "ANTI"))
_BEFORE_FIRST = frozenset(("", "LEFT_PAREN", "EXPLAIN", "EXTENDED", "FORMATTED", "CODEGEN", "COST"))
_STREAM_CLAUSES = frozenset(("ORDER", "SLACK", "LATE", "SOURCE", "USING", "AS"))


class Breaks:
    """Before a clause, around a subquery, before the clauses of our own statements; told by token numbers."""

    def __init__(self, tokens: Tokens, found: Findings) -> None:
        self.before: dict[int, int] = {}  # with how much more indentation
        self.after: set[int] = set()
        self.indent: set[int] = set()  # from the next token on
        self.dedent: set[int] = set()
        self.parting: set[int] = set()  # commas behind which a long line may be parted
        self.spaced: set[int] = set()  # brackets of ours
        self._query(tokens, found, 0)

    def _query(self, tokens: Tokens, found: Findings, shift: int) -> None:
        """``shift`` is the number of the first token."""
        places = Places()
        opened: list[bool] = []
        self.spaced.update(bracket.first + shift for bracket in found.brackets)
        for head, start, end in found.heads:
            self._statement(tokens, head, start, end, shift)
        for start, inner in found.inner:
            self.indent.add(start - 1 + shift)
            self.after.add(start - 1 + shift)
            self._query(inner.tokens, inner, start + shift)
        for k in range(len(tokens) - 1):
            if k in found.hidden:
                continue
            kind = tokens.kind(k)
            self._clause(tokens, places, k, shift)
            places.next(tokens[k], tokens.kind(k + 1))
            if kind == "LEFT_PAREN":
                opened.append(_holds_query(tokens, k))
                if opened[-1]:
                    self.indent.add(k + shift)
                    self.after.add(k + shift)
            elif kind == "RIGHT_PAREN" and opened and opened.pop():
                self.dedent.add(k + shift)
                self.before[k + shift] = 0
            elif kind == "COMMA" and places.levels[-1].section:
                self.parting.add(k + shift)
            elif kind in ("SEMICOLON", "BEGIN"):
                self.after.add(k + shift)

    def _clause(self, tokens: Tokens, places: Places, k: int, shift: int) -> None:
        kind, level, previous = tokens.kind(k), places.levels[-1], tokens.kind(k - 1)
        joins = kind == "JOIN" or kind in _JOINING
        if kind == "SELECT":
            starts = previous not in _BEFORE_FIRST
        elif kind == "FROM":
            starts = level.section == "select" and previous != "DISTINCT"
        elif level.section == "from" and joins:
            ahead = k
            while tokens.kind(ahead) in _JOINING:
                ahead += 1
            starts = tokens.kind(ahead) == "JOIN" and previous not in _JOINING
        else:
            in_query = level.query or (len(places.levels) == 1 and level.section == "from")
            starts = in_query and kind in _STARTS_LINE and level.section != ""
        if starts and previous not in ("DOT", "AS"):
            self.before[k + shift] = STEP if joins else 0

    def _statement(self, tokens: Tokens, head: Head, start: int, end: int, shift: int) -> None:
        depth = 0
        for k in range(start, end):
            kind, text = tokens.kind(k), tokens[k].text
            depth += {"LEFT_PAREN": 1, "RIGHT_PAREN": -1}.get(kind, 0)
            if kind == "COMMA":
                self.parting.add(k + shift)
            if head.kind == "CREATE AGGREGATE":
                self._body(k + shift, text)
            elif head.kind == "CREATE STREAM" and k > head.body and depth == 0:
                word = tokens.word(k)
                if word in _STREAM_CLAUSES and tokens.word(k - 1) not in ("INTO", "BY"):
                    self.before[k + shift] = STEP
                if word == "AS":
                    return

    def _body(self, k: int, text: str) -> None:
        """Of an aggregate."""
        if text == "{":
            self.indent.add(k)
            self.after.add(k)
        elif text == "}":
            self.dedent.add(k)
            self.before[k] = 0
            self.after.add(k)
        elif text == ";":
            self.after.add(k)


def _holds_query(tokens: Tokens, opening: int) -> bool:
    depth = 0
    for k in range(opening, len(tokens) - 1):
        depth += {"LEFT_PAREN": 1, "RIGHT_PAREN": -1}.get(tokens.kind(k), 0)
        if depth == 0:
            return tokens.kind(opening + 1) in ("SELECT", "WITH")
    return False
