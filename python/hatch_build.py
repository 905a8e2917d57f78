"""Puts the jar and the texts of its errors into the wheel. An editable install finds both in jvm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        name = f"spark-csql_2.13-{self.metadata.version}.jar"
        jar = Path(self.root, "jvm", "target", name)
        if not jar.is_file():
            raise FileNotFoundError(f"{jar} does not exist: build the jar first, with 'make build'.")
        build_data["force_include"][str(jar)] = f"spark_csql/jars/{name}"
        errors = Path(self.root, "jvm", "src", "main", "resources", "error", "csql-error-conditions.json")
        build_data["force_include"][str(errors)] = f"spark_csql/error/{errors.name}"
