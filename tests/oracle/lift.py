"""Lifts the bracket clauses out of the text and leaves marks that the stock parser carries through.

A FROM item with clause number i gets the alias `name#i`, a SELECT with an answer frequency the hint CSQL_i, one with
an operator the hint CSQL_ISTREAM and so on, and what stood in the parentheses of an OVER becomes
PARTITION BY 'CSQL_OVER_i'. After sqlglot has parsed the rest, the marks are taken off and the clauses put on the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp

from tests.oracle.clauses import Clause, Parser, refuse
from tests.oracle.errors import NotCovered
from tests.oracle.operators import OPERATORS, rewritten, unwrapped
from tests.oracle.over import Over
from tests.oracle.tokens import Token, tokenize

OURS = (
    "RANGE",
    "ROWS",
    "NOW",
    "LANDMARK",
    "BAND",
    "TUMBLE",
    "FREQUENCY",
    "SLIDE",
    "PARTITION",
    "PARTITIONED",
    "LAG",
)
LEAVES_FROM = (
    "WHERE",
    "GROUP",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "WINDOW",
    "QUALIFY",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "MINUS",
    "CLUSTER",
    "DISTRIBUTE",
    "SORT",
)
JOINS = ("JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "SEMI", "ANTI", "OUTER", "LATERAL")
NO_ALIAS = (*LEAVES_FROM, *JOINS, "ON", "USING", "AS", "TABLESAMPLE", "PIVOT")


@dataclass
class Level:
    """What is being read between two parentheses."""

    state: str = ""  # select, from, on (a join's condition), or anything else
    select: int = -1  # where in the output the SELECT keyword stands
    item: int = -1  # where in the output the FROM item's alias begins
    frequency: Clause | None = None
    clause: bool = False  # the FROM item has its clause


@dataclass
class Lifter:
    tokens: list[Token]
    out: list[str] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    overs: list[Over] = field(default_factory=list)
    levels: list[Level] = field(default_factory=lambda: [Level()])
    at: int = 0

    def lift(self) -> str:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.text == "[":
                self.bracket(token)
                continue
            self.out.append(token.text)
            if token.word == "OVER" and self.at < len(self.tokens) and self.tokens[self.at].text == "(":
                self.over()
                continue
            self.follow(token)
        return " ".join(self.out)

    def over(self) -> None:
        """What stands between the parentheses, which may hold parentheses."""
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.tokens[self.at].text, 0)
            self.at += 1
            if depth == 0:
                break
        inner = self.tokens[start + 1 : self.at - 1]
        self.out.append(f"(PARTITION BY 'CSQL_OVER_{len(self.overs)}')")
        self.overs.append(Over(tuple(inner), self.tokens[start], self.tokens[self.at - 1]))

    def follow(self, token: Token) -> None:
        """Keeps the state of the level up to date."""
        level = self.levels[-1]
        if token.text == "(":
            self.levels.append(Level())
        elif token.text == ")":
            if len(self.levels) > 1:
                self.levels.pop()
            outer = self.levels[-1]
            if outer.state == "from" and outer.item < 0:
                outer.item = len(self.out)
        elif token.word == "SELECT":
            self.levels[-1] = Level("select", len(self.out) - 1)
        elif (
            (token.word == "FROM" and level.state == "select")
            or token.word == "JOIN"
            or (token.text == "," and level.state in ("from", "on"))
        ):
            level.state, level.item, level.clause = "from", -1, False
        elif token.word in ("ON", "USING") and level.state == "from":
            level.state = "on"
        elif token.word in LEAVES_FROM and level.state in ("from", "on", "select"):
            level.state = "after"
        elif (
            level.state == "from"
            and level.item < 0
            and token.kind in ("word", "quoted")
            and token.word not in JOINS
        ):
            while self.at < len(self.tokens) and self.tokens[self.at].text == ".":
                self.out.extend(t.text for t in self.tokens[self.at : self.at + 2])
                self.at += 2
            level.item = len(self.out)

    def bracket(self, opening: Token) -> None:
        depth, end = 1, self.at
        while depth and end < len(self.tokens):
            depth += {"[": 1, "]": -1}.get(self.tokens[end].text, 0)
            end += 1
        inner, closing = self.tokens[self.at : end - 1], self.tokens[end - 1]
        level = self.levels[-1]
        words = [t.word for t in inner[:2]]
        if level.state == "from":
            clause = Parser(inner, opening, closing).parse()
            self.at = end
            self.from_clause(level, clause, opening)
        elif level.state == "select" and words and words[0] in OURS:
            clause = Parser(inner, opening, closing).parse()
            if clause.window is not None:
                raise refuse("CLAUSE_MISPLACED", "only a Frequency may stand in the SELECT list", opening)
            if level.frequency is not None:
                raise refuse("CLAUSE_DOUBLED", "two frequencies in one SELECT list", opening)
            level.frequency = clause
            self.clauses.append(clause)
            self.hint(level.select, f"CSQL_{len(self.clauses) - 1}")
            self.at = end
        elif words and words[0] in OURS and (len(inner) == 1 or inner[1].kind in ("number", "word")):
            raise refuse("CLAUSE_MISPLACED", "no clause may stand here", opening)
        else:
            self.out.append("[")

    def hint(self, select: int, name: str) -> None:
        """A hint after the SELECT, beside the one of an operator if there is one."""
        after = self.out[select + 1]
        if after.startswith("/*+"):
            self.out[select + 1] = after.replace(" */", f", {name} */")
        else:
            self.out[select] += f" /*+ {name} */"

    def from_clause(self, level: Level, clause: Clause, opening: Token) -> None:
        if level.clause:
            raise refuse("CLAUSE_MISPLACED", "two clauses after one item", opening)
        if level.item < 0:
            raise refuse("CLAUSE_MISPLACED", "a clause follows a stream or a subquery", opening)
        level.clause = True
        names = [t for t in self.out[level.item :] if t.upper() != "AS"]
        if any(t in "()," for t in names):
            raise NotCovered("column aliases before a clause")
        del self.out[level.item :]
        names += self.alias()
        if self.at < len(self.tokens) and self.tokens[self.at].text == "[":
            raise refuse("CLAUSE_MISPLACED", "two clauses after one item", self.tokens[self.at])
        name = names[-1] if names else ("" if self.out[-1] == ")" else self.out[-1])
        self.clauses.append(clause)
        self.out += ["AS", f"`{name.strip('`')}#{len(self.clauses) - 1}`"]

    def alias(self) -> list[str]:
        """[AS] name [name] after a clause."""
        names: list[str] = []
        if self.at < len(self.tokens) and self.tokens[self.at].word == "AS":
            self.at += 1
        while self.at < len(self.tokens) and self.tokens[self.at].kind in ("word", "quoted"):
            if self.tokens[self.at].word in NO_ALIAS:
                break
            names.append(self.tokens[self.at].text)
            self.at += 1
        return names


def bound(tokens: list[Token], args: Mapping[str, int]) -> list[Token]:
    """The tokens with numbers in place of the parameter markers :name."""
    out: list[Token] = []
    for token in tokens:
        if out and out[-1].text == ":" and token.text in args:
            token = Token("number", str(args[token.text]), out.pop().position)
        out.append(token)
    return out


def parse(sql: str, args: Mapping[str, int] | None = None) -> exp.Query:
    """The query's tree; its FROM items and SELECTs carry their clauses."""
    lifter = Lifter(bound(rewritten(tokenize(sql)), args or {}))
    text = lifter.lift()
    try:
        tree = sqlglot.parse_one(text, dialect="spark")
    except sqlglot.errors.ParseError as e:
        raise NotCovered(f"{e}\n{text}") from e
    if not isinstance(tree, exp.Query):
        raise NotCovered(f"no query: {sql}")
    for node in list(tree.walk()):
        if isinstance(node, exp.Table | exp.Subquery) and "#" in node.alias:
            name, _, number = node.alias.rpartition("#")
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name or f"_q{number}", quoted=True)))
            node.meta["clause"] = lifter.clauses[int(number)]
        elif isinstance(node, exp.Select) and node.args.get("hint"):
            for hint in [h.name[5:] for h in node.args["hint"].expressions if h.name.startswith("CSQL_")]:
                if hint in OPERATORS:
                    node.meta["operator"] = hint
                else:
                    node.meta["frequency"] = lifter.clauses[int(hint)].frequency
                node.set("hint", None)
        elif isinstance(node, exp.Window) and node.args.get("partition_by"):
            mark = node.args["partition_by"][0].name
            if mark.startswith("CSQL_OVER_"):
                node.meta["over"] = lifter.overs[int(mark.removeprefix("CSQL_OVER_"))]
    return unwrapped(tree)


def clause_of(node: exp.Expr) -> Clause | None:
    return node.meta.get("clause")


def over_of(node: exp.Expr) -> Over | None:
    return node.meta.get("over")


def spark(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="spark")


def plain_window(over: Over) -> exp.Expr:
    """The OVER as plain SQL reads it, below a function that is to be replaced."""
    return spark(f"row_number() OVER ({over.text})")
