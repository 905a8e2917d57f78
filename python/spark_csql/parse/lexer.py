"""Spark's tokens: the same borders and kinds as its own lexer, so that faults stand at the same places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark_csql.parse.keywords import KEYWORDS

SPACE = "SPACE"
COMMENT = "COMMENT"
END = "EOF"
_NUMBER_NAMES = """
INTEGER_VALUE DECIMAL_VALUE EXPONENT_VALUE BIGINT_LITERAL SMALLINT_LITERAL TINYINT_LITERAL FLOAT_LITERAL
DOUBLE_LITERAL BIGDECIMAL_LITERAL
"""
NUMBERS = frozenset(_NUMBER_NAMES.split())


@dataclass(frozen=True)
class Token:
    """``text[start:stop]`` of a text; lines count from 1, positions in them from 0, as Spark does."""

    kind: str
    text: str
    start: int
    stop: int
    line: int
    position: int

    @property
    def visible(self) -> bool:
        return self.kind not in (SPACE, COMMENT)

    @property
    def word(self) -> str:
        """The word in upper case; empty for everything that is no bare word."""
        first = self.text[:1]
        return self.text.upper() if first == "_" or (first.isalpha() and first <= "\uffff") else ""


_SPACES = r"[ \t\n\f\r\v\u00A0\u1680\u2000-\u200A\u2028\u202F\u205F\u3000]+"
_LINE_COMMENT = r"--(?:\\\n|[^\r\n])*\r?\n?"
_STRING = r"'(?:[^'\\]|\\.|'')*'|[rR]'[^']*'|[rR]\"[^\"]*\""
_DOUBLE_QUOTED = r'"(?:[^"\\]|""|\\.)*"'
_BACKQUOTED = r"`(?:[^`]|``)*`"
_PATH = r"[A-Za-z]+://[A-Za-z0-9_/\-.?=&#%]+"
_SYMBOLS = {
    ";": "SEMICOLON",
    "(": "LEFT_PAREN",
    ")": "RIGHT_PAREN",
    ",": "COMMA",
    ".": "DOT",
    "[": "LEFT_BRACKET",
    "]": "RIGHT_BRACKET",
    "!": "BANG",
    "-": "MINUS",
    "*": "STAR",
    "<": "LT",
    ">": "GT",
    "<>": "NEQ",
    ":": "COLON",
    "::": "DOUBLE_COLON",
    "?": "QUESTION",
    "|": "PIPE",
    "|>": "OPERATOR_PIPE",
    "/*+": "HENT_START",
    "*/": "HENT_END",
}
_KIND_OF_WORD = {"MINUS": "SETMINUS", "REGEXP": "RLIKE", "TEMP": "TEMPORARY"}  # all others have their own
_OPERATOR = r"/\*\+|\*/|<=>|>>>|<<|>>|<>|<=|>=|!=|!>|!<|==|\|\||\|>|::|->|=>|[-;(),.\[\]!<>=+*/%~&|^:@?]"
_FIXED = re.compile(
    f"(?P<SPACE>{_SPACES})|(?P<COMMENT>{_LINE_COMMENT})|(?P<STRING_LITERAL>{_STRING})"
    f"|(?P<DOUBLEQUOTED_STRING>{_DOUBLE_QUOTED})|(?P<BACKQUOTED_IDENTIFIER>{_BACKQUOTED})"
    f"|(?P<IDENTIFIER>{_PATH})",
    re.DOTALL,
)
_SYMBOL = re.compile(_OPERATOR)
_DECIMAL = r"(?:\d+\.\d*|\.\d+)"
_NUMBER_KINDS = [
    ("BIGINT_LITERAL", re.compile(r"\d+[lL]", re.ASCII), False),
    ("SMALLINT_LITERAL", re.compile(r"\d+[sS]", re.ASCII), False),
    ("TINYINT_LITERAL", re.compile(r"\d+[yY]", re.ASCII), False),
    ("INTEGER_VALUE", re.compile(r"\d+", re.ASCII), False),
    ("EXPONENT_VALUE", re.compile(r"\d+[eE][+-]?\d+", re.ASCII), False),
    ("EXPONENT_VALUE", re.compile(_DECIMAL + r"[eE][+-]?\d+", re.ASCII), True),
    ("DECIMAL_VALUE", re.compile(_DECIMAL, re.ASCII), True),
    ("FLOAT_LITERAL", re.compile(r"\d+(?:[eE][+-]?\d+)?[fF]", re.ASCII), False),
    ("FLOAT_LITERAL", re.compile(_DECIMAL + r"(?:[eE][+-]?\d+)?[fF]", re.ASCII), True),
    ("DOUBLE_LITERAL", re.compile(r"\d+(?:[eE][+-]?\d+)?[dD]", re.ASCII), False),
    ("DOUBLE_LITERAL", re.compile(_DECIMAL + r"(?:[eE][+-]?\d+)?[dD]", re.ASCII), True),
    ("BIGDECIMAL_LITERAL", re.compile(r"\d+(?:[eE][+-]?\d+)?[bB][dD]", re.ASCII), False),
    ("BIGDECIMAL_LITERAL", re.compile(_DECIMAL + r"(?:[eE][+-]?\d+)?[bB][dD]", re.ASCII), True),
]
_DOLLAR_TAG = re.compile(r"\$[A-Za-z]*\$")
_COMMENT_EDGE = re.compile(r"/\*(?!\+)|\*/")
_DIGITS = frozenset("0123456789")


def lex(text: str) -> list[Token]:
    """All tokens, hidden ones too; the last one is EOF."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.line_start = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        while self.at < len(self.text):
            tag = _DOLLAR_TAG.match(self.text, self.at)
            if tag:
                self.dollar_quoted(tag[0])
            else:
                self.add(*self.next())
        self.add(END, self.at)
        return self.tokens

    def next(self) -> tuple[str, int]:
        """The kind of the token that begins here, and where it ends."""
        text, at = self.text, self.at
        if text.startswith("/*", at) and not text.startswith("/*+", at):
            return COMMENT, self.comment_end()
        fixed = _FIXED.match(text, at)
        if fixed and fixed.lastgroup:
            return fixed.lastgroup, fixed.end()
        found = self.number() if text[at] in _DIGITS or text[at] == "." else None
        word_end = self.word_end()
        if found and found[1] >= word_end:
            return found
        if word_end > at:
            word = text[at:word_end].upper()
            return (_KIND_OF_WORD.get(word, word) if word in KEYWORDS else "IDENTIFIER"), word_end
        symbol = _SYMBOL.match(text, at)
        if symbol:
            return _SYMBOLS.get(symbol[0], "OPERATOR"), symbol.end()
        return "UNRECOGNIZED", at + 1

    def number(self) -> tuple[str, int] | None:
        best: tuple[str, int] | None = None
        for kind, pattern, has_point in _NUMBER_KINDS:
            found = pattern.match(self.text, self.at)
            if (
                found
                and (best is None or found.end() > best[1])
                and not (has_point and self.goes_on(found.end()))
            ):
                best = kind, found.end()
        return best

    def goes_on(self, at: int) -> bool:
        """A number with a point must not run into a name."""
        following = self.text[at : at + 1]
        return following.isascii() and (following.isalnum() or following == "_")

    def word_end(self) -> int:
        end = self.at
        while end < len(self.text) and (
            self.text[end] in _DIGITS or self.text[end] == "_" or self.text[end].isalpha()
        ):
            end += 1
        return end

    def comment_end(self) -> int:
        """Comments nest; one that is not closed takes the rest of the text."""
        depth, at = 1, self.at + 2
        while depth:
            edge = _COMMENT_EDGE.search(self.text, at)
            if edge is None:
                return len(self.text)
            depth += -1 if edge[0] == "*/" else 1
            at = edge.end()
        return at

    def dollar_quoted(self, tag: str) -> None:
        body = self.at + len(tag)
        self.add("BEGIN_DOLLAR_QUOTED_STRING", body)
        end = self.text.find(tag, body)
        stop = len(self.text) if end < 0 else end
        if stop > body:
            self.add("DOLLAR_QUOTED_STRING_BODY", stop)
        if end >= 0:
            self.add("END_DOLLAR_QUOTED_STRING", end + len(tag))

    def add(self, kind: str, stop: int) -> None:
        text = self.text[self.at : stop]
        self.tokens.append(Token(kind, text, self.at, stop, self.line, self.at - self.line_start))
        newlines = text.count("\n")
        if newlines:
            self.line += newlines
            self.line_start = self.at + text.rindex("\n") + 1
        self.at = stop
