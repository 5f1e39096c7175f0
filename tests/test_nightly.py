"""What the gate takes of tests whose breadth is for `make nightly`, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from tests import conftest, nightly

TESTS = """
import pytest

@pytest.mark.nightly
def test_left(): pass

def test_whole(): pass

@pytest.mark.sample
@pytest.mark.parametrize("lang", ["en", "de", "ko"])
@pytest.mark.parametrize(("api", "status"), [("ask", 200), ("chat", 200)])
def test_matrix(api, status, lang): pass

@pytest.mark.sample(2)
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_list(number): pass
"""


def taken(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *asked: str, deep: bool = False) -> list[str]:
    pytester.makeini("[pytest]\nmarkers =\n    nightly\n    sample\n")
    path = pytester.makepyfile(TESTS)
    monkeypatch.setattr(nightly, "DEEP", deep)
    with monkeypatch.context() as inside:
        inside.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        inside.delenv("FOOTNOTE_SHARD", raising=False)
        result = pytester.inline_run(*(f"{path}::{each}" for each in asked), plugins=[nightly])
    return [call.item.name.removeprefix("test_") for call in result.getcalls("pytest_runtest_call")]


def test_the_gate_takes_each_value_once_and_what_is_counted_evenly(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = ["matrix[ask-200-en]", "matrix[ask-200-ko]", "matrix[chat-200-de]"]
    assert taken(pytester, monkeypatch) == ["whole", *matrix, "list[0]", "list[2]"]


def test_at_night_all_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(taken(pytester, monkeypatch, deep=True)) == 1 + 1 + 6 + 4


def test_a_combination_that_is_asked_for_by_name_runs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    assert taken(pytester, monkeypatch, "test_matrix[chat-200-ko]", "test_list[3]") == ["matrix[chat-200-ko]", "list[3]"]


class Named:
    """All that the order looks at."""

    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid


def test_each_of_three_workers_begins_with_long_tests_and_ends_with_short_ones() -> None:
    long = [f"tests/{part}/test_{number}.py" for part in ("browser", "faults", "leaks") for number in range(2)]
    given: list[Any] = [Named(nodeid) for nodeid in sorted([*long, *(f"tests/footnote/test_{number}.py" for number in range(9))])]
    ordered = [item.nodeid for item in conftest.long_first(given, 3)]
    assert sorted(ordered) == sorted(item.nodeid for item in given)
    assert [ordered[at : at + 2] for at in (0, 5, 10)] == [long[:2], long[2:4], long[4:]]
