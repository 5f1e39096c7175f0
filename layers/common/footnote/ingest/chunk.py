"""Chunks a document: passages (level 2), section openings (level 1) and an outline (level 0). Pure.

A passage stays within its section if it can, ends at a paragraph end if it can, and has at most `max_tokens`. Sections
that are too small to be found alone are joined with neighbours under the same heading.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from footnote.ingest.pieces import Piece, cost, divide, parts, piece_of, render, size
from footnote.text.tokens import WIDEST, count_tokens
from footnote.types import Block, BlockKind, Chunk, ChunkLevel, Document, Parsed, make_chunk_id

SMALL = 40
"""Tokens; a smaller passage is joined with a neighbour if possible."""
_ROOM = 0.35
"""A passage filled less than this takes the first sentences of a paragraph that does not fit as a whole."""
_TINY_SECTION = 0.25
"""A passage filled less than this takes the whole next section, if that fits."""
_HALF_FULL = 0.5
"""A passage filled less than this takes a small passage of the next section."""
Path = tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A heading and its own text, without that of its subheadings. `path`: all headings down to this one."""

    path: Path
    pieces: tuple[Piece, ...]

    @property
    def has_body(self) -> bool:
        """Whether it has text besides the heading."""
        return any(piece.kind != "heading" for piece in self.pieces)


@dataclass
class Passage:
    """A chunk under construction. `paths`: the sections whose text it contains, beyond their headings."""

    pieces: list[Piece] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
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


def chunk_document(document: Document, parsed: Parsed, *, max_tokens: int, lang: str) -> list[Chunk]:
    """All chunks, level 2 first, then 1, then 0, numbered consecutively.

    Level 1 needs more than one section and more than one passage; level 0 needs more than one passage."""
    sections = list(_sections(parsed.blocks))
    passages = _pack(sections, max_tokens, lang)
    found: list[tuple[ChunkLevel, Passage, str]] = [(2, passage, render(passage.pieces)) for passage in passages]
    openings = [section for section in sections if section.has_body]
    if len(passages) > 1:
        if len(openings) > 1:
            found += [(1, opening, render(opening.pieces)) for opening in (_opening(s, max_tokens, lang) for s in openings)]
        outline = _outline(document.title, sections, max_tokens, lang)
        found.append((0, Passage([Piece(-1, "paragraph", outline, parsed.blocks[0].page)]), outline))
    return [_chunk(document, i, level, passage, text, lang) for i, (level, passage, text) in enumerate(found)]


def _chunk(document: Document, ordinal: int, level: ChunkLevel, passage: Passage, text: str, lang: str) -> Chunk:
    where = parts(passage.pieces)
    return Chunk(
        chunk_id=make_chunk_id(document.doc_id, document.generation, ordinal),
        doc_id=document.doc_id,
        generation=document.generation,
        ordinal=ordinal,
        level=level,
        title=document.title,
        text=text,
        lang=lang,
        collection=document.collection,
        headings=passage.headings,
        page=where[0].page,
        parts=where,
        kind=passage.kind,
        permission_groups=document.permission_groups,
        metadata=document.metadata,
        created_at=document.created_at,
    )


def _sections(blocks: Sequence[Block]) -> Iterator[Section]:
    stack: list[tuple[int, str]] = []
    pieces: list[Piece] = []
    for number, block in enumerate(blocks):
        if not block.text.strip():
            continue
        if block.kind == "heading":
            if pieces:
                yield Section(tuple(text for _, text in stack), tuple(pieces))
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, block.text))
            pieces = []
        pieces.append(piece_of(number, block, blocks[number + 1] if number + 1 < len(blocks) else None))
    if pieces:
        yield Section(tuple(text for _, text in stack), tuple(pieces))


def _pack(sections: Sequence[Section], max_tokens: int, lang: str) -> list[Passage]:
    """Fills passages section by section, then joins those that are too small."""
    done: list[Passage] = []
    open_ = Passage()
    path_before: Path = ()
    for section in sections:
        if open_.paths and not _may_take(open_, path_before, section, max_tokens):
            open_ = _close(open_, done)
        path_before = section.path
        waiting = deque(section.pieces)
        while waiting:
            piece = waiting.popleft()
            if open_.size_with(piece) <= max_tokens:
                open_.add(piece, section.path)
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
    cut = len(passage.pieces)
    while keep and cut and passage.pieces[cut - 1].keep_with_next:
        cut -= 1
    if cut == 0:
        cut = len(passage.pieces)
    if passage.pieces:
        done.append(Passage(passage.pieces[:cut], passage.paths))
    return Passage(passage.pieces[cut:])


def _may_take(passage: Passage, path: Path, section: Section, max_tokens: int) -> bool:
    """Whether a passage that is still small may continue with a related section that fits."""
    fits = passage.tokens + size(section.pieces) <= max_tokens
    return fits and passage.tokens < max(_TINY_SECTION * max_tokens, SMALL) and _related(path, section.path)


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


def _opening(section: Section, max_tokens: int, lang: str) -> Passage:
    """A section's heading path and its text up to the limit."""
    body = [_start(piece, max_tokens) for piece in section.pieces[: max_tokens + 1] if piece.kind != "heading"]
    path = Piece(-1, "heading", " › ".join(section.path), section.pieces[0].page, keep_with_next=True)
    opening = _pack([Section(section.path, (path, *body) if section.path else tuple(body))], max_tokens, lang)[0]
    return Passage(opening.pieces, [section.path])


def _start(piece: Piece, max_tokens: int) -> Piece:
    """Enough of a piece to fill a passage, so that a long rest is not divided a second time."""
    enough = WIDEST * max_tokens
    return replace(piece, text=piece.text[:enough]) if len(piece.text) > enough else piece


def _outline(title: str, sections: Sequence[Section], max_tokens: int, lang: str) -> str:
    """The title, as many levels of headings as fit, and the first paragraph (at most half of the tokens)."""
    texts = [piece for section in sections for piece in section.pieces if piece.kind == "paragraph"]
    text = next((piece for piece in texts if piece.tokens > SMALL // 2), texts[0] if texts else None)  # skips a date or a number
    first = render(_pack([Section((), (_start(text, max_tokens),))], max_tokens // 2, lang)[0].pieces) if text else ""
    paths = list(dict.fromkeys(section.path for section in sections if section.path))
    head = render(_pack([Section((), (Piece(0, "paragraph", title),))], max_tokens // 4, lang)[0].pieces) if title.strip() else ""
    for depth in range(max(map(len, paths), default=0), 0, -1):
        lines = [f"{'  ' * (len(path) - 1)}- {path[-1]}" for path in paths if len(path) <= depth]
        outline = "\n\n".join(filter(None, (head, "\n".join(lines), first)))
        if count_tokens(outline) <= max_tokens:
            return outline
    return "\n\n".join(filter(None, (head, first)))
