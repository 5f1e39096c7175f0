"""Decides by patterns whether a question refers back to earlier turns. English, German, Korean; about .1 ms, no model.

A reference that the question itself resolves does not count ("How does a company pay its staff?"), nor does an
expletive or another word that only looks like a reference ("Is it true that …", "es gibt", "그리스").
"""

from __future__ import annotations

import re

from footnote.text.reference_patterns import ENGLISH, GERMAN, GREETING, LatinPatterns
from footnote.text.reference_patterns_ko import (
    KO_ASKS,
    KO_ATTRIBUTES,
    KO_BARE,
    KO_BOUNDARY,
    KO_CONTINUES,
    KO_COUNTED,
    KO_DEFINES,
    KO_EXPLETIVES,
    KO_NAMED,
    KO_NOUN,
    KO_REFERENCES,
    KO_VERB,
)
from footnote.text.tokens import content_terms
from footnote.text.words import QUESTION_WORDS, STOP_WORDS

WORD = re.compile(r"[\w'-]+")
LONGEST = 2000
"""Only this many characters are examined."""
FRAGMENT = 2
"""A question of no more words than this is a fragment."""
FEW = 2
"""A question that starts with "and" and has no more content terms than this continues the previous one."""
FEW_KO = 3
"""The same for Korean, in words separated by spaces."""


def needs_rewriting(question: str, lang: str) -> bool:
    """Whether the question cannot be understood without the conversation. False in languages without patterns."""
    text = " ".join(question[:LONGEST].replace("’", "'").split())
    if not text or is_greeting(text):
        return False
    match lang:
        case "en":
            return _refers_back(text, lang, ENGLISH)
        case "de":
            return _refers_back(text, lang, GERMAN)
        case "ko":
            return _refers_back_ko(text)
    return False


def is_greeting(question: str) -> bool:
    """Whether the text is only a greeting, thanks or a goodbye, in any of the three languages."""
    return len(question) <= LONGEST and GREETING.fullmatch(question.replace("’", "'").strip()) is not None


def salient_words(question: str, lang: str) -> list[str]:
    """The question's content words as written: without stop words, question words and references."""
    left_out = STOP_WORDS.get(lang, frozenset()) | QUESTION_WORDS.get(lang, frozenset())
    words = [word for word in WORD.findall(question.replace("’", "'")) if word.lower().partition("'")[0] not in left_out]
    if lang == "ko":
        return [word for word in words if not KO_ASKS.match(word) and not KO_REFERENCES.search(f"{word} 가")]
    return words


def _refers_back(text: str, lang: str, patterns: LatinPatterns) -> bool:
    bare = patterns.expletives.sub(" … ", text)
    if any(_is_open(found, bare, patterns) for pattern in patterns.references if (found := pattern.search(bare))):
        return True
    words, terms = WORD.findall(text), content_terms(text, lang)
    if not terms or len(words) <= FRAGMENT or (len(words) <= FRAGMENT + 1 and not patterns.asks.search(text)):
        return True
    if len(terms) == 1 and patterns.definite.search(text):  # "What is the difference?"
        return True
    return patterns.continues.match(text) is not None and len(terms) <= FEW


def _is_open(reference: re.Match[str], text: str, patterns: LatinPatterns) -> bool:
    """Whether the reference stays unresolved: neither its clause's subject nor an earlier clause can be what it refers to."""
    before = text[: reference.start()]
    if reference.group().lower() in patterns.own and patterns.subject.search(text[: reference.end()]):
        return False
    named = patterns.named.search(before)
    return named is None or patterns.boundary.search(before, named.end()) is None


def _refers_back_ko(text: str) -> bool:
    bare = KO_EXPLETIVES.sub(" ", text)
    if (found := KO_REFERENCES.search(bare)) is not None:
        before = bare[: found.start() + 1]
        named = KO_NAMED.search(before)
        if named is None or KO_BOUNDARY.search(before, named.end() - 1) is None:
            return True
    words = WORD.findall(text)
    if not content_terms(text, "ko"):
        return True
    if KO_CONTINUES.match(text):
        words = words[1:]
        if len(words) <= FEW_KO:
            return True
    return (len(words) <= FRAGMENT and (len(words) == 1 or KO_DEFINES.search(text) is None)) or _names_nothing_ko(text)


def _names_nothing_ko(text: str) -> bool:
    """Whether at most one word has a meaning of its own, and that is the verb: “누가 신청할 수 있나요?”."""
    words = WORD.findall(KO_COUNTED.sub("언제", text))
    telling = [at for at, word in enumerate(words) if not (KO_ASKS.match(word) or KO_BARE.fullmatch(word) or KO_ATTRIBUTES.fullmatch(word))]
    if len(telling) != 1:
        return not telling
    verb, after = words[telling[0]], words[telling[0] + 1 :]
    return KO_VERB.fullmatch(verb) is not None or (not KO_NOUN.fullmatch(verb) and all(map(KO_BARE.fullmatch, after)))
