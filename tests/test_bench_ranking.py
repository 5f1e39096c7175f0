"""The measurement of the ranking's options; its figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.ranking import JUDGES, first_of_copies, measure, shown, with_clutter, with_copies
from footnote.learn.golden import load_golden


async def test_a_copy_takes_a_place_among_the_hits_until_it_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Masons completed the viaduct over the valley in nine years."
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"_id": "z", "title": "", "text": text}) + "\n")
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "Who completed the viaduct?"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tz\t1\n")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    golden = with_copies(load_golden(tmp_path))
    assert [each.doc_id for each in golden.documents] == ["z", "copy-z"]
    default, dropped = [row async for row in measure(golden, ["drop_duplicates"])]
    assert (dropped["changed"], default["set"]) == (1.0, f"{tmp_path.name}, copies")
    assert "other hits: 100.0%" in shown(dropped)


def test_the_first_of_two_copies_counts_as_judged() -> None:
    assert first_of_copies(["copy-a", "b", "a", "copy-b"]) == ["a", "b", "copy-a", "copy-b"]


async def test_the_best_three_passages_stay_after_every_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"z": "Masons completed the viaduct over the valley in nine years.", "y": "The viaduct is long."}
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps({"_id": key, "title": "", "text": text}) for key, text in texts.items()))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "Who completed the viaduct?"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tz\t1\n")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    _, *judged = [row async for row in measure(load_golden(tmp_path), [], JUDGES)]
    kept = [f"judge, {kind}" for kind in JUDGES] + ["reranker, perfect"]
    assert [(row["option"], row["kept"], row["difference"]) for row in judged if row["option"] in kept] == [
        (name, 1.0, 0.0) for name in kept
    ]
    assert judged[-1]["option"] == "reranker, random"


async def test_clutter_takes_places_among_the_hits_until_it_is_penalised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Masons completed the viaduct over the valley in nine years."
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"_id": "z", "title": "", "text": text}) + "\n")
    (tmp_path / "queries.jsonl").write_text(
        json.dumps({"_id": "q", "text": "Who completed the viaduct over the valley in nine years?"}) + "\n"
    )
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tz\t1\n")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    golden = with_clutter(load_golden(tmp_path))
    assert [each.doc_id for each in golden.documents] == ["z", "Contents-0", "Glossary-0", "Image credits-0"]
    _, penalised = [row async for row in measure(golden, ["penalties"])]
    assert (penalised["ndcg@10"], penalised["kept"]) == (1.0, 1.0)
