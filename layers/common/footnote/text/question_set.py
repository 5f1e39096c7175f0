"""`QuestionSet`: whether a question was asked before, in whatever words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from footnote.text.agreement import readings

KEPT = 20_000
"""Questions whose readings are kept: lists of stored questions are shown again and again."""


class QuestionSet:
    """Questions of any language. A question's stored language is not relied on: a check may have refused it before it was known."""

    def __init__(self, questions: Iterable[str]) -> None:
        self._questions = frozenset(questions)
        self._plain = {_plain(question) for question in self._questions}
        self._readings: dict[str, set[str]] = {}

    def holds(self, question: str, lang: str) -> bool:
        """Whether the question, in the language `lang`, agrees with one of these, or differs from one in case and spaces only."""
        if not self._questions:
            return False
        if lang not in self._readings:
            self._readings[lang] = {reading for each in self._questions for reading in _readings(each, lang)}
        return _plain(question) in self._plain or not self._readings[lang].isdisjoint(_readings(question, lang))


@lru_cache(KEPT)
def _readings(question: str, lang: str) -> tuple[str, ...]:
    return tuple(readings(question, lang))


def _plain(question: str) -> str:
    return " ".join(question.casefold().split())
