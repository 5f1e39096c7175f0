"""Whether a text says what an abbreviation stands for. In English, German and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORD = r"[\w&'’/-]+"
PHRASE = r"[^.;:|()\n]{1,150}"
"""What an abbreviation stands for is within one phrase."""
MORE_WORDS = 5
"""How many more words than letters may stand for an abbreviation."""
SAYS = r"\W{0,2}\s+(?:stands? for|is short for|steht für|ist (?:kurz|die Abkürzung) für)\b|[은는이]?\s.{0,40}(?:약자|약어|줄임말)"
"""What follows an abbreviation where a sentence says in words what it stands for."""
SMALL = frozenset("a an and at by for in of on the und der die das des für".split())
"""Words without a letter in an abbreviation."""
HANGUL = re.compile(r"[가-힣]")


def spells_out(text: str, abbreviation: str) -> bool:
    """Whether the text says what the abbreviation stands for: “Authority to Operate (ATO)”, “ATO (Authority to Operate)”, “ATO: Authority
    to Operate”, “ATO stands for …”, “Lead Programmer (L3)”, “최고경영자(CEO)”. In brackets the letters are initials, or occur in this order
    (Schwartz and Hearst, PSB 2003); a digit may stand for anything, and what is written in Hangul for any letters."""
    if abbreviation.casefold() not in text.casefold():
        return False
    short, most = rf"\b(?P<short>{re.escape(abbreviation)}s?)", len(abbreviation) + MORE_WORDS
    return (
        any(_stands_for(abbreviation, long[-most:]) for long in _found(rf"(?P<long>{PHRASE})\(\W?{short}\W?\)", text))
        or any(_stands_for(abbreviation, long[:most]) for long in _found(rf"{short}\s*\((?P<long>[^()]+)\)", text))
        or any(_begins_with_initials(abbreviation, long) for long in _found(rf"{short}\W{{0,3}}\s*[=:|–—-]\s*(?P<long>{PHRASE})", text))
        or any(_found(rf"{short}(?P<long>{SAYS})", text))
    )


def _found(pattern: str, text: str) -> Iterator[list[str]]:
    """The words of each `long` beside a `short`. A small word is no abbreviation: “seen it (in the office)”."""
    for found in re.finditer(pattern, text, re.IGNORECASE):
        if sum(letter.isupper() or letter.isdigit() for letter in found["short"]) > 1:
            yield re.findall(WORD, found["long"])


def _stands_for(abbreviation: str, words: list[str]) -> bool:
    """Whether the last two words or more make the abbreviation, whose first letter begins the first of them."""
    if any(letter.isdigit() for letter in abbreviation):
        return any(word[:1].isupper() for word in words)
    if any(map(HANGUL.match, words[-1:])):
        return True
    letters = re.compile(".*?".join(map(re.escape, abbreviation)), re.IGNORECASE)
    return any(letters.match("".join(words[first:])) for first in range(len(words) - 1))


def _begins_with_initials(abbreviation: str, words: list[str]) -> bool:
    """Whether the first words begin with the letters of the abbreviation, one each."""
    initials = "".join(word[0] for word in words if word.casefold() not in SMALL or word[0].isupper())
    return initials.upper().startswith(re.sub(r"\W", "", abbreviation))
