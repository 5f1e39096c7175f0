"""The words in which a chunk is searched, made once when it is indexed: making the terms of sentences for thirty chunks takes 3 ms a
question. The number of a section is one of them, in all passages below its heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from footnote.text.identifiers import divided
from footnote.text.section_numbers import sections_headed
from footnote.text.tokens import content_terms, index_tokens
from footnote.text.words import OF_MAILS, OF_SENDING
from footnote.types import MAILS, Chunk


def chunk_tokens(chunk: Chunk) -> list[str]:
    """The tokens of a chunk's text, with repetitions."""
    ends = [*(part.offset for part in chunk.parts[1:]), len(chunk.text)]
    within = [chunk.text[part.offset : end] for part, end in zip(chunk.parts, ends, strict=False) if part.kind == "heading"]
    headed = sections_headed(dict.fromkeys((*chunk.headings, *map(str.strip, within))))
    return index_tokens(chunk.searched_text, chunk.lang) + headed


def sentence_terms(chunk: Chunk, bounds: Sequence[tuple[int, int]]) -> str:
    """The stored form in an index: a line of terms for the title and headings, then a line for each sentence."""
    kinds = {part.offset: part.kind for part in chunk.parts}
    above = content_terms(divided(" ".join((chunk.title, *chunk.headings))), chunk.lang)
    lines = [above + sections_headed(chunk.headings)]
    divide = divided if divided(chunk.text) != chunk.text else str  # hardly any text has names that programs use
    is_mail = chunk.metadata.get("type") in MAILS
    for start, end in bounds:
        text, kind = chunk.text[start:end], kinds.get(start)
        terms = content_terms(divide(text), chunk.lang)
        if kind == "heading":
            terms += sections_headed([text])
        elif is_mail and kind == "metadata":
            terms += (*terms_of_mails(), *terms_of_sending())
        lines.append(terms)
    return "\n".join(map(" ".join, lines))


@cache
def terms_of_mails() -> tuple[str, ...]:
    """The terms of what people call a mail, in every language."""
    return _terms(OF_MAILS)


@cache
def terms_of_sending() -> tuple[str, ...]:
    """The terms of what people call the sending of a mail."""
    return _terms(OF_SENDING)


def _terms(words: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for lang, each in words.items() for term in content_terms(each, lang)))


def read_terms(stored: str) -> tuple[tuple[str, ...], str]:
    """`ChunkSentences.terms` and `.heading_terms` from the result of `sentence_terms`."""
    heading_terms, *terms = stored.split("\n")
    return tuple(terms), heading_terms
