"""Judged questions in a BEIR folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import BadRequest
from footnote.learn.golden import GoldenDocument, GoldenQuery, load_golden
from footnote.types import Exchange

QRELS = "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n2\td2\t1\n3\td1\t0\n\n4\td9\t-1\n"


def lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines({"_id": "d1", "title": "One", "text": "first"}, {"_id": "d2", "text": "zweite “ä”"}))
    questions = [{"_id": i, "text": f"q{i}"} for i in (1, 2, 3, 4)]
    questions[0]["answers"] = ["first"]
    (folder / "queries.jsonl").write_text(lines(*questions) + "\n")
    (folder / "qrels.tsv").write_text(QRELS)
    return folder


def test_a_folder_gives_documents_and_the_queries_that_something_answers(folder: Path) -> None:
    golden = load_golden(folder)
    assert golden.name == "set"
    assert golden.documents == (GoldenDocument("d1", "One", "first"), GoldenDocument("d2", "", "zweite “ä”"))
    assert golden.queries == (GoldenQuery("1", "q1", {"d1": 2, "d2": 0}, ("first",)), GoldenQuery("2", "q2", {"d2": 1}))
    assert golden.digest == hashlib.sha256((folder / "corpus.jsonl").read_bytes()).hexdigest()


def test_a_limit_takes_queries_from_the_whole_set(folder: Path) -> None:
    (folder / "queries.jsonl").write_text(lines(*({"_id": str(i), "text": f"q{i}"} for i in range(10))))
    (folder / "qrels.tsv").write_text("q\tc\ts\n" + "".join(f"{i}\td1\t1\n" for i in range(10)))
    assert [query.text for query in load_golden(folder, limit=3).queries] == ["q0", "q3", "q6"]
    assert len(load_golden(folder, limit=99).queries) == 10


def test_unanswerable_questions_come_from_a_separate_file(folder: Path) -> None:
    assert load_golden(folder).unanswerable == ()
    (folder / "unanswerable.jsonl").write_text(lines(*({"_id": i, "text": f"u{i}"} for i in range(4))))
    assert load_golden(folder, limit=2).unanswerable == (GoldenQuery("0", "u0", {}), GoldenQuery("2", "u2", {}))


def test_judgements_may_lie_in_a_folder_of_their_own(folder: Path) -> None:
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert len(load_golden(folder).queries) == 2


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("corpus.jsonl", None, "has no corpus.jsonl"),
        ("queries.jsonl", None, "has no queries.jsonl"),
        ("qrels.tsv", None, "has no qrels.tsv"),
        ("corpus.jsonl", b'{"_id": "d1", "text": "x"}\n{"_id":\n', "corpus.jsonl, line 2: not JSON"),
        ("corpus.jsonl", b'{"_id": "d1", "text": "x"}\n\n{"_id": "d2", "text": "\xff"}\n', "corpus.jsonl, line 3: not JSON"),
        ("corpus.jsonl", b'{"_id": "d1"}\n', "corpus.jsonl, line 1: _id, text required"),
        ("queries.jsonl", b'["1", "q"]\n', "queries.jsonl, line 1: _id, text required"),
        ("qrels.tsv", b"q\tc\ts\n1\td1\t1\n1 d1 1\n", "qrels.tsv, line 3: expected"),
        ("qrels.tsv", b"q\tc\ts\n1\td1\tyes\n", "qrels.tsv, line 2: expected"),
        ("qrels.tsv", b"q\tc\ts\n1\td1\t--1\n", "qrels.tsv, line 2: expected"),
        ("qrels.tsv", b"q\tc\ts\n1\td1\t0\n", "contains no query with a relevant document"),
    ],
)
def test_errors_name_the_file_and_the_line(folder: Path, name: str, content: bytes | None, expected: str) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(BadRequest, match=expected):
        load_golden(folder)


def test_a_query_may_follow_a_conversation(folder: Path) -> None:
    said = [("assistant", "Welcome."), ("user", "a?"), ("assistant", "A."), ("assistant", "More."), ("user", "b?"), ("user", "c?")]
    history = [{"role": role, "content": content} for role, content in said]
    (folder / "queries.jsonl").write_text(lines({"_id": 1, "text": "Why?", "history": history}, {"_id": 2, "text": "q2", "history": None}))
    first, second = load_golden(folder).queries
    assert first.history == (Exchange("a?", "A.\n\nMore."), Exchange("b?", ""), Exchange("c?", ""))
    assert second.history == ()


@pytest.mark.parametrize("message", ["a?", {"role": "user"}, {"role": "user", "content": None}, {"role": "tool", "content": "a"}])
def test_an_invalid_history_is_reported_with_its_query(message: Any, folder: Path) -> None:
    (folder / "queries.jsonl").write_text(lines({"_id": 1, "text": "Why?", "history": [message]}))
    with pytest.raises(BadRequest, match=r"queries.jsonl, 1: `history` may contain only messages of user and assistant\."):
        load_golden(folder)
