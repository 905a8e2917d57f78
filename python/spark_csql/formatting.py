"""Pretty-prints a text: line breaks and blanks change, tokens and comments never do."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_csql.line_breaks import STEP, Breaks
from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import find
from spark_csql.parse.lexer import COMMENT, END, SPACE, Token, lex
from spark_csql.parse.script import cut, is_raw

WIDTH = 100
_TIGHT_BEFORE = frozenset(("COMMA", "SEMICOLON", "RIGHT_PAREN", "RIGHT_BRACKET"))
_TIGHT_AFTER = frozenset(("LEFT_PAREN", "LEFT_BRACKET"))


def format(text: str) -> str:
    """``text`` with one clause a line, subqueries indented, and a statement's end where it was."""
    tokens = lex(text)
    runs = list(cut(tokens))
    pieces = []
    for number, run in enumerate(runs):
        ended = number < len(runs) - 1
        laid_out = _as_written(run) if is_raw([t for t in run if t.visible]) else _Layout(run).text()
        if laid_out or ended:
            pieces.append(_ended(laid_out) if ended else laid_out)
    made = "\n\n".join(pieces) + ("\n" if pieces else "")
    return made if _meaning(lex(made)) == _meaning(tokens) else text


def _as_written(run: list[Token]) -> str:
    return "".join(token.text for token in run).strip()


def _ended(statement: str) -> str:
    """With its semicolon, which must not become part of a comment."""
    last = next((token for token in reversed(lex(statement)[:-1]) if token.kind != SPACE), None)
    ends_in_comment = last is not None and last.kind == COMMENT and last.text.startswith("--")
    return statement + ("\n;" if ends_in_comment else ";")


def _meaning(tokens: list[Token]) -> list[str]:
    return [token.text.strip() for token in tokens if token.kind not in (SPACE, END)]


@dataclass
class _Line:
    """A line, in pieces that may be parted if it is too long."""

    indent: int
    pieces: list[str] = field(default_factory=lambda: [""])

    def written(self) -> str:
        pieces = [piece for piece in self.pieces if piece]
        whole = " " * self.indent + " ".join(pieces)
        if len(whole) <= WIDTH or len(pieces) < 2 or "\n" in whole:
            return whole.rstrip()
        rows = [" " * self.indent + pieces[0]]
        for piece in pieces[1:]:
            if len(rows[-1]) + 1 + len(piece) <= WIDTH:
                rows[-1] += f" {piece}"
            else:
                rows.append(" " * (self.indent + 2 * STEP) + piece)
        return "\n".join(rows)


class _Layout:
    """One statement."""

    def __init__(self, run: list[Token]) -> None:
        self.run = run
        self.lines = [_Line(0)]
        self.indents = [0]

    def text(self) -> str:
        visible = [token for token in self.run if token.visible]
        untouched = "".join(token.text for token in self.run).strip()
        if not visible:
            return untouched
        stop = self.run[-1].stop
        tokens = Tokens([*visible, Token(END, "", stop, stop, 0, 0)])
        found = find(tokens)
        if found.doubtful or found.fault:
            return untouched
        self.write(Breaks(tokens, found))
        return "\n".join(line.written() for line in self.lines if any(line.pieces)).strip()

    def write(self, breaks: Breaks) -> None:
        index, gap = 0, ""
        previous: Token | None = None
        for token in self.run:
            if token.kind == SPACE:
                gap += token.text
                continue
            if token.kind == COMMENT:
                self.comment(token, gap, goes_on=index > 0)
                gap = "\n" if token.text.endswith("\n") else " "
                continue
            self.token(token, previous, gap, breaks, index)
            previous, index, gap = token, index + 1, ""

    def comment(self, token: Token, gap: str, goes_on: bool) -> None:
        """What follows a comment inside of a clause is indented, unless it begins another clause."""
        text = token.text.strip()
        if "\n" in gap:
            self.new_line(2 * STEP if goes_on else 0)
        self.add(text, space=True)
        if text.startswith("--"):
            self.new_line(2 * STEP if goes_on else 0)

    def token(self, token: Token, previous: Token | None, gap: str, breaks: Breaks, index: int) -> None:
        if index in breaks.dedent and len(self.indents) > 1:
            self.indents.pop()
        if index in breaks.before:
            self.new_line(breaks.before[index])
        tight = (
            previous is None
            or token.kind in _TIGHT_BEFORE
            or previous.kind in _TIGHT_AFTER
            or (not gap and index not in breaks.spaced and previous.kind != "COMMA")
        )
        self.add(token.text, space=not tight)
        if index in breaks.indent:
            self.indents.append(self.indents[-1] + STEP)
        if index in breaks.after:
            self.new_line()
        elif index in breaks.parting:
            self.lines[-1].pieces.append("")

    def new_line(self, extra: int = 0) -> None:
        if any(self.lines[-1].pieces):
            self.lines.append(_Line(0))
        self.lines[-1].indent = self.indents[-1] + extra

    def add(self, text: str, space: bool) -> None:
        pieces = self.lines[-1].pieces
        pieces[-1] += (" " if space and pieces[-1] else "") + text
