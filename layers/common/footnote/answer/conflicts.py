"""Sentences of different documents that state the same with different numbers."""

from __future__ import annotations

from footnote.answer.score_sentences import Scored
from footnote.text.tokens import content_terms
from footnote.text.values import values_in

SAME, LEAST_TERMS = 0.75, 2
"""Share of common terms, and number of them, from which two sentences are about the same."""


def conflicting(one: Scored, other: Scored, lang: str) -> bool:
    """Whether two sentences of different documents are about the same, but have no number in common. `lang`: of the question."""
    if one.hit.chunk.doc_id == other.hit.chunk.doc_id:
        return False
    numbers, others = values_in(one.text, lang), values_in(other.text, lang)
    if not numbers or not others or not numbers.isdisjoint(others):
        return False
    a, b = _said(one.text, lang), _said(other.text, lang)
    return len(a & b) >= max(LEAST_TERMS, SAME * len(a | b))


def _said(text: str, lang: str) -> frozenset[str]:
    return frozenset(term for term in content_terms(text, lang) if not term.isdigit())
