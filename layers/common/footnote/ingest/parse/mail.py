"""Parses e-mails, and web pages saved as MHTML: sender, recipients, date, text and attachments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from functools import cache
from typing import cast

from footnote.errors import UnreadableFile
from footnote.ingest.parse import html
from footnote.ingest.parse.attached import MAX_DEPTH, Attached, Attachments, Letter, too_deep
from footnote.ingest.parse.decode import decode, spaced
from footnote.ingest.parse.mail_text import unflowed, without_pgp
from footnote.ingest.parse.picture_size import is_small
from footnote.ingest.parse.quoted_mail import html_body, plain_body
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_SHOWN = ("From", "To", "Cc", "Date")
_TEXTS = ("text/html", "text/plain")
_FILES = ("application", "audio", "image", "model", "text", "video")
"""Main types of what is a file even without a name, unless it is one of _TEXTS."""
_CALENDAR, _INVITATION = "text/calendar", "invite.ics"
"""The type of an invitation, and what mail programs call it where it has no name."""
_MAILS = frozenset(("message/rfc822", "message/global", "message/news"))
_HEADERS = frozenset(("text/rfc822-headers", "message/global-headers"))
"""The types of a mail's header without its text, which comes back with what could not be delivered."""
_REPORTS = frozenset(
    f"message/{kind}"
    for kind in (
        "delivery-status",
        "global-delivery-status",
        "disposition-notification",
        "global-disposition-notification",
        "feedback-report",
        "tracking-status",
    )
)
"""What mail programs report about a mail, as groups of fields: whether it was delivered and why not, whether it was read."""
_ENCRYPTED = "encrypted.asc"
"""What mail programs call a text that is encrypted."""
_SIGNATURES = frozenset(("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"))


def parse(data: bytes) -> Parsed:
    """Parses an e-mail, or a web page saved as MHTML."""
    return to_parsed(read_letter(data))


def read_letter(data: bytes) -> Letter:
    """Reads an e-mail, with what is attached to it."""
    once = policy.default.clone(header_factory=cache(HeaderRegistry()))  # the library parses a header whenever it is read
    try:
        return _letter(message_from_bytes(data.lstrip(), policy=once), 1)
    except RecursionError as exc:
        raise UnreadableFile("The parts of this mail are nested too deeply.", "Save what is attached to it, and add that.") from exc


def to_parsed(letter: Letter) -> Parsed:
    """An e-mail's blocks, then those of what is attached; its subject is the title."""
    attachments = Attachments()
    blocks = tuple(attachments.blocks(letter))
    return attachments.parsed(blocks, usable_title(letter.subject) or html.first_heading(blocks))


def encrypted_texts(texts: Iterable[str]) -> list[Attached]:
    """What is encrypted in a mail's text, as files, so that it is said that they are not read."""
    return [Attached(_ENCRYPTED, text.encode()) for text in texts]


def shows(source: str, content_id: str) -> bool:
    """Whether a text in HTML shows the image with this id. If it is small, such as a logo in a signature, it is no attachment."""
    return bool(content_id) and f"cid:{content_id}" in source


@dataclass(slots=True)
class _Found:
    """What is in a part of an e-mail: its text, and that as HTML; files; encrypted texts; whether HTML is among the texts."""

    body: list[Block] = field(default_factory=list)
    source: str = ""
    files: list[EmailMessage] = field(default_factory=list)
    encrypted: list[str] = field(default_factory=list)
    is_html: bool = False

    def add(self, other: _Found) -> None:
        self.body += other.body
        self.source += other.source
        self.files += other.files
        self.encrypted += other.encrypted
        self.is_html |= other.is_html


def _letter(message: EmailMessage, depth: int) -> Letter:
    found = _find(message)
    files = [part for part in found.files if not (_is_image(part) and shows(found.source, _id(part)) and is_small(_bytes(part)))]
    return Letter(
        _header(message, "Subject"),
        [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))],
        found.body,
        [
            *(Attached(_name(part), _content(part, depth), part.get_content_type()) for part in _without_copies(files)),
            *encrypted_texts(found.encrypted),
        ],
    )


def _without_copies(files: list[EmailMessage]) -> list[EmailMessage]:
    """The files without an invitation that is also attached: some programs send it as an alternative of the text and as a file."""
    calendars = {b"".join(_bytes(part).split()): part for part in files if _is_calendar(part)}  # of equal ones the last, the file
    return [part for part in files if not _is_calendar(part) or part in calendars.values()]


def _header(message: EmailMessage, name: str) -> str:
    try:
        return spaced(str(message.get(name) or ""))
    except (ValueError, TypeError, LookupError, AttributeError, IndexError):  # the library fails on some malformed headers
        return spaced(next((value for key, value in message.raw_items() if key.lower() == name.lower()), ""))


def _find(part: EmailMessage) -> _Found:
    """The text and the files of a part and those in it; of alternatives the one in HTML, if it is not empty, because it keeps headings,
    lists and tables."""
    kind = part.get_content_type()
    if not part.is_multipart() or kind in _MAILS or kind in _HEADERS:
        return _leaf(part)
    if kind in _REPORTS:
        return _Found([Block("list", "\n".join(fields)) for fields in _report(part) if fields])
    parts = cast(list[EmailMessage], part.get_payload())
    if kind == "multipart/signed":  # the second one is the signature
        parts = parts[:1]
    found = [_find(each) for each in parts]
    if kind == "multipart/alternative":
        with_text = [each for each in found if each.body]
        best = next((each for each in with_text if each.is_html), with_text[0] if with_text else _Found())
        files = (file for each in found for file in each.files)
        best.files = [file for file in files if _is_named(file) or _is_image(file)]  # the others are the text in further forms
        return best
    if kind == "multipart/related":  # what the first one is made of
        for each in found[1:]:
            each.files = [file for file in each.files if file.is_attachment() or _is_told(file)]
    whole = _Found()
    for each in found:
        whole.add(each)
    return whole


def _leaf(part: EmailMessage) -> _Found:
    kind = part.get_content_type()
    if kind in _TEXTS and not part.is_attachment() and not (_is_named(part) and part.get_content_disposition()):
        return _text(part)
    if kind in _SIGNATURES:
        return _Found()
    is_file = kind in _MAILS or kind in _HEADERS or part.is_attachment() or _is_named(part) or part.get_content_maintype() in _FILES
    return _Found(files=[part] if is_file else [])


def _text(part: EmailMessage) -> _Found:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return _Found()
    text = decode(payload, part.get_content_charset())
    if part.get_content_type() == "text/html":
        body = html_body(text)
        return _Found(body, text, is_html=bool(body))
    if str(part.get_param("format", "")).lower() == "flowed":
        text = unflowed(text, deletes_space=str(part.get_param("delsp", "")).lower() == "yes")
    text, encrypted = without_pgp(text)
    return _Found(plain_body(text), encrypted=encrypted)


def _report(part: EmailMessage) -> Iterator[list[str]]:
    """The groups of fields in a report: first about the mail, then about each recipient. The library reads the fields of some types, and
    up to the first line that is none."""
    for group in cast(list[EmailMessage], part.get_payload()):
        yield _items(f"{name}: {value}" for name, value in group.raw_items() if value.strip())
        rest = re.sub(r"\r?\n[ \t]+(?=\S)", " ", _bytes(group).decode("utf-8", "replace"))
        for further in re.split(r"\n\s*\n", rest):
            yield _items(further.split("\n"))


def _items(lines: Iterable[str]) -> list[str]:
    written = (spaced(line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")) for line in lines)
    return [f"- {line}" for line in written if line]


def _content(part: EmailMessage, depth: int) -> bytes | Letter | UnreadableFile:
    kind = part.get_content_type()
    inner = cast(list[EmailMessage], part.get_payload())[:1] if part.is_multipart() and (kind in _MAILS or kind in _HEADERS) else []
    if not inner and kind in _HEADERS:
        inner = [message_from_bytes(_bytes(part).lstrip(), policy=part.policy)]
    if inner:
        return _letter(inner[0], depth + 1) if depth < MAX_DEPTH else too_deep()
    return _bytes(part)


def _bytes(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _is_told(part: EmailMessage) -> bool:
    """Whether what a text in HTML is made of is a file of its own: no style sheet or logo. Images of saved pages have no id."""
    return bool(_id(part)) and not is_small(_bytes(part)) if _is_image(part) else _is_named(part)


def _is_image(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "image"


def _is_calendar(part: EmailMessage) -> bool:
    return part.get_content_type() == _CALENDAR or _name(part).lower().endswith(".ics")


def _is_named(part: EmailMessage) -> bool:
    return bool(_name(part))


def _name(part: EmailMessage) -> str:
    try:
        return spaced(part.get_filename() or "") or (_INVITATION if part.get_content_type() == _CALENDAR else "")
    except (ValueError, TypeError, LookupError, AttributeError, IndexError):  # malformed, as in `_header`
        return ""


def _id(part: EmailMessage) -> str:
    return _header(part, "Content-ID").strip("<> ")
