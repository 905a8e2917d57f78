"""The language as a dialect of sqlglot: ``sqlglot.parse_one(text, dialect="csql")``.

sqlglot's own parser reads the text without our clauses, which travel as comments: a compiled sqlglot allows
no other parser. A statement whose clauses would not survive that way stays one opaque command, so no clause
is ever lost.
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError

from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import Findings, find
from spark_csql.parse.lexer import END, Token, lex
from spark_csql.parse.script import cut

_MARK = "csql:"
_MARKED = re.compile(r"/\* csql:(\[.*?\]) \*/", re.DOTALL)


class Csql(Spark):
    """Spark's dialect with windows and frequencies."""

    def parse(self, sql: str, **opts: Any) -> list[Any]:
        found: list[Any] = []
        for run in cut(lex(sql)):
            visible = [token for token in run if token.visible]
            if not visible:
                continue
            text = sql[run[0].start : run[-1].stop]
            stop = run[-1].stop
            ours = find(Tokens([*visible, Token(END, "", stop, stop, 0, 0)]))
            if ours.hidden or ours.tails or ours.certain:
                found.append(self._with_clauses(text.strip(), text, run[0].start, ours, opts))
            else:
                found.extend(super().parse(text, **opts))
        return found

    def generate(self, expression: Any, copy: bool = True, **opts: Any) -> str:
        return _MARKED.sub(lambda mark: mark[1], super().generate(expression, copy=copy, **opts))

    def _with_clauses(self, whole: str, text: str, offset: int, ours: Findings, opts: dict[str, Any]) -> Any:
        clauses = {bracket.first: bracket for bracket in ours.brackets}
        only_clauses = len(ours.hidden) == sum(b.last - b.first + 1 for b in ours.brackets)
        if clauses and only_clauses and not ours.fault:
            try:
                (tree,) = super().parse(_as_comments(text, offset, ours), **opts)
            except ParseError:
                tree = None
            if tree is not None and _marks(tree) == len(clauses):
                return tree
        word, _, rest = whole.partition(" ")
        return exp.Command(this=word, expression=f" {rest}" if rest else None)


def _as_comments(text: str, offset: int, ours: Findings) -> str:
    """The text with each clause as a comment, behind the alias that follows it: sqlglot keeps it there."""
    tokens, pieces, at = ours.tokens, [], 0
    for bracket in ours.brackets:
        start, stop = tokens[bracket.first].start - offset, tokens[bracket.last].stop - offset
        place = _behind_alias(tokens, bracket.last) - offset
        pieces += [text[at:start], " ", text[stop:place], f" /* {_MARK}{text[start:stop]} */ "]
        at = place
    return "".join(pieces) + text[at:]


def _behind_alias(tokens: Tokens, last: int) -> int:
    if tokens.kind(last + 1) == "AS":
        return tokens[last + 2].stop
    is_alias = tokens.kind(last + 1) in ("IDENTIFIER", "BACKQUOTED_IDENTIFIER")
    return tokens[last + 1 if is_alias else last].stop


def _marks(tree: Any) -> int:
    return sum(comment.strip().startswith(_MARK) for node in tree.walk() for comment in (node.comments or []))
