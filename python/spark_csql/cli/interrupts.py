"""Ctrl-C while Spark works."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType

_AGAIN_SECONDS = 0.2


class Interrupts:
    """Remembers Ctrl-C instead of raising it: a call that is broken off leaves the way to Java unusable.

    ``cancel`` is called, beside the call that runs, to make it end: again and again, because what it ends may
    only be about to begin. A second Ctrl-C does raise.
    """

    def __init__(self, cancel: Callable[[], object] | None = None) -> None:
        self.cancel = cancel
        self.seen = False
        self.previous: object = None
        self._over = threading.Event()

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self.previous = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)  # type: ignore[arg-type]

    def check(self) -> None:
        """Raises what was remembered, where nothing is broken off by it."""
        if self.seen:
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        """Until the time is over or Ctrl-C comes."""
        end = time.monotonic() + seconds
        while not self.seen and time.monotonic() < end:
            time.sleep(max(0.0, min(_AGAIN_SECONDS, end - time.monotonic())))

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True
        if self.cancel is not None:
            threading.Thread(target=self._cancel, args=[self.cancel], daemon=True).start()

    def _cancel(self, cancel: Callable[[], object]) -> None:
        over = False
        while not over:
            with contextlib.suppress(Exception):  # Spark may be gone; whoever called it is told
                cancel()
            over = self._over.wait(_AGAIN_SECONDS)
