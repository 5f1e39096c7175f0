"""The measurements of searches on small golden sets; their figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import candidates, dated, expansion, ranking, several, whole_documents
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet, load_golden
from tests.footnote_local.conftest import write_beir

VIADUCT = "Masons completed the viaduct over the valley in nine years."
WHO = {"q": ("Who completed the viaduct?", "z")}


@pytest.fixture(autouse=True)
def without_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")


# --- entries of each list --------------------------------------------------------------------------


async def test_each_fusion_is_measured_with_few_and_with_many_entries(tmp_path: Path) -> None:
    texts = {str(number): f"The viaduct of valley {number} is long." for number in range(20)}
    folder = write_beir(tmp_path / "sets", texts | {"z": "Masons completed the viaduct in nine years."}, WHO)
    rows = [row async for row in candidates.measure(load_golden(folder))]
    assert [row["option"] for row in rows] == ["cc, 100 + 100", "rrf, 100 + 100", "rrf, 15 + 15", "cc, 15 + 15"]
    assert [row["ndcg@10"] for row in rows] == [1.0] * 4
    assert "kept: 100.0%" in ranking.shown(rows[2])


# --- options of the ranking ------------------------------------------------------------------------


async def test_a_copy_takes_a_place_among_the_hits_until_it_is_dropped(tmp_path: Path) -> None:
    golden = ranking.with_copies(load_golden(write_beir(tmp_path / "sets", {"z": VIADUCT}, WHO)))
    assert [each.doc_id for each in golden.documents] == ["z", "copy-z"]
    default, dropped = [row async for row in ranking.measure(golden, ["drop_duplicates"])]
    assert (dropped["changed"], default["set"]) == (1.0, "sets, copies")
    assert "other hits: 100.0%" in ranking.shown(dropped)


def test_the_first_of_two_copies_counts_as_judged() -> None:
    assert ranking.first_of_copies(["copy-a", "b", "a", "copy-b"]) == ["a", "b", "copy-a", "copy-b"]


async def test_the_best_three_passages_stay_after_every_judge(tmp_path: Path) -> None:
    golden = load_golden(write_beir(tmp_path / "sets", {"z": VIADUCT, "y": "The viaduct is long."}, WHO))
    _, *judged = [row async for row in ranking.measure(golden, [], ranking.JUDGES)]
    kept = [f"judge, {kind}" for kind in ranking.JUDGES] + ["reranker, perfect"]
    assert [(row["option"], row["kept"], row["difference"]) for row in judged if row["option"] in kept] == [
        (name, 1.0, 0.0) for name in kept
    ]
    assert judged[-1]["option"] == "reranker, random"


async def test_clutter_takes_places_among_the_hits_until_it_is_penalised(tmp_path: Path) -> None:
    asked = {"q": ("Who completed the viaduct over the valley in nine years?", "z")}
    golden = ranking.with_clutter(load_golden(write_beir(tmp_path / "sets", {"z": VIADUCT}, asked)))
    assert [each.doc_id for each in golden.documents] == ["z", "Contents-0", "Glossary-0", "Image credits-0"]
    _, penalised = [row async for row in ranking.measure(golden, ["penalties"])]
    assert (penalised["ndcg@10"], penalised["kept"]) == (1.0, 1.0)


# --- derived queries -------------------------------------------------------------------------------


async def test_a_model_that_knows_the_passage_gains_and_a_random_one_costs_little(tmp_path: Path) -> None:
    passages = {
        "a": "Masons completed the viaduct in 1901. It has nine arches.",
        "b": "The tower stands in Bonn. It was opened in 1850.",
        "c": "Soup is served at noon. Bread is free.",
    }
    folder = write_beir(tmp_path / "sets", passages, {"q": ("How old is that bridge?", "a")})
    rows = {(row["option"], row["script"]): row async for row in expansion.measure(folder, 10)}
    assert rows["none", ""]["ndcg@10"] == 0.0
    assert rows["paraphrases", "perfect"]["difference"] == 1.0
    assert rows["hypothetical", "perfect"]["difference"] == 0.0, "there is no embedder"
    assert {script for _, script in rows} == {"", "perfect", "random", "forced", "keywords"}


@pytest.mark.parametrize(("script", "difference", "mark"), [("random", -0.021, "✗"), ("random", -0.02, " "), ("forced", -0.1, " ")])
def test_a_random_text_that_costs_too_much_is_marked(script: str, difference: float, mark: str) -> None:
    row = {"set": "s", "option": "paraphrases", "script": script, "ndcg@10": 0.5, "difference": difference, "interval": (0, 0)}
    assert expansion.shown(row)[0] == mark


# --- times -----------------------------------------------------------------------------------------

HARBOUR = "The harbour museum was built by the city in 1894. It shows forty model ships of oak and brass. It is closed on Monday."
CLOCK = "The town hall has a clock with four faces of enamel. A master from Basel made it in 1721. It strikes every quarter of an hour."


async def test_a_named_time_finds_the_document_of_that_time() -> None:
    documents = (GoldenDocument("d0", "Museum", HARBOUR), GoldenDocument("d1", "Town hall", CLOCK))
    queries = (
        GoldenQuery("q0", "When was the harbour museum built by the city?", {"d0": 1}, ("1894",)),
        GoldenQuery("q1", "When did a master from Basel make the clock of the town hall?", {"d1": 1}, ("1721",)),
    )
    rows = [row async for row in dated.measure(GoldenSet("toy", documents, queries, "1" * 64), "en", 2, with_vectors=False)]
    assert [(row["asked"], row["narrowed"]) for row in rows] == [("as written", 0.0), ("with a time", 1.0)]
    assert rows[1]["with"] == 1.0 > rows[1]["without"]


# --- several questions at once ---------------------------------------------------------------------

SEVERAL = [
    ("Emil", "The novel Emil was written by Erich Kestner.", "Who wrote the novel Emil?", "Erich Kestner"),
    ("Museum", "The harbour museum was built in 1894.", "When was the harbour museum built?", "1894"),
    ("Museum", "The museum is closed on Monday.", "When is the museum closed?", "Monday"),
]
"""Title, passage, question, answer."""


async def test_pairs_ask_for_passages_of_two_documents_and_have_a_row(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "toy", {}, {f"q{at}": (asked, f"d{at}") for at, (_, _, asked, _) in enumerate(SEVERAL)})
    passages = [{"_id": f"d{at}", "title": title, "text": text} for at, (title, text, *_) in enumerate(SEVERAL)]
    asked = [{"_id": f"q{at}", "text": question, "answers": [answer]} for at, (*_, question, answer) in enumerate(SEVERAL)]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, passages)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    pairs = list(several.made_pairs(load_golden(folder), 20))
    assert {frozenset(pair.relevance) for pair in pairs} == {frozenset({"d0", "d1"}), frozenset({"d0", "d2"})}
    assert "When is the museum closed? Who wrote the novel Emil?" in {pair.text for pair in pairs}
    rows = [row async for row in several.measure(folder, 4)]
    assert [(row["questions"], row["divided"]) for row in rows] == [("pairs", 1.0), ("as written", 0.0)]
    assert (rows[0]["with"]["recall@10"], rows[0]["with"]["quotes_both"]) == (1.0, 1.0)
    assert "as written" in several.shown(rows[1])


# --- documents first -------------------------------------------------------------------------------

PASSAGES = (
    GoldenDocument("a", "Harbour", "Ships pay ten euros in the harbour."),
    GoldenDocument("b", "Harbour", "Cranes rest on Sunday."),
    GoldenDocument("book-0-100", "", "Soup is served at noon."),
    GoldenDocument("book-100-200", "", "Bread is free."),
)
TOY = GoldenSet("toy", PASSAGES, (GoldenQuery("q", "What do ships pay?", {"a": 1}),), "0" * 64)


def test_passages_of_one_source_are_one_document() -> None:
    assert {name: [each.doc_id for each in parts] for name, parts in whole_documents.grouped(TOY).items()} == {
        "Harbour": ["a", "b"],
        "book": ["book-0-100", "book-100-200"],
    }


async def test_every_way_to_search_has_a_row() -> None:
    rows = await whole_documents.measure(TOY, 10, with_vectors=False)
    assert [(row["documents_first"], row["ndcg@10"], row["documents"]) for row in rows] == [(False, 1.0, 2), (True, 1.0, 2)]
