"""What `make test` leaves to `make nightly`: tests marked `nightly`, most combinations of the parameters of those marked `sample`, and
the larger numbers that tests take where DEEP is set.

`@pytest.mark.sample` keeps each value of each parameter once, `@pytest.mark.sample(3)` three of the parametrized tests, spread evenly.

FOOTNOTE_DEEP=1 runs all. FOOTNOTE_SHARD=2/5, which `make nightly SHARD=2/5` sets, runs the second of five parts of about as many
files each. Tests that sample do so by FOOTNOTE_SEED.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"


def in_gate(kept: bool) -> list[pytest.MarkDecorator]:
    """The marks of a parameter that only `make nightly` takes unless it is `kept`."""
    return [] if kept else [pytest.mark.nightly]


def sampled(value: object, kept: bool, name: str | None = None) -> Any:
    """One value of `pytest.mark.parametrize`, which only `make nightly` takes unless it is `kept`."""
    return pytest.param(value, id=name, marks=in_gate(kept))


def left_out(item: pytest.Item) -> bool:
    """Whether a test is marked as one for `make nightly`."""
    return item.get_closest_marker("nightly") is not None


def choices(item: pytest.Item) -> list[object]:
    """What a test takes of each parametrization: the identities of its values."""
    rest = dict(item.callspec.params) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    found = list[object]()
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].replace(",", " ").split() if isinstance(mark.args[0], str) else mark.args[0]
        found.append(tuple((name, id(rest.pop(name))) for name in names))
    return found + [(name, id(value)) for name, value in rest.items()]


def each_choice(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Of the combinations of one test's parameters, about as few as have each value, and these about equally often."""
    having = defaultdict[object, list[pytest.Item]](list)
    for item in items:
        for choice in choices(item):
            having[choice].append(item)
    used, chosen = Counter[object](), set[pytest.Item]()
    for choice in sorted(having, key=lambda choice: len(having[choice])):  # first the values of the longest parameter
        if not used[choice]:
            item = min(having[choice], key=lambda item: sum(used[other] for other in choices(item)))
            used.update(choices(item))
            chosen.add(item)
    return chosen


def sample_of(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """What the gate takes of one test that is marked `sample`."""
    mark = items[0].get_closest_marker("sample")
    if mark is None or len(items) == 1:
        return {*items}
    count = mark.args[0] if mark.args else 0
    return {items[at * len(items) // count] for at in range(count)} if count else each_choice(items)


def gate(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """What is not left to `make nightly`."""
    tests = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if not left_out(item):
            tests[item.nodeid.partition("[")[0]].append(item)
    return {item for test in tests.values() for item in sample_of(test)}


def shard_of(file: str, shards: int) -> int:
    """The shard, from 1, that a test file belongs to."""
    return zlib.crc32(file.encode()) % shards + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, _, shards = os.environ.get("FOOTNOTE_SHARD", "1/1").partition("/")
    shard, count = int(number), int(shards)
    chosen = {*items} if DEEP else gate(items)
    kept = [item for item in items if item in chosen and shard_of(item.nodeid.partition("::")[0], count) == shard]
    config.hook.pytest_deselected(items=list({*items} - {*kept}))
    items[:] = kept
