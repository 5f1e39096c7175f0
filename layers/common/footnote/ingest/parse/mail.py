"""Parses e-mails, and web pages saved as MHTML: sender, recipients, date, text and the names of attachments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from footnote.ingest.parse import html, plain
from footnote.ingest.parse.decode import decode, spaced
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_SHOWN = ("From", "To", "Cc", "Date")
_MAX_DEPTH = 3
"""Maximum depth of attached e-mails that are read."""


@dataclass
class Letter:
    """What is read of an e-mail. `fields`: lines such as `From: …`; `attachments`: names of files; `attached`: e-mails."""

    subject: str
    fields: list[str]
    body: list[Block]
    attachments: list[str] = field(default_factory=list)
    attached: list[Letter] = field(default_factory=list)


def parse(data: bytes) -> Parsed:
    """Parses an e-mail, or a web page saved as MHTML."""
    return to_parsed(read_letter(data.lstrip()))


def read_letter(data: bytes) -> Letter:
    """Reads an e-mail, with those attached to it."""
    return _letter(message_from_bytes(data, policy=policy.default), 1)


def to_parsed(letter: Letter) -> Parsed:
    """An e-mail's blocks, then those of the attached ones; its subject is the title."""
    blocks = tuple(_blocks(letter, 1))
    return Parsed(blocks, usable_title(letter.subject) or html.first_heading(blocks))


def _blocks(letter: Letter, depth: int) -> Iterator[Block]:
    if letter.subject:
        yield Block("heading", letter.subject, depth)
    if letter.fields:
        yield Block("paragraph", "\n".join(letter.fields))
    yield from letter.body
    if letter.attachments:
        yield Block("paragraph", f"Attachments: {', '.join(letter.attachments)}")
    for attached in letter.attached if depth < _MAX_DEPTH else ():
        yield from _blocks(attached, depth + 1)


def _letter(message: EmailMessage, depth: int) -> Letter:
    attached = [part for part in _leaves(message) if part.get_content_type() == "message/rfc822" or part.get_filename()]
    mails = [part for part in attached if depth < _MAX_DEPTH and part.get_content_type() == "message/rfc822"]
    return Letter(
        _header(message, "Subject"),
        [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))],
        [block for part in _body(message) for block in part],
        [name for part in attached if (name := spaced(part.get_filename() or ""))],
        [_letter(payload, depth + 1) for part in mails for payload in cast(list[EmailMessage], part.get_payload())[:1]],
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        return spaced(str(message.get(name) or ""))
    except (ValueError, TypeError, LookupError, AttributeError, IndexError):  # the library fails on some malformed headers
        return spaced(next((value for key, value in message.raw_items() if key.lower() == name.lower()), ""))


def _leaves(message: EmailMessage) -> Iterator[EmailMessage]:
    """All leaf parts, not including those of attached e-mails."""
    stack = [message]
    while stack:
        part = stack.pop()
        if part.is_multipart() and part.get_content_type() != "message/rfc822":
            stack.extend(reversed(cast(list[EmailMessage], part.get_payload())))
        else:
            yield part


def _body(message: EmailMessage) -> Iterator[list[Block]]:
    """The HTML text, if it is not empty, because it keeps headings, lists and tables; else the plain text."""
    for kind in ("text/html", "text/plain"):
        found = [_read(part) for part in _leaves(message) if part.get_content_type() == kind and not part.is_attachment()]
        if any(found):
            yield from found
            return


def _read(part: EmailMessage) -> list[Block]:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return []
    text = decode(payload, part.get_content_charset())
    return list(html.parse_text(text).blocks if part.get_content_type() == "text/html" else plain.parse_text(text).blocks)
