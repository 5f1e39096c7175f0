"""Passages that repeat an earlier one of their document are left out, except where the sender chose the passages."""

from __future__ import annotations

import pytest

from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.parse import parse
from footnote.ingest.prepare import cut
from tests.fakes import make_document

EN = "The night shift hands the keys of the depot to the guard, who writes the time into the book and signs for them. "
DE = "Die Nachtschicht gibt die Schlüssel des Lagers dem Wachdienst, der die Uhrzeit in das Buch einträgt und dafür unterschreibt. "
KO = "야간 근무자는 창고 열쇠를 경비원에게 넘기고, 경비원은 시간을 장부에 적은 다음 서명하고 열쇠를 보관함에 넣습니다. "


def texts(markdown: str, lang: str = "en", fixed: FixedSize | None = None) -> list[str]:
    parsed = parse(markdown.encode(), "rules.md")
    chunks = cut(make_document("d", title="Rules"), parsed, lang, 45, fixed)
    return [chunk.text for chunk in chunks if chunk.level == 2]


@pytest.mark.parametrize(("lang", "text"), [("en", EN), ("de", DE), ("ko", KO)])
def test_a_paragraph_that_comes_again_is_in_one_passage(lang: str, text: str) -> None:
    found = texts(f"# Keys\n\n{text}\n\n{text}\n\n{text.replace('.', '!')}", lang)
    assert len(found) == 1, found


@pytest.mark.parametrize(
    "other",
    [
        EN.replace("night", "day").replace("guard", "clerk").replace("depot", "hall"),
        EN.replace("The night", "On 3 May the night"),
        EN.replace("hands", "does not hand"),
        EN.replace("the guard", "Marta Berg"),
    ],
)
def test_a_passage_that_says_something_else_stays(other: str) -> None:
    found = " ".join(texts(f"# Keys\n\n{EN}\n\n{other}"))
    assert EN.strip() in found
    assert other.strip() in found


def test_the_same_text_under_another_heading_stays() -> None:
    assert len(texts(f"# Depot\n\n{EN * 2}\n\n# Hall\n\n{EN * 2}")) == 2


def test_rows_of_a_table_stay() -> None:
    rows = "| Monday | the night shift hands the keys of the depot to the guard who signs for them |\n" * 8
    found = "\n".join(texts(f"# Keys\n\n| day | what |\n| --- | --- |\n{rows}"))
    assert found.count("Monday") == 8


def test_passages_whose_size_was_sent_stay_as_sent() -> None:
    size = FixedSize(len(EN), 0, " ")
    assert len(texts(f"{EN}\n\n{EN}\n\n{EN}", fixed=size)) > 1
