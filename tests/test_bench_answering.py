"""The benchmarks of parts around the answer, and of filters by a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.answering import Case, contexts, drafts, prompts
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


@pytest.fixture(autouse=True)
def by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")


async def test_what_the_model_is_shown_has_a_row_for_each_choice_of_options() -> None:
    rows = [row async for row in contexts(SET, QUERIES)]
    assert [(row["options"], row["hits"]) for row in rows] == [
        (options, hits) for hits in (3, 10) for options in ("neither", "expand_documents", "sandwich", "expand_documents + sandwich")
    ]
    assert {row["held"] for row in rows} == {1.0}


def test_wrong_sentences_hold_no_gold_answer() -> None:
    case = Case.of(QUERIES[0], {each.doc_id: each.text for each in DOCUMENTS}, SET)
    assert case is not None
    assert case.right[0] == "The harbour museum was built by the city in 1894."
    assert case.wrong("right") == case.right
    assert case.wrong("supported")[0] == "It shows forty model ships of oak and brass."
    assert case.wrong("random")[0] == "The town hall has a clock with four faces of enamel."


async def test_a_perfect_revision_mends_an_unsupported_statement_and_harms_no_other() -> None:
    rows = {(row["case"], row["option"]): row async for row in drafts(SET, QUERIES)}
    first = "unsupported first"
    assert [rows[first, name]["right"] for name in ("not revised", "perfect", "random", "none")] == [0.0, 1.0, 0.0, 0.0]
    assert {rows["right first", name]["right"] for name in ("not revised", "perfect", "random", "none")} == {1.0}


async def test_options_of_the_prompt_add_tokens() -> None:
    assert all(row["tokens"] > 0 for row in [row async for row in prompts(SET, QUERIES)])


async def test_a_named_time_finds_the_document_of_that_time() -> None:
    rows = [row async for row in measure(SET, "en", 2, with_vectors=False)]
    assert [(row["asked"], row["narrowed"]) for row in rows] == [("as written", 0.0), ("with a time", 1.0)]
    assert rows[1]["with"] == 1.0 > rows[1]["without"]
