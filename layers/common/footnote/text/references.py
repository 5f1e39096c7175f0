"""Does a question lean on what was said before it? By patterns in three languages; about .1 ms, no model.

A reference counts as resolved where the question itself says what is meant ("How does a company pay
its staff?"), and what only looks like one is left alone ("Is it true that …", "es gibt", "그리스").
"""

from __future__ import annotations

import re

from footnote.text.reference_patterns import (
    ENGLISH,
    GERMAN,
    GREETING,
    KO_ASKS,
    KO_BOUNDARY,
    KO_DEFINES,
    KO_EXPLETIVES,
    KO_GOES_ON,
    KO_NAMED,
    KO_REFERENCES,
    Latin,
)
from footnote.text.tokens import content_terms
from footnote.text.words import QUESTION_WORDS, STOP_WORDS

WORD = re.compile(r"[\w'-]+")
LONGEST = 2000
"""Characters looked at."""
FRAGMENT = 2
"""A question of so few words says hardly anything by itself."""
FEW = 2
"""Content terms; what starts with "and" and holds no more of them goes on from the question before."""
FEW_KO = 3
"""Words, as blanks part them."""


def needs_rewriting(question: str, lang: str) -> bool:
    """True where somebody who knows nothing of the conversation could not tell what is asked for; False in languages
    without patterns."""
    text = " ".join(question[:LONGEST].replace("’", "'").split())
    if not text or is_greeting(text):
        return False
    match lang:
        case "en":
            return _leans(text, lang, ENGLISH)
        case "de":
            return _leans(text, lang, GERMAN)
        case "ko":
            return _leans_ko(text)
    return False


def is_greeting(question: str) -> bool:
    """Nothing but a greeting, thanks or a good-bye, in any of the languages."""
    return len(question) <= LONGEST and GREETING.fullmatch(question.replace("’", "'").strip()) is not None


def salient_words(question: str, lang: str) -> list[str]:
    """What a question is about, as it is written there: no stop words, question words and references."""
    left_out = STOP_WORDS.get(lang, frozenset()) | QUESTION_WORDS.get(lang, frozenset())
    words = [word for word in WORD.findall(question.replace("’", "'")) if word.lower().partition("'")[0] not in left_out]
    if lang == "ko":
        return [word for word in words if not KO_ASKS.match(word) and not KO_REFERENCES.search(f"{word} 가")]
    return words


def _leans(text: str, lang: str, patterns: Latin) -> bool:
    bare = patterns.expletives.sub(" … ", text)
    if any(_is_open(found, bare, patterns) for pattern in patterns.references if (found := pattern.search(bare))):
        return True
    words, terms = WORD.findall(text), content_terms(text, lang)
    if not terms or len(words) <= FRAGMENT or (len(words) <= FRAGMENT + 1 and not patterns.asks.search(text)):
        return True
    if len(terms) == 1 and patterns.definite.search(text):  # "What is the difference?"
        return True
    return patterns.goes_on.match(text) is not None and len(terms) <= FEW


def _is_open(reference: re.Match[str], text: str, patterns: Latin) -> bool:
    """Whether the question itself does not say what is meant: the subject of the clause, or something in a clause before."""
    before = text[: reference.start()]
    if reference.group().lower() in patterns.own and patterns.subject.search(text[: reference.end()]):
        return False
    named = patterns.named.search(before)
    return named is None or patterns.boundary.search(before, named.end()) is None


def _leans_ko(text: str) -> bool:
    bare = KO_EXPLETIVES.sub(" ", text)
    if (found := KO_REFERENCES.search(bare)) is not None:
        before = bare[: found.start() + 1]
        named = KO_NAMED.search(before)
        if named is None or KO_BOUNDARY.search(before, named.end() - 1) is None:
            return True
    words = WORD.findall(text)
    if not content_terms(text, "ko"):
        return True
    if KO_GOES_ON.match(text):
        words = words[1:]
        if len(words) <= FEW_KO:
            return True
    return len(words) <= FRAGMENT and (len(words) == 1 or KO_DEFINES.search(text) is None)
