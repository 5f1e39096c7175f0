"""Recognises logs: records of one line or more, each of which begins with a time. What follows it without a time, such as a stack trace,
belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.types import Block

_STAMP = re.compile(r"(?=\S).{0,60}?(?<!\d)\d{1,2}:\d{1,2}:\d{1,2}(?!\d)")
"""A time of day, after a date, a level, the name of a file or host, an address."""
_SHARE = 1 / 3
"""Of the lines that are not indented, at least so many begin a record: each may be followed by a cause, or the end of a trace."""
_FEWEST = 3


def records(lines: Sequence[str]) -> list[Block]:
    """The records of a log, each an item of a list; [] if the lines are no log. A record of several lines is a block of its own, so that it
    stays whole."""
    written = [line.rstrip() for line in lines if line.strip()]
    if not written or not _STAMP.match(written[0]):
        return []
    begins = [_STAMP.match(line) is not None for line in written]
    if sum(begins) < max(_FEWEST, _SHARE * sum(not line[0].isspace() for line in written)):
        return []
    return list(_blocks(written, begins))


def _blocks(lines: Sequence[str], begins: Sequence[bool]) -> Iterator[Block]:
    starts = [number for number, is_start in enumerate(begins) if is_start]
    single: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if end - start == 1:
            single.append(f"- {lines[start]}")
            continue
        if single:
            yield Block("list", "\n".join(single))
            single = []
        yield Block("list", "\n".join((f"- {lines[start]}", *(f"  {line}" for line in lines[start + 1 : end]))))
    if single:
        yield Block("list", "\n".join(single))
