"""What the benchmark says while it runs."""

from __future__ import annotations

import time

_start = time.monotonic()


def tell(text: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - _start), 60)
    print(f"{minutes:3d}:{seconds:02d}  {text}", flush=True)
