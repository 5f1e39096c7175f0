"""The normal form of a question: two questions are the same if their forms are equal.

Case, white space, quotes and the signs at the end of words make no difference; every word, number and sign does, in its order. “With” and
“without” are as close to each other as most paraphrases, in vectors and in words, so nothing is left out (docs/decisions/0025)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from footnote.text.compatible import compatible
from footnote.text.tokens import UNSPACED, content_terms, normalise
from footnote.text.words import STOP_WORDS

OPENING, CLOSING = "\"'“”„‘«»‹›([{¿¡「『", "\"'“”„‘«»‹›)]}.,;:!?。、」』"
ENDING = (".", "!", "?", ":", "。")
KEPT = 20_000
"""Questions whose terms are kept: lists of stored questions are shown again and again."""


def normal_form(question: str, lang: str) -> str:
    """The words with a space between them; none in scripts that need none, where people place them differently.

    A stop word that is written like a name keeps its capitals: US, IT, WHO; within a German sentence, Sie."""
    text = compatible(question).replace("’", "'").replace("−", "-")
    stop = frozenset[str]() if text.isupper() else STOP_WORDS.get(lang, frozenset())
    form, starts = "", True
    for written in text.split():
        word = written.lstrip(OPENING).rstrip(CLOSING)
        small = normalise(word)
        named = small in stop and ((len(word) > 1 and word.isupper()) or (lang == "de" and word[0].isupper() and not starts))
        starts = written.endswith(ENDING)
        if small:
            joined = not form or (UNSPACED.match(form[-1]) and UNSPACED.match(small))
            form += ("" if joined else " ") + (word if named else small)
    return form


def ask_the_same(question: str, other: str, lang: str) -> bool:
    """Whether an answer to one question answers the other."""
    return normal_form(question, lang) == normal_form(other, lang)


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
