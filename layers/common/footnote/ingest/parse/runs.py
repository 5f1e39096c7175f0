"""Joins the runs of a paragraph, of which some are raised or lowered, and some are equations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

from footnote.ingest.parse.superscript import subscript, superscript

_CONTEXT = 60
"""Characters of the text before that decide what raised text is."""


class Raised(str):
    """Text above the line: a power, an ordinal, the marker of a note."""

    __slots__ = ()


class Lowered(str):
    """Text below the line: an index."""

    __slots__ = ()


class Formula(str):
    """An equation in a sentence, which has a space between it and a word."""

    __slots__ = ()


def run_of(text: str, position: str) -> str:
    """Text as a part of `joined`. `position`: `super…` or `sub…`, as office formats name it; anything else is on the line."""
    if type(text) is not str:
        return text
    return Raised(text) if position.startswith("super") else Lowered(text) if position.startswith("sub") else text


_PLAIN = {str}


def joined(texts: Sequence[str], notes: Collection[str] = ()) -> str:
    """The text of a paragraph. Raised text keeps apart from what is before it. `notes`: the markers of the document's notes."""
    if set(map(type, texts)) <= _PLAIN:
        return "".join(texts)
    pieces = [(kind, "".join(group)) for kind, group in groupby(texts, type)]
    line: list[str] = []
    before = ""
    for at, (kind, text) in enumerate(pieces):
        after = pieces[at + 1][1] if at + 1 < len(pieces) else ""
        if kind is Formula:
            text = f"{' ' * before[-1:].isalnum()}{text}{' ' * after[:1].isalnum()}"
        elif kind is Raised:
            text = superscript(text, before.rpartition("\0")[2], after, notes=notes)
        elif kind is Lowered:
            text = subscript(text, before)
        line.append(text)
        before = (before + text)[-_CONTEXT:]
    return "".join(line)
