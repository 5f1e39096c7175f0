"""Tells whether text is readable although its font does not say which letters its glyphs are. Pure.

pdfium then returns the codes of the glyphs as if they were letters. For many fonts they are: those of old programs use ASCII codes. For
others they are numbers of glyphs, and the text is nonsense."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from math import hypot
from string import ascii_lowercase

ODD = re.compile("[\0-\x01\x03-\x08\x0e-\x1f\x7f\ufffd\ue000-\uf8ff]")
"""Characters that no text has: controls, the replacement character and those of private use."""
_LEAST = 20
"""Letters of a text that can be judged; a formula has fewer in one font."""
_SHORTEST = 3
"""Characters of a word that is counted, if they are not all letters; shorter ones are signs."""
_MOST_ODD = 0.15
_MOST_SIGNS = 0.2
"""Shares from which a text is nonsense: of odd characters, of signs that are rare in texts."""
_LEAST_WRITABLE = 0.9
"""The share of a text's other letters that one encoding can write if they are of one script."""
_SIGNS = frozenset("!\"#$&';?@\\^_`|~")
_ENCODINGS = (
    *(f"cp125{number}" for number in range(9)),
    *("cp874", "iso2022_kr", "shift_jis", "gb2312", "big5"),
)
_VOWELS, _SHIFTED_VOWELS = frozenset("AEIOU"), frozenset("DHLRX")
"""Vowels, and what they become where numbers of glyphs are codes: TrueType fonts begin with ASCII, without its first 29 codes."""
_LEAST_UPPER = 0.5
_LEAST_SMALL = 0.7
_FREQUENCIES = (74, 17, 28, 46, 146, 20, 25, 54, 68, 2, 11, 37, 25, 83, 51, 13, 1, 65, 68, 77, 35, 9, 22, 1, 10, 6)
"""Letters a to z per mille, the mean of English and German."""
_COMMON, _MOST_COMMON = "enirsta", 0.4
"""Letters that make up most of a right text, so that few texts have to be counted."""
_LENGTH = hypot(*_FREQUENCIES)
_LEAST_SHIFTED = 100
_MOST_UNLIKE, _LEAST_LIKE = 0.7, 0.9
"""Of 13,000 pages and pieces of texts in English, German, Korean and others, only a shifted one meets both."""


def is_nonsense(words: Sequence[str]) -> bool:
    """Whether the words of one font, of whose letters it says nothing, are certainly no text."""
    text = "".join(word for word in words if len(word) >= _SHORTEST or (len(word) == _SHORTEST - 1 and word.isalpha()))
    if len(text) < _LEAST:
        return False
    odd = sum(bool(ODD.match(char)) or unicodedata.category(char) in ("Cn", "Co", "Cs") for char in text)
    if odd > _MOST_ODD * len(text) or sum(char in _SIGNS for char in text) > _MOST_SIGNS * len(text):
        return True
    other = "".join(char for char in text if char > "\x7f" and not ODD.match(char))
    if len(other) > _MOST_ODD * len(text) and not _is_of_one_script(other):
        return True
    upper = Counter(char for char in text if "A" <= char <= "Z")
    vowels, shifted = (sum(upper[char] for char in chars) for chars in (_VOWELS, _SHIFTED_VOWELS))
    return upper.total() > _LEAST_UPPER * len(text) and shifted > vowels


def is_shifted(text: str) -> bool:
    """Whether each letter of a text in Latin script is certainly the same number of letters away from the right one, because the font
    says so: the letters are as frequent as in English and German only if they are moved back."""
    small = text.lower()
    if sum(map(small.count, _COMMON)) > _MOST_COMMON * len(text):
        return False
    counts = [small.count(letter) for letter in ascii_lowercase]
    if sum(counts) < _LEAST_SHIFTED or _likeness(counts) > _MOST_UNLIKE:
        return False
    return any(_likeness(counts[by:] + counts[:by]) >= _LEAST_LIKE for by in range(1, len(counts)))


def _likeness(counts: Sequence[int]) -> float:
    """The cosine of the numbers of letters and those in English and German."""
    both = sum(count * usual for count, usual in zip(counts, _FREQUENCIES, strict=True))
    return both / (_LENGTH * hypot(*counts))


def is_word(text: str) -> bool:
    """Whether a word is certainly text: most of it is small letters, which numbers of glyphs hardly are."""
    return len(text) >= _SHORTEST and sum("a" <= char <= "z" for char in text) > _LEAST_SMALL * len(text)


def _is_of_one_script(text: str) -> bool:
    """Whether the letters can be written in one of the encodings that were made for a script, or are of a script without one."""
    if any(_writable(text, encoding) >= _LEAST_WRITABLE * len(text) for encoding in _ENCODINGS):
        return True
    script, count = Counter(unicodedata.name(char, "").split(" ")[0] for char in text).most_common(1)[0]
    return script not in ("", "LATIN", "CYRILLIC", "HANGUL", "CJK") and count >= _LEAST_WRITABLE * len(text)


def _writable(text: str, encoding: str) -> int:
    return len(text.encode(encoding, "ignore").decode(encoding, "ignore"))
