"""Values of parameters, as they are written on the command line."""

from __future__ import annotations

import re
from typing import Any

_WORDS = {"null": None, "true": True, "false": False}


def value(text: str) -> Any:
    """``3``, ``1.5``, ``true``, ``null``; everything else is a string, and all of them in quotes."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.?\d+)([eE][+-]?\d+)?", text):
        return float(text)
    return _WORDS.get(text.lower(), text)
