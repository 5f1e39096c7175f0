"""The content terms of a chunk's sentences, made once when it is indexed: making them for thirty chunks takes 3 ms a question."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.text.tokens import content_terms
from footnote.types import Chunk


def sentence_terms(chunk: Chunk, bounds: Sequence[tuple[int, int]]) -> str:
    """The stored form in an index: a line of terms for the title and headings, then a line for each sentence."""
    texts = (" ".join((chunk.title, *chunk.headings)), *(chunk.text[start:end] for start, end in bounds))
    return "\n".join(" ".join(content_terms(text, chunk.lang)) for text in texts)


def read_terms(stored: str) -> tuple[tuple[str, ...], str]:
    """`ChunkSentences.terms` and `.heading_terms` from the result of `sentence_terms`."""
    heading_terms, *terms = stored.split("\n")
    return tuple(terms), heading_terms
