"""Decides whether two questions ask the same, by their words and word order.

Embeddings cannot decide it: questions that differ only in “with” and “without” have a cosine of .97, those that differ in
“two years” and “three years” one of .98. Two questions agree if they differ only in politeness, “the”, spelling and the
phrasings of `phrasings.py`. In doubt they do not agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from footnote.text.phrasings import ANYWHERE, NEGATED_KO, NEGATIONS, PHRASINGS, PLURAL_ONLY, SILENT, SPELLINGS
from footnote.text.word_order import canonical_german, canonical_korean, german_letters
from footnote.text.words import STOP_WORDS

LETTERS = re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
TOKEN = re.compile(
    r"""(?:(?<!\w)[-+])?\d+(?:[.,:/]\d+)*(?:(?:st|nd|rd|th)\b)?      # a number with its sign; an ordinal
      | [*~]?[^\W\d_][^\W_]*(?:\+\+|[+#]|-(?!\w))?                      # a word; C++, C#, grade A-
      | [%‰€$£¥₩°<>≤≥=±&@]""",
    re.VERBOSE,
)
GROUPED = {"de": re.compile(r"(?<=\d)\.(?=\d{3}(?:\D|$))")}
GROUPED_ELSEWHERE = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
NAMES_TOO = frozenset("may march will".split())
"""Like stop words (US, IT, WHO, Sie), these are names where they are capitalised."""
LONGEST = 500
"""Characters. Longer questions agree only if they have the same words in the same order."""
START = re.compile(r"(?:^|[.!?:]\s)\W*")


def agree(question: str, other: str, lang: str) -> bool:
    """Whether an answer to one question answers the other."""
    return agree_readings(readings(question, lang), readings(other, lang))


def agree_readings(one: Sequence[str], other: Sequence[str]) -> bool:
    """`agree` for questions whose `readings` are known."""
    return not set(one).isdisjoint(other)


def readings(question: str, lang: str) -> list[str]:
    """The canonical forms of a question; two questions agree if they share one.

    The first keeps the word order. A German question whose nouns are recognisable by their capitals has a second one,
    without the word order that carries no meaning."""
    tokens, text = _tokens(question, lang)
    if len(question) > LONGEST:
        return [" ".join(tokens)]
    if lang == "ko":
        return [canonical_korean(tokens)]
    nouns = _capitalised(question.replace("E-Mail", "Email")) - STOP_WORDS["de"] if lang == "de" and ", " not in text else frozenset()
    free = canonical_german(tokens, nouns) if nouns else None
    return [_in_order(tokens, question, lang), *([free] if free else [])]


def bucket_key(question: str, lang: str) -> str:
    """A key to hash: equal for all questions that agree, and for some that do not."""
    return german_letters(_tokens(question, lang)[0]) if lang == "de" else readings(question, lang)[0]


def _tokens(question: str, lang: str) -> tuple[list[str], str]:
    """The question's words, each replaced by the first spelling of its group, and the normalised text."""
    text = _without_case(unicodedata.normalize("NFKC", question).replace("’", "'").replace("−", "-"), lang)
    for pattern, instead in PHRASINGS.get(lang, ()) if len(text) <= LONGEST else ():
        text = pattern.sub(instead, text)
    text = GROUPED.get(lang, GROUPED_ELSEWHERE).sub("", text)
    spelled = SPELLINGS.get(lang, {})
    return [spelled.get(token, token) for token in TOKEN.findall(text)], text


def _in_order(tokens: Sequence[str], question: str, lang: str) -> str:
    anywhere = ANYWHERE.get(lang, frozenset())
    loose: list[str] = []
    ordered: list[str] = []
    how = False
    names = {word.lower() for word in LETTERS.findall(question)[1:] if word[0].isupper()}
    words = [token if token in names else _singular(token, lang) for token in tokens]
    said_to_be = "is" in words
    for word in words:
        if lang == "en" and (word in SILENT or (word == "the" and ordered) or (word == "a" and not said_to_be)):
            continue  # the first “the” stays: “what is the deductible” is not “what is deductible”
        if word in anywhere:
            loose.append(word)
        elif how:  # “how old are the boats” is not “how are the old boats”
            ordered[-1] += f"-{word}"
        else:
            ordered.append(word)
        how = lang == "en" and word == "how"
    return " ".join([*sorted(loose), "|", *ordered])


def _capitalised(question: str) -> frozenset[str]:
    """Words that are capitalised within a sentence, in lower case: in German, the nouns."""
    starts = sentence_starts(question)
    return frozenset(
        match.group().lower() for match in LETTERS.finditer(question) if match.group()[0].isupper() and match.start() not in starts
    )


def _singular(word: str, lang: str) -> str:
    """Removes the plural -s of an English noun or the third-person -s of a verb."""
    if lang != "en" or len(word) < 4 or word in PLURAL_ONLY or not word.endswith("s") or word.endswith(("ss", "us", "is", "ics")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("oes", "ches", "shes", "xes", "sses", "zes")) else word[:-1]


def is_particular(question: str, lang: str) -> bool:
    """Whether the question holds a number, a name or a negation, so that a small difference changes its meaning."""
    words = LETTERS.findall(question)
    if any(char.isdigit() for char in question) or any(word.lower() in NEGATIONS for word in words) or "n't" in question.replace("’", "'"):
        return True
    if lang == "ko":
        return NEGATED_KO.search(question) is not None or any(word.isascii() for word in words)
    numbers = SPELLINGS.get(lang, {})
    return any(word[0].isupper() and word != "I" for word in words[1:]) or any(numbers.get(word.lower(), "").isdigit() for word in words)


def sentence_starts(text: str) -> set[int]:
    """Offsets at which a sentence starts, where a capital does not indicate a name."""
    return {found.end() for found in START.finditer(text)}


def _without_case(text: str, lang: str) -> str:
    """Lower case. A stop word that is written like a name (US, Sie) gets a `*` and so stays a different word."""
    if text.isupper():
        return text.lower()
    common, starts = STOP_WORDS.get(lang, frozenset()) | NAMES_TOO, sentence_starts(text)

    def fold(match: re.Match[str]) -> str:
        word = match.group()
        small = word.lower()
        named = (word.isupper() and len(word) > 1) or (word[0].isupper() and word != "I" and match.start() not in starts)
        return f"*{small}" if named and small in common else small

    return LETTERS.sub(fold, text)


def particulars(text: str, lang: str) -> frozenset[str]:
    """What a small difference in changes the meaning of a passage: numbers, negations, and words that are capitalised within a sentence,
    which are names, or in German nouns."""
    starts = sentence_starts(text)
    found = set(NUMBER.findall(text))
    for match in LETTERS.finditer(text):
        word = match.group()
        if word.lower() in NEGATIONS or (word[0].isupper() and match.start() not in starts):
            found.add(word.lower())
    if lang == "ko" and NEGATED_KO.search(text):
        found.add("not")
    return frozenset(found)
