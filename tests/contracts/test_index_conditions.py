"""What every index does with conditions on metadata."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller, Condition, Conditions, Operator
from tests.contracts.test_index import LOCAL, ask, embed, unit, words
from tests.fakes import make_chunk, make_document, put_document

pytestmark = pytest.mark.engine

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
    ("start with", "path", ("C:\\pl",)): "b",
    ("contains", "path", ("s\\2",)): "b",
    ("end with", "path", ("\\2026",)): "b",
    ("is", "path", ("C:\\plans\\2026",)): "b",
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
        "a": {"kind": "report", "year": 1999, "tags": ["blue", "red"], "day": "2026-03-01", "path": "C:plans2026"},
        "b": {"kind": "report", "year": "2024", "tags": "a[x]?*\\\\", "day": 1772366400, "path": "C:\\plans\\2026"},
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


async def test_a_chunk_may_have_metadata_of_its_own(index: Any, me: Caller) -> None:
    """It is found and filtered by that, and by its document's."""
    document = make_document("a", metadata={"kind": "review", "rating": 3})
    own = [{"rating": 1, "date": "2026-03-01"}, {"rating": 5, "date": "2026-04-01"}, {}]
    chunks = [make_chunk(document, "The bridge.", n, metadata={**document.metadata, **each}) for n, each in enumerate(own)]
    await index.stage(document, chunks, [((0, 11),)] * 3)
    await index.activate("a", 1)
    await embed(index, chunks, unit(1), unit(1), unit(1))
    await put_document(index, make_document("b", groups=("board",), metadata={"rating": 1}), ["The bridge."])
    for conditions, expected in (
        (Conditions((Condition("rating", "≤", ("2",)),)), ["a|1|0"]),
        (Conditions((Condition("rating", "≥", ("3",)),)), ["a|1|1", "a|1|2"]),
        (Conditions((Condition("date", "after", ("2026-03-15",)),)), ["a|1|1"]),
        (Conditions((Condition("kind", "is", ("review",)),)), ["a|1|0", "a|1|1", "a|1|2"]),
        (Conditions((Condition("date", "empty"),)), ["a|1|2"]),
    ):
        assert sorted(await words(index, me, "bridge", conditions=conditions)) == expected
        found = await ask(index, me, vector=unit(1), conditions=conditions)
        assert sorted(each.chunk_id for each in found.dense) == expected
    assert await words(index, me, "bridge", filters={"rating": ("5",)}) == ["a|1|1"]
    assert [dict(chunk.metadata) for chunk in await index.read(me, [chunk.chunk_id for chunk in chunks])] == [
        {"kind": "review", "rating": 1, "date": "2026-03-01"}, {"kind": "review", "rating": 5, "date": "2026-04-01"},
        {"kind": "review", "rating": 3},
    ]  # fmt: skip
    assert {chunk.metadata["rating"] for chunk in await index.sample(me, "default", 10)} == {1, 3, 5}
