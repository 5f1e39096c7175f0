"""What every index does with conditions on metadata."""

from __future__ import annotations

from typing import Any

from footnote.types import Caller, Condition, Conditions, Operator
from tests.contracts.test_index import LOCAL, ask, embed, unit, words
from tests.fakes import make_document, put_document

EXPECTED: dict[tuple[Operator, str, tuple[str, ...]], str] = {
    ("is", "kind", ("report",)): "ab",
    ("is not", "kind", ("report",)): "c",
    ("in", "kind", ("report", "le*ter")): "abc",
    ("not in", "tags", ("blue",)): "b",
    ("contains", "tags", ("lu",)): "a",
    ("contains", "tags", ("[x]?*\\\\",)): "b",
    ("not contains", "tags", ("lu",)): "b",
    ("start with", "kind", ("le*",)): "c",
    ("end with", "kind", ("ort",)): "ab",
    ("empty", "tags", ()): "cd",
    ("not empty", "tags", ()): "ab",
    ("=", "year", ("1999.0",)): "a",
    ("≠", "year", ("1999",)): "bc",
    (">", "year", ("1999",)): "b",
    ("≥", "year", ("1999",)): "ab",
    ("<", "year", ("10000",)): "ab",
    ("≤", "year", ("999",)): "",
    ("before", "day", ("2026-03-02",)): "ab",
    ("after", "day", ("2026-03-01T12:00:00+01:00",)): "bc",
    ("after", "day", ("1772323200",)): "bc",
}
"""Operator, field, values → the documents that are found."""


async def test_a_condition_on_metadata_holds_in_both_lists(index: Any, me: Caller) -> None:
    for doc_id, metadata in {
        "a": {"kind": "report", "year": 1999, "tags": ["blue", "red"], "day": "2026-03-01"},
        "b": {"kind": "report", "year": "2024", "tags": "a[x]?*\\\\", "day": 1772366400},
        "c": {"kind": "le*ter", "year": "soon", "tags": "", "day": "2026-03-02T00:00:01Z"},
        "d": {},
    }.items():
        await embed(index, await put_document(index, make_document(doc_id, metadata=metadata), ["The bridge."]), unit(1))
    lexical, dense = {}, {}
    for operator, field, values in EXPECTED:
        found = await ask(index, me, "bridge", unit(1), conditions=Conditions((Condition(field, operator, values),)))
        lexical[operator, field, values] = "".join(entry.chunk_id[0] for entry in found.lexical)
        dense[operator, field, values] = "".join(entry.chunk_id[0] for entry in found.dense)
    assert lexical == EXPECTED
    assert dense == EXPECTED


async def test_conditions_are_joined_and_see_no_more_than_the_caller(index: Any, me: Caller) -> None:
    await put_document(index, make_document("a", metadata={"year": 1999, "kind": "law"}), ["The bridge."])
    await put_document(index, make_document("b", metadata={"year": 2024, "kind": "art"}), ["The bridge."])
    await put_document(index, make_document("c", groups=("board",), metadata={"year": 2025, "kind": "law"}), ["The bridge."])
    late, law = Condition("year", ">", ("2000",)), Condition("kind", "start with", ("l",))
    for conditions, expected in (
        (Conditions((late,)), ["b|1|0"]),
        (Conditions((late, law)), []),
        (Conditions((late, law), any=True), ["a|1|0", "b|1|0"]),
        (Conditions(), ["a|1|0", "b|1|0"]),
    ):
        assert await words(index, me, "bridge", conditions=conditions) == expected
    assert await words(index, LOCAL, "bridge", conditions=Conditions((late, law))) == ["c|1|0"]
    both = {"conditions": Conditions((late,)), "filters": {"kind": ("law",)}}
    assert await words(index, me, "bridge", **both) == []
