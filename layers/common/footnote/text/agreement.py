"""Do two questions ask the same? What is near in meaning by its vector may differ in all that counts: “with” and “without”
lie at a cosine of .97, two years and three at .98. So the words decide, and their order: two questions agree where they are
the same but for politeness, “the”, spelling and the few phrasings of `phrasings.py`. In doubt they do not."""

from __future__ import annotations

import re
import unicodedata

from footnote.text.phrasings import ANYWHERE, NEGATED_KO, NEGATIONS, PHRASINGS, SILENT, SPELLINGS
from footnote.text.words import STOP_WORDS

LETTERS = re.compile(r"[^\W\d_]+")
TOKEN = re.compile(
    r"""(?:(?<!\w)[-+])?\d+(?:[.,:/]\d+)*(?:(?:st|nd|rd|th)\b)?      # a number with its sign; an ordinal
      | \*?[^\W\d_][^\W_]*(?:\+\+|[+#]|-(?!\w))?                      # a word; C++, C#, grade A-
      | [%‰€$£¥₩°<>≤≥=±&@]""",
    re.VERBOSE,
)
GROUPED = {"de": re.compile(r"(?<=\d)\.(?=\d{3}(?:\D|$))")}
GROUPED_ELSEWHERE = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
NAMES_TOO = frozenset("may march will".split())
"""Words that are names where they have a capital, beside the stop words: US, IT, WHO, Sie."""
START = re.compile(r"(?:^|[.!?:]\s)\W*")


def agree(question: str, other: str, lang: str) -> bool:
    return meaning(question, lang) == meaning(other, lang)


def meaning(question: str, lang: str) -> str:
    """The same for all questions that agree, and for no others; fit to be hashed."""
    text = _without_case(unicodedata.normalize("NFKC", question).replace("’", "'").replace("−", "-"), lang)
    for pattern, instead in PHRASINGS.get(lang, ()):
        text = pattern.sub(instead, text)
    text = GROUPED.get(lang, GROUPED_ELSEWHERE).sub("", text)
    spelled, anywhere = SPELLINGS.get(lang, {}), ANYWHERE.get(lang, frozenset())
    loose: list[str] = []
    ordered: list[str] = []
    how = False
    for word in (spelled.get(token, token) for token in TOKEN.findall(text)):
        if lang == "en" and (word in SILENT or (word == "the" and ordered)):
            continue  # the first “the” stays: “what is the deductible” is not “what is deductible”
        if word in anywhere:
            loose.append(word)
        elif how:  # “how old are the boats” is not “how are the old boats”
            ordered[-1] += f"-{word}"
        else:
            ordered.append(word)
        how = lang == "en" and word == "how"
    return " ".join([*sorted(loose), "|", *ordered])


def is_particular(question: str, lang: str) -> bool:
    """Whether it holds a number, a name or a negation: then much hangs on little."""
    words = LETTERS.findall(question)
    if any(char.isdigit() for char in question) or any(word.lower() in NEGATIONS for word in words) or "n't" in question.replace("’", "'"):
        return True
    if lang == "ko":
        return NEGATED_KO.search(question) is not None or any(word.isascii() for word in words)
    numbers = SPELLINGS.get(lang, {})
    return any(word[0].isupper() and word != "I" for word in words[1:]) or any(
        numbers.get(word.lower(), "")[:1].isdigit() for word in words
    )


def sentence_starts(text: str) -> set[int]:
    """The places where a capital tells no name."""
    return {found.end() for found in START.finditer(text)}


def _without_case(text: str, lang: str) -> str:
    """In small letters; a stop word that is written like a name, US or Sie, gets a mark and stays another word."""
    if text.isupper():
        return text.lower()
    common, starts = STOP_WORDS.get(lang, frozenset()) | NAMES_TOO, sentence_starts(text)

    def fold(match: re.Match[str]) -> str:
        word = match.group()
        small = word.lower()
        named = (word.isupper() and len(word) > 1) or (word[0].isupper() and word != "I" and match.start() not in starts)
        return f"*{small}" if named and small in common else small

    return LETTERS.sub(fold, text)
