"""Encodings and plain text."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.decode import clean, decode
from footnote.ingest.parse.plain import join_lines
from footnote.types import Block

GERMAN = "Die Gebühr beträgt 5 € für größere Räume – „sofort“ fällig."
KOREAN = "이 문서는 대한민국의 헌법을 설명합니다. 서울, 2024년."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [GERMAN, KOREAN, "Plain\nASCII"])
def test_unicode_is_read_with_and_without_a_byte_order_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"), [(GERMAN, "cp1252"), (KOREAN, "cp949"), (KOREAN, "euc-kr"), ("können", "latin-1"), ("한글", "cp949")]
)
def test_german_and_korean_are_read_in_their_older_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_russian_is_detected_by_statistics() -> None:
    text = "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью."
    assert decode(text.encode("cp1251")) == text


def test_the_declared_encoding_decides_if_the_bytes_do_not() -> None:
    assert decode("Zażółć".encode("iso-8859-2"), "iso-8859-2") == "Zażółć"


def test_a_wrong_declaration_is_ignored() -> None:
    assert decode(GERMAN.encode(), "latin-1") == GERMAN
    assert decode("Größe".encode("cp1252"), "no-such-encoding") == "Größe"


def test_one_damaged_place_does_not_change_the_encoding_of_the_rest() -> None:
    assert decode("ä".encode() * 30 + b"\xff") == "ä" * 30 + "\ufffd"


def test_utf8_that_was_encoded_twice_is_repaired() -> None:
    assert decode("1997–2004 for £5".encode().decode("latin-1").encode()) == "1997–2004 for £5"


def test_binary_data_is_refused() -> None:
    with pytest.raises(UnreadableFile):
        decode(b"\x00\x01\x02\x03binary\x00\xff\xfe" * 50)


def test_cleaning_composes_letters_and_drops_invisible_characters() -> None:
    assert clean("Ü\u00adber\u200bsicht\0 a\u00a0b\x07\r\nﬁn\rx") == "Übersicht a b\nfin\nx"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["inter-", "national law"], "international law"),
        (["die Verwal-", "tung"], "die Verwaltung"),
        (["Haupt-", "und Nebenkosten"], "Haupt- und Nebenkosten"),
        (["the E-", "Mail server"], "the E-Mail server"),
        (["pages 3-", "5"], "pages 3- 5"),
        (["one", "two"], "one two"),
    ],
)
def test_a_word_hyphenated_at_a_line_end_is_rejoined(lines: list[str], expected: str) -> None:
    assert join_lines(lines) == expected


def test_empty_lines_separate_paragraphs_and_wrapped_lines_are_joined() -> None:
    text = "The first paragraph was wrapped by an editor at a cer-\ntain width, as one can see from the length of lines.\n\nA second."
    assert parse(text.encode(), "a.txt").blocks == (
        Block("paragraph", "The first paragraph was wrapped by an editor at a certain width, as one can see from the length of lines."),
        Block("paragraph", "A second."),
    )


def test_short_lines_stay_lines() -> None:
    assert parse(b"Jane Doe\n5 High Street\nLondon", "a.txt").blocks == (Block("paragraph", "Jane Doe\n5 High Street\nLondon"),)


def test_headings_are_recognised_by_number_capitals_name_or_underline() -> None:
    text = "Handbook\n========\n\n2.1 Scope of use\n\nText.\n\n"
    text += "GENERAL TERMS\n\nChapter IV\n\n제 3 조\n\n12 apples were eaten.\n\nOften\n-----\nSo."
    assert [(b.kind, b.level, b.text) for b in parse(text.encode(), "a.txt").blocks] == [
        ("heading", 1, "Handbook"),
        ("heading", 2, "2.1 Scope of use"),
        ("paragraph", 0, "Text."),
        ("heading", 2, "GENERAL TERMS"),
        ("heading", 1, "Chapter IV"),
        ("heading", 1, "제 3 조"),
        ("paragraph", 0, "12 apples were eaten."),
        ("heading", 2, "Often"),
        ("paragraph", 0, "So."),
    ]


def test_a_list_keeps_its_items_separate_from_its_introduction() -> None:
    text = "We need:\n- bread\n- butter that is\n  salted\n1. and milk"
    assert parse(text.encode(), "a.txt").blocks == (
        Block("paragraph", "We need:"),
        Block("list", "- bread\n- butter that is salted\n1. and milk"),
    )


def test_paragraphs_without_empty_lines_are_separated_by_short_last_lines() -> None:
    full = "This line is exactly as wide as its editor allows it to be, yes."
    lines = [full, full, full, "And here it ends.", full, full, full, "The end."]
    assert [len(b.text) for b in parse("\n".join(lines).encode(), "a.txt").blocks] == [64 * 3 + 3 + 17, 64 * 3 + 3 + 8]


def test_the_title_of_a_text_is_its_file_name() -> None:
    assert parse(b"Hello there.", "meeting_notes.txt").title == "meeting notes"
