"""Whether a model's wording still asks the original question.

It must contain at least LEAST of the question's content words, typos and parts of compounds aside. Otherwise its meaning decides where the
embedder supports the language: its cosine with the question, completed by words of the conversation, must reach

    typical + LEAST_NEAR · (1 − typical)        typical: the median cosine of the question with everyday questions

so that one threshold fits every embedder. In other languages at least LEAST of its own words must come from the question or the
conversation. A wording that fails is not answered; it is only searched for, as a derived query (`set_aside`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from footnote.errors import FootnoteError
from footnote.ports import Embedder, speaks
from footnote.text.everyday_questions import yardsticks
from footnote.text.similarity import bigram_cosine, bigrams, vector_cosine
from footnote.text.tokens import BIGRAM_LANGUAGES, content_terms
from footnote.types import Turn

LEAST = 0.5
"""Share of the words."""
LEAST_NEAR = 0.45
ALIKE = 0.6
"""Cosine of the bigrams of a word and its typo, or of a compound and its part."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The original question. `completed`: with words of the earlier questions; `said`: the conversation, from which new words may come."""

    question: str
    completed: str
    said: str
    lang: str


def asked_alone(question: str, lang: str) -> Asked:
    """A question without a conversation."""
    return Asked(question, question, "", lang)


async def asks_the_same(written: str, original: Asked, embedder: Embedder | None) -> bool:
    """Whether the text may be answered in place of the question."""
    terms = set(content_terms(written, original.lang))
    own = set(content_terms(original.question, original.lang))
    if share_held(own, terms, original.lang) >= LEAST:
        return True
    if speaks(embedder, original.lang):
        try:
            vectors = await embedder.embed([original.completed, written, *yardsticks(original.lang)], query=True)
        except FootnoteError:  # its words decide
            return _comes_from(terms, own, original)
        near, *typical = (vector_cosine(vectors[0], vector) for vector in vectors[1:])
        floor = median(typical)
        return near >= floor + LEAST_NEAR * (1 - floor)
    return _comes_from(terms, own, original)


def _comes_from(terms: set[str], own: set[str], original: Asked) -> bool:
    return share_held(terms, own.union(content_terms(original.said, original.lang)), original.lang) >= LEAST


def shares_words(written: str, original: Asked) -> bool:
    """Whether the text has a content word of the question or the conversation."""
    known_terms = content_terms(f"{original.question} {original.said}", original.lang)
    return share_held(set(content_terms(written, original.lang)), set(known_terms), original.lang) > 0


def share_held(terms: Iterable[str], among: set[str], lang: str) -> float:
    """The share of the terms that are among the others; 0 of none."""
    own = list(terms)
    return sum(term in among or (lang not in BIGRAM_LANGUAGES and _is_near(term, among)) for term in own) / max(1, len(own))


def set_aside(turn: Turn, queries: Sequence[str]) -> Turn:
    """The turn with these queries as derived ones, which only find evidence."""
    return turn.derive("paraphrase", queries).with_notes(rewrite_set_aside=list(queries)) if queries else turn


def _is_near(term: str, among: set[str]) -> bool:
    """Whether one of the words differs by a typo, or one is a part of the other."""
    own = bigrams(term)
    return any(bigram_cosine(own, bigrams(other)) >= ALIKE for other in among)
