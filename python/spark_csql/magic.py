"""``%%csql`` in notebooks, known after ``%load_ext spark_csql``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_csql.cli.execution import interruptible
from spark_csql.cli.failures import sentence
from spark_csql.notebook.live import LiveAnswer
from spark_csql.notebook.table import Answer
from spark_csql.parse.lexer import lex
from spark_csql.parse.script import split
from spark_csql.session import session


@magics_class
class CsqlMagics(Magics):
    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._cell = ""
        self._live: dict[str, list[LiveAnswer]] = {}

    def begin_cell(self, cell: ExecutionInfo) -> None:
        """A cell that runs again ends the streaming answers of its last run."""
        self._cell = str(cell.cell_id or cell.raw_cell)  # not every front end tells which cell it is
        for answer in self._live.pop(self._cell, []):
            answer.stop()

    @cell_magic
    def csql(self, line: str, cell: str) -> Answer | LiveAnswer | None:
        """Run the statements of the cell; ``:name`` in them is the notebook's variable of that name.

        A batch answer is shown as a table, a streaming one as a table and a chart that renew themselves until
        they are stopped. The last answer is the cell's value.
        """
        if line.strip():
            raise UsageError(f"%%csql stands alone on its line; {line.strip()!r} belongs into the cell.")
        spark = self._spark()
        answer = None
        for statement in split(cell):
            if answer is not None:
                display(answer)  # type: ignore[no-untyped-call]
            try:
                answer = _answer(spark, statement.text, self.shell.user_ns)
            except PySparkException as error:
                raise UsageError(sentence(error)) from None
            if isinstance(answer, LiveAnswer):
                self._live.setdefault(self._cell, []).append(answer)
        return answer

    def _spark(self) -> SparkSession:
        """The notebook's variable ``spark``, else the session that runs, else a new one."""
        variables = self.shell.user_ns
        if not hasattr(variables.get("spark"), "readStream"):
            variables["spark"] = SparkSession.getActiveSession() or session()
        found: SparkSession = variables["spark"]
        return found


def _answer(spark: SparkSession, statement: str, variables: Mapping[str, Any]) -> Answer | LiveAnswer | None:
    with interruptible(spark):
        frame = spark.sql(statement, args=_parameters(statement, variables) or None)
        if not frame.isStreaming:
            return Answer.of(frame) if frame.columns else None
    return LiveAnswer(spark, frame)


def _parameters(statement: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    tokens = lex(statement)
    names = [
        name.text
        for colon, name in itertools.pairwise(tokens)
        if colon.kind == "COLON" and name.word and name.text in variables
    ]
    return {name: variables[name] for name in names}


def load(shell: InteractiveShell) -> None:
    magics = CsqlMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.begin_cell)
