"""E-mails: header, text, attachments."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block


def mail(subject: str = "Die Fähre", text: str = "Sie fährt um 9.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Jörg <joerg@example.org>"
    message["To"] = "지민 <jimin@example.org>"
    message["Date"] = "Fri, 16 Dec 2022 17:04:16 +0100"
    message["Subject"] = subject
    message.set_content(text)
    return message


HEADER = "From: Jörg <joerg@example.org>\nTo: 지민 <jimin@example.org>\nDate: Fri, 16 Dec 2022 17:04:16 +0100"


def test_a_mail_starts_with_subject_sender_and_recipients() -> None:
    parsed = parse(bytes(mail()), "a.eml")
    assert parsed.blocks == (Block("heading", "Die Fähre", 1), Block("paragraph", HEADER), Block("paragraph", "Sie fährt um 9."))
    assert (parsed.title, parsed.format) == ("Die Fähre", "eml")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            "<p>Sie fährt:</p><ul><li>um 9</li><li>um 12</li></ul><blockquote>Wann?</blockquote>",
            (Block("paragraph", "Sie fährt:"), Block("list", "- um 9\n- um 12"), Block("paragraph", "Wann?")),
            id="preferred for its lists and tables",
        ),
        pytest.param("<img src='x'>", (Block("paragraph", "Sie fährt um 9."),), id="empty"),
    ],
)
def test_the_html_text_is_read_unless_it_is_empty(html: str, expected: tuple[Block, ...]) -> None:
    message = mail()
    message.add_alternative(html, subtype="html")
    assert parse(bytes(message), "a.eml").blocks[2:] == expected


def test_quoted_replies_are_kept() -> None:
    text = "Ja.\n\n> Kommst du?\n"
    assert [block.text for block in parse(bytes(mail(text=text)), "a.eml").blocks[2:]] == ["Ja.", "> Kommst du?"]


def test_attachments_are_named_and_not_read() -> None:
    message = mail()
    message.add_attachment(b"%PDF-1.7 secret", maintype="application", subtype="pdf", filename="Fahrplan.pdf")
    message.add_attachment("secret", filename="notiz.txt")
    blocks = parse(bytes(message), "a.eml").blocks
    assert blocks[-1] == Block("paragraph", "Attachments: Fahrplan.pdf, notiz.txt")
    assert "secret" not in str(blocks)


def test_a_mail_within_a_mail_is_read_below_it() -> None:
    message = mail()
    message.add_attachment(mail("배 시간표", "아홉 시에 떠납니다.\n"))
    blocks = parse(bytes(message), "a.eml").blocks
    assert blocks[3:] == (Block("heading", "배 시간표", 2), Block("paragraph", HEADER), Block("paragraph", "아홉 시에 떠납니다."))


@pytest.mark.parametrize(("encoding", "text"), [("euc-kr", "배 시간표"), ("iso-2022-jp", "渡し船の時刻表"), ("iso-8859-1", "Fähre")])
def test_the_encoding_that_a_part_names_is_used(encoding: str, text: str) -> None:
    message = mail()
    message.set_content(text, charset=encoding)
    assert parse(bytes(message), "a.eml").blocks[-1] == Block("paragraph", text)


def test_a_malformed_header_does_not_lose_the_text() -> None:
    data = b"From: <<<>>,;:\nTo: =?x?Q?\nSubject: Hi\nDate: not a date\nContent-Type: text/plain; charset=no-such\n\nThe text."
    assert parse(data, "a.eml").blocks[-1] == Block("paragraph", "The text.")


def test_a_text_file_that_is_a_mail_is_read_as_one() -> None:
    assert parse(bytes(mail()), "saved.txt").format == "eml"
    assert parse(b"From: Anna\nTo: Ben\nSubject: Tea\n\nA memo, not a mail.", "memo.txt").format == "text"


def test_a_page_saved_as_one_file_is_read() -> None:
    head = b'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n'
    data = head + b"--x\nContent-Type: text/html\n\n<h1>Lake</h1><p>It is deep.</p>\n--x--\n"
    assert parse(data, "lake.mht").blocks == (Block("heading", "Lake", 1), Block("paragraph", "It is deep."))


def test_a_mailbox_gives_each_mail_under_its_subject() -> None:
    second = mail("Second", "One line.\n>From here on.\nFrom there: no mail.\n")
    data = b"".join(b"From joerg@example.org Fri Dec 16 17:04:16 2022\n" + bytes(each) + b"\n" for each in (mail("First"), second))
    parsed = parse(data, "inbox_2022.mbox")
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("heading", "First"),
        ("paragraph", HEADER),
        ("paragraph", "Sie fährt um 9."),
        ("heading", "Second"),
        ("paragraph", HEADER),
        ("paragraph", "One line.\nFrom here on.\nFrom there: no mail."),
    ]
    assert (parsed.format, parsed.title) == ("mbox", "inbox 2022")
