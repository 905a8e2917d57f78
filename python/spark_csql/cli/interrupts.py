"""Ctrl-C while Spark works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType


class Interrupts:
    """Remembers Ctrl-C instead of raising it: a call that is broken off leaves the way to Java unusable.

    ``cancel`` is called, beside the call that runs, to make it end. A second Ctrl-C does raise.
    """

    def __init__(self, cancel: Callable[[], object] | None = None) -> None:
        self.cancel = cancel
        self.seen = False
        self.previous: object = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self.previous = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)  # type: ignore[arg-type]

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        if self.cancel is not None:
            threading.Thread(target=self.cancel, daemon=True).start()
