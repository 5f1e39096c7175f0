"""E-mails: header, text, attachments."""

from __future__ import annotations

import re
import signal
import struct
from email.message import EmailMessage

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block
from tests.footnote.ingest.packages import workbook
from tests.footnote.ingest.pdf_files import make_pdf, paragraph


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
    assert parsed.blocks == (Block("heading", "Die Fähre", 1), Block("metadata", HEADER), Block("paragraph", "Sie fährt um 9."))
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


def test_attachments_are_sections_of_the_mail_under_their_names() -> None:
    message = mail()
    message.add_attachment("Linie;Preis\nBlau;2,40\n".encode("cp1252"), maintype="text", subtype="csv", filename="preise.csv")
    page = "<h1>Regeln</h1><p>Fahrräder sind frei.</p><h2>Hunde</h2><p>Nur angeleint.</p>"
    message.add_attachment(page, subtype="html", filename="C:\\Akten\\regeln.html")
    parsed = parse(bytes(message), "a.eml")
    assert parsed.blocks == (
        Block("heading", "Die Fähre", 1),
        Block("metadata", f"{HEADER}\nAttachments: preise.csv, regeln.html"),
        Block("paragraph", "Sie fährt um 9."),
        Block("heading", "preise.csv", 2),
        Block("table", "| Linie | Preis |\n| --- | --- |\n| Blau | 2,40 |"),
        Block("heading", "regeln.html", 2),
        Block("heading", "regeln.html › Regeln", 3),
        Block("paragraph", "Fahrräder sind frei."),
        Block("heading", "regeln.html › Hunde", 4),
        Block("paragraph", "Nur angeleint."),
    )
    assert (parsed.format, parsed.reason, parsed.remedy) == ("eml", None, None)


def test_an_attached_pdf_keeps_its_pages_and_sheets_have_none() -> None:
    message = mail()
    attach(
        message, make_pdf([paragraph("Trains to the coast leave from platform four."), paragraph("Those to the hills do not.")]), "plan.pdf"
    )
    attach(message, workbook(Winter=[["Gate", "Hour"], ["7", "9"]]), "gates.xlsx")
    found = [(block.text, block.page, block.places) for block in parse(bytes(message), "a.eml").blocks[3:]]
    assert found == [
        ("plan.pdf", None, ()),
        ("Trains to the coast leave from platform four.", 1, ()),
        ("Those to the hills do not.", 2, ()),
        ("gates.xlsx", None, ()),
        ("gates.xlsx › Winter", None, ()),
        ("| Gate | Hour |\n| --- | --- |\n| 7 | 9 |", None, ()),
    ]


def attach(message: EmailMessage, data: bytes, name: str) -> None:
    message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)


def test_what_cannot_be_read_is_said_and_the_mail_is_read() -> None:
    message = mail()
    attach(message, b"\x89PNG\r\n\x1a\n", "foto.png")
    parsed = parse(bytes(message), "a.eml")
    assert parsed.blocks[2] == Block("paragraph", "Sie fährt um 9.")
    assert parsed.reason == "The attachment foto.png was not read. This is an image (.png), which is not supported."
    assert parsed.remedy == "Save these attachments, and add them in a format that is read."
    for number in range(9):
        attach(message, b"", f"leer{number}.txt")
    parsed = parse(bytes(message), "a.eml")
    assert str(parsed.reason).count("was not read.") == 3
    assert str(parsed.reason).endswith("7 more attachments were not read: leer2.txt, leer3.txt, leer4.txt, leer5.txt, leer6.txt, ….")
    assert parsed.remedy == "Save these attachments, and add them in a format that is read."


def test_an_attachment_that_is_read_in_part_says_so() -> None:
    message = mail()
    attach(message, b'{"berth": 4, // north\n}', "berths.json")
    reason = "The attachment berths.json was read in part. This is not valid JSON; it was read as text."
    assert parse(bytes(message), "a.eml").reason == reason


def test_a_defect_of_a_parser_costs_only_its_attachment(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> None:
        raise MemoryError if b"large" in data else RuntimeError

    monkeypatch.setattr("footnote.ingest.parse.delimited.parse", fail)
    message = mail()
    for name in ("large", "odd"):
        attach(message, name.encode(), f"{name}.csv")
    reason = str(parse(bytes(message), "a.eml").reason)
    assert "large.csv was not read. Reading this file takes more memory than allowed." in reason
    assert "odd.csv was not read. This file could not be read; it may be damaged." in reason


def test_an_attachment_that_takes_too_long_does_not_cost_the_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(data: bytes) -> None:
        while data:
            pass

    monkeypatch.setattr("footnote.ingest.parse.delimited.parse", hang)
    message = mail()
    attach(message, b"a,b", "slow.csv")
    attach(message, b"Nur bis Mai.", "saison.txt")
    signal.setitimer(signal.ITIMER_PROF, 1.0)
    try:
        parsed = parse(bytes(message), "a.eml")
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    assert re.fullmatch(r"The attachment slow\.csv was not read\. Reading this file took longer than 0\.\d+ s\.", str(parsed.reason))
    assert parsed.blocks[-1] == Block("paragraph", "Nur bis Mai.")


def test_images_that_the_text_shows_are_no_attachments() -> None:
    message = mail()
    message.add_alternative("<p>Sie fährt.</p><img src='cid:logo@example.org'>", subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG\r\n", maintype="image", subtype="png", cid="<logo@example.org>", filename="logo.png")  # type: ignore[union-attr, index]
    parsed = parse(bytes(message), "a.eml")
    assert (parsed.blocks[1:], parsed.reason) == ((Block("metadata", HEADER), Block("paragraph", "Sie fährt.")), None)
    message.make_mixed()
    message.add_attachment(b"\x89PNG\r\n", maintype="image", subtype="png", cid="<logo@example.org>", filename="logo.png")
    assert parse(bytes(message), "a.eml").reason is None
    message.add_attachment(b"\x89PNG\r\n", maintype="image", subtype="png", cid="<other@example.org>", filename="map.png")
    assert str(parse(bytes(message), "a.eml").reason).startswith("The attachment map.png was not read.")


def picture(width: int, height: int, kind: str = "png") -> bytes:
    """The beginning of an image of this size."""
    if kind == "gif":
        return b"GIF89a" + struct.pack("<HH", width, height)
    if kind == "bmp":
        return b"BM" + bytes(16) + struct.pack("<ii", width, -height)
    if kind == "jpeg":
        return b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(9)
    if kind == "webp":
        return b"RIFF" + bytes(width * height)
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)


@pytest.mark.parametrize("kind", ["png", "gif", "bmp", "jpeg", "webp"])
@pytest.mark.parametrize("name", ["shot", ""])
def test_a_large_image_that_the_text_shows_is_said_to_be_unread(kind: str, name: str) -> None:
    message = mail()
    message.add_alternative("<p>Der Fehler.</p><img src='cid:a@b'><img src='cid:c@d'>", subtype="html")
    named = {"filename": f"{name}.{kind}"} if name else {}
    related = message.get_payload()[1]  # type: ignore[index]
    related.add_related(picture(240, 120, kind), maintype="image", subtype=kind, cid="<a@b>", disposition="inline", **named)  # type: ignore[union-attr]
    related.add_related(picture(180, 90, kind), maintype="image", subtype=kind, cid="<c@d>", disposition="inline", filename="logo.x")  # type: ignore[union-attr]
    parsed = parse(bytes(message), "a.eml")
    assert parsed.blocks[-1].text == "Der Fehler."
    assert str(parsed.reason).count("was not read.") == 1
    assert str(parsed.reason).startswith(f"The attachment {name or 'attachment'}.")


INVITATION = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Werftrat\r\nDTSTART:20260304T090000\r\nLOCATION:Halle 2\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
EVENT = "- Event: Werftrat\n- When: 2026-03-04 09:00\n- Where: Halle 2"


@pytest.mark.parametrize("names", [(), ("termin.ics",), ("invite.ics", "anders.ics")], ids=["alone", "also attached", "attached twice"])
def test_an_invitation_is_read_once(names: tuple[str, ...]) -> None:
    message = mail()
    message.add_alternative("<p>Bitte kommen.</p>", subtype="html")
    message.add_alternative(INVITATION, subtype="calendar", params={"method": "REQUEST"})
    for name in names:
        message.add_attachment(INVITATION.replace("SUMM", "SUMM\r\n ").encode(), maintype="application", subtype="ics", filename=name)
    parsed = parse(bytes(message), "a.eml")
    assert [block.text for block in parsed.blocks].count(EVENT) == 1
    name = names[-1] if names else "invite.ics"
    assert parsed.blocks[1].text.endswith(f"\nAttachments: {name}")
    assert parsed.blocks[3:] == (Block("heading", name, 2), Block("heading", f"{name} › Werftrat", 3), Block("list", EVENT))


def test_other_kinds_of_text_without_a_name_are_read() -> None:
    message = mail()
    message.add_attachment(b"Linie,Preis\nBlau,3\n", maintype="text", subtype="csv", disposition="inline")
    assert parse(bytes(message), "a.eml").blocks[-1].text == "| Linie | Preis |\n| --- | --- |\n| Blau | 3 |"


ADDRESSES = "; ".join(f"Crew {number} <crew{number}@example.org>" for number in range(9))


@pytest.mark.parametrize(
    ("above", "fields"),
    [
        pytest.param("-----Original Message-----", f"From: Ada\nSent: 3 May 2025\nTo: {ADDRESSES}\nSubject: Key", id="Outlook"),
        pytest.param("________________________________", "Von: Ada\nGesendet: 3. Mai 2025\nAn: Bo", id="German"),
        pytest.param("", "보낸 사람: 아다\n날짜: 2025년 5월 3일", id="Korean"),
        pytest.param("", "> From: Ada\n> Date: 3 May 2025", id="marked"),
    ],
)
def test_the_header_of_a_quoted_mail_is_metadata(above: str, fields: str) -> None:
    quoted = "\n".join(filter(None, (above, fields)))
    text = f"It hangs here.\n\n{quoted}\n\nWhere is the key?\n"
    expected = [Block("paragraph", "It hangs here."), Block("metadata", quoted), Block("paragraph", "Where is the key?")]
    assert list(parse(bytes(mail(text=text)), "a.eml").blocks[2:]) == expected
    lines = [line.replace("<", "&lt;") for line in quoted.split("\n")]
    for shown in (f"<p>{'<br>'.join(lines)}</p>", "".join(f"<div>{line}</div>" for line in lines)):
        message = mail()
        message.add_alternative(f"<p>It hangs here.</p>{shown}<p>Where is the key?</p>", subtype="html")
        found = [block for block in parse(bytes(message), "a.eml").blocks[2:] if block.text != above]
        assert [(block.kind, block.text.removeprefix(f"{above}\n")) for block in found] == [
            ("paragraph", "It hangs here."),
            ("metadata", fields),
            ("paragraph", "Where is the key?"),
        ]


@pytest.mark.parametrize("text", ["From: the quay.", "Price: 3\nColour: blue", "From: Kiel\nTo: Oslo\nDate: 4 May", "Von: 9\n\nBis: 12"])
def test_other_lines_with_a_colon_stay_text(text: str) -> None:
    assert {block.kind for block in parse(bytes(mail(text=text)), "a.eml").blocks[2:]} == {"paragraph"}


def test_text_before_and_after_a_file_is_read_and_a_signature_is_not() -> None:
    parts = "".join(
        f"--x\nContent-Type: {kind}\n\n{body}\n"
        for kind, body in (
            ("text/plain", "Vorher."),
            ('text/plain; name="tide.txt"\nContent-Disposition: inline', "Flut um 3."),
            ("text/html", "<p>Nachher.</p>"),
            ("application/pdf", "endobj"),
        )
    )
    mixed = f'Content-Type: multipart/mixed; boundary="x"\n\n{parts}--x--\n'
    signature = "Content-Type: application/pgp-signature; name=signature.asc\n\n-----BEGIN PGP SIGNATURE-----\n"
    signed = f'Content-Type: multipart/signed; boundary="y"\n\n--y\n{mixed}--y\n{signature}--y--\n'
    parsed = parse(f"From: a@example.org\nSubject: Hafen\n{signed}".encode(), "a.eml")
    assert [block.text for block in parsed.blocks] == [
        "Hafen",
        "From: a@example.org\nAttachments: tide.txt, attachment.pdf",
        "Vorher.",
        "Nachher.",
        "tide.txt",
        "Flut um 3.",
    ]
    assert str(parsed.reason).startswith("The attachment attachment.pdf was not read. This PDF is damaged.")


def test_a_signature_of_a_mail_that_was_forwarded_is_no_attachment() -> None:
    message = mail()
    message.add_attachment(b"0\x82\x01", maintype="application", subtype="x-pkcs7-signature", filename="smime.p7s")
    assert (parse(bytes(message), "a.eml").blocks[1], parse(bytes(message), "a.eml").reason) == (Block("metadata", HEADER), None)


def test_mails_are_read_three_deep_however_they_are_attached() -> None:
    inner = mail("Tiefe 5", "Text 5\n")
    for depth in (4, 3, 2, 1):
        outer = mail(f"Tiefe {depth}", f"Text {depth}\n")
        if depth % 2:
            outer.add_attachment(inner)
        else:
            attach(outer, bytes(inner), f"tiefe {depth + 1}.eml")
        inner = outer
    parsed = parse(bytes(inner), "a.eml")
    assert [block.text for block in parsed.blocks if block.kind == "paragraph"] == ["Text 1", "Text 2", "Text 3"]
    assert [(block.text, block.level) for block in parsed.blocks if block.kind == "heading"] == [
        ("Tiefe 1", 1),
        ("Tiefe 2", 2),
        ("Tiefe 3", 3),
    ]
    assert str(parsed.reason).endswith("was not read. Attachments of attachments are read 3 deep.")


def test_a_mail_with_very_many_attachments_or_levels_is_read_within_limits() -> None:
    message = mail()
    for number in range(1_010):
        attach(message, f"Boje {number}".encode(), f"../../b{number}.txt")
    parsed = parse(bytes(message), "a.eml")
    assert [block.text for block in parsed.blocks[-2:]] == ["b999.txt", "Boje 999"]
    assert "The attachment b1000.txt was not read. There are too many attachments." in str(parsed.reason)
    nested = b"Subject: 99\n\ndeep"
    for number in range(100):
        nested = b"Subject: %d\nContent-Type: message/rfc822\n\n" % (98 - number) + nested
    assert len([block for block in parse(nested, "a.eml").blocks if block.kind == "heading"]) == 3
    with pytest.raises(UnreadableFile, match=r"^The parts of this mail are nested too deeply"):
        parse(b"Content-Type: message/rfc822\n\n" * 5_000 + b"Subject: x\n\nText", "a.eml")


def test_an_attached_mail_without_a_subject_is_a_section_too() -> None:
    message = mail()
    message.add_attachment(mail("", "Ohne Betreff.\n"))
    headings = [(block.text, block.level) for block in parse(bytes(message), "a.eml").blocks if block.kind == "heading"]
    assert headings == [("Die Fähre", 1), ("–", 2)]


def test_a_mail_within_a_mail_is_read_below_it() -> None:
    message = mail()
    message.add_attachment(mail("배 시간표", "아홉 시에 떠납니다.\n"))
    blocks = parse(bytes(message), "a.eml").blocks
    assert blocks[3:] == (Block("heading", "배 시간표", 2), Block("metadata", HEADER), Block("paragraph", "아홉 시에 떠납니다."))


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
        ("metadata", HEADER),
        ("paragraph", "Sie fährt um 9."),
        ("heading", "Second"),
        ("metadata", HEADER),
        ("paragraph", "One line.\nFrom here on.\nFrom there: no mail."),
    ]
    assert (parsed.format, parsed.title) == ("mbox", "inbox 2022")


def test_the_mails_of_a_mailbox_have_their_attachments_below_them() -> None:
    with_file, without_subject = mail("First"), mail("", "No subject.\n")
    attach(with_file, b"Gate 7", "gate.txt")
    data = b"".join(b"From joerg@example.org Fri Dec 16 17:04:16 2022\n" + bytes(each) + b"\n" for each in (with_file, without_subject))
    parsed = parse(data, "inbox.mbox")
    assert [(block.text, block.level) for block in parsed.blocks if block.kind != "metadata"] == [
        ("First", 1),
        ("Sie fährt um 9.", 0),
        ("First › gate.txt", 2),
        ("Gate 7", 0),
        ("–", 1),
        ("No subject.", 0),
    ]
    assert parsed.records == (0, 5)


def report(kind: str, text: str, returned: str) -> bytes:
    parts = ("text/plain\n\nYour mail came back.", f"message/{kind}\n\n{text}", returned)
    body = "".join(f"--x\nContent-Type: {part}\n" for part in parts)
    head = "From: MAILER-DAEMON@example.org\nTo: ida@example.org\nSubject: Undelivered"
    return f'{head}\nMIME-Version: 1.0\nContent-Type: multipart/report; boundary="x"\n\n{body}--x--\n'.encode()


RETURNED = "text/rfc822-headers\n\nFrom: ida@example.org\nTo: ole@example.org\nSubject: Key for hut 6\nReceived: by mx.example.org\n"


@pytest.mark.parametrize("kind", ["delivery-status", "global-delivery-status", "disposition-notification", "feedback-report"])
def test_why_a_mail_was_not_delivered_is_read(kind: str) -> None:
    text = (
        "Reporting-MTA: dns; mx.example.org\nX-Note:\n\nFinal-Recipient: rfc822; ole@example.org\n"
        "Diagnostic-Code: smtp; 552 Mailbox full,\n quota of 2 GB für Ole\n"
    )
    assert parse(report(kind, text, RETURNED), "a.eml").blocks[2:] == (
        Block("paragraph", "Your mail came back."),
        Block("list", "- Reporting-MTA: dns; mx.example.org"),
        Block("list", "- Final-Recipient: rfc822; ole@example.org\n- Diagnostic-Code: smtp; 552 Mailbox full, quota of 2 GB für Ole"),
        Block("heading", "Key for hut 6", 2),
        Block("metadata", "From: ida@example.org\nTo: ole@example.org"),
    )


def test_lines_of_a_report_that_are_no_fields_are_kept() -> None:
    parsed = parse(report("delivery-status", "Action: failed\n550-not here, write\n550 to Ida\nStatus: 5.0.0\n", RETURNED), "a.eml")
    assert [block.text for block in parsed.blocks if block.kind == "list"] == [
        "- Action: failed",
        "- 550-not here, write\n- 550 to Ida\n- Status: 5.0.0",
    ]


@pytest.mark.parametrize("kind", ["message/global", "message/news"])
def test_a_returned_mail_of_another_type_is_read_as_a_mail(kind: str) -> None:
    parsed = parse(report("delivery-status", "Action: failed\n", f"{kind}\n\nFrom: ida@example.org\nSubject: Hut\n\nAt 9.\n"), "a.eml")
    assert [block.text for block in parsed.blocks[-3:]] == ["Hut", "From: ida@example.org", "At 9."]


def test_flowed_text_has_no_gap_where_its_lines_were_divided() -> None:
    head = "From: a@example.org\nSubject: Hut\nContent-Type: text/plain; format=flowed; delsp=yes\n\n"
    assert parse(f"{head}It lies with the Pfört \nner.\n".encode(), "a.eml").blocks[-1].text == "It lies with the Pförtner."


def test_a_text_that_is_encrypted_is_said_to_be_unread() -> None:
    parsed = parse(bytes(mail(text="Look:\n-----BEGIN PGP MESSAGE-----\n\nhQEMA5\n-----END PGP MESSAGE-----\n")), "a.eml")
    assert [block.text for block in parsed.blocks[1:]] == [f"{HEADER}\nAttachments: encrypted.asc", "Look:"]
    assert parsed.reason == ("The attachment encrypted.asc was not read. This is an encrypted message, which is not supported.")
    assert parsed.remedy == "Decrypt it and add the result."
