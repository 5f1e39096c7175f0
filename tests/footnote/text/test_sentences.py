"""Sentence bounds in three languages."""

from __future__ import annotations

import random

import pytest

from footnote.text.sentences import LONGEST, looks_like_heading, split_chunk, split_sentences
from footnote.types import Part
from tests.fakes import make_chunk, make_document


def split(text: str, lang: str = "en") -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, lang)]


@pytest.mark.parametrize(
    ("lang", "sentences"),
    [
        (
            "en",
            [
                "Dr. Smith paid $3.50 on Jan. 5 to J. R. Tolkien.",
                "He left at 5 p.m. on Monday.",
                "See https://example.org/a.b?c=d for more.",
            ],
        ),
        ("en", ["He said “It is done.”", "Then he left the room!", "Was it too late?", "Nobody knew why…", "It ended in 1990."]),
        ("en", ["Version 2.5.1 is out.", "Tools, e.g. hammers, cost 3.5 % more, i.e. a lot, vs. 2 % before."]),
        (
            "en",
            ["The first attempt failed in 1903.[5]", "A second one, by his brother, held.[6][7]", "It is shown in figure [8] of the book."],
        ),
        (
            "de",
            [
                "Am 3. Mai 1949 kam Karl V. nach Bonn.",
                "Das war z. B. im 19. Jahrhundert so.",
                "Geräte(z.B. Melder am Tor) sind gesperrt.",
                "Er blieb ca. 5 Tage dort.",
            ],
        ),
        ("de", ["Die Fa. Maier GmbH zahlt 1.250,50 Euro.", "Warum so viel Geld?", "Das steht in § 5 Abs. 2 des Vertrags."]),
        ("ko", ["서울은 대한민국의 수도이다.", "인구는 약 9.4백만 명이다.", "왜 그렇게 많은가?", "그것은 알 수 없다!"]),
    ],
)
def test_sentences_end_where_a_reader_expects_it(lang: str, sentences: list[str]) -> None:
    assert split(" ".join(sentences), lang) == sentences


def test_korean_sentences_end_without_a_space_too() -> None:
    assert split("인구는 천만 명이다.그리고 매우 큰 도시이다.", "ko") == ["인구는 천만 명이다.", "그리고 매우 큰 도시이다."]


@pytest.mark.parametrize(
    "pieces",
    [
        ["A paragraph without a stop", "and the next one starts small."],
        ["We sell pens, paper, etc.", "The next paragraph starts here."],
        ["It ends with a stop.", "but the next paragraph starts small."],
    ],
)
def test_a_paragraph_end_always_ends_a_sentence(pieces: list[str]) -> None:
    assert split("\n\n".join(pieces)) == pieces
    assert split(" \n \n".join(pieces)) == pieces


@pytest.mark.parametrize("marks", [("- ", "- ", "- "), ("1. ", "2. ", "10. "), ("* ", "• ", "1) ")])
def test_a_list_item_is_a_sentence(marks: tuple[str, str, str]) -> None:
    items = [f"{mark}{text}" for mark, text in zip(marks, ("apples, pears etc.", "another item of it", "a third item. of it"), strict=True)]
    assert split("\n".join(items)) == items


def test_a_row_of_a_table_is_a_sentence() -> None:
    rows = ["| City | Inhabitants |", "| --- | --- | --- |", "| München | 1,500,000 |"]
    assert split("\n".join(rows)) == rows


def test_a_fragment_joins_its_neighbour() -> None:
    assert split("Yes. It was the third time that day. No.") == ["Yes. It was the third time that day. No."]
    assert split("네. 그것은 세 번째였습니다. 아니요.", "ko") == ["네. 그것은 세 번째였습니다. 아니요."]


def test_a_long_sentence_is_cut_at_a_line_a_semicolon_or_a_word() -> None:
    assert split("word " * 100 + "end; " + "more " * 100)[0].endswith("end;")
    assert split("word " * 100 + "end\n" + "more " * 100)[0].endswith("end")
    cut = split("word " * 300)
    assert [len(piece) for piece in cut] == [599, 594, 304]
    assert [len(piece) for piece in split("x" * 1500)] == [600, 600, 300]


def test_bounds_are_ordered_and_hold_every_character_that_is_not_white_space() -> None:
    rng = random.Random(42)
    alphabet = [
        *'aB7 .!?…\n\t|-*;:,"”)(',
        " ",
        "다",
        "다.",
        "ß",
        "e.g.",
        "\n\n",
        "\n- ",
        "\n1. ",
        "。",
        "🙂",
        "e\u0301",
        "\u00a0",
        "word" * 40,
        "\x00",
        "V.",
    ]
    for _ in range(1500):
        text = "".join(rng.choices(alphabet, k=rng.randint(0, 120)))
        for lang in ("en", "de", "ko"):
            at = 0
            for start, end in split_sentences(text, lang):
                assert at <= start < end <= len(text)
                assert not text[at:start].strip(), (text, at, start)
                assert text[start:end] == text[start:end].strip()
                assert end - start <= LONGEST
                at = end
            assert not text[at:].strip()


@pytest.mark.sample(2)
@pytest.mark.timeout(30)  # a quadratic pattern takes half an hour, a linear one less than a second
@pytest.mark.parametrize(
    "text",
    ["." * 300_000 + "x", "!?" * 150_000 + "x", '."' * 150_000, "e.g. " * 60_000, "\n" + " " * 300_000 + "x", "a. " * 100_000],
    ids=["points", "marks", "quotes", "abbreviations", "spaces", "letters"],
)
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    split_sentences(text)


@pytest.mark.parametrize(
    "line", ["Prices", "II. Opening Hours", "Was der Tarif kostet", "Safety (all machines)", "요금 안내", "US Trustee Handbook"]
)
def test_a_short_line_above_a_paragraph_looks_like_a_heading(line: str) -> None:
    assert looks_like_heading(f"{line}\n\nThe text.", 0, len(line))


@pytest.mark.parametrize("line", ["Release 2", "Dear Ms Brook,", "If the file is missing:", "Run it; then wait", "x" * 81, "| Prices |"])
def test_a_line_with_a_number_or_a_mark_or_a_long_one_looks_like_none(line: str) -> None:
    assert not looks_like_heading(f"{line}\n\nThe text.", 0, len(line))


TAR = "# Back up. Then copy:\ntar --directory / --create -f - . | ssh host 'cat > x'\n\ntar -xf x"


def sentences_around_code(code: str) -> list[str]:
    text = f"Use tar. It is everywhere.\n\n{code}\n\nIt is done. Then check it!"
    parts = (Part(0, None, 0, 0, "paragraph"), Part(28, None, 1, 0, "code"), Part(28 + len(code) + 2, None, 2, 0, "paragraph"))
    chunk = make_chunk(make_document("tar"), text, parts=parts)
    return [text[start:end] for start, end in split_chunk(chunk)]


def test_a_block_of_code_is_one_sentence_whatever_marks_and_empty_lines_it_has() -> None:
    assert sentences_around_code(TAR) == ["Use tar. It is everywhere.", TAR, "It is done. Then check it!"]


def test_long_code_is_cut_at_its_empty_lines_or_else_at_its_lines() -> None:
    one, other = "echo 'One. Two.'\n" * 20, "echo other\n" * 30
    assert [len(each) for each in sentences_around_code(f"{one}\n{other}".rstrip())[1:-1]] == [339, 329]
    assert [len(each) for each in sentences_around_code((one * 2).rstrip())[1:-1]] == [594, 84]


def test_a_long_row_of_a_table_is_cut_between_two_cells() -> None:
    cells = [f"{number} " + "word; " * 40 for number in range(6)]
    row = f"| {' | '.join(cells)} |"
    assert [row[start : start + 4] for start, _ in split_sentences(row)] == ["| 0 ", "| 2 ", "| 4 "]
    text = f"| a | {'word; ' * 150}| b |"
    assert all(end - start <= LONGEST for start, end in split_sentences(text))
