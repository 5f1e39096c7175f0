"""Lets tests that run an event loop follow browser tests in the same process, in any order.

As long as Playwright is open, its loop counts as the one that runs in the main thread, and asyncio would start no other there.
It counts only during browser tests, and while Playwright is closed at the end.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections.abc import Generator

import pytest

LOOP = pytest.StashKey[asyncio.AbstractEventLoop]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    stash = item.config.stash

    def let_run() -> None:
        events._set_running_loop(stash.get(LOOP, None))

    if "playwright" not in getattr(item, "fixturenames", ()):
        return (yield)
    let_run()
    result = yield
    loop = events._get_running_loop()
    if loop is not None and nextitem is not None:  # after the last test, fixtures of the session have been closed already
        if LOOP not in stash:
            item.listchain()[1].addfinalizer(let_run)  # this directory's is called before those of the session
        stash[LOOP] = loop
        events._set_running_loop(None)
    return result
