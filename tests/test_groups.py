"""Tests of one group run in one process: otherwise streams run twice, and servers get in each other's way."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("a group")
def test_groups_are_known_to_the_processes(request: pytest.FixtureRequest, worker_id: str) -> None:
    assert worker_id == "master" or request.node.nodeid.endswith("@a group")
