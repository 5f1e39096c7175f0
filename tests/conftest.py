"""Fixtures of all tests: no network beyond this machine, and a clock that is set by hand."""

from __future__ import annotations

import gc
import ipaddress
import os
import signal
import ssl
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from footnote.answer import verdict
from footnote.answer.verdict import RELATED_FROM
from footnote.ingest.apart import in_thread
from footnote.settings.environment import Environment
from footnote.types import MEDIUM
from tests.engines import ENGINES
from tests.fakes import HereParser

pytest_plugins = ["pytester", "tests.background", "tests.browser_loop", "tests.nightly", "tests.costs", "tests.engines.fixtures"]

gc.disable()  # until all tests are collected: what is loaded by then stays, and each collection would look through it

# Set before anything imports numpy: with more BLAS threads than cores, small matrices are many times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Prompts tell the day in the server's time zone, unless a request names one.
os.environ["TZ"] = "UTC"
time.tzset()

# What a shell starts in the background ignores Ctrl-C, and so would the programs that tests stop with it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Each HTTP client reads the 140 certificates of the web anew: 20 ms, in thousands of tests.
vars(ssl)["create_default_context"] = cache(ssl.create_default_context)


def read_once(read: Callable[[Environment], dict[str, Any]]) -> Callable[[Environment], dict[str, Any]]:
    """Looking up two hundred settings in the same environment takes as long as some tests do."""
    known: dict[tuple[object, ...], dict[str, Any]] = {}

    def read_it(self: Environment) -> dict[str, Any]:
        key = (self.settings_cls, *self.env_vars.items())
        if key not in known:
            known[key] = read(self)
        return deepcopy(known[key])

    return read_it


Environment.__call__ = read_once(Environment.__call__)  # type: ignore[assignment, method-assign]


class NetworkBlocked(BaseException):
    """A test tried to connect to another machine. Not an Exception, so no `except` in the code under test hides it."""


def _is_local(host: object) -> bool:
    if host in (None, "", b""):
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return name == "localhost"


def _stay_on_this_machine(event: str, args: tuple[Any, ...]) -> None:
    """An audit hook, which sees every socket of every library and thread. The address of a Unix socket is a path."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        host = args[1][0] if isinstance(args[1], tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    else:
        return
    if not _is_local(host):
        raise NetworkBlocked(f"{event} to {host}: tests stay on this machine.")


sys.addaudithook(_stay_on_this_machine)


SLOW = (
    "tests/browser/",
    "tests/extending/",
    "tests/faults/",
    "tests/hostile/",
    "tests/installing/",
    "tests/leaks/",
    "tests/live/",
    "tests/quality/",
)
"""Tests that `--quick` leaves out, in addition to those that need an engine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="Only tests that are fast and need neither an engine nor a browser.")


LONG = (("tests/browser/",), ("tests/faults/",), ("tests/leaks/", "tests/quality/", "tests/test_counts.py"))
"""Tests that take seconds each, or wait for engines that start, in groups of about as much time."""


def long_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The items, so that different workers begin with the groups of LONG: they get equal shares, and near the end each takes from the
    end of another's, where short tests are then."""
    groups = [[item for item in items if item.nodeid.startswith(names)] for names in LONG]
    short = [item for item in items if not item.nodeid.startswith(tuple(name for names in LONG for name in names))]
    ordered = list[pytest.Item]()
    for number, group in enumerate(groups):
        begin = number * workers // len(LONG) * len(items) // workers
        before = max(0, begin - len(ordered))
        ordered += short[:before] + group
        del short[:before]
    return ordered + short


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of live functions run last: at night they wait for the Lambda Web Adapter, which is built meanwhile."""
    if config.option.quick:
        needs = {f"{name}_url" for name in ENGINES}
        slow = {item for item in items if item.nodeid.startswith(SLOW) or needs.intersection(getattr(item, "fixturenames", ()))}
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]
    items.sort(key=lambda item: item.nodeid.startswith("tests/live/"))
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        items[:] = long_first(items, int(workers))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


class HandClock:
    """A clock in seconds since the epoch that only a test advances."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def sure_of_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else would be shown as likely is an answer: for tests of what is done with one, in collections of a few sentences without
    vectors, where none is that probable. What is unrelated is refused all the same."""
    tier_of = verdict._tier
    monkeypatch.setattr(verdict, "answer_from", lambda: MEDIUM)
    monkeypatch.setattr(
        verdict,
        "_tier",
        lambda probability, relation, **more: tier_of(probability if relation >= RELATED_FROM else 0.0, relation, **more),
    )


@pytest.fixture(autouse=True)
def parsers_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read here: a child process takes longer to start than most tests do. Tests of the child replace this fixture."""
    monkeypatch.setattr("footnote.bootstrap.backends.make_parser", lambda *_, **__: HereParser())
    monkeypatch.setattr("footnote.bootstrap.backends.InChildren", lambda *_: in_thread)


@pytest.fixture
def small_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Summary trees of a few passages are searched, too."""
    monkeypatch.setattr("footnote.knowledge.summary_tree.FEWEST", 1)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(scope="session")
def seed() -> str:
    """The seed of random tests: constant, so that failures are reproducible, but different every day in `make nightly`."""
    return os.environ.get("FOOTNOTE_SEED", "0")
