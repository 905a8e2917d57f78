"""A streaming answer that renews itself in the notebook."""

from __future__ import annotations

import collections
import html
import threading
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
from IPython.display import display
from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import sentence
from spark_csql.cli.follow import Following
from spark_csql.notebook.chart import chosen, drawn
from spark_csql.notebook.table import table

KEPT_ROWS = 1000
SHOWN_ROWS = 20
LOOK_EVERY_SECONDS = 1


class LiveAnswer:
    """The newest rows of a streaming answer: a table, a chart if its columns allow one, a stop button."""

    def __init__(self, spark: SparkSession, frame: DataFrame) -> None:
        self.rows: collections.deque[tuple[Any, ...]] = collections.deque(maxlen=KEPT_ROWS)
        self.count = 0
        self._chart = chosen(frame.schema)
        self._stopped = threading.Event()
        self._button = ipywidgets.Button(description="Stop", icon="stop")
        self._button.on_click(lambda _: self.stop())
        self._status = ipywidgets.HTML("waiting for the first rows")
        self._table = ipywidgets.HTML(table(frame.columns, []))
        self._drawing = ipywidgets.HTML()
        self._following = Following(spark, frame)  # now that nothing else can fail
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the view and the query behind it; the rows shown last stay."""
        self._stopped.set()
        self._thread.join()

    def _ipython_display_(self) -> None:
        head = ipywidgets.HBox([self._button, self._status])
        display(ipywidgets.VBox([head, self._table, self._drawing]))  # type: ignore[no-untyped-call]

    def _follow(self) -> None:
        state = "running"
        try:
            while state == "running":
                ended = self._following.wait(LOOK_EVERY_SECONDS)
                state = "stopped" if self._stopped.is_set() else "ended" if ended else state
                self._show(self._following.fresh(), state)
        except Exception as error:  # whatever it is, the reader sees it in the place of the answer
            self._status.value = f"failed: <pre>{html.escape(sentence(error))}</pre>"
        finally:
            self._button.disabled = True
            self._following.close()

    def _show(self, fresh: list[tuple[Any, ...]], state: str) -> None:
        self.rows.extend(fresh)
        self.count += len(fresh)
        self._status.value = f"{state}, {self.count} row{'' if self.count == 1 else 's'}"
        if fresh:
            columns = self._following.columns
            self._table.value = table(columns, list(self.rows)[-SHOWN_ROWS:])
            if self._chart is not None:
                self._drawing.value = drawn(self._chart, columns, self.rows)
