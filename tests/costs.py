"""A test that takes more than BOUND_S of processor time is marked `@pytest.mark.slow("why")`, or it fails.

What counts is what its process and the children that it started have used when it ends, its own fixtures included. What a module or
a session shares does not count: that falls on whichever test comes first. A slow or busy machine is allowed more, by LOOP_S.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.nightly import DEEP

BOUND_S = 3.0
LOOP_S = 0.04
"""What `loop_s` is where BOUND_S holds: two cores with nothing else to do."""
CORES = os.cpu_count() or 1


class Begin(NamedTuple):
    """boot_s: seconds since the machine started. used_s: the process's at that time, with what shared fixtures have used since."""

    boot_s: float
    used_s: float


BEGIN = pytest.StashKey[Begin]()


def used_s() -> float:
    """The processor time of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def boot_s() -> float:
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def descendants(pid: int | str) -> Iterator[str]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield child
            yield from descendants(child)


def alive_s(since: float) -> float:
    """The processor time of processes that this one has started since and that still run; 0 where there is no /proc."""
    ticks, total = os.sysconf("SC_CLK_TCK"), 0
    for pid in descendants(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[19]) >= int(since * ticks):
            total += sum(map(int, fields[11:15]))
    return total / ticks


def loop_s() -> float:
    """The processor time of a loop that takes LOOP_S where BOUND_S holds."""
    begin, total = time.thread_time(), 0
    for number in range(1_000_000):
        total += number & 7
    return time.thread_time() - begin


def cost_s(begin: Begin) -> float:
    """What has been used since. Children are looked for only where they could make it too much."""
    total = used_s() - begin.used_s
    if total + (boot_s() - begin.boot_s) * CORES > BOUND_S:
        total += alive_s(begin.boot_s)
    return total


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.config.stash[BEGIN] = Begin(boot_s(), used_s())
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Generator[None, object, object]:
    begin = request.config.stash.get(BEGIN, None)
    if fixturedef.scope == "function" or begin is None:
        return (yield)
    before = used_s()
    try:
        return (yield)
    finally:
        request.config.stash[BEGIN] = Begin(boot_s(), begin.used_s + used_s() - before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    yield
    spent = cost_s(item.config.stash[BEGIN])
    if spent <= BOUND_S or DEEP or item.get_closest_marker("slow"):
        return
    if spent > (bound := BOUND_S * max(1.0, loop_s() / LOOP_S)):
        pytest.fail(
            f"It took {spent:.1f} s of processor time, more than {bound:.1f}: make it cheaper, or mark it `slow` and say why.",
            pytrace=False,
        )
