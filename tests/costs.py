"""A test that takes more than BOUND_S of processor time is marked `@pytest.mark.slow("why")`. Without the mark it fails at SLACK times
that.

What counts is what its process and the children that it started have used when it ends, its own fixtures included. What a module or
a session shares does not count: that falls on whichever test comes first. A slow or busy machine is allowed more, by LOOP_S.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest

from tests.nightly import DEEP

BOUND_S = 3.0
SLACK = 2.0
"""A factor, so that no test fails by chance."""
LOOP_S = 0.036
LOOPS = 5
"""The slowest of LOOPS takes LOOP_S where BOUND_S holds: two cores with nothing else to do."""
CORES = os.cpu_count() or 1
TICKS = os.sysconf("SC_CLK_TCK")


class Begin(NamedTuple):
    """began: by time.monotonic. used_s: what the process had used then, with what shared fixtures have used since.
    children: those that ran, and what they had used."""

    began: float
    used_s: float
    children: dict[str, float]


BEGIN = pytest.StashKey[Begin]()


def used_s() -> float:
    """The processor time of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def children_of(pid: int | str) -> dict[str, float]:
    """Its children that run, and the processor time of each; none where there is no /proc."""
    found: dict[str, float] = {}
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as children:
                for child in children.read().split():
                    with open(f"/proc/{child}/stat") as stat:
                        found[child] = sum(map(int, stat.read().rpartition(")")[2].split()[11:15])) / TICKS
    return found


def tree_s(pid: str) -> float:
    """The processor time of the children of a process, and of theirs."""
    return sum(used + tree_s(child) for child, used in children_of(pid).items())


def own_children() -> dict[str, float]:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # which is quick to tell, and mostly so
        return {}
    return children_of(os.getpid())


def loop_s() -> float:
    """The processor time of work that takes LOOP_S where BOUND_S holds. It fills memory: that is what busy neighbours slow down."""
    begin = time.thread_time()
    sorted({str(number * 7919 % 100_003): number for number in range(60_000)})
    return time.thread_time() - begin


def cost_s(begin: Begin) -> float:
    """What has been used since. Children are looked at only where they could make it too much."""
    total = used_s() - begin.used_s
    if total + (time.monotonic() - begin.began) * CORES > BOUND_S:
        now = own_children()
        total -= sum(used for child, used in begin.children.items() if child not in now)  # shared, and it has ended
        total += sum(used + tree_s(child) for child, used in now.items() if child not in begin.children)
    return total


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.config.stash[BEGIN] = Begin(time.monotonic(), used_s(), own_children())
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
        request.config.stash[BEGIN] = Begin(time.monotonic(), begin.used_s + used_s() - before, own_children())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    yield
    spent = cost_s(item.config.stash[BEGIN])
    if spent <= BOUND_S or DEEP or item.get_closest_marker("slow"):
        return
    if spent > (bound := BOUND_S * SLACK * max(1.0, *(loop_s() / LOOP_S for _ in range(LOOPS)))):
        pytest.fail(
            f"It took {spent:.1f} s of processor time, more than {bound:.1f}: make it cheaper, or mark it `slow` and say why.",
            pytrace=False,
        )
