"""Outlook messages: header, text in each of its forms, attachments, attached messages."""

from __future__ import annotations

import struct

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.msg import unpack
from footnote.types import Block, Parsed
from tests.footnote.ingest.ole_files import Tree, attachment, message, ole

SENT = 133_156_802_560_000_000
"""2022-12-16 16:04:16 UTC, in units of 100 ns since 1601."""
HEAD = {"0037": "Die Fähre", "0C1A": "Jörg", "5D01": "joerg@example.org", "0E04": "지민", "0E03": "Ann; Bob"}
FIELDS = "From: Jörg <joerg@example.org>\nTo: 지민\nCc: Ann; Bob\nDate: Fri, 16 Dec 2022 16:04:16 +0000"


def read(tree: Tree) -> Parsed:
    return parse(ole(tree), "a.msg")


def packed(rtf: bytes) -> bytes:
    """RTF as Outlook stores it, all of it as literals."""
    runs = b"".join(b"\0" + rtf[at : at + 8] for at in range(0, len(rtf), 8))
    return struct.pack("<4I", len(runs) + 12, len(rtf), 0x75465A4C, 0) + runs


def test_a_message_starts_with_subject_sender_recipients_and_date() -> None:
    parsed = read(message({**HEAD, "1000": "Sie fährt um 9.\r\n"}, numbers={0x39: SENT}))
    assert parsed.blocks == (Block("heading", "Die Fähre", 1), Block("paragraph", FIELDS), Block("paragraph", "Sie fährt um 9."))
    assert (parsed.title, parsed.format) == ("Die Fähre", "msg")


def test_the_html_text_is_preferred_and_read_in_its_own_code_page() -> None:
    text = "<p>배편</p><table><tr><th>시간</th><th>요금</th></tr><tr><td>9</td><td>2</td></tr></table>".encode("cp949")
    parsed = read(message({"0037": "배", "1000": "plain", "1013": text}, numbers={0x3FDE: 949}))
    assert parsed.blocks[1:] == (Block("paragraph", "배편"), Block("table", "| 시간 | 요금 |\n| --- | --- |\n| 9 | 2 |"))


def test_narrow_texts_are_read_in_the_code_page_of_the_message() -> None:
    tree = message({"0037001E": "Über".encode("cp1252"), "1000001E": "Zwölf".encode("cp1252")}, numbers={0x3FFD: 1252})
    assert read(tree).blocks == (Block("heading", "Über", 1), Block("paragraph", "Zwölf"))


def test_a_text_in_rtf_keeps_its_table() -> None:
    rtf = rb"{\rtf1\ansi \trowd\cellx1\cellx2\intbl Time\cell Fee\cell\row\trowd\intbl 9\cell 2\cell\row\pard End.\par}"
    blocks = read(message({"0037": "Fees", "1000": "Time Fee 9 2 End.", "1009": packed(rtf)})).blocks
    assert blocks[1:] == (Block("table", "| Time | Fee |\n| --- | --- |\n| 9 | 2 |"), Block("paragraph", "End."))


def test_rtf_that_only_wraps_another_text_gives_way_to_it() -> None:
    rtf = rb"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}Wrapped\htmlrtf\par\htmlrtf0}"
    assert read(message({"1000": "As it was.", "1009": packed(rtf)})).blocks == (Block("paragraph", "As it was."),)
    assert read(message({"1009": packed(rtf)})).blocks == (Block("paragraph", "Wrapped"),)


def test_packed_rtf_is_unpacked_with_references_into_its_dictionary() -> None:
    # the example of MS-OXRTFCP, section 4.1
    data = bytes.fromhex("2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0")
    assert unpack(data) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


@pytest.mark.parametrize("data", [b"", bytes(16), struct.pack("<4I", 99, 2**31, 0x75465A4C, 0) + b"\xff" * 5])
def test_rtf_that_cannot_be_unpacked_is_left_out(data: bytes) -> None:
    assert read(message({"1000": "Text", "1009": data})).blocks == (Block("paragraph", "Text"),)


def test_attachments_are_named_and_attached_messages_are_read() -> None:
    inner = {"__substg1.0_3701000D": message({"0037": "Inner", "1000": "Deep"}, inner=True, one=attachment("c.pdf"))}
    tree = message({"0037": "Outer", "1000": "Text"}, one=attachment("Preise.xlsx"), two=inner, three=attachment("b.doc"))
    assert [(block.kind, block.text, block.level) for block in read(tree).blocks] == [
        ("heading", "Outer", 1),
        ("paragraph", "Text", 0),
        ("paragraph", "Attachments: Preise.xlsx, b.doc", 0),
        ("heading", "Inner", 2),
        ("paragraph", "Deep", 0),
        ("paragraph", "Attachments: c.pdf", 0),
    ]


def test_messages_are_read_three_deep() -> None:
    tree = message({"1000": "level 5"}, inner=True)
    for depth in (4, 3, 2, 1):
        tree = message({"1000": f"level {depth}"}, inner=depth > 1, one={"__substg1.0_3701000D": tree})
    assert [block.text for block in read(tree).blocks] == ["level 1", "level 2", "level 3"]


def test_a_message_with_an_old_word_file_attached_is_still_a_message() -> None:
    attached = {"__properties_version1.0": bytes(8), "__substg1.0_37010102": ole({"WordDocument": b"x" * 5000})}
    assert read(message({"0037": "Hi", "1000": "Text"}, one=attached)).format == "msg"


def test_a_truncated_message_is_damaged() -> None:
    data = ole(message({"1000": "x" * 9000}))
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        parse(data[: len(data) // 2], "a.msg")
