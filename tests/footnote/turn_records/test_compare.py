"""What changed between a stored turn and the same question asked again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from footnote.turn_records.compare import HitChange, hit_changes, step_changes, unmarked_text, word_changes


def record(text: str = "", spans: list[list[list[int]]] | None = None, hits: str = "", steps: Iterable[str] = ()) -> Any:
    return {
        "result": {"final_response": text, "references": [{"spans": each} for each in spans or []]},
        "hits": [{"chunk_id": each} for each in hits],
        "spans": [{"name": each, "ms": 1.0, "status": "ok", "detail": {}} for each in steps],
    }


def test_markers_of_citations_are_no_part_of_the_text() -> None:
    assert unmarked_text(record("In 1894 [1][2]. It is blue [1].", [[[8, 11], [27, 30]], [[11, 14]]])) == "In 1894. It is blue."
    assert unmarked_text(record("In 1894[^b].", [[[7, 11]]])) == "In 1894."


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("Two days off.", "Three days off.", [("old", "Two"), ("new", "Three"), ("both", " days off.")]),
        ("Two\ndays.", "Two days.", [("both", "Two days.")]),
        ("", "Two days.", [("new", "Two days.")]),
        ("휴가는 28일입니다.", "휴가는 30일입니다.", [("both", "휴가는"), ("old", " 28일입니다."), ("new", " 30일입니다.")]),
        ("", "", []),
    ],
)
def test_texts_differ_word_by_word(old: str, new: str, changes: list[tuple[str, str]]) -> None:
    assert word_changes(old, new) == changes


def test_a_long_text_of_one_word_is_compared_at_once() -> None:
    assert word_changes("a " * 20_000, "a " * 20_000 + "b")[-1][1].endswith(" b")


def test_passages_have_their_ranks_in_both_turns() -> None:
    found = hit_changes(record(hits="abc"), record(hits="bda"))
    assert found == [
        HitChange({"chunk_id": "b"}, 2, 1),  # type: ignore[typeddict-item]
        HitChange({"chunk_id": "d"}, None, 2),  # type: ignore[typeddict-item]
        HitChange({"chunk_id": "a"}, 1, 3),  # type: ignore[typeddict-item]
        HitChange({"chunk_id": "c"}, 3, None),  # type: ignore[typeddict-item]
    ]


@pytest.mark.parametrize(
    ("old", "new", "steps"), [("abcd", "axcd", "abxcd"), ("abc", "cd", "abcd"), ("", "ab", "ab"), ("ab", "", "ab"), ("ab", "ba", "ba")]
)
def test_steps_keep_the_order_of_both_turns(old: str, new: str, steps: str) -> None:
    changes = step_changes(record(steps=old), record(steps=new))
    assert sorted(each.name for each in changes) == sorted(steps)
    assert "".join(each.name for each in changes if each.new) == new
    assert [each.old is not None for each in changes] == [each.name in old for each in changes]


def test_a_step_of_an_earlier_version_is_compared_by_its_present_name() -> None:
    (change,) = step_changes(record(steps=["judge"]), record(steps=["judge_passages"]))
    assert (change.name, change.old is not None, change.new is not None) == ("judge_passages", True, True)
