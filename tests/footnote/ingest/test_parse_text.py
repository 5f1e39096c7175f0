"""Encodings and plain text."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.chunk import find_boilerplate
from footnote.ingest.parse import parse
from footnote.ingest.parse.decode import clean, decode
from footnote.ingest.parse.plain import join_lines
from footnote.types import Block

GERMAN = "Die Gebühr beträgt 5 € für größere Räume – „sofort“ fällig."
RUSSIAN = "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью."
JAPANESE = "倉庫の鍵は事務所にあります。雨の日は入口を閉めてください。質問は係の人に聞いてください。"
KOREAN = "이 문서는 대한민국의 헌법을 설명합니다. 서울, 2024년."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [GERMAN, KOREAN, "Plain\nASCII"])
def test_unicode_is_read_with_and_without_a_byte_order_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (KOREAN, "cp949"),
        (KOREAN, "euc-kr"),
        ("können", "latin-1"),
        ("한글", "cp949"),
        (RUSSIAN, "cp1251"),
        (JAPANESE, "cp932"),
    ],
)
def test_texts_are_read_in_their_older_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_the_declared_encoding_decides_if_the_bytes_do_not() -> None:
    assert decode("Zażółć".encode("iso-8859-2"), "iso-8859-2") == "Zażółć"


def test_a_wrong_declaration_is_ignored() -> None:
    assert decode(GERMAN.encode(), "latin-1") == GERMAN
    assert decode("Größe".encode("cp1252"), "no-such-encoding") == "Größe"


def test_one_damaged_place_does_not_change_the_encoding_of_the_rest() -> None:
    assert decode("ä".encode() * 30 + b"\xff") == "ä" * 30 + "\ufffd"


def test_a_damaged_letter_of_two_bytes_is_no_other_letter() -> None:
    assert (
        decode("Süße Öfen für größere Räume ".encode() * 10 + b"g\xc3nstig \xe2\x80")
        == "Süße Öfen für größere Räume " * 10 + "g\ufffdnstig \ufffd\ufffd"
    )


MIXED = [
    pytest.param("Der Kühlraum öffnet früh.\n", "cp1252", "Nächster Prüftermin – „März“: 15 €.", id="Western European"),
    pytest.param("Der Kühlraum öffnet früh.\n" * 40, "latin-1", "Nächster Prüftermin.", id="one old line in a long file"),
    pytest.param("냉장실은 일찍 엽니다.\n", "cp949", "다음 점검은 삼월, 요금은 천 원입니다.", id="Korean"),
    pytest.param("냉장실은 일찍 엽니다.\n" * 40, "cp949", "요금", id="one old word in a long Korean file"),
    pytest.param("한 줄: Kühlraum\n", "cp1251", RUSSIAN, id="Cyrillic"),
]


@pytest.mark.parametrize(("modern", "encoding", "old"), MIXED)
def test_utf8_and_an_older_encoding_in_one_file_are_both_read(modern: str, encoding: str, old: str) -> None:
    assert decode(modern.encode() + old.encode(encoding)) == modern + old
    assert decode(old.encode(encoding) + b"\n" + modern.encode()) == f"{old}\n{modern}"


def test_a_file_that_says_it_is_utf8_may_have_other_words_too() -> None:
    old = "Nächster Prüftermin im März"
    assert decode(b"\xef\xbb\xbf" + "Kühlraum; ".encode() + old.encode("cp1252")) == f"Kühlraum; {old}"
    assert decode("Kühlraum; ".encode() + "요금은 천 원".encode("cp949"), "utf-8") == "Kühlraum; 요금은 천 원"
    plain = "The next inspection of the cold store is in spring. " * 9
    assert decode(plain.encode() + b"Pr\xfcfung", "utf-8") == plain + "Prüfung"


@pytest.mark.parametrize("text", [KOREAN, "천 원, 차 한 대, 해 진 뒤"])
def test_korean_whose_bytes_happen_to_be_utf8_stays_korean(text: str) -> None:
    assert decode(text.encode("cp949"), "euc-kr") == decode(text.encode("cp949")) == text


@pytest.mark.parametrize(
    ("file_name", "before", "after"),
    [
        ("dock.md", "# Kühlraum\n\n", "Prüfung im März."),
        ("dock.csv", "Raum;Preis\nKühlraum;4 Euro\n", "Gewächshaus;7 Euro\nBüro;9 Euro\n"),
        ("dock.html", "<html><body><p>Kühlraum</p>", "<p>Prüfung im März.</p></body></html>"),
    ],
)
def test_every_kind_of_text_is_read_in_both_its_encodings(file_name: str, before: str, after: str) -> None:
    mixed, whole = (parse(before.encode() + after.encode(encoding), file_name) for encoding in ("cp1252", "utf-8"))
    assert mixed.blocks == whole.blocks


def test_utf8_that_was_encoded_twice_is_repaired() -> None:
    assert decode("1997–2004 for £5".encode().decode("latin-1").encode()) == "1997–2004 for £5"
    assert decode("Schöne Grüße für 5 €".encode().decode("cp1252").encode()) == "Schöne Grüße für 5 €"


def test_signs_after_capitals_are_not_taken_for_text_that_was_encoded_twice() -> None:
    for text in ("„IRMÃ”, Ã€ und „MÜNCHEN–", "CAFÉ”"):
        assert decode(text.encode()) == text


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
        (["zeigt die Pro\u2010", "zesse"], "zeigt die Prozesse"),
        (["Haupt\u2010", "und Nebenkosten"], "Haupt\u2010 und Nebenkosten"),
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


STEPS = """To create a database:

1. Install a database server with the major version of your choice
   and start it.

2. Create a database:

   $ createdb -O joe joework

   For details, see createdb(1).

3. Exit the shell.

4. As user joe, you should now be able to connect to your database with

   $ psql joework

5. Done

Cluster management
------------------
Text."""


def test_steps_with_text_between_them_are_no_headings_either() -> None:
    text = "1. Open the file.\n\nA window appears.\n\n2. Choose a name, if there is none.\n\nIt is shown.\n\n3. Click on Save"
    assert [(b.kind, b.text) for b in parse(text.encode(), "a.txt").blocks] == [
        ("list", "1. Open the file."),
        ("paragraph", "A window appears."),
        ("list", "2. Choose a name, if there is none."),
        ("paragraph", "It is shown."),
        ("list", "3. Click on Save"),
    ]


def test_numbered_headings_of_sections_stay_headings() -> None:
    text = "1. Introduction\n\n   The body is indented.\n\n2. Methods\n\n   More of it.\n\n3. What did we find?\n\n4. Results"
    assert [b.text for b in parse(text.encode(), "a.txt").blocks if b.kind == "heading"] == ["1. Introduction", "2. Methods", "4. Results"]


@pytest.mark.parametrize(
    ("data", "file_name", "expected"),
    [
        pytest.param(
            b"Jane Doe\n5 High Street\nLondon",
            "a.txt",
            (Block("paragraph", "Jane Doe\n5 High Street\nLondon"),),
            id="short lines stay lines",
        ),
        pytest.param(
            "Alle Pro\u2010\n  zesse der\nVer\u00ad\nsion 2".encode(),
            "a.txt",
            (Block("paragraph", "Alle Prozesse\nder\nVersion\n2"),),
            id="words that a program divided are whole in short lines too",
        ),
        pytest.param(
            STEPS.encode(),
            "a.txt",
            (
                Block("paragraph", "To create a database:"),
                Block(
                    "list",
                    "1. Install a database server with the major version of your choice and start it.\n"
                    "2. Create a database:\n  $ createdb -O joe joework\n  For details, see createdb(1).\n"
                    "3. Exit the shell.\n"
                    "4. As user joe, you should now be able to connect to your database with\n  $ psql joework\n"
                    "5. Done",
                ),
                Block("heading", "Cluster management", 2),
                Block("paragraph", "Text."),
            ),
            id="steps that empty lines separate are one list and no headings",
        ),
        pytest.param(
            b"- bread\n\n- butter\n  and salt\n\n* another mark",
            "a.txt",
            (
                Block("list", "- bread\n- butter and salt"),
                Block("paragraph", "* another mark"),
            ),
            id="items with one mark that empty lines separate are one list",
        ),
    ],
)
def test_a_text_becomes_blocks(data: Any, file_name: Any, expected: Any) -> None:
    assert parse(data, file_name).blocks == expected


MAN_PAGE = """PASSWD(1)             Dienstprogramme für Benutzer             PASSWD(1)

BEZEICHNUNG
       passwd - ändert das Passwort

ÜBERSICHT
       passwd [Optionen] [ANMELDENAME]

BESCHREIBUNG
       Der Befehl ändert Passwörter.

   Verändern des Passworts
       Zuerst wird nach dem alten gefragt.

       CODE    HEADER

FEHLER MELDEN

       An die Liste.

shadow-utils 4.13              07.04.2025              PASSWD(1)
"""


def test_section_names_of_man_pages_are_headings_and_the_outer_lines_are_left_out() -> None:
    parsed = parse(MAN_PAGE.encode(), "passwd.txt")
    assert [(b.level, b.text) for b in parsed.blocks if b.kind == "heading"] == [
        (1, "BEZEICHNUNG"),
        (1, "ÜBERSICHT"),
        (1, "BESCHREIBUNG"),
        (2, "Verändern des Passworts"),
        (1, "FEHLER MELDEN"),
    ]
    assert find_boilerplate(parsed) == {0: "running line", 12: "running line"}


def test_section_names_above_indented_text_are_headings_without_man_page_lines() -> None:
    text = "이름\n       pstree - 프로세스 트리\n\nMAILING LIST:\n\tlist@example.org\n\nBeispiel\n   eins\n\n설명\n끝"
    assert [(b.kind, b.text) for b in parse(text.encode(), "a.txt").blocks] == [
        ("heading", "이름"),
        ("paragraph", "pstree - 프로세스 트리"),
        ("heading", "MAILING LIST"),
        ("paragraph", "list@example.org"),
        ("paragraph", "Beispiel\neins"),
        ("paragraph", "설명\n끝"),
    ]


def test_paragraphs_without_empty_lines_are_separated_by_short_last_lines() -> None:
    full = "This line is exactly as wide as its editor allows it to be, yes."
    lines = [full, full, full, "And here it ends.", full, full, full, "The end."]
    assert [len(b.text) for b in parse("\n".join(lines).encode(), "a.txt").blocks] == [64 * 3 + 3 + 17, 64 * 3 + 3 + 8]


def test_the_title_of_a_text_is_its_file_name() -> None:
    assert parse(b"Hello there.", "meeting_notes.txt").title == "meeting notes"


@pytest.mark.parametrize("number", ["4.01289E+15", "-7,1234E+12", "1.234567E+21"])
def test_numbers_that_were_saved_rounded_are_counted(number: str) -> None:
    lines = ["account;holder", f"{number};Ada", "4012888888881881;Bo", f"{number};Cleo"]
    parsed = parse("\n".join(lines).encode(), "accounts.csv")
    assert parsed.reason == f"Numbers saved in a rounded form, such as {number}: 2."
    assert parsed.remedy == "Export the file again with these columns formatted as text."


@pytest.mark.parametrize(
    "numbers", [["4.01289E+15", "7"], ["6.62E+15"] * 2, ["1.2345E+11"] * 2, ["1.2345678E+15"] * 2, ["X4.01289E+15"] * 2]
)
def test_one_rounded_number_and_measured_ones_are_no_reason(numbers: list[str]) -> None:
    assert parse("\n".join(["name;value", *(f"a;{number}" for number in numbers)]).encode(), "a.csv").reason is None


BODY = "The pond is cleaned in spring."


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in parse(text.encode(), "text/plain").blocks if block.kind == "heading"]


@pytest.mark.parametrize(
    "heads",
    [
        ("§ 2 Teich", "§ 3 Fische", "§ 3a Enten"),
        ("Article 4 - Pond", "Article 5", "ARTICLE VI. DUCKS"),
        ("제4조 (연못)", "제5조 (물고기)"),
        ("Clause 2 Pond", "Clause 3 Fish"),
    ],
)
@pytest.mark.parametrize("between", ["\n\n", "\n"])
def test_ascending_numbers_of_sections_head_the_text_below_them(heads: tuple[str, ...], between: str) -> None:
    text = "\n\n".join(f"{head}{between}{BODY}" for head in heads)
    found = parse(text.encode(), "text/plain").blocks
    assert [(block.kind, block.text) for block in found] == [pair for head in heads for pair in (("heading", head), ("paragraph", BODY))]


def test_the_line_above_the_first_section_is_the_title() -> None:
    text = f"Pond lease\n\nCHAPTER 1 WATER\n\nArticle 1 Depth\n\n{BODY}\n\nArticle 2 Banks\n\n{BODY}\n\nCHAPTER 2 FISH\n\n{BODY}\n"
    assert parse(f"Pond lease\n\n§ 1 Depth\n\n{BODY}\n\n§ 2 Banks\n\n{BODY}".encode(), "text/plain").title == "Pond lease"
    assert headings(text) == [
        (1, "Pond lease"), (2, "CHAPTER 1 WATER"), (3, "Article 1 Depth"), (3, "Article 2 Banks"), (2, "CHAPTER 2 FISH"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f"§ 2 Teich\n\n{BODY}",
        f"§ 3 Teich\n\n{BODY}\n\n§ 2 Fische\n\n{BODY}",
        "§ 1 Teich\n\n§ 2 Fische\n\n§ 3 Enten\n\n§ 4 Ufer",
        f"§ 1 applies here.\n\n{BODY}\n\n§ 2 applies there.\n\n{BODY}",
        f"§ 1 applies to all who\nkeep ducks.\n\n{BODY}\n\n§ 2 applies to all who\nkeep fish.\n\n{BODY}",
    ],
)
def test_references_to_sections_and_lists_of_them_are_no_headings(text: str) -> None:
    assert headings(text) == []
