"""The benchmark of questions that ask several things."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.several import made_pairs, measure, shown
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet

PASSAGES = ("The novel Emil was written by Erich Kestner.", "The harbour museum was built in 1894.", "The museum is closed on Monday.")
TITLES = ("Emil", "Museum", "Museum")
QUESTIONS = ("Who wrote the novel Emil?", "When was the harbour museum built?", "When is the museum closed?")
ANSWERS = ("Erich Kestner", "1894", "Monday")
SET = GoldenSet(
    "toy",
    tuple(GoldenDocument(f"d{at}", title, text) for at, (title, text) in enumerate(zip(TITLES, PASSAGES, strict=True))),
    tuple(GoldenQuery(f"q{at}", text, {f"d{at}": 1}, (ANSWERS[at],)) for at, text in enumerate(QUESTIONS)),
    "0" * 64,
)


def test_a_pair_asks_for_passages_of_two_documents() -> None:
    pairs = list(made_pairs(SET, 20))
    assert {frozenset(pair.relevance) for pair in pairs} == {frozenset({"d0", "d1"}), frozenset({"d0", "d2"})}
    assert "When is the museum closed? Who wrote the novel Emil?" in {pair.text for pair in pairs}


async def test_pairs_and_questions_as_written_have_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    lines = [{"_id": each.doc_id, "title": each.title, "text": each.text} for each in SET.documents]
    asked = [{"_id": each.query_id, "text": each.text, "answers": each.answers} for each in SET.queries]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    judged = [f"{query.query_id}\t{doc_id}\t1" for query in SET.queries for doc_id in query.relevance]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), encoding="utf-8")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    rows = [row async for row in measure(folder, 4)]
    assert [row["questions"] for row in rows] == ["pairs", "as written"]
    assert [row["divided"] for row in rows] == [1.0, 0.0]
    assert (rows[0]["with"]["recall@10"], rows[0]["with"]["quotes_both"]) == (1.0, 1.0)
    assert "as written" in shown(rows[1])
