"""A notebook, executed by a kernel of its own."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from pyspark.sql import types
from spark_csql.notebook import live
from spark_csql.notebook.chart import Chart, chosen

from tests.servers import until

UNTIL = """
import time
def until(condition):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Batch answers with the notebook's variables, a streaming answer, and a mistake at the end."""
    folder = tmp_path_factory.mktemp("in")
    (folder / "one.json").write_text(
        "".join(f'{{"id": {i % 2}, "ts": "2026-01-01T00:00:0{i}Z"}}\n' for i in range(5))
    )
    streaming = "%%csql\nSELECT evaluation_time() AS at, id, COUNT(*) AS n FROM s [Rows 3] GROUP BY id;"
    cells = [
        "%load_ext spark_csql",
        "length, least = 3, 7",
        "%%csql\nSELECT id, '<b>' AS mark FROM range(10) [Rows :length] WHERE id > :least",
        "assert _.frame.count() == 2",
        UNTIL,
        f"%%csql\nCREATE TEMPORARY STREAM s (id INT, ts TIMESTAMP) ORDER BY ts SOURCE 'json:{folder}'",
        streaming,
        streaming,  # again: the first answer gives way
        "live = _\nuntil(lambda: live.count == 4)\nassert len(spark.streams.active) == 1\nlive._button.click()",
        "assert not spark.streams.active, spark.streams.active",
        "%%csql\nSELECT *\nFROM s [Rows 0]",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(made, timeout=300, kernel_name="python3", allow_errors=True).execute()
    failed = [cell.source for cell in made.cells if any(o.output_type == "error" for o in cell.outputs)]
    assert failed in ([], [cells[-1]]), made
    return made


def test_a_batch_answer_is_a_table(notebook: Any) -> None:
    (output,) = notebook.cells[2].outputs
    assert "<tr><td>8</td><td>&lt;b&gt;</td></tr><tr><td>9</td>" in output.data["text/html"]
    assert output.data["text/plain"] == "id\tmark\n8\t<b>\n9\t<b>\n2 rows"


def test_a_streaming_answer_renews_itself_until_it_is_stopped(notebook: Any) -> None:
    """Five rows are read; the last one waits, as more of its time could come."""
    widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"].state.values()
    values = [widget.state.get("value") for widget in widgets if widget.model_name == "HTMLModel"]
    first, _, _, status, table, chart = values
    assert first.startswith("stopped, ")
    assert status == "stopped, 4 rows"
    assert table.count("<tr>") == 5
    assert "<td>2026-01-01 00:00:03</td><td>1</td><td>2</td>" in table
    assert chart.startswith("<svg")
    buttons = [widget.state for widget in widgets if widget.model_name == "ButtonModel"]
    assert [(button["description"], button["disabled"]) for button in buttons] == [("Stop", True)] * 2


def test_whatever_fails_the_query_ends(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> str:
        raise ValueError("no picture")

    monkeypatch.setattr(live, "drawn", fails)
    rows = spark.readStream.format("rate").option("rowsPerSecond", 10).load()
    answer = live.LiveAnswer(spark, rows)
    until("the end", lambda: not spark.streams.active)
    assert "no picture" in answer._status.value
    assert answer._button.disabled


def test_a_mistake_is_told_in_words(notebook: Any) -> None:
    told = "".join(output.get("text", "") for output in notebook.cells[-1].outputs)
    assert "[CSQL_LENGTH_NOT_POSITIVE]" in told
    assert "line 2" in told
    assert "JVM stacktrace" not in told


@pytest.mark.parametrize(
    ("columns", "chart"),
    [
        ([types.TimestampType(), types.IntegerType(), types.LongType()], Chart("line", 0, 2, 1)),
        ([types.LongType(), types.DateType()], Chart("line", 1, 0, None)),
        ([types.StringType(), types.DoubleType()], Chart("bar", 0, 1, None)),
        ([types.StringType(), types.TimestampType()], None),
        ([types.IntegerType()], None),
    ],
)
def test_the_chart_follows_from_the_columns(columns: list[types.DataType], chart: Chart | None) -> None:
    fields = [types.StructField(f"c{i}", column) for i, column in enumerate(columns)]
    assert chosen(types.StructType(fields)) == chart
