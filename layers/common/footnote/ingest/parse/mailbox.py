"""Parses mailboxes (.mbox): e-mails one after the other, each under its subject, with what is attached to it."""

from __future__ import annotations

import re

from footnote.ingest.parse.attached import Attachments
from footnote.ingest.parse.mail import read_letter
from footnote.types import Block, Parsed

_START = re.compile(rb"^From \S+ [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[\w-]+:)", re.MULTILINE)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MAX_TEXT = 20_000_000
"""Characters after which no further e-mail is read; the file's text is cut off at half of it."""


def parse(data: bytes) -> Parsed:
    """Parses a mailbox (.mbox)."""
    starts = [match.end() for match in _START.finditer(data)]
    ends = [match.start() for match in _START.finditer(data)][1:]
    blocks: list[Block] = []
    records: list[int] = []
    attachments = Attachments()
    length = 0
    for start, end in zip(starts, [*ends, len(data)], strict=True):
        found = list(attachments.blocks(read_letter(_QUOTED.sub(rb"\1", data[start:end])), is_one_of_many=True))
        records.append(len(blocks))
        blocks += found
        length += sum(len(block.text) for block in found)
        if length > _MAX_TEXT:
            break
    return attachments.parsed(blocks, records=records)
