"""The measurement of fewer entries of each list; its figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.candidates import measure
from bench.ranking import shown
from footnote.learn.golden import load_golden


async def test_each_fusion_is_measured_with_few_and_with_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"The viaduct of valley {number} is long." for number in range(20)] + ["Masons completed the viaduct in nine years."]
    corpus = [json.dumps({"_id": str(number), "title": "", "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(corpus))
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "Who completed the viaduct?"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\t20\t1\n")
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    rows = [row async for row in measure(load_golden(tmp_path))]
    assert [row["option"] for row in rows] == ["cc, 100 + 100", "rrf, 100 + 100", "rrf, 15 + 15", "cc, 15 + 15"]
    assert [row["ndcg@10"] for row in rows] == [1.0] * 4
    assert "kept: 100.0%" in shown(rows[2])
