"""`structure`: a passage stays within its section if it can, ends at a paragraph end if it can, and has at most `max_tokens`. Sections
that are too small to be found alone are joined with neighbours under the same heading.

`table`: the rows of a table in groups of a few, each with the header; everything else as by `structure`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import ceil

from footnote.ingest.chunk.passages import Cutting, Passage, Path, Section
from footnote.ingest.pieces import Piece, column_groups, divide, rows_of, size

SMALL = 40
"""Tokens; a smaller passage is joined with a neighbour if possible."""
_ROOM = 0.35
"""A passage filled less than this takes the first sentences of a paragraph that does not fit as a whole."""
TINY_SECTION = 0.25
"""The usual `tiny` of `pack`."""
_HALF_FULL = 0.5
"""A passage filled less than this takes a small passage of the next section."""
ROWS = 10
"""Most rows in a passage."""


def by_structure(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """Passages along headings and paragraphs."""
    return pack(sections, cutting.max_tokens, cutting.lang)


def pack(sections: Sequence[Section], max_tokens: int, lang: str, tiny: float = TINY_SECTION) -> list[Passage]:
    """Fills passages section by section, then joins those that are too small. `tiny`: a passage filled less than this share takes the
    whole next section, if that fits; one below SMALL always does."""
    done: list[Passage] = []
    open_ = Passage()
    path_before: Path = ()
    for section in sections:
        if open_.paths and not _may_take(open_, path_before, section, max_tokens, tiny):
            open_ = _close(open_, done)
        path_before = section.path
        waiting = deque(section.pieces)
        while waiting:
            piece = waiting.popleft()
            if open_.size_with(piece) <= max_tokens:
                open_.add(piece, section.path)
                continue
            lead = _leading(open_)
            if groups := column_groups(piece, max_tokens, min(size(lead), max_tokens // 4)):
                if lead and size([*lead, *groups[0]]) <= max_tokens:
                    groups[0] = [*lead, *groups[0]]
                    open_ = Passage(open_.pieces[: -len(lead)], open_.paths)
                _close(open_, done, keep=False)
                done += [Passage(group, [section.path]) for group in groups]
                open_ = Passage()
                continue
            filled = open_.tokens
            is_text = piece.kind == "paragraph"
            if piece.tokens > max_tokens or not open_.paths or (is_text and filled < _ROOM * max_tokens):
                parts = divide(piece, max_tokens, lang)
                if len(parts) > 1 and (not open_.paths or filled < _ROOM * max_tokens or open_.size_with(parts[0]) <= max_tokens):
                    waiting.extendleft(reversed(parts))
                    continue
            if not open_.pieces:  # a single character exceeds the limit and cannot be divided
                open_.add(piece, section.path)
                continue
            open_ = _close(open_, done, keep=bool(open_.paths))
            waiting.appendleft(piece)
    _close(open_, done, keep=False)
    return _join_small(done, max_tokens)


def _close(passage: Passage, done: list[Passage], *, keep: bool = True) -> Passage:
    """Ends a passage; trailing pieces that must stay with the text that follows open the next one."""
    cut = len(passage.pieces) - (len(_leading(passage)) if keep else 0) or len(passage.pieces)
    if passage.pieces:
        done.append(Passage(passage.pieces[:cut], passage.paths))
    return Passage(passage.pieces[cut:])


def _leading(passage: Passage) -> list[Piece]:
    """The last pieces of a passage that must stay with the text that follows."""
    cut = len(passage.pieces)
    while cut and passage.pieces[cut - 1].keep_with_next:
        cut -= 1
    return passage.pieces[cut:]


def _may_take(passage: Passage, path: Path, section: Section, max_tokens: int, tiny: float) -> bool:
    """Whether a passage that is still small may continue with a related section that fits."""
    fits = passage.tokens + size(section.pieces) <= max_tokens
    return fits and passage.tokens < max(tiny * max_tokens, SMALL) and _related(path, section.path)


def _related(path: Path, following: Path) -> bool:
    """Whether both have the same parent heading, or the second is below the first."""
    return path[:-1] == following[:-1] or following[: len(path)] == path


def _join_small(passages: list[Passage], max_tokens: int) -> list[Passage]:
    """Joins a small passage with the previous one, or moves some of that one's last pieces to it, if they are related."""
    joined: list[Passage] = []
    for passage in passages:
        before = joined[-1] if joined else None
        if before is None or passage.tokens >= SMALL or not _are_neighbours(before, passage, max_tokens):
            joined.append(passage)
        elif size([*before.pieces, *passage.pieces]) <= max_tokens:
            joined[-1] = Passage([*before.pieces, *passage.pieces], list(dict.fromkeys([*before.paths, *passage.paths])))
        else:
            if before.paths == passage.paths:
                _even_out(before, passage)
            joined.append(passage)
    return joined


def _are_neighbours(before: Passage, passage: Passage, max_tokens: int) -> bool:
    """Whether both are of one section, or of related sections and the first is less than half full."""
    if not before.paths or not passage.paths:
        return False
    if before.pieces[-1].block == passage.pieces[0].block and before.pieces[-1].start > passage.pieces[0].start:
        return False  # another part of one table, with the header again
    last, first = before.paths[-1], passage.paths[0]
    return last == first or (_related(last, first) and before.tokens < _HALF_FULL * max_tokens)


def _even_out(before: Passage, passage: Passage) -> None:
    """Moves pieces from the end of one passage to the start of the next until that is no longer small."""
    while len(before.pieces) > 1 and passage.tokens < SMALL:
        last = before.pieces[-1]
        if size(before.pieces[:-1]) < SMALL or before.pieces[-2].keep_with_next:
            return
        passage.pieces.insert(0, before.pieces.pop())
        before.tokens, passage.tokens = size(before.pieces), size(passage.pieces)
        if last.block != passage.pieces[1].block and passage.tokens >= SMALL:
            return


def by_rows(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """Passages of at most ROWS rows of a table, and passages of the text between tables. What leads in to a table, such as its caption,
    is in the passage of its first rows."""
    done: list[Passage] = []
    prose: list[Section] = []
    for section in sections:
        pieces: list[Piece] = []
        for piece in section.pieces:
            if piece.kind != "table":
                pieces.append(piece)
                continue
            cut = len(pieces)
            while cut and pieces[cut - 1].keep_with_next:
                cut -= 1
            if pieces[:cut]:
                prose.append(Section(section.path, tuple(pieces[:cut])))
            done += pack(prose, cutting.max_tokens, cutting.lang) + _groups(pieces[cut:], piece, section, cutting)
            prose, pieces = [], []
        if pieces:
            prose.append(Section(section.path, tuple(pieces)))
    return done + pack(prose, cutting.max_tokens, cutting.lang)


def _groups(lead: Sequence[Piece], table: Piece, section: Section, cutting: Cutting) -> list[Passage]:
    rows = rows_of(table, cutting.max_tokens)
    if not rows or not rows[0].opening:  # a single row, or too wide for it
        rows = [table]
    each = ceil(len(rows) / ceil(len(rows) / ROWS))  # equally many, so that the last group is not a single row
    done: list[Passage] = []
    for at in range(0, len(rows), each):
        group = rows[at : at + each] if at else [*lead, *rows[:each]]
        done += pack([Section(section.path, tuple(group))], cutting.max_tokens, cutting.lang)
    return done
