"""Whether a question has words of a file's name, or of its text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from footnote.text.tokens import content_terms

APART = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[^\W\d_]{2})(?=\d)|[\W_]+")
"""Where the words of a name are divided: `TravelPolicy2024_final` has four."""
PART = 5
"""Characters from which a word may be a part of another one: `Urlaub` of `Urlaubsregelung`."""


def words_of_name(file_name: str) -> str:
    """The words of a file's name, without its folders and its extension."""
    return " ".join(filter(None, APART.split(PurePosixPath(file_name.replace("\\", "/")).stem)))


def share_named(question: str, words: str, lang: str) -> float:
    """The share of the words that the question has, 0–1. `lang`: the question's."""
    question_terms, own = set(content_terms(question.replace("_", " "), lang)), set(content_terms(words, lang))
    return sum(_is_in(term, question_terms) for term in own) / len(own) if own else 0.0


def share_covered(question: str, words: str, lang: str) -> float:
    """The share of the question's words that are among these; 0 for a question of a single word, which may be anywhere."""
    question_terms = set(content_terms(question, lang))
    return len(question_terms & set(content_terms(words, lang))) / len(question_terms) if len(question_terms) > 1 else 0.0


def _is_in(term: str, terms: Iterable[str]) -> bool:
    return any(term == other or (min(len(term), len(other)) >= PART and (term in other or other in term)) for other in terms)
