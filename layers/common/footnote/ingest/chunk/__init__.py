"""Chunks a document: passages (level 2), section openings (level 1) and an outline (level 0). Pure.

CUTTERS has a row for each way to cut a document into passages; a collection chooses one. `boilerplate` says which blocks are in none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from footnote.ingest.chunk.boilerplate import find_boilerplate
from footnote.ingest.chunk.passages import Cutting, Passage, Path, Position, Section, read_sections
from footnote.ingest.chunk.semantic import by_meaning, find_breaks
from footnote.ingest.chunk.structure import SMALL, by_rows, by_structure, pack
from footnote.ingest.fixed_size import DEFAULT, FixedSize, cut_pieces
from footnote.ingest.pieces import Piece, parts, render, size
from footnote.text.particulars import particulars
from footnote.text.similarity import REPEATED, overlap, shingles
from footnote.text.tokens import WIDEST, content_terms, count_tokens
from footnote.types import Chunk, Chunker, ChunkLevel, CollectionSettings, Document, Pair, Parsed, make_chunk_id

__all__ = [
    "CUTTERS", "NO_AIDS", "Aids", "chunk_document", "cut_name", "find_boilerplate", "find_breaks", "read_sections", "rules_of",
    "sent_cut_name",
]  # fmt: skip

Cutter = Callable[[Sequence[Section], Cutting], list[Passage]]


def by_size(sections: Sequence[Section], cutting: Cutting) -> list[Passage]:
    """`fixed_size`: passages of the number of characters that the sender chose, or of the default one, which may span sections."""
    paths = {piece.block: section.path for section in sections for piece in section.pieces}
    pieces = [piece for section in sections for piece in section.pieces]
    return [
        Passage(cut, list(dict.fromkeys(paths[piece.block] for piece in cut if piece.kind != "heading")))
        for cut in cut_pieces(pieces, cutting.fixed or DEFAULT)
    ]


CUTTERS: Final[Mapping[Chunker, Cutter]] = {
    "structure": by_structure,
    "fixed_size": by_size,
    "semantic": by_meaning,
    "table": by_rows,
    "hierarchical": by_structure,
    "voices": by_structure,
}
"""How a document is cut into passages. `hierarchical` differs in the levels above them; `voices` has its passages made beforehand."""
LEAST_TERMS = 5
"""A passage with fewer content words always stays."""


@dataclass(frozen=True, slots=True)
class Aids:
    """What a chunker needs from models, found before a document is cut."""

    chunker: Chunker = "structure"
    stands_for: Chunker | None = None
    """The chunker that was asked for, if cutting again would not use that either."""
    breaks: frozenset[Position] = frozenset()
    """Where the subject changes, for `semantic`."""
    summaries: Mapping[Path, str] = field(default_factory=dict)
    """The headings of a section → its summary, () → the document's, for `hierarchical`. What is missing is quoted from the text."""
    passages: Sequence[Passage] = ()
    """All passages of the document, for `voices`, which has no levels above them; () = they are cut."""


NO_AIDS = Aids()
RULES = 6
"""The version of what comes out of a parsed file: its passages, and the words in which they are searched (`text.tokens`,
`text.sentence_terms`). Increased when either changes: all documents are then made again in the background (`ingest.migrating`)."""
UNNUMBERED = 3
"""The version of a name that has no number: of documents whose sender chose the sizes, until that version."""
NUMBERED = re.compile(r".*-([0-9]{1,3})(?:-[0-9a-f]{8})?")


def cut_name(chunker: Chunker, max_tokens: int, settings: CollectionSettings) -> str:
    """The name of a way to cut documents: two with one name give the same passages. `chunker`: the one that is used; `settings`: of the
    collection, whose languages decide in which words passages are searched, and whose columns are those of voices."""
    told: list[object] = [settings.languages, sorted(settings.columns.items()) if chunker == "voices" else []]
    return f"{chunker}-{max_tokens}-{RULES}{_digest(told)}"


def sent_cut_name(settings: CollectionSettings) -> str:
    """The same for a document whose sender chose the size of its passages: only the languages make a difference."""
    number = "" if RULES == UNNUMBERED else f"-{RULES}"
    return f"sent{number}{found}" if (found := _digest([settings.languages])) or number else ""


def rules_of(cut: str) -> int:
    """The version of RULES in the name of a way to cut documents."""
    found = NUMBERED.fullmatch(cut)
    return int(found[1]) if found else UNNUMBERED


def _digest(told: Sequence[object]) -> str:
    return f"-{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8]}" if any(told) else ""


def chunk_document(
    document: Document,
    parsed: Parsed,
    *,
    max_tokens: int,
    lang: str,
    fixed: FixedSize | None = None,
    aids: Aids = NO_AIDS,
    pairs: Sequence[Pair] = (),
    distinct: bool = False,
) -> list[Chunk]:
    """All chunks, level 2 first, then 1, then 0, numbered consecutively.

    Level 1 needs more than one section and more than one passage; level 0 needs more than one passage. `fixed`: the sizes that the
    sender of the document chose, instead of `max_tokens`; nothing is left out of such a document. `pairs`: questions with
    their answers, each of which fits into a passage. `distinct`: leaves out passages that repeat another."""
    if aids.passages:
        return [_chunk(document, i, 2, passage, render(passage.pieces), lang) for i, passage in enumerate(aids.passages)]
    sections = list(read_sections(parsed.blocks, find_boilerplate(parsed) if fixed is None else (), pairs))
    cut = CUTTERS["fixed_size" if fixed is not None else aids.chunker]
    passages = _cut_apart(sections, cut, Cutting(max_tokens, lang, fixed, aids.breaks))
    passages = drop_repeated(passages, lang) if distinct else passages
    found: list[tuple[ChunkLevel, Passage, str]] = [(2, passage, render(passage.pieces)) for passage in passages]
    openings = [
        section for before, section in pairwise([None, *sections]) if section and section.has_body and not section.continues(before)
    ]
    if len(passages) > 1:
        if len(openings) > 1:
            made = [opening_of(section, max_tokens, lang, aids.summaries.get(section.path)) for section in openings]
            found += [(1, opening, render(opening.pieces)) for opening in made]
        outline = outline_of(document.title, sections, max_tokens, lang, aids.summaries.get(()))
        found.append((0, Passage([Piece(-1, "paragraph", outline, parsed.blocks[0].page)]), outline))
    return [_chunk(document, i, level, passage, text, lang) for i, (level, passage, text) in enumerate(found)]


def _cut_apart(sections: Sequence[Section], cut: Cutter, cutting: Cutting) -> list[Passage]:
    """Pairs as passages of their own, below headings that have no other text, and what is between them cut by the chunker."""
    passages: list[Passage] = []
    waiting: list[Section] = []
    for section in sections:
        if not section.is_pair:
            waiting.append(section)
            continue
        above: list[Piece] = []
        while waiting and not waiting[-1].has_body and size([*waiting[-1].pieces, *above, *section.pieces]) <= cutting.max_tokens:
            above[:0] = waiting.pop().pieces
        passages += [*cut(waiting, cutting), Passage([*above, *section.pieces], [section.path])]
        waiting = []
    return [*passages, *cut(waiting, cutting)]


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
        metadata={**document.metadata, **passage.metadata} if passage.metadata else document.metadata,
        created_at=document.created_at,
    )


def opening_of(section: Section, max_tokens: int, lang: str, summary: str | None = None) -> Passage:
    """A section's heading path and its summary, or else its text, up to the limit."""
    body = [_start(piece, max_tokens) for piece in section.pieces[: max_tokens + 1] if piece.kind != "heading"]
    if summary:
        body = [Piece(-1, "paragraph", summary, section.pieces[0].page, glue="\n\n")]  # the path is of no block either
    path = Piece(-1, "heading", " › ".join(section.path), section.pieces[0].page, keep_with_next=True)
    opening = pack([Section(section.path, (path, *body) if section.path else tuple(body))], max_tokens, lang)[0]
    return Passage(opening.pieces, [section.path])


def _start(piece: Piece, max_tokens: int) -> Piece:
    """Enough of a piece to fill a passage, so that a long rest is not divided a second time."""
    enough = WIDEST * max_tokens
    return replace(piece, text=piece.text[:enough]) if len(piece.text) > enough else piece


def outline_of(title: str, sections: Sequence[Section], max_tokens: int, lang: str, summary: str | None = None) -> str:
    """The title, as many levels of headings as fit, and the summary or else the first paragraph (at most half of the tokens)."""
    texts = [piece for section in sections for piece in section.pieces if piece.kind == "paragraph"]
    texts = [Piece(-1, "paragraph", summary)] if summary else texts
    text = next((piece for piece in texts if piece.tokens > SMALL // 2), texts[0] if texts else None)  # skips a date or a number
    first = render(pack([Section((), (_start(text, max_tokens),))], max_tokens // 2, lang)[0].pieces) if text else ""
    paths = list(dict.fromkeys(section.path for section in sections if section.path))
    head = render(pack([Section((), (Piece(0, "paragraph", title),))], max_tokens // 4, lang)[0].pieces) if title.strip() else ""
    for depth in range(max(map(len, paths), default=0), 0, -1):
        lines = [f"{'  ' * (len(path) - 1)}- {path[-1]}" for path in paths if len(path) <= depth]
        outline = "\n\n".join(filter(None, (head, "\n".join(lines), first)))
        if count_tokens(outline) <= max_tokens:
            return outline
    return "\n\n".join(filter(None, (head, first)))


def drop_repeated(passages: Sequence[Passage], lang: str) -> list[Passage]:
    """The passages that do not repeat an earlier one, in their order, by the second term of MMR: no question tells their relevance, so the
    first stays, and a later one stays if it is new. One repeats another under the same headings if both have the same numbers, names and
    negations and nearly the same words. Tables stay: equal rows count."""
    kept: list[Passage] = []
    under = Counter(passage.headings for passage in passages)
    alike: dict[tuple[object, ...], list[frozenset[tuple[str, ...]]]] = defaultdict(list)
    for passage in passages:
        if under[passage.headings] > 1 and passage.kind != "table":
            text = render([piece for piece in passage.pieces if piece.kind != "heading"])
            terms = content_terms(text, lang)
            own, others = shingles(terms), alike[passage.headings, particulars(text, lang)]
            if len(terms) >= LEAST_TERMS and any(overlap(own, other) >= REPEATED for other in others):
                continue
            others.append(own)
        kept.append(passage)
    return kept
