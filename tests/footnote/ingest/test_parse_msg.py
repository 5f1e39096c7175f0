"""Outlook messages: header, text in each of its forms, attachments, attached messages."""

from __future__ import annotations

import struct
from email.message import EmailMessage

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
    assert parsed.blocks == (Block("heading", "Die Fähre", 1), Block("metadata", FIELDS), Block("paragraph", "Sie fährt um 9."))
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


def file(name: str, data: bytes, **more: bytes) -> Tree:
    """An attached file; `more`: properties of it by their ids, after an underscore."""
    return {**attachment(name), "__substg1.0_37010102": data, **{f"__substg1.0{key}": value for key, value in more.items()}}


def test_attached_files_and_messages_are_read_below_the_message() -> None:
    inner = {"__substg1.0_3701000D": message({"0037": "Inner", "1000": "Deep"}, inner=True, one=file("c.txt", b"Quay 3"))}
    tree = message({"0037": "Outer", "1000": "Text"}, one=file("fees.csv", b"Berth,Fee\nEast,12"), two=inner, three=file("b.bin", b"\0\1"))
    parsed = read(tree)
    assert [(block.kind, block.text, block.level) for block in parsed.blocks] == [
        ("heading", "Outer", 1),
        ("metadata", "Attachments: fees.csv, b.bin", 0),
        ("paragraph", "Text", 0),
        ("heading", "fees.csv", 2),
        ("table", "| Berth | Fee |\n| --- | --- |\n| East | 12 |", 0),
        ("heading", "Inner", 2),
        ("metadata", "Attachments: c.txt", 0),
        ("paragraph", "Deep", 0),
        ("heading", "Inner › c.txt", 3),
        ("paragraph", "Quay 3", 0),
    ]
    assert parsed.reason == "The attachment b.bin was not read. This file contains binary data, not text."


def test_images_that_a_message_shows_are_no_attachments() -> None:
    text: dict[str, str | bytes] = {"0037": "Hi", "1013": b"<p>Text</p><img src='cid:logo1'>"}
    hidden = {**file("line.png", b"\x89PNG"), "__properties_version1.0": bytes(8) + struct.pack("<HHIQ", 0x000B, 0x7FFE, 6, 1)}
    shown = file("logo.png", b"\x89PNG", _3712001F="logo1".encode("utf-16-le"))
    assert read(message(text, one=shown, two=hidden)).reason is None
    assert str(read(message(text, one=file("map.png", b"\x89PNG\r\n"))).reason).startswith("The attachment map.png was not read.")
    assert str(read(message(text, one=file("logo1", b"\0\0", _3712001F="logo1".encode("utf-16-le")))).reason).startswith("The attachment")


def test_a_large_image_that_a_message_shows_is_said_to_be_unread() -> None:
    text: dict[str, str | bytes] = {"0037": "Hi", "1013": b"<p>Text</p><img src='cid:shot1'>"}
    image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 200)
    shown = file("shot.png", image, _3712001F="shot1".encode("utf-16-le"))
    assert str(read(message(text, one=shown)).reason).startswith("The attachment shot.png was not read.")


def test_the_header_of_a_quoted_message_is_metadata() -> None:
    quoted = "From: Ada\nSent: 3 May 2025"
    for body in ({"1000": f"Yes.\n\n{quoted}\n\nMay I?"}, {"1013": b"<p>Yes.</p><p>From: Ada<br>Sent: 3 May 2025</p><p>May I?</p>"}):
        assert read(message(body)).blocks == (Block("paragraph", "Yes."), Block("metadata", quoted), Block("paragraph", "May I?"))


def test_an_embedded_object_is_said_to_be_unread() -> None:
    sheet: Tree = {**attachment("Object 1"), "__substg1.0_3701000D": {"Workbook": b"x" * 10}}
    assert str(read(message({"1000": "Text"}, one=sheet)).reason).startswith("The attachment Object 1 was not read.")


def test_messages_are_read_three_deep() -> None:
    tree = message({"1000": "level 5"}, inner=True)
    for depth in (4, 3, 2, 1):
        tree = message({"1000": f"level {depth}"}, inner=depth > 1, one={"__substg1.0_3701000D": tree})
    parsed = read(tree)
    assert [block.text for block in parsed.blocks if block.kind == "paragraph"] == ["level 1", "level 2", "level 3"]
    assert str(parsed.reason).endswith("was not read. Attachments of attachments are read 3 deep.")


def test_a_message_attached_to_a_mail_is_read() -> None:
    outer = EmailMessage()
    outer["Subject"] = "Fwd"
    outer.set_content("See below.")
    outer.add_attachment(
        ole(message({**HEAD, "1000": "Sie fährt um 9."})), maintype="application", subtype="octet-stream", filename="f.msg"
    )
    assert [block.text for block in parse(bytes(outer), "a.eml").blocks[-3:]] == ["Die Fähre", FIELDS.split("\nDate")[0], "Sie fährt um 9."]


def test_a_message_with_an_old_word_file_attached_is_still_a_message() -> None:
    attached = {"__properties_version1.0": bytes(8), "__substg1.0_37010102": ole({"WordDocument": b"x" * 5000})}
    assert read(message({"0037": "Hi", "1000": "Text"}, one=attached)).format == "msg"


def test_a_truncated_message_is_damaged() -> None:
    data = ole(message({"1000": "x" * 9000}))
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        parse(data[: len(data) // 2], "a.msg")


def test_a_text_that_is_encrypted_is_said_to_be_unread() -> None:
    text = "Look:\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA5\r\n-----END PGP MESSAGE-----\r\n"
    parsed = read(message({"0037": "Hut", "0C1A": "Ida", "1000": text}))
    assert [block.text for block in parsed.blocks] == ["Hut", "From: Ida\nAttachments: encrypted.asc", "Look:"]
    assert str(parsed.reason).startswith("The attachment encrypted.asc was not read. This is an encrypted message")
