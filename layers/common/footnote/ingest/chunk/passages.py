"""Sections of a document, and the passages that chunkers make of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.pieces import Piece, cost, piece_of, size
from footnote.types import Block, BlockKind, Pair

Path = tuple[str, ...]
Position = tuple[int, int]
"""(index of a block, offset in its text)."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """What a chunker is told. Every one keeps `max_tokens` but `fixed_size`, which counts characters."""

    max_tokens: int
    lang: str
    fixed: FixedSize | None = None
    """Sizes that the document's sender chose; None = the default ones."""
    breaks: frozenset[Position] = frozenset()
    """Where the subject changes, for `semantic`."""


@dataclass(frozen=True)
class Section:
    """A heading and its own text, without that of its subheadings. `path`: all headings down to this one."""

    path: Path
    pieces: tuple[Piece, ...]
    is_pair: bool = False
    """It is a question with its answer, which becomes a passage of its own, whatever cuts the rest."""

    @property
    def has_body(self) -> bool:
        """Whether it has text besides the heading."""
        return any(piece.kind != "heading" for piece in self.pieces)

    def continues(self, before: Section | None) -> bool:
        """Whether both stand below the same heading: pairs, and what is between them."""
        return before is not None and before.has_body and self.path == before.path and self.pieces[0].kind != "heading"


@dataclass
class Passage:
    """A chunk under construction. `paths`: the sections whose text it contains, beyond their headings."""

    pieces: list[Piece] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What is known of it besides its document's metadata."""
    tokens: int = field(init=False)
    """`size` of the pieces, updated incrementally: a passage may have hundreds of rows."""

    def __post_init__(self) -> None:
        self.tokens = size(self.pieces)

    def size_with(self, piece: Piece) -> int:
        """The tokens of the passage with this piece appended."""
        return self.tokens + cost(self.pieces[-1] if self.pieces else None, piece)

    def add(self, piece: Piece, path: Path) -> None:
        """Appends a piece of the section `path`."""
        self.tokens = self.size_with(piece)
        self.pieces.append(piece)
        if piece.kind != "heading" and path not in self.paths:
            self.paths.append(path)

    @property
    def headings(self) -> Path:
        """The headings that all of its text is under."""
        if not self.paths:
            return ()
        return tuple(level[0] for level in takewhile(lambda names: len(set(names)) == 1, zip(*self.paths, strict=False)))

    @property
    def kind(self) -> BlockKind:
        """The kind of most of its text."""
        weights: Counter[BlockKind] = Counter()
        for piece in self.pieces:
            weights[piece.kind] += piece.tokens if piece.kind != "heading" else 0
        return weights.most_common(1)[0][0]


def read_sections(blocks: Sequence[Block], left_out: Collection[int] = (), pairs: Sequence[Pair] = ()) -> Iterator[Section]:
    """The sections of a document; a pair of question and answer is one. `left_out`: indexes of blocks that are in none."""
    stack: list[tuple[int, str]] = []
    pieces: list[Piece] = []
    firsts, ends, is_pair = {pair.first for pair in pairs}, {pair.end for pair in pairs}, False
    for number, block in enumerate(blocks):
        if number in firsts or number in ends:
            if pieces:
                yield Section(tuple(text for _, text in stack), tuple(pieces), is_pair)
            pieces, is_pair = [], number in firsts
        if number in left_out or not block.text.strip():
            continue
        if block.kind == "heading":
            if pieces:
                yield Section(tuple(text for _, text in stack), tuple(pieces), is_pair)
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, block.text))
            pieces = []
        pieces.append(piece_of(number, block, blocks[number + 1] if number + 1 < len(blocks) else None))
    if pieces:
        yield Section(tuple(text for _, text in stack), tuple(pieces), is_pair)
