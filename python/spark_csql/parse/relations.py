"""Follows a text token by token and knows whether a relation may have just ended.

``S [Now]`` behind a relation is our clause, ``a[now]`` in an expression is Spark's subscript, and only the
place tells them apart. Everything longer than one word is told by its own text.
"""

from __future__ import annotations

_VERSIONS = frozenset(("VERSION", "SYSTEM_VERSION"))
_TIMESTAMPS = frozenset(("TIMESTAMP", "SYSTEM_TIME"))
_NEGATIONS = frozenset(("IS", "NOT", "BANG"))
BEFORE_RELATION = frozenset(("FROM", "JOIN", "COMMA", "LEFT_PAREN", "LATERAL"))
BEFORE_NAME = frozenset(("FROM", "JOIN", "COMMA", "LATERAL", "DOT", "STREAM"))
"""Behind these a keyword is only a name."""
_GROUPING = """
LEFT_PAREN COMMA AS IN EXISTS UNION EXCEPT SETMINUS INTERSECT ALL DISTINCT SEMICOLON WITH
"""
BEFORE_GROUP = frozenset(_GROUPING.split())
_STARTS = """
WHERE GROUP HAVING QUALIFY ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW UNION EXCEPT SETMINUS INTERSECT
SEMICOLON OPERATOR_PIPE PIPE SET
"""
CLAUSE_STARTS = frozenset(_STARTS.split())
_EXPRESSION_STARTS = frozenset(("ON", "USING", "NEAREST", "WATERMARK", "VALUES"))


class _Level:
    """One level of parentheses: it may group relations, or hold the arguments of a function."""

    def __init__(self, relations: bool, call: bool) -> None:
        self.call = call
        self.select = False
        self.in_from = False
        self.relation = relations
        self.groups_relations = relations

    def start_select(self) -> None:
        self.select = True
        self.start_queries()

    def start_queries(self) -> None:
        self.groups_relations = False
        self.end_relations()

    def start_relations(self) -> None:
        self.in_from = True
        self.relation = True

    def end_relations(self) -> None:
        self.in_from = False
        self.relation = False


class RelationContext:
    def __init__(self) -> None:
        self.levels = [_Level(relations=False, call=False)]
        self.previous = ""
        self.before_previous = ""

    @property
    def in_relation(self) -> bool:
        return self.levels[-1].relation

    def next(self, kind: str) -> None:
        level = self.levels[-1]
        if kind == "SELECT":
            level.start_select()
        elif kind == "WITH" and self.previous == "LEFT_PAREN":
            level.start_queries()
        elif kind == "FROM":
            self._from(level)
        elif kind == "JOIN":
            level.start_relations()
        elif kind == "COMMA":
            level.relation = level.in_from or level.groups_relations
        elif kind == "LEFT_PAREN":
            nested = level.relation and self.previous in BEFORE_RELATION
            self.levels.append(_Level(nested, call=not nested and self.previous not in BEFORE_GROUP))
        elif kind == "RIGHT_PAREN":
            if len(self.levels) > 1:
                self.levels.pop()
        elif kind == "OF":
            level.relation = self.previous == "DELAY" or self.before_previous in _VERSIONS
        elif kind in _TIMESTAMPS and self.previous in ("FROM", "TO"):
            level.relation = False
        elif self.previous not in BEFORE_NAME and self.previous != "AS":
            if kind in CLAUSE_STARTS:
                level.end_relations()
            elif kind in _EXPRESSION_STARTS:
                level.relation = False
        self.before_previous, self.previous = self.previous, kind

    def _from(self, level: _Level) -> None:
        comparison = self.previous == "DISTINCT" and self.before_previous in _NEGATIONS
        if self.previous != "CHANGES" and not comparison and (level.select or not level.call):
            level.start_relations()
