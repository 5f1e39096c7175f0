"""What `make test` leaves to `make nightly`: tests marked `nightly`, and the larger numbers that tests take where DEEP is set.

FOOTNOTE_DEEP=1 runs both. FOOTNOTE_SHARD=2/5, which `make nightly SHARD=2/5` sets, runs the second of five parts of about as many
files each. Tests that sample do so by FOOTNOTE_SEED.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import pytest

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"


def sampled(value: object, kept: bool, name: str | None = None) -> Any:
    """One value of `pytest.mark.parametrize`, which only `make nightly` takes unless it is `kept`."""
    return pytest.param(value, id=name, marks=[] if kept else [pytest.mark.nightly])


def left_out(item: pytest.Item) -> bool:
    """Whether this run leaves a test to `make nightly`."""
    return not DEEP and item.get_closest_marker("nightly") is not None


def shard_of(file: str, shards: int) -> int:
    """The shard, from 1, that a test file belongs to."""
    return zlib.crc32(file.encode()) % shards + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, _, shards = os.environ.get("FOOTNOTE_SHARD", "1/1").partition("/")
    shard, count = int(number), int(shards)
    kept = [item for item in items if not left_out(item) and shard_of(item.nodeid.partition("::")[0], count) == shard]
    config.hook.pytest_deselected(items=list({*items} - {*kept}))
    items[:] = kept
