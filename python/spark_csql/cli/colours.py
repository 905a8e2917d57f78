"""Colours for what is typed into the shell."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from spark_csql.parse.clause import PART_WORDS
from spark_csql.parse.keywords import KEYWORDS
from spark_csql.parse.lexer import COMMENT, NUMBERS, Token, lex
from spark_csql.parse.operators import STREAM_OPERATORS
from spark_csql.parse.units import UNITS

STYLE = Style.from_dict(
    {
        "keyword": "bold ansiblue",
        "own": "bold ansimagenta",
        "string": "ansigreen",
        "number": "ansicyan",
        "comment": "italic ansibrightblack",
    }
)
_OWN = PART_WORDS | UNITS.keys() | set(STREAM_OPERATORS) | {"STREAM", "CONTINUOUS", "SLACK", "EXPIRATION"}


class SqlColours(Lexer):
    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines: list[StyleAndTextTuples] = [[]]
        for token in lex(document.text):
            first, *rest = token.text.split("\n")
            lines[-1].append((_style(token), first))
            for line in rest:
                lines.append([(_style(token), line)])
        return lambda number: lines[number] if number < len(lines) else []


def _style(token: Token) -> str:
    if token.kind == COMMENT:
        return "class:comment"
    if token.kind in NUMBERS:
        return "class:number"
    if token.kind in ("STRING_LITERAL", "DOUBLEQUOTED_STRING"):
        return "class:string"
    if token.word in _OWN:
        return "class:own"
    return "class:keyword" if token.word in KEYWORDS else ""
