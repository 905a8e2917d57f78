"""A session with our extension, and what it says of memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import spark_csql

from bench.data import HOME, START_MICROS
from bench.runs import HEAP, CollectedHeap
from tests.quick_files import QUICK_FILES

T = f"(unix_micros(t) - {START_MICROS}) / 1e9"
MEGABYTE = 2**20


class SparkSession:
    def __init__(self, cores: int, jar: Path | None = None) -> None:
        self.heap = CollectedHeap(HOME / "logs" / f"spark-{cores}.gc.log")
        self.spark = spark_csql.session(
            {
                "spark.csql.notices": "false",
                "spark.driver.memory": HEAP,
                "spark.driver.extraJavaOptions": " ".join(f'"{option}"' for option in self.heap.options),
                "spark.sql.session.timeZone": "UTC",
                "spark.sql.shuffle.partitions": str(cores),
                **QUICK_FILES,
                **({"spark.jars": str(jar)} if jar else {}),
            },
            master=f"local[{cores}]",
        )

    def settle(self) -> int:
        """Collect the garbage of earlier runs; the last stage until now."""
        jvm: Any = self.spark._jvm
        self.heap.reset()
        jvm.System.gc()
        return next((stage.stageId() for stage in self._stages()), -1)

    def spilled_since(self, last_stage: int) -> float:
        """Megabytes that went to disk because memory was short."""
        later = takewhile(lambda stage: stage.stageId() > last_stage, self._stages())
        return float(sum(stage.diskBytesSpilled() for stage in later)) / MEGABYTE

    def _stages(self) -> Iterator[Any]:
        """What Spark says of its stages, the newest first."""
        context: Any = self.spark.sparkContext
        scala = context._jsc.sc()
        scala.listenerBus().waitUntilEmpty()
        no_quantiles = context._gateway.new_array(context._jvm.double, 0)
        found = scala.statusStore().stageList(None, False, False, no_quantiles, None)
        return (found.apply(number) for number in range(found.size()))
