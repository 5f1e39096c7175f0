"""The content terms of a chunk's sentences, made once when it is indexed: making them for thirty chunks takes 3 ms a question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from footnote.text.tokens import content_terms
from footnote.text.words import OF_MAILS
from footnote.types import Chunk


def sentence_terms(chunk: Chunk, bounds: Sequence[tuple[int, int]]) -> str:
    """The stored form in an index: a line of terms for the title and headings, then a line for each sentence."""
    lines = [content_terms(" ".join((chunk.title, *chunk.headings)), chunk.lang)]
    for start, end in bounds:
        is_header = chunk.kind_at(start) == "metadata"
        lines.append([*content_terms(chunk.text[start:end], chunk.lang), *(_terms_of_mails() if is_header else ())])
    return "\n".join(map(" ".join, lines))


@cache
def _terms_of_mails() -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for lang, words in OF_MAILS.items() for term in content_terms(words, lang)))


def read_terms(stored: str) -> tuple[tuple[str, ...], str]:
    """`ChunkSentences.terms` and `.heading_terms` from the result of `sentence_terms`."""
    heading_terms, *terms = stored.split("\n")
    return tuple(terms), heading_terms
