"""Sets the language of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from footnote.ports import Index
from footnote.text.dictionary import is_word
from footnote.text.language import LATIN_WORD, detect_language
from footnote.types import Turn

LATIN = ("en", "de")
"""Languages that share a script, so that a few words without a stop word do not tell which one they are of."""
MOST_WORDS = 10
"""A longer question without a stop word is a list of names."""


async def set_language(turn: Turn, *, index: Index) -> Turn:
    """The question's language; if that is unclear, the most frequent one of the passages that the caller may read. Where these are in
    English and in German, the dictionary that has more of the question's words decides first."""
    view = await index.view(turn.caller, turn.request.collection)
    question = turn.request.question
    return _in_language(turn, _by_dictionary(question, view.languages) or detect_language(question, view.languages))


async def set_language_without_index(turn: Turn) -> Turn:
    """The question's language, detected from its words alone; used when the index is down."""
    return _in_language(turn, detect_language(turn.request.question))


def _by_dictionary(question: str, languages: Mapping[str, int]) -> str | None:
    """Of which of LATIN a question such as “opening hours” is; None = its form tells, its words do not, or one is not expected."""
    if not all(lang in languages for lang in LATIN) or len({detect_language(question, [lang]) for lang in LATIN}) == 1:
        return None
    words = LATIN_WORD.findall(question.lower())
    if len(words) > MOST_WORDS:
        return None
    known = {lang: sum(is_word(word, lang) for word in words) for lang in LATIN}
    return max(known, key=lambda lang: known[lang]) if len(set(known.values())) > 1 else None


def _in_language(turn: Turn, lang: str) -> Turn:
    return replace(turn, queries=tuple(replace(query, lang=lang) for query in turn.queries))
