"""The benchmark of filters by a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.dated import measure
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet

HARBOUR = "The harbour museum was built by the city in 1894. It shows forty model ships of oak and brass. It is closed on Monday."
CLOCK = "The town hall has a clock with four faces of enamel. A master from Basel made it in 1721. It strikes every quarter of an hour."
DOCUMENTS = (GoldenDocument("d0", "Museum", HARBOUR), GoldenDocument("d1", "Town hall", CLOCK))
QUERIES = (
    GoldenQuery("q0", "When was the harbour museum built by the city?", {"d0": 1}, ("1894",)),
    GoldenQuery("q1", "When did a master from Basel make the clock of the town hall?", {"d1": 1}, ("1721",)),
)
SET = GoldenSet("toy", DOCUMENTS, QUERIES, "1" * 64)


async def test_a_named_time_finds_the_document_of_that_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    rows = [row async for row in measure(SET, "en", 2, with_vectors=False)]
    assert [(row["asked"], row["narrowed"]) for row in rows] == [("as written", 0.0), ("with a time", 1.0)]
    assert rows[1]["with"] == 1.0 > rows[1]["without"]
