"""The pieces that chunks are made of: a whole block if it fits, else its rows, lines, sentences or halves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from footnote.text.sentences import split_sentences
from footnote.text.tokens import WIDEST, count_tokens
from footnote.types import Block, BlockKind, Part, Place


@dataclass(frozen=True)
class Piece:
    """A block or a part of it.

    `glue`: separates it from the previous part of the block. `opening`: a table's header, which precedes the piece where
    it starts a chunk or follows another block."""

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
    keep_with_next: bool = False
    """True for a heading, a caption, or a line that introduces a list: a chunk does not end with it."""

    @cached_property
    def tokens(self) -> int:
        """One more than counted, so that sums of rounded counts do not exceed the limit."""
        return count_tokens(self.text) + 1

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
    keep = leads or block.kind in ("heading", "caption")
    return Piece(number, block.kind, block.text, block.page, places=block.places, keep_with_next=keep)


def size(pieces: Sequence[Piece]) -> int:
    """Upper bound of the tokens of `render(pieces)`."""
    return sum(cost(pieces[i - 1] if i else None, piece) for i, piece in enumerate(pieces))


def cost(before: Piece | None, piece: Piece) -> int:
    """Tokens that a piece adds after `before`."""
    return piece.tokens + (piece.opening_tokens if _begins(before, piece) else 0)


def render(pieces: Sequence[Piece]) -> str:
    """The text of a chunk."""
    return "".join(lead + piece.text for lead, piece in _laid_out(pieces))


def parts(pieces: Sequence[Piece]) -> tuple[Part, ...]:
    """The source positions of the rendered text, in as few parts as possible."""
    found: list[Part] = []
    at = 0
    for lead, piece in _laid_out(pieces):
        if piece.opening and lead.endswith(f"{piece.opening}\n"):
            found.append(Part(at + len(lead) - len(piece.opening) - 1, piece.pages()[0][1], piece.block, 0, piece.kind))
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
    return before is None or before.block != piece.block


def divide(piece: Piece, max_tokens: int, lang: str) -> list[Piece]:
    """The next smaller parts: rows with their header, lines, sentences, or else halves. A single character stays whole."""
    for parts in (_rows(piece, max_tokens), _lines(piece), _sentences(piece, lang), _halves(piece)):
        if len(parts) > 1:
            return [*(replace(part, keep_with_next=False) if part.keep_with_next else part for part in parts[:-1]), parts[-1]]
    return [piece]


def _rows(piece: Piece, max_tokens: int) -> list[Piece]:
    if piece.kind != "table" or piece.text.count("\n") < 2 or piece.opening:
        return []
    header, rule, *rows = _split_lines(piece)
    opening = f"{header.text}\n{rule.text}"
    if count_tokens(opening) > max_tokens // 2:  # repeating it would leave too few tokens for the rows
        return [header, *rows]
    return [replace(row, opening=opening) for row in rows]


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
    return list(_between(piece, split_sentences(piece.text, lang))) if piece.kind not in ("table", "code") else []


def _halves(piece: Piece) -> list[Piece]:
    """Two halves, cut at the white space nearest to the middle or else in the middle."""
    text, middle = piece.text, len(piece.text) // 2
    if not middle:
        return []
    before, after = text.rfind(" ", 1, middle + 1), text.find(" ", middle, len(text) - 1)
    cuts = [cut for cut in (before, after) if cut > 0]
    cut = min(cuts, key=lambda at: abs(at - middle)) if cuts else middle
    piece = replace(piece, opening="") if piece.kind == "table" else piece  # half a row is no longer a table
    return list(_between(piece, [(0, cut), (cut + 1 if cuts else cut, len(text))]))


def _between(piece: Piece, bounds: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """The parts at these bounds. The glue of each is the white space before it, at most WIDEST characters."""
    last = 0
    for start, end in bounds:
        glue = piece.text[last:start][:WIDEST] if last else piece.glue
        yield replace(piece, text=piece.text[start:end], glue=glue, start=piece.start + start)
        last = end
