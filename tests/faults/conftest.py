"""What the fault tests share."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import pytest


def each(faults: Mapping[str, Any], *gate: str) -> Any:
    """Each of the faults; those that `gate` does not name are left to `make nightly`: one or two stand for the others."""
    assert faults.keys() >= {*gate}
    marks = {name: () if name in gate else pytest.mark.nightly for name in faults}
    return pytest.mark.parametrize("fault", [pytest.param(fault, id=name, marks=marks[name]) for name, fault in faults.items()])


def each_of(parts: Mapping[str, str], faults: Mapping[str, Any]) -> Any:
    """Each of the faults in each of the parts; of a part, the one that is named here in the gate, "" = none."""
    pairs = [(part, name) for part in parts for name in faults]
    marks = {pair: () if parts[pair[0]] == pair[1] else pytest.mark.nightly for pair in pairs}
    cases = [pytest.param(part, faults[name], id=f"{part} {name}", marks=marks[part, name]) for part, name in pairs]
    return pytest.mark.parametrize(("part", "fault"), cases)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """pymongo's asynchronous client leaves the socket, or its transport, open when the task that connects is cancelled, as steps out of
    time are; it is closed when it is collected, in whatever test that is."""
    for item in items:
        if item.nodeid.startswith("tests/faults/"):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed (transport )?<(_Selector)?[sS]ocket:ResourceWarning"))


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Collects the garbage of a module before the next one, where such a socket would count as its own."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
