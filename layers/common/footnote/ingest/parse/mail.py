"""Parses e-mails, and web pages saved as MHTML: sender, recipients, date, text and the names of attachments."""

from __future__ import annotations

from collections.abc import Iterator
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


def parse(data: bytes) -> Parsed:
    """Parses an e-mail, or a web page saved as MHTML."""
    message = message_from_bytes(data.lstrip(), policy=policy.default)
    blocks = list(_blocks(message, 1))
    return Parsed(tuple(blocks), usable_title(_header(message, "Subject")) or html.first_heading(blocks))


def _blocks(message: EmailMessage, depth: int) -> Iterator[Block]:
    subject = _header(message, "Subject")
    if subject:
        yield Block("heading", subject, depth)
    lines = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    if lines:
        yield Block("paragraph", "\n".join(lines))
    body = _body(message)
    yield from (body_block for part in body for body_block in part)
    attached = [part for part in _leaves(message) if part.get_content_type() == "message/rfc822" or part.get_filename()]
    names = [name for part in attached if (name := spaced(part.get_filename() or ""))]
    if names:
        yield Block("paragraph", f"Attachments: {', '.join(names)}")
    for part in attached if depth < _MAX_DEPTH else ():
        if part.get_content_type() == "message/rfc822":
            yield from (inner for payload in cast(list[EmailMessage], part.get_payload())[:1] for inner in _blocks(payload, depth + 1))


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
