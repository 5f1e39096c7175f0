"""`QuestionSet`: whether a question was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from footnote.text.normal_form import normal_form
from footnote.text.tokens import content_terms

KEPT = 20_000
"""Questions whose terms are kept: lists of stored questions are shown again and again."""


class QuestionSet:
    """Questions of any language. A question's stored language is not relied on: a check may have refused it before it was known."""

    def __init__(self, questions: Iterable[str]) -> None:
        self._questions = frozenset(questions)
        self._plain = {_plain(question) for question in self._questions}
        self._terms: dict[str, set[frozenset[str]]] = {}

    def holds(self, question: str, lang: str) -> bool:
        """Whether the question, in the language `lang`, has the content words of one of these, or differs from one in case, spaces and
        punctuation only. This matches more than a cache may: withholding too much is the safe side."""
        if not self._questions:
            return False
        if lang not in self._terms:
            self._terms[lang] = {_terms(other, lang) for other in self._questions} - {frozenset()}
        return _plain(question) in self._plain or _terms(question, lang) in self._terms[lang]


@lru_cache(KEPT)
def _terms(question: str, lang: str) -> frozenset[str]:
    return frozenset(content_terms(question, lang))


def _plain(question: str) -> str:
    return normal_form(question, "")
