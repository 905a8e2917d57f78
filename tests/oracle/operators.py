"""ISTREAM, DSTREAM and RSTREAM in the text, as hints that the stock parser carries through (semantics §7).

`SELECT ISTREAM(a, b) FROM …` becomes `SELECT /*+ CSQL_ISTREAM */ a, b FROM …`, and `ISTREAM(query)` becomes
`(SELECT /*+ CSQL_ISTREAM */ * FROM (query) AS around)`: the query is then a relation of that block.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tests.oracle.errors import NotCovered
from tests.oracle.tokens import Token

OPERATORS = ("ISTREAM", "DSTREAM", "RSTREAM")
AROUND = "__around"


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return at
    raise NotCovered("parentheses that do not close")


def rewritten(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with hints in place of the operators."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.word not in OPERATORS or following != "(":
            out.append(token)
            at += 1
            continue
        end = closing(tokens, at + 1)
        inner = rewritten(tokens[at + 2 : end])

        def written(text: str, place: Token = token) -> list[Token]:
            kinds = {"*": "symbol", "(": "symbol", ")": "symbol"}
            return [Token(kinds.get(part, "word"), part, place.position) for part in text.split()]

        hint = Token("symbol", f"/*+ CSQL_{token.word} */", token.position)
        if out and out[-1].word == "SELECT":
            if end + 1 < len(tokens) and tokens[end + 1].word != "FROM" and tokens[end + 1].text != "[":
                raise NotCovered(f"{token.word} beside other columns")
            out += [hint, *inner]
        else:
            out += [*written("( SELECT"), hint, *written("* FROM ("), *inner]
            out += written(f") AS {AROUND} )")
        at = end + 1
    return out


def operator_of(node: exp.Expr) -> str:
    """The operator of a SELECT, or nothing."""
    return str(node.meta.get("operator", ""))


def unwrapped(tree: exp.Query) -> exp.Query:
    """An operator around one SELECT is the operator of that SELECT."""
    for around in [s for s in tree.find_all(exp.Select) if operator_of(s)]:
        item = around.args["from_"].this if around.args.get("from_") else None
        if not isinstance(item, exp.Subquery) or item.alias != AROUND:
            continue
        inner = item.this
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        if isinstance(inner, exp.Select) and not operator_of(inner) and not inner.args.get("with_"):
            inner.meta["operator"] = operator_of(around)
            if around is tree:
                tree = inner.copy()
            else:
                around.replace(inner.copy())
    return tree
