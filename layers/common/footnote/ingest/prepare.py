"""Makes a parsed file ready for the index: title, language, chunks with their sentence bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from footnote.ingest.chunk import NO_AIDS, Aids, chunk_document, cut_name, sent_cut_name
from footnote.ingest.describe import FIELDS, describe, frequent_words
from footnote.ingest.faq_pairs import find_pairs, is_faq
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.parsed import pack
from footnote.text.content_types import content_type_of
from footnote.text.language import detect_language
from footnote.text.sentences import split_chunk
from footnote.types import Chunk, CollectionSettings, ContentType, Document, Pair, Parsed, chunks_digest

DEFAULTS = CollectionSettings()
NOT_OF_FILES = frozenset((*FIELDS, "additional_field", "class", "file_name", "p_id", "paragraph_type", "url"))
"""Metadata that means something to Footnote, which a file cannot set by a field of the same name."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be written to the index."""

    document: Document
    packed: bytes
    chunks: list[Chunk]
    bounds: list[tuple[tuple[int, int], ...]]
    """The sentence bounds of each chunk."""
    digest: str


def prepare(
    document: Document,
    parsed: Parsed,
    max_tokens: int,
    fixed: FixedSize | None = None,
    aids: Aids = NO_AIDS,
    written: Mapping[str, Any] | None = None,
    settings: CollectionSettings = DEFAULTS,
) -> Prepared:
    """`fixed`: the size of passages in characters, instead of `max_tokens`. `aids`: how to cut the document. `written`: what a model
    wrote about the document. `settings`: those of its collection."""
    languages = settings.languages
    lang = language_of("\n".join(block.text for block in parsed.blocks), languages)
    given = {**{name: value for name, value in parsed.fields.items() if name not in NOT_OF_FILES}, **document.metadata}
    metadata = {"file_name": document.file_name, **describe(parsed, lang, given, written)}
    document = replace(document, title=parsed.title or document.title, lang=lang, metadata=metadata)
    made = sent_cut_name(settings) if fixed else cut_name(aids.stands_for or aids.chunker, max_tokens, settings)
    document = replace(document, cut=made)
    chunks = cut(document, parsed, lang, max_tokens, fixed, aids, languages)
    bounds = [tuple(split_chunk(chunk)) for chunk in chunks]
    digest = chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)
    return Prepared(document, pack(parsed), chunks, bounds, digest)


def cut(
    document: Document,
    parsed: Parsed,
    lang: str,
    max_tokens: int,
    fixed: FixedSize | None = None,
    aids: Aids = NO_AIDS,
    languages: tuple[str, ...] = (),
) -> list[Chunk]:
    """The document's chunks, each with its detected language and what it is."""
    pairs = find_pairs(parsed, lang, max_tokens) if fixed is None else []
    chunks = chunk_document(document, parsed, max_tokens=max_tokens, lang=lang, fixed=fixed, aids=aids, pairs=pairs, distinct=fixed is None)
    asked = pairs if is_faq(parsed, pairs) else ()
    return [replace(chunk, lang=language_of(chunk.text, languages, lang), content_type=_type_of(chunk, asked)) for chunk in chunks]


def words_of(parsed: Parsed) -> str:
    """The most frequent words of a file that cannot be used."""
    return frequent_words(parsed, language_of("\n".join(block.text for block in parsed.blocks), ()))


def language_of(text: str, languages: tuple[str, ...], usual: str | None = None) -> str:
    """The language of a text. `usual`: of a text that does not tell. `languages`: if it is in none of these, in the usual or first one."""
    first = usual or next(iter(languages), None)
    found = detect_language(text, {first: 1} if first else None)
    return found if not languages or first is None or found in languages else first


def _type_of(chunk: Chunk, pairs: Sequence[Pair]) -> ContentType:
    blocks = {part.block for part in chunk.parts if part.kind != "heading"}
    if chunk.level == 2 and any(pair.first <= min(blocks) and max(blocks) < pair.end for pair in pairs if blocks):
        return "faq"
    return content_type_of(chunk.title, chunk.headings, chunk.text)
