"""A warehouse's door: items and authorised staff pass it, and some items pass it alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

START = datetime(2026, 5, 1, 6, 0, tzinfo=timezone.utc)
ALONE = 0.2  # how many of the carts nobody accompanies
WITHIN = timedelta(seconds=5)


@dataclass(frozen=True)
class Reading:
    tag: str
    kind: str  # "item", or "ap" for authorised personnel
    time: datetime

    def line(self) -> str:
        time = self.time.isoformat(timespec="milliseconds")
        return json.dumps({"tagid": self.tag, "tagtype": self.kind, "tagtime": time})


def readings(carts: int, seed: int = 17) -> tuple[list[Reading], set[str]]:
    """What the door sees, in order, and the items that nobody was near: carts come one after the other."""
    rng = random.Random(seed)
    seen: list[Reading] = []
    stolen: set[str] = set()
    time = START
    for cart in range(carts):
        time += timedelta(seconds=rng.uniform(20, 40))
        items = [f"item-{cart}-{i}" for i in range(rng.randint(1, 3))]
        seen += [Reading(tag, "item", time + timedelta(milliseconds=rng.randint(0, 900))) for tag in items]
        if rng.random() < ALONE:
            stolen.update(items)
        else:  # pushing the cart, or pulling it
            staff = time + timedelta(milliseconds=rng.choice([-1, 1]) * rng.randint(1000, 3000))
            seen.append(Reading(f"staff-{rng.randint(1, 4)}", "ap", staff))
    # one more person, long after, so that the time of the last cart is over
    seen.append(Reading("staff-1", "ap", time + timedelta(minutes=2)))
    return sorted(seen, key=lambda reading: (reading.time, reading.tag)), stolen


def files(seen: list[Reading], folder: Path, count: int) -> Iterator[Path]:
    """Writes the readings into a folder, some files one after the other; readers see whole files only."""
    folder.mkdir()
    size = -(-len(seen) // count)
    for number in range(count):
        part = seen[number * size : (number + 1) * size]
        aside = folder / f".{number:03}.part"
        aside.write_text("".join(reading.line() + "\n" for reading in part))
        yield aside.rename(folder / f"{number:03}.json")
