"""Contacts: each stands under its name, with a line for each number and address."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block


def card(lines: str) -> bytes:
    return f"BEGIN:VCARD\n{lines}\nEND:VCARD\n".replace("\n", "\r\n").encode()


def facts(lines: str) -> list[str]:
    """The lines below a name."""
    return parse(card(f"FN:Ida Berg\n{lines}"), "a.vcf").blocks[1].text.split("\n")[1:]


def test_a_contact_has_a_heading_its_lines_and_its_note() -> None:
    parsed = parse(
        card(
            "VERSION:3.0\nN:Berg;Ida;;Dr.;\nFN:Dr. Ida Berg\nORG:Harbour office;Cranes\nTITLE:Head\nTEL;TYPE=WORK,VOICE:+47 22 11\n"
            "TEL;type=CELL;type=pref:+47 90 12\nEMAIL;TYPE=INTERNET:ida@example.org\n"
            "ADR;TYPE=HOME:;;Pier 4;Oslo;;0150;Norway\nBDAY:19810203\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\n"
            "NOTE:Only by\n  letter\\, please.\nREV:2026"
        ),
        "office.vcf",
    )
    assert parsed.blocks == (
        Block("heading", "Dr. Ida Berg", 1),
        Block(
            "list",
            "- Name: Dr. Ida Berg\n- Organization: Harbour office, Cranes\n- Title: Head\n"
            "- Phone (work): +47 22 11\n- Phone (mobile): +47 90 12\n"
            "- E-mail: ida@example.org\n- Address (home): Pier 4, Oslo, 0150, Norway\n- Birthday: 1981-02-03",
        ),
        Block("paragraph", "Only by letter, please."),
    )
    assert (parsed.title, parsed.format) == ("Dr. Ida Berg", "contacts")


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("TEL;HOME;FAX:22 11", "- Phone (home, fax): 22 11"),
        ('TEL;VALUE=uri;TYPE="cell,home":tel:+47-90', "- Phone (mobile, home): +47-90"),
        ("item1.TEL:22 12\nitem1.X-ABLabel:_$!<Assistant>!$_", "- Phone (Assistant): 22 12"),
        ("item2.TEL:22 12\nitem2.X-ABLABEL:Boat house", "- Phone (Boat house): 22 12"),
        ("BDAY:--0203", "- Birthday: 02-03"),
        ("URL:https\\://example.org", "- Website: https://example.org"),
        ("ADR:;;Pier 4\\, left\\nYard;Oslo;;;", "- Address: Pier 4, left Yard, Oslo"),
        ("TITLE;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:K=FCsterin", "- Title: Küsterin"),
        ("TITLE;QUOTED-PRINTABLE:Head of =\ncranes", "- Title: Head of cranes"),
        ("CATEGORIES:Crew,Cranes", "- Groups: Crew, Cranes"),
    ],
)
def test_kinds_and_labels_stand_beside_what_they_are_of(lines: str, shown: str) -> None:
    assert facts(lines) == [shown]


def test_a_contact_without_a_shown_name_has_its_parts_or_its_organization() -> None:
    assert parse(card("N:Berg;Ida;Marie;Dr.;\nTEL:1"), "a.vcf").blocks[0].text == "Dr. Ida Marie Berg"
    assert parse(card("ORG:Harbour office\nTEL:1"), "a.vcf").blocks[0].text == "Harbour office"


def test_several_contacts_have_the_name_of_their_file() -> None:
    parsed = parse(card("FN:Ida") + card("FN:Ole"), "crane_crew.vcf")
    assert ([block.text for block in parsed.blocks], parsed.title) == (["Ida", "Ole"], "crane crew")


def test_a_file_without_contacts_says_so_or_is_text() -> None:
    with pytest.raises(UnreadableFile, match="neither names nor numbers"):
        parse(card("REV:2026"), "a.vcf")
    assert parse(b"Numbers are on the board.", "a.vcf").blocks == (Block("paragraph", "Numbers are on the board."),)
