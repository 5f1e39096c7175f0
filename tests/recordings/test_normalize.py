"""What a recording contains, and when two recordings are equal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.recordings.normalize import Normalizer, differences, lay_out

ONE, OTHER = "0123456789abcdef0123456789abcdef", "00000000-0000-0000-0000-000000000000"


def test_ids_are_numbered_as_they_appear_and_times_and_vectors_are_left_out() -> None:
    normalize = Normalizer()
    assert normalize({"a": f"resp_{ONE}", "b": [f"{OTHER}.0", {ONE: 1}], "latency_ms": 3, "took": 2.5, "vectors": ["AAAA"]}) == {
        "a": "resp_<id 1>", "b": ["<id 2>.0", {"<id 1>": 1}], "latency_ms": "<ms>", "took": "<ms>", "vectors": ["<vector>"],
    }  # fmt: skip
    assert normalize({"steps": json.dumps({"ms": 1, "id": OTHER})}) == {"steps": {"id": "<id 2>", "ms": "<ms>"}}


def test_rows_are_in_the_order_of_their_contents() -> None:
    rows = [{"key": f"b:{ONE}"}, {"key": f"a:{OTHER}"}, {"key": "a"}]
    expected = {"cache": [{"key": "a"}, {"key": "a:<id 1>"}, {"key": "b:<id 2>"}]}
    assert Normalizer()({"cache": rows}) == Normalizer()({"cache": rows[::-1]}) == expected


def test_a_line_holds_as_many_items_as_fit() -> None:
    value = {"a": [1, 2.5, None], "b": {}, "c": {"text": "x" * 150, "d": [], "e": ["y" * 100, "z" * 100]}}
    assert lay_out(value).splitlines() == [
        "{",
        ' "a": [1, 2.5, null], "b": {},',
        ' "c": {',
        '  "text": "' + "x" * 150 + '",',
        '  "d": [],',
        '  "e": [',
        '   "' + "y" * 100 + '",',
        '   "' + "z" * 100 + '"',
        "  ]",
        " }",
        "}",
    ]
    assert json.loads(lay_out(value)) == value


def test_a_span_is_a_line_of_text() -> None:
    spans = [
        {"name": "read", "ms": 1.5, "status": "ok", "detail": {"hits": 2}},
        {"name": "save", "ms": 1, "status": "failed", "detail": {}},
    ]
    assert Normalizer()(spans) == ['read ok {"hits": 2}', "save failed"]


@pytest.mark.parametrize(
    ("recorded", "played", "expected"),
    [
        ({"score": 0.5}, {"score": 0.504}, []),
        ({"score": 1}, {"score": 0.999}, []),
        ({"score": 0.5}, {"score": 0.506}, ["/score: 0.5 recorded, 0.506 played"]),
        ({"value": "-9.21"}, {"value": "-9.2099"}, []),
        ({"value": "-9.21"}, {"value": "-9.3"}, ["/value: -9.21 recorded, -9.3 played"]),
        ({"hits": 2}, {"hits": 3}, ["/hits: 2 recorded, 3 played"]),
        ({"hit": True}, {"hit": 1}, ["/hit: true recorded, 1 played"]),
        ([1, [2]], [1, [2, 3]], ["/1: 1 items recorded, 2 played"]),
        ({"a": 1}, {"b": 1}, ["/a: only recorded", "/b: only played"]),
        ("first", "second", ['/: "first" recorded, "second" played']),
        ("-9.21038889", "-9.21038884", []),
        ("-9.21", "-9.22", ["/: -9.21 recorded, -9.22 played"]),
        (None, 0, ["/: null recorded, 0 played"]),
    ],
)
def test_fractions_may_differ_a_little_and_nothing_else(recorded: Any, played: Any, expected: list[str]) -> None:
    assert list(differences(recorded, played, "" if isinstance(recorded, dict | list) else "/")) == expected
