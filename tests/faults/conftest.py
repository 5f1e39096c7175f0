"""What the fault tests share."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """pymongo's asynchronous client leaves the socket open when the task that connects is cancelled, as steps out of time are; it is
    closed when it is collected, in whatever test that is."""
    for item in items:
        if item.nodeid.startswith("tests/faults/"):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Collects the garbage of a module before the next one, where such a socket would count as its own."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
