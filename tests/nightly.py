"""What `make test` leaves to `make nightly`: tests marked `nightly`, and the larger numbers that tests take where DEEP is set.

FOOTNOTE_DEEP=1 runs both. FOOTNOTE_SHARD=2/5 runs the second of five parts, which `make nightly SHARD=2/5` sets: whole files,
shared out so that the parts take about as long as one another. Tests that sample do so by FOOTNOTE_SEED.
"""

from __future__ import annotations

import os
import zlib

import pytest

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"
MINUTES: dict[str, float] = {}
"""Files that take longer than a minute in `make nightly`, on two cores with nothing beside them."""


def left_out(item: pytest.Item) -> bool:
    """Whether this run leaves a test to `make nightly`."""
    return not DEEP and item.get_closest_marker("nightly") is not None


def shard_of(file: str, shards: int) -> int:
    """The shard, from 1, that a test file belongs to. The long files go one by one to the shard with the least to do."""
    loads = [0.0] * shards
    for name, minutes in sorted(MINUTES.items(), key=lambda each: (-each[1], each[0])):
        place = loads.index(min(loads))
        if name == file:
            return place + 1
        loads[place] += minutes
    return zlib.crc32(file.encode()) % shards + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, _, shards = os.environ.get("FOOTNOTE_SHARD", "1/1").partition("/")
    kept = [
        item for item in items if not left_out(item) and shard_of(item.nodeid.partition("::")[0], int(shards)) == int(number)
    ]  # fmt: skip
    config.hook.pytest_deselected(items=list({*items} - {*kept}))
    items[:] = kept
