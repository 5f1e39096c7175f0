"""Writes raised and lowered text in a line: powers and units as Unicode superscripts (10⁶, m², 10⁻³), the markers of notes not at all.

One definition for all formats. A parser knows which text is raised, this module what it means: from the text before it, and from the notes
that the parser has seen. What could be both is written as a superscript, which joins no two numbers and loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_RAISED = str.maketrans("0123456789+-\u2212\u2013()=", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁽⁾⁼")
_LOWERED = str.maketrans("0123456789+-\u2212\u2013()=", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₍₎₌")
_ORDINALS = {"a": "ª", "o": "º", "e": "ᵉ"}
"""Raised endings of numbers in Romance languages: 1ª, 2º, 3ᵉ."""
_DOTTED = re.compile(r"(?<![\d.,])\d{1,2}\.\Z")
"""How Spanish begins them: 11.º"""
_NUMERO = {"o": "º", "os": "os"}
"""Endings of the abbreviation of "number" in Romance languages: nº 7."""
_FIRST_VARIABLE = "i"
"""Letters from here on are raised as exponents, those before it also as the markers of notes."""
_NUMERIC = re.compile(r"[+\-\u2212\u2013]?\d+[+\-\u2212\u2013]?|[+\-\u2212\u2013]")
_LIST = re.compile(r"[\[(]\s*\w{1,3}\s*[\])]|\d+(?:\s*[,;\u2013-]\s*\d+)+,?|\d+,|(?:\d+|[a-z])\)")
"""Raised text that is no power: [1], a), 1,2 and 1–3."""
_BASE = re.compile(r"(?P<number>\d(?:[\d.,'’]*\d)?)\Z|(?P<word>[^\W\d_]+)\Z")
_BASE_LENGTH = 40
_END_OF_WORDS = '.,;:!?…"”“’»«›%€$£'
_OPERATORS = "·×*=+−-/^("
_LONGEST_SYMBOL = 3
"""Letters of a unit or variable: m, cm, mol. Longer words have no power, and shorter ones can have a note, too."""
_LONGEST_BASE = 3
"""Digits of a number that has a power rather than a note: 2, 10, 256; years and amounts have notes."""


def superscript(text: str, before: str, after: str = "", *, is_link: bool = False, notes: Collection[str] = ()) -> str:
    """What raised text becomes where it stands; "" for the marker of a note.

    `before`, `after`: the text of the same paragraph on both sides, a few words of it are enough. `is_link`: it is a link to a place in
    the same document. `notes`: what marks the notes of the document as far as they are known, such as "1" and "*"."""
    text = " ".join(text.split())
    if not text:
        return ""
    if not before.strip():  # the note itself, or an isotope
        return text + ("" if after[:1].isspace() or not after else " ")
    if is_link or _is_sign(text) or _LIST.fullmatch(text):
        return ""
    if _NUMERIC.fullmatch(text):
        return _number(text, before, after, notes)
    return _words(text, before, notes)


def raised(text: str) -> str:
    """Digits, signs and brackets as superscripts; "" if the text has any other character."""
    return text.translate(_RAISED) if text and all(ord(char) in _RAISED for char in text) else ""


def lowered(text: str) -> str:
    """Digits, signs and brackets as subscripts; "" if the text has any other character."""
    return text.translate(_LOWERED) if text and all(ord(char) in _LOWERED for char in text) else ""


def subscript(text: str, before: str) -> str:
    """What lowered text becomes: H2O, x1 and Vmax stay words; after a digit, lowered digits keep apart from it (1010₂)."""
    text = " ".join(text.split())
    if text.isalnum():
        return lowered(text) or f"_{text}" if before[-1:].isdigit() else text
    return lowered(text) or (f"_({text})" if text and before.strip() else text)  # a whole lowered paragraph is no index


def _is_sign(text: str) -> bool:
    """Whether it consists of signs that mark notes: *, **, †, §. Those of trade marks and degrees belong to the word."""
    return not any(char.isalnum() or char in "+-\u2212\u2013=°™®©℠'′″" for char in text)


def _number(text: str, before: str, after: str, notes: Collection[str]) -> str:
    written = raised(text)
    if not text.isdecimal():  # 10⁻³, Ca²⁺
        return written
    close = before.rstrip()
    base = _BASE.search(close[-_BASE_LENGTH:])
    number, word = (base["number"], base["word"]) if base else (None, None)
    if close != before:  # set off by a space: an isotope (¹⁴C) or a marker
        return written if after[:1].isalpha() else ""
    if number == "10":
        return written
    if number and after[:1] in ("/", "⁄") and len(text) < _LONGEST_BASE:
        return f" {text}"  # a fraction: 1 1/2
    if number:
        is_power = number.isdecimal() and number[0] != "0" and len(number) <= _LONGEST_BASE and text not in notes
        return written if is_power or _is_factor(close, number) else ""
    if word:
        return "" if len(word) > _LONGEST_SYMBOL or (len(word) == _LONGEST_SYMBOL and text in notes) else written
    return "" if close[-1] in _END_OF_WORDS or text in notes else written


def _is_factor(text: str, number: str) -> bool:
    """Whether the number at the end of the text is part of a product or sum."""
    head = text[: len(text) - len(number)].rstrip()
    return head[-1:] != "" and head[-1] in _OPERATORS


def _words(text: str, before: str, notes: Collection[str]) -> str:
    if " " in text:
        return f" {text}"
    last = before[-1]
    if text in _NUMERO and last in "nN" and not before[-2:-1].isalpha():
        return _NUMERO[text]
    if len(text) == 1 and text.isalpha():
        if last.isdigit() and text not in notes:
            return _after_number(text, before)
        if text in _ORDINALS and text not in notes and _DOTTED.search(before[-_BASE_LENGTH:]):
            return _ORDINALS[text]
        base = _BASE.search(before[-_BASE_LENGTH:])
        is_marker = text in notes or base is None or len(base[0]) > _LONGEST_SYMBOL
        return "" if is_marker and text.islower() else f"^{text}" if last.isalnum() else text
    if text.isalpha():  # 1st, Mme; but eʳᵗ is a power
        is_variable = last.islower() and not before[-2:-1].isalpha()
        return f"^{text}" if is_variable else text
    if not any(map(str.isalnum, text)):  # ®, °
        return text
    return f"^{text}" if text.isalnum() else f"^({text})"


def _after_number(text: str, before: str) -> str:
    """A raised letter after a digit. Ordinals with a and o are written so from 1 to 9, later ones as 11.º or without a letter."""
    base = _BASE.search(before[-_BASE_LENGTH:])
    number = base["number"] if base else ""
    if text in _ORDINALS and (text == "e" or len(number) == 1):
        return _ORDINALS[text]
    return "" if len(number) > 1 and number != "10" and text.islower() and text < _FIRST_VARIABLE else f"^{text}"
