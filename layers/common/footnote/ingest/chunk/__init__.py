"""Chunks a document: passages (level 2), section openings (level 1) and an outline (level 0). Pure.

CUTTERS has a row for each way to cut a document into passages; a collection chooses one. `boilerplate` says which blocks are in none,
`repeated` which passages are left out because they repeat another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from footnote.ingest.chunk.boilerplate import find_boilerplate
from footnote.ingest.chunk.by_size import by_size
from footnote.ingest.chunk.levels import opening_of, outline_of
from footnote.ingest.chunk.passages import Cutting, Passage, Path, Position, Section, read_sections
from footnote.ingest.chunk.repeated import drop_repeated
from footnote.ingest.chunk.semantic import by_meaning, find_breaks
from footnote.ingest.chunk.structure import by_structure
from footnote.ingest.chunk.table import by_rows
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.pieces import Piece, parts, render, size
from footnote.types import Chunk, Chunker, ChunkLevel, CollectionSettings, Document, Pair, Parsed, make_chunk_id

__all__ = [
    "CUTTERS", "NO_AIDS", "Aids", "chunk_document", "cut_name", "find_boilerplate", "find_breaks", "read_sections", "rules_of",
    "sent_cut_name",
]  # fmt: skip

Cutter = Callable[[Sequence[Section], Cutting], list[Passage]]

CUTTERS: Final[Mapping[Chunker, Cutter]] = {
    "structure": by_structure,
    "fixed_size": by_size,
    "semantic": by_meaning,
    "table": by_rows,
    "hierarchical": by_structure,
    "voices": by_structure,
}
"""How a document is cut into passages. `hierarchical` differs in the levels above them; `voices` has its passages made beforehand."""


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
RULES = 5
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
