"""Engines that run in a Java program of the benchmark, a new process for each run."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from bench.children import EngineFailed
from bench.data import HOME, START_MICROS, Data
from bench.runs import HEAP, CollectedHeap, Run

OPENED = ("java.lang", "java.time", "java.util")  # to Flink's serializers


@dataclass(frozen=True)
class FlinkQuestion:
    """SQL, or the name of a question that the program knows, with its numbers."""

    question: Sequence[str]
    rocksdb: bool = False


@dataclass(frozen=True)
class EsperQuestion:
    statements: str
    clock: bool = False  # do windows need to know the time between the events?


class FlinkEngine:
    def __init__(self, cores: int) -> None:
        self.cores, self.program = cores, Program("flink", "FlinkBench")

    def run(self, question: FlinkQuestion, columns: Sequence[str], data: Data) -> Run:
        checkpoints = tempfile.mkdtemp(prefix="checkpoint-", dir=HOME)
        state = checkpoints if question.rocksdb else "heap"
        name, first, second = (*question.question, "", "")[:3]
        try:
            arguments = [str(self.cores), state, *times(data), name, first, second]
            return self.program.run(arguments, columns, data)
        finally:
            shutil.rmtree(checkpoints)


class EsperEngine:
    def __init__(self, _: int) -> None:
        self.program = Program("esper", "EsperBench")

    def run(self, question: EsperQuestion, columns: Sequence[str], data: Data) -> Run:
        clock = "clock" if question.clock else "no-clock"
        return self.program.run([*times(data), clock, question.statements], columns, data)


class Program:
    def __init__(self, project: str, main: str) -> None:
        self.heap = CollectedHeap(HOME / "logs" / f"{project}.gc.log")
        home = HOME / project
        opened = (f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED)
        path = f"{home / 'program.jar'}:{home / 'lib'}/*"
        options = [f"-Xmx{HEAP}", *self.heap.options, *opened, "-cp", path]
        self.command = ["java", *options, f"org.sparkcsql.bench.{main}"]

    def run(self, arguments: Sequence[str], columns: Sequence[str], data: Data) -> Run:
        """The clock runs for the second half of the rows."""
        self.heap.begin()
        command = [*self.command, *arguments, *data.paths()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise EngineFailed(done.stderr[-2000:])
        told = json.loads(done.stdout.splitlines()[-1])
        answer = tuple(told["answer"][: 3 + len(columns) - 1])
        return Run(data.count - data.count // 2, told["seconds"], answer, self.heap.peak_mb())


def times(data: Data) -> list[str]:
    return [str(START_MICROS), str(data.half_micros), str(data.settled_micros)]
