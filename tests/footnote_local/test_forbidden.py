"""`footnote forbidden`: terms are added, tried, imported and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


def test_a_term_is_added_listed_and_removed(footnote: Footnote) -> None:
    assert "There are no forbidden terms" in footnote("forbidden", "list").stderr
    assert footnote("forbidden", "add", "임원", "--topic", "인사", "--match", "synonym").exit_code == Exit.OK
    assert footnote("forbidden", "list").stdout.split() == ["임원", "synonym", "인사"]
    message = json.loads(footnote("forbidden", "list", "--json").stdout)
    assert message == {"terms": [{"term": "임원", "match_type": "synonym", "topic": "인사"}]}
    assert footnote("forbidden", "remove", "임원").exit_code == Exit.OK
    gone = footnote("forbidden", "remove", "임원")
    assert (gone.exit_code, gone.stderr) == (Exit.USAGE, "footnote: There is no such term.\n")


def test_a_question_is_tried(footnote: Footnote) -> None:
    footnote("forbidden", "add", "salary")
    blocked = footnote("forbidden", "check", "How much is the salary?")
    assert (blocked.exit_code, blocked.stdout.split(), blocked.stderr) == (
        Exit.BAD,
        ["1.00", "exact", "salary"],
        "The question would be blocked.\n",
    )
    allowed = footnote("forbidden", "check", "How to apply for salary", "--json")
    assert allowed.exit_code == Exit.OK
    assert json.loads(allowed.stdout) == {"blocked": False, "met": [{"term": "salary", "similarity": 1.0, "match": "exact"}], "tokens": 0}


def test_a_forbidden_question_is_not_answered(footnote: Footnote) -> None:
    footnote("forbidden", "add", "연봉", "--topic", "급여")
    asked = footnote("ask", "연봉이 얼마야?")
    assert asked.exit_code == Exit.BAD
    assert "“급여”에 관한 질문에는 답변할 수 없습니다." in asked.stdout


def test_terms_come_from_a_file_with_or_without_topics(footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text('\ufeffterm,topic,match\n임원,인사,exact\n\n"pay, bonus",,\nVorstand\n', "utf-8")
    assert footnote("forbidden", "import", tmp_path / "terms.csv").stderr == "3 terms added.\n"
    terms = json.loads(footnote("forbidden", "list", "--json").stdout)["terms"]
    assert [tuple(term.values()) for term in terms] == [("pay, bonus", None, None), ("Vorstand", None, None), ("임원", "exact", "인사")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"salary\n?!\n",
            "footnote: Line 2: The term contains no letter or digit, or a character that is not printable. Nothing was added.\n",
        ),
        (b"salary,Pay,close\n", "footnote: Line 1: The match type must be one of exact, synonym, contextual. Nothing was added.\n"),
        (b"\xff\xfe", "footnote: The file is not readable UTF-8 text.\n"),
    ],
)
def test_a_file_with_an_invalid_term_adds_nothing(content: bytes, message: str, footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_bytes(content)
    refused = footnote("forbidden", "import", tmp_path / "terms.txt")
    assert (refused.exit_code, refused.stderr) == (Exit.USAGE, message)
    assert json.loads(footnote("forbidden", "list", "--json").stdout) == {"terms": []}
