"""The measurement of chunkers and tables; its figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.chunkers import Variant, answers_of, make_documents, measure, scores
from bench.tables import cells_of, is_plain, known_tables, markdown_tables, measure_tables
from footnote.learn.golden import GoldenSet, load_golden

TEXTS = {"a": "Masons built the viaduct. It took nine years.", "b": "The ferry is older. It took nine years, too.", "c": "The hall is new."}


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GoldenSet:
    monkeypatch.setenv("EMBEDDING__BUILTIN", "false")
    rows = [json.dumps({"_id": key, "title": "Bridges" if key != "c" else "Halls", "text": text}) for key, text in TEXTS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows))
    question = {"_id": "q", "text": "How long did the ferry take?", "answers": ["nine years"]}
    (tmp_path / "queries.jsonl").write_text(json.dumps(question))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tb\t1\n")
    return load_golden(tmp_path)


@pytest.mark.parametrize(("form", "block"), [("", 1), ("flat", 0), ("running", 2)])
def test_an_answer_is_where_the_judged_passage_stands_in_its_document(golden: GoldenSet, form: str, block: int) -> None:
    documents, spots = make_documents(golden, form)
    ((_, places),) = answers_of(golden, spots)
    assert len(documents) == 2
    ((doc_id, number, start, end),) = places
    assert (doc_id, number, documents[doc_id].blocks[number].text[start:end]) == ("d0", block, "nine years")
    assert documents[doc_id].blocks[number].text[:start].endswith("older. It took ")


async def test_every_variant_gets_a_row(golden: GoldenSet, capsys: pytest.CaptureFixture[str]) -> None:
    await measure(golden, [Variant(), Variant("fixed_size", without_boilerplate=False)], "running")
    first, *rows = capsys.readouterr().out.splitlines()
    assert first.endswith("running: 2 documents, 1 questions")
    assert [row.split("  ")[0] for row in rows] == ["structure", "fixed_size, boilerplate kept"]
    assert "ndcg@10 1.000" in rows[0]


def test_the_first_hit_counts() -> None:
    assert scores([(1, True), (3, False), (None, False)]) == {
        "ndcg@10": [1.0, 0.5, 0.0],
        "recall@10": [1.0, 1.0, 0.0],
        "mrr@10": [1.0, 1 / 3, 0.0],
        "within": [1.0, 0.0, 0.0],
    }


def test_only_plain_tables_count_and_a_cell_needs_its_header(tmp_path: Path) -> None:
    assert [
        is_plain(each) for each in ([["a", "b"], ["1", "2"]], [["a", "a"], ["1", "2"]], [["a", ""], ["1", "2"]], [["a", "b"], ["1"]])
    ] == [
        True,
        False,
        False,
        False,
    ]
    (table,) = markdown_tables("Before\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |  |\n\nAfter")
    assert list(cells_of(table)) == [("a", "1"), ("b", "2"), ("a", "3")]
    (tmp_path / "fees.csv").write_text("Room,Fee\n" + "\n".join(f"Room {n},{n}" for n in range(90)))
    assert [len(table) for table in known_tables(tmp_path / "fees.csv")] == [91]
    *_, totals = measure_tables(tmp_path)
    assert totals.startswith("1 files, 180 cells with their header in one passage: structure 1.000, table 1.000, fixed_size 0.")
