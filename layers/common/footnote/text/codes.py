"""Finds codes in a text: order numbers, versions, standards, errors, rooms, addresses. One definition, for the index and for answers.

A code is a word of letters and digits in which a digit follows a letter (E2042, 1AG41), or several parts that `-`, `.` or `/` join, if

    a digit follows a letter                             6ES7214-1AG41, A-113, RFC-2119, 4102-B1
    three parts or more are numbers                      2026.4.10, v1.2.3, 192.168.0.1, 20-40-60
    two numbers are no range, no season and no score     4711-0815, 13501-1, 2016/679, 2006/42/EG

A word with small letters is no part of it: “COVID-19-Impfung” has a code, “24-hour”, “Typ-2-Diabetes” and “E-Mail” have none. Amounts
(4.50, 1.000.000, 2.5kg, 3.5-4.0), dates (10.04.2026, 2026-04-10, 2026.04.10) and phone numbers (010-1234-5678) are none.
"""

from __future__ import annotations

import re
from itertools import groupby

from footnote.text.compatible import compatible

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ԯ"
_PART, _SIGN = rf"[0-9{_LETTER}]++", r"(?:[-.\u2010]|(?<=\d)/(?=\d|[A-Z]{2,3}\b))"
PARTS = re.compile(
    rf"(?<![0-9{_LETTER}])(?<![0-9{_LETTER}][-.\u2010])(?={_PART}{_SIGN}[0-9{_LETTER}])(?!\d++\.\d++[{_LETTER}]*+(?!{_SIGN}[0-9{_LETTER}]))"
    rf"(?:[{_LETTER}]++{_SIGN})*+(?=[{_LETTER}]*+\d){_PART}(?:{_SIGN}{_PART})*+"
)
"""Several parts of which one has a digit, but no amount. A Korean particle ends them, as a space does."""
ALONE = re.compile(rf"(?<![0-9{_LETTER}])(?![vV]\d++(?![{_LETTER}]))\d*+[{_LETTER}]++\d[0-9{_LETTER}]*+")
NO_CODE = re.compile(
    rf"\d++\.\d++[{_LETTER}]*-(?:\d++\.\d++)?[{_LETTER}]*|\d{{1,3}}(?:\.\d{{3}})+"
    r"|\d\d?([-./])\d\d?\1(?:19|20)\d\d|(?:19|20)\d\d(?:[-/]\d\d?[-/]\d\d?|\.\d\d\.\d\d)|\d\d?/\d\d?/\d\d"
    r"|(?:1[-.])?(?:0\d{1,4}|\d{3})[-.]\d{3,4}[-.]\d{4}"
)
"""An amount, a date or a phone number."""
DIGITS = frozenset("0123456789０１２３４５６７８９")
SIGNS = str.maketrans(dict.fromkeys("-./\u2010", " "))
MOST = 12
"""Parts of a code."""
JOINT = "_"
"""Joins the parts of a code as a term, which consists of word characters only."""


def codes_in(text: str) -> frozenset[str]:
    """The codes of a text as terms, their parts joined by `_`: `6es7214_1ag41`, `2026_4_10`. Case, signs around them, the kind of signs
    in them and the v of a version make no difference.

    A text that has 6ES7214-1AG41-0XB0 also has 6ES7214-1AG41 and 1AG41, since often no more of it is written; one that has 2.5.1.3 does
    not have 2.5.1. So texts have all codes of a question if `codes_in(question) <= codes_in(texts)`."""
    return frozenset(code_terms(text)).union(word.lower() for word in ALONE.findall(compatible(text)))


def code_terms(text: str) -> list[str]:
    """The codes of several parts, with repetitions. Those of one part are words anyway."""
    has_sign = "-" in text or "." in text or "/" in text or "\u2010" in text or "\u2011" in text
    if not has_sign or DIGITS.isdisjoint(text):  # as in most questions
        return []
    terms = list[str]()
    for run in PARTS.findall(compatible(text)):
        at = 0
        for is_word, some in groupby(run.translate(SIGNS).split(" "), _is_word):
            written = run[at : at + len(" ".join(some))].lower()
            at += len(written) + 1
            terms += [] if is_word else _terms(written[1:] if written[0] == "v" and written[1:2].isdigit() else written)
    return terms


def _is_word(part: str) -> bool:
    """Whether it is a word that is not written in capitals."""
    return len(part) > 1 and part.isalpha() and not part.isupper()


def _terms(written: str) -> list[str]:
    """A code and its shorter prefixes with letters; [] = it is not a code."""
    parts = written.translate(SIGNS).split(" ")
    if not 1 < len(parts) <= MOST or NO_CODE.fullmatch(written) or not _is_code(parts):
        return []
    return [JOINT.join(parts[:size]) for size in range(2, len(parts) + 1) if size == len(parts) or _has_letter_and_digit(parts[:size])]


def _is_code(parts: list[str]) -> bool:
    """Whether parts make a code, among which are no words."""
    numbers = [part for part in parts if part.isdigit()]
    if len(numbers) > 2 or _has_letter_and_digit(parts):
        return True
    if len(numbers) < 2:
        return False
    first, second = numbers
    # A range grows, a season has a year of two digits, a score has few.
    return len(parts) > 2 or len(first) > 4 or (len(first) > 2 and len(second) != 2 and (len(first), first) > (len(second), second))


def _has_letter_and_digit(parts: list[str]) -> bool:
    """Whether a digit follows a letter; of “24h” none does."""
    return any(map(str.isdigit, "".join(parts).lstrip("0123456789")))
