"""The text of a mail, with the headers of the mails that it quotes set apart: they are about those mails and no text.

Such a header is two or more consecutive lines “Name: value”, one of which names the sender, with the line of dashes above it. “From” and
“Von” alone may be of a journey: such lines are marked as quoted, or one of them is named as only mails name it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from footnote.ingest.parse import html, plain
from footnote.types import Block

_FIELD = re.compile(r"[\s>*]*([^\W\d_][\w -]{0,25}?)\s?\*?[:：]\*?[ \t]+\S")
_RULE = re.compile(r"[\s>]*[-_]{3,}(?:[^-_\n]{1,60}-{3,})?\s*")
_SENDER = frozenset(("from", "von", "보낸 사람", "보낸사람", "발신", "발신자"))
"""What mail programs call the sender of a mail that they quote."""
_OF_MAILS = frozenset(("sent", "subject", "gesendet", "betreff", "보낸 사람", "보낸사람", "보낸 날짜", "제목"))
"""Names of fields that only mails have."""


def plain_body(text: str) -> list[Block]:
    """The blocks of a mail's plain text."""
    blocks: list[Block] = []
    for is_header, lines in _parts(text.split("\n")):
        blocks += [_header(lines)] if is_header else plain.parse_text("\n".join(lines)).blocks
    return blocks


def html_body(text: str) -> list[Block]:
    """The blocks of a mail's text in HTML."""
    return set_apart(html.parse_text(text).blocks)


def set_apart(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with quoted headers set apart, whether the fields are lines of a paragraph or paragraphs."""
    found: list[Block] = []
    for is_fields, group in groupby(blocks, _has_only_fields):
        members = list(group)
        lines = [line for block in members for line in block.text.split("\n")] if is_fields else []
        if is_fields and _is_header(lines):
            found.append(_header(lines))
            continue
        for block in members:
            parts = list(_parts(block.text.split("\n"))) if block.kind == "paragraph" else []
            is_mixed = any(is_header for is_header, _ in parts)
            found += (
                [_header(part) if is_header else Block("paragraph", "\n".join(part)) for is_header, part in parts] if is_mixed else [block]
            )
    return found


def _parts(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines in parts that are a quoted header or none."""
    text: list[str] = []
    for is_field, group in groupby(lines, lambda line: _FIELD.match(line) is not None):
        members = list(group)
        has_rule = bool(text) and _RULE.fullmatch(text[-1]) is not None
        if not (is_field and _is_header(members, is_marked=has_rule)):
            text += members
            continue
        rule = [text.pop()] if has_rule else []
        if any(map(str.strip, text)):
            yield False, text
        yield True, rule + members
        text = []
    if any(map(str.strip, text)):
        yield False, text


def _is_header(lines: Sequence[str], *, is_marked: bool = False) -> bool:
    names = {match[1].lower() for line in lines if (match := _FIELD.match(line))}
    is_marked = is_marked or all(line.lstrip().startswith(">") for line in lines)
    return len(names) > 1 and not _SENDER.isdisjoint(names) and (is_marked or not _OF_MAILS.isdisjoint(names))


def _has_only_fields(block: Block) -> bool:
    return block.kind == "paragraph" and all(map(_FIELD.match, block.text.split("\n")))


def _header(lines: Sequence[str]) -> Block:
    return Block("metadata", "\n".join(line.strip() for line in lines))
