"""The measurement of derived queries; its figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.expansion import measure, shown

PASSAGES = {
    "a": "Masons completed the viaduct in 1901. It has nine arches.",
    "b": "The tower stands in Bonn. It was opened in 1850.",
    "c": "Soup is served at noon. Bread is free.",
}


async def test_a_model_that_knows_the_passage_gains_and_a_random_one_costs_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": i, "title": "", "text": text}) + "\n" for i, text in PASSAGES.items())
    )
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "How old is that bridge?"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    rows = {(row["option"], row["script"]): row async for row in measure(tmp_path, 10)}
    assert rows["none", ""]["ndcg@10"] == 0.0
    assert rows["paraphrases", "perfect"]["difference"] == 1.0
    assert rows["hypothetical", "perfect"]["difference"] == 0.0, "there is no embedder"
    assert {script for _, script in rows} == {"", "perfect", "random", "forced", "keywords"}


@pytest.mark.parametrize(("script", "difference", "mark"), [("random", -0.021, "✗"), ("random", -0.02, " "), ("forced", -0.1, " ")])
def test_a_random_text_that_costs_too_much_is_marked(script: str, difference: float, mark: str) -> None:
    row = {"set": "s", "option": "paraphrases", "script": script, "ndcg@10": 0.5, "difference": difference, "interval": (0, 0)}
    assert shown(row)[0] == mark
