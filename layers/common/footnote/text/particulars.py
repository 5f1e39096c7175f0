"""Particulars of a text: numbers, names and negations. A small difference in them changes the meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnote.text.tokens import content_terms

NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
WORD = re.compile(r"[가-힣]+|[^\W_가-힣](?:[^\W가-힣]|['’+#-])*")
"""Latin words end where Korean begins: “VPN을” is two."""
START = re.compile(r"(?:^|[.!?:]\s)\W*")

NEGATIONS = frozenset(
    """not cannot no never none nobody nothing nowhere neither nor without unless
    nicht kein keine keinen keinem keiner keines keinerlei nie niemals niemand nichts nirgends nirgendwo ohne weder""".split()
)
NEGATED_KO = re.compile(
    r"않|없|못|(?:^|\s)안\s|아니|(?<![가-힣])비(?=가입|거주|공개|공식|과세|과학|급여|금속|논리|대면|대칭|동기|동의|무장|민주|상근|상장|생산|승인|영리|위생"
    r"|윤리|인가|인간|자발|전문|접촉|정규|정상|정형|주류|지정|참여|폭력|표준|필수|합리|합법|해당|허가|현실|협조|활성|회원|효율|흡연)"
)
"""비 is a negation only as a prefix, not in 비용, 비밀번호 or 준비."""

BEFORE, AFTER, KO_SCOPE = 3, 4, 12
"""Words, and in Korean characters, that a negation is about."""

_COUNTED = ("1st", "2nd", "3rd", *(f"{i}th" for i in range(4, 11)), *map(str, range(21)), *map(str, range(30, 101, 10)), "1000")
NUMBER_WORDS: dict[str, dict[str, str]] = {
    "en": dict(
        zip(
            """first second third fourth fifth sixth seventh eighth ninth tenth zero one two three four five six seven eight nine ten
            eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
            ninety hundred thousand""".split(),
            _COUNTED,
            strict=True,
        )
    ),
    "de": dict(
        zip(
            """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn
            neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend""".split(),
            _COUNTED[10:],
            strict=True,
        )
    ),
}
"""Numbers that are spelled out → in digits."""


def particulars(text: str, lang: str) -> frozenset[str]:
    """The numbers, names and negations of a text, in lower case."""
    words = {word.lower() for word in WORD.findall(text)}
    counted = NUMBER_WORDS.get(lang, {})
    numbers = {digits for word in words if (digits := counted.get(word, "")).isdigit()}
    denied = {"not"} if count_negations(text) else set[str]()
    return frozenset({*NUMBER.findall(text), *numbers, *names_in(text, lang), *(words & NEGATIONS), *denied})


def names_in(text: str, lang: str) -> set[str]:
    """Words with a capital that no sentence's start explains, which are names, or in German nouns; in Korean those in Latin letters."""
    starts = {match.end() for match in START.finditer(text)}
    return {
        word.lower()
        for match in WORD.finditer(text)
        if not (word := match[0])[0].isdigit()
        and word != "I"
        and (word.isascii() if lang == "ko" else word[1:] != word[1:].lower() or (word[0].isupper() and match.start() not in starts))
    }


def count_negations(text: str) -> int:
    """How many there are, in the three languages."""
    small = text.lower().replace("’", "'")
    return sum(word in NEGATIONS for word in WORD.findall(small)) + small.count("n't") + len(NEGATED_KO.findall(small))


def denials(text: str, lang: str) -> Iterator[frozenset[str]]:
    """The terms around each negation: a few words before and after it; in Korean those before it, which it follows."""
    if lang == "ko":
        for negation in NEGATED_KO.finditer(text):
            yield frozenset(content_terms(text[max(0, negation.start() - KO_SCOPE) : negation.start()], lang))
        return
    words = WORD.findall(text.replace("’", "'"))
    for at, word in enumerate(words):
        if _negates(word):
            around = words[max(0, at - BEFORE) : at] + words[at + 1 : at + 1 + AFTER]
            yield frozenset(content_terms(" ".join(other for other in around if not _negates(other)), lang))


def _negates(word: str) -> bool:
    return word.lower() in NEGATIONS or word.lower().endswith("n't")
