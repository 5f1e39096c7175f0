"""The pieces that chunks are made of: a whole block if it fits, else its rows, lines, sentences or halves."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from footnote.text.sentences import split_sentences
from footnote.text.tokens import WIDEST, count_tokens
from footnote.types import Block, BlockKind, Part, Place

MOST_TOKENS = 2000
"""Of a passage, whatever the settings are."""
BAR = re.compile(r"(?<!\\)\|")
"""The border of two cells in a row of Markdown."""


@dataclass(frozen=True)
class Piece:
    """A block or a part of it.

    `glue`: separates it from the previous part of the block. `opening`: a table's header, or row and column of a cell, which precedes
    the piece where it starts a chunk or follows one with another opening."""

    block: int
    """The number of its block, -1 = none. Parts of one block are joined by their glue, blocks by an empty line."""
    kind: BlockKind
    text: str
    page: int | None = None
    start: int = 0
    """Offset of `text` in the block's text."""
    places: tuple[Place, ...] = ()
    """The places of the whole block."""
    glue: str = ""
    opening: str = ""
    opened_at: int = 0
    """Offset of `opening` in the block's text; for a cell, of the first cell of its row."""
    keep_with_next: bool = False
    """True for a heading, a caption, metadata, or a line that introduces a list: a chunk does not end with it."""

    @cached_property
    def tokens(self) -> int:
        """One more than counted, so that sums of rounded counts do not exceed the limit; of a text that is in no passage, the least."""
        return len(self.text) // WIDEST if len(self.text) > MOST_TOKENS * WIDEST else count_tokens(self.text) + 1

    @cached_property
    def opening_tokens(self) -> int:
        """The tokens of `opening`, 0 without one."""
        return count_tokens(self.opening) + 1 if self.opening else 0

    def pages(self) -> list[tuple[int, int | None]]:
        """(offset in `text`, page) of its start and of each page break within it."""
        if not self.places:
            return [(0, self.page)]
        first = max(bisect_right(self.places, self.start, key=lambda place: place.offset) - 1, 0)
        found: list[tuple[int, int | None]] = []
        for place in self.places[first:]:
            if place.offset >= self.start + len(self.text):
                break
            if not found or found[-1][1] != place.page:
                found.append((max(place.offset - self.start, 0), place.page))
        return found or [(0, self.page)]


def piece_of(number: int, block: Block, following: Block | None) -> Piece:
    """The piece for a whole block. `following`: the next block."""
    leads = block.kind == "paragraph" and block.text.endswith((":", "：")) and following is not None
    leads = leads and following is not None and following.kind in ("list", "table", "code")
    keep = leads or block.kind in ("heading", "caption", "metadata")
    return Piece(number, block.kind, block.text, block.page, places=block.places, keep_with_next=keep)


def size(pieces: Sequence[Piece]) -> int:
    """Upper bound of the tokens of `render(pieces)`."""
    return sum(cost(pieces[i - 1] if i else None, piece) for i, piece in enumerate(pieces))


def cost(before: Piece | None, piece: Piece) -> int:
    """Tokens that a piece adds after `before`."""
    if _begins(before, piece):
        return piece.tokens + piece.opening_tokens
    return piece.tokens + (count_tokens(piece.glue) if piece.glue.strip() else 0)


def render(pieces: Sequence[Piece]) -> str:
    """The text of a chunk."""
    return "".join(lead + piece.text for lead, piece in _laid_out(pieces))


def parts(pieces: Sequence[Piece]) -> tuple[Part, ...]:
    """The source positions of the rendered text, in as few parts as possible."""
    found: list[Part] = []
    at = 0
    for lead, piece in _laid_out(pieces):
        if piece.opening and lead.endswith(f"{piece.opening}\n"):
            found.append(Part(at + len(lead) - len(piece.opening) - 1, piece.pages()[0][1], piece.block, piece.opened_at, piece.kind))
        elif lead.strip():  # a label that is not in the text there
            found.append(Part(at, piece.pages()[0][1], -1, 0, piece.kind))
        at += len(lead)
        for offset, page in piece.pages():
            part = Part(at + offset, page, piece.block, piece.start + offset, piece.kind)
            if not (found and _goes_on(found[-1], part)):
                found.append(part)
        at += len(piece.text)
    return tuple(found)


def _goes_on(before: Part, part: Part) -> bool:
    same = before.page == part.page and before.block == part.block
    return same and part.start - before.start == part.offset - before.offset


def _laid_out(pieces: Sequence[Piece]) -> Iterator[tuple[str, Piece]]:
    """Each piece with the text that precedes it."""
    before: Piece | None = None
    for piece in pieces:
        if _begins(before, piece):
            yield ("\n\n" if before else "") + (f"{piece.opening}\n" if piece.opening else ""), piece
        else:
            yield piece.glue, piece
        before = piece


def _begins(before: Piece | None, piece: Piece) -> bool:
    return before is None or before.block != piece.block or bool(piece.opening and before.opening and before.opening != piece.opening)


def divide(piece: Piece, max_tokens: int, lang: str) -> list[Piece]:
    """The next smaller parts: rows with their header, cells with row and column, lines, sentences, or else halves. A single character
    stays whole."""
    for parts in (rows_of(piece, max_tokens), _cells(piece, max_tokens), _lines(piece), _sentences(piece, lang), _halves(piece)):
        if len(parts) > 1:
            return [*(replace(part, keep_with_next=False) if part.keep_with_next else part for part in parts[:-1]), parts[-1]]
    return [piece]


def rows_of(piece: Piece, max_tokens: int) -> list[Piece]:
    """The rows of a table below its header, each with the header as `opening`; [] for anything else, or a table of one row."""
    if piece.kind != "table" or piece.text.count("\n") < 2 or piece.opening:
        return []
    header, rule, *rows = _split_lines(piece)
    opening = f"{header.text}\n{rule.text}"
    if count_tokens(opening) > max_tokens // 2:  # repeating it would leave too few tokens for the rows
        return [header, *rows]
    return [replace(row, opening=opening) for row in rows]


def _cells(piece: Piece, max_tokens: int) -> list[Piece]:
    """The cells of a row that does not fit, as paragraphs that begin with its first cell and the column's name; [] for anything else."""
    if len(rows := rows_of(piece, max_tokens)) == 1:
        piece = rows[0]
    header, row = BAR.split(piece.opening.split("\n")[0])[1:-1], BAR.split(piece.text)[1:-1]
    if piece.kind != "table" or len(header) != len(row) or sum(map(bool, map(str.strip, row))) < 2:
        return []
    found: list[Piece] = []
    at = piece.start + 1
    for name, cell in zip(header, row, strict=True):
        text, start = cell.strip(), at + len(cell) - len(cell.lstrip())
        at += len(cell) + 1
        opening = " · ".join(filter(None, (found[0].text if found else "", name.strip())))
        if text:
            fits = opening and count_tokens(opening) <= max_tokens // 2
            at_label = found[0].start if found else start
            found.append(
                replace(piece, kind="paragraph", text=text, start=start, opening=f"{opening}:" if fits else "", opened_at=at_label)
            )
    return found


def column_groups(table: Piece, max_tokens: int, lead: int = 0) -> list[list[Piece]]:
    """The passages of a table whose header takes more than half of one: some columns and rows in each, with their header and the first
    column. [] for any other piece, and for a table of which one column is too wide. `lead`: tokens left free in the first one."""
    lines = _split_lines(table) if table.kind == "table" and not table.opening else []
    if len(lines) < 3 or sum(line.tokens for line in lines[:2]) <= max_tokens // 2:
        return []
    bars = [[match.start() for match in BAR.finditer(line.text)] for line in lines]
    groups = _fitting_columns(lines, bars, (max_tokens - lead) // 2)
    table_rows = list(zip(lines[2:], bars[2:], strict=True))
    found: list[list[Piece]] = []
    for first, last in groups:
        if first > 1:  # the other rows end before these columns
            table_rows = [(line, at) for line, at in table_rows if len(at) - 2 >= first]
        head = [part for line, at in zip(lines[:2], bars[:2], strict=True) for part in _some_columns(line, at, first, last)]
        passage, used = list(head), size(head)
        for line, at in table_rows:
            if not (row := _some_columns(line, at, first, last)):
                continue
            more = size([passage[-1], *row]) - size(passage[-1:])
            if len(passage) > len(head) and used + more + (0 if found else lead) > max_tokens:
                found.append(passage)
                passage, used = list(head), size(head)
                more = size([head[-1], *row]) - size(head[-1:])
            passage += row
            used += more
        if len(passage) > len(head):
            found.append(passage)
    return found


def _fitting_columns(lines: Sequence[Piece], bars: Sequence[Sequence[int]], limit: int) -> list[tuple[int, int]]:
    """(first, last) column of each group whose header and whose widest row have at most `limit` tokens; [] if that is impossible."""
    widths = [(0, 0)] * (len(bars[0]) - 1)
    for number, (line, at) in enumerate(zip(lines, bars, strict=True)):
        for column, (start, end) in enumerate(pairwise(at[: len(bars[0])])):
            tokens = count_tokens(line.text[start:end]) + 1
            head, row = widths[column]
            widths[column] = (head + tokens, row) if number < 2 else (head, max(row, tokens))
    label, groups = widths[0], list[tuple[int, int]]()
    used = limit + 1, limit + 1
    for column, width in enumerate(widths[1:], start=1):
        if groups and max(used[0] + width[0], used[1] + width[1]) <= limit:
            groups[-1] = groups[-1][0], column
        else:
            groups.append((column, column))
            used = label[0] + 4, label[1] + 4
        used = used[0] + width[0], used[1] + width[1]
        if max(used) > limit:
            return []
    return groups


def _some_columns(line: Piece, bars: Sequence[int], first: int, last: int) -> list[Piece]:
    """The first cell of a row and those from `first` to `last`; [] if all of these are empty, except that the first group has all rows."""
    last = min(last, len(bars) - 2)
    if last < first or not line.text[bars[first if first > 1 else 0] : bars[last + 1]].replace("|", "").strip():
        return [line] if last < first == 1 else []
    rest = replace(line, text=line.text[bars[first] : bars[last + 1] + 1], start=line.start + bars[first], glue="")
    label = replace(line, text=line.text[: bars[1]])
    return [label, rest] if first > 1 else [replace(line, text=label.text + rest.text)]


def _lines(piece: Piece) -> list[Piece]:
    return [line for line in _split_lines(piece) if line.text.strip()] if piece.kind in ("list", "code") else []


def _split_lines(piece: Piece) -> list[Piece]:
    found: list[Piece] = []
    start = piece.start
    for line in piece.text.split("\n"):
        found.append(replace(piece, text=line, glue="\n", start=start))
        start += len(line) + 1
    return found


def _sentences(piece: Piece, lang: str) -> list[Piece]:
    return list(between(piece, split_sentences(piece.text, lang))) if piece.kind not in ("table", "code") else []


def _halves(piece: Piece) -> list[Piece]:
    """Two halves, cut at the white space nearest to the middle or else in the middle."""
    text, middle = piece.text, len(piece.text) // 2
    if not middle:
        return []
    before, after = text.rfind(" ", 1, middle + 1), text.find(" ", middle, len(text) - 1)
    cuts = [cut for cut in (before, after) if cut > 0]
    cut = min(cuts, key=lambda at: abs(at - middle)) if cuts else middle
    piece = replace(piece, opening="") if piece.kind == "table" else piece  # half a row is no longer a table
    return list(between(piece, [(0, cut), (cut + 1 if cuts else cut, len(text))]))


def between(piece: Piece, bounds: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """The parts at these bounds. The glue of each is the white space before it, at most WIDEST characters."""
    last = 0
    for start, end in bounds:
        glue = piece.text[last:start][:WIDEST] if last else piece.glue
        yield replace(piece, text=piece.text[start:end], glue=glue, start=piece.start + start)
        last = end
