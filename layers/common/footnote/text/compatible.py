"""Unicode's compatible form of a text (NFKC), in which raised and lowered digits join no number.

NFKC alone makes 10⁶ the number 106, and 1953¹ 19531. Here they become 10 6 and 1953 1, and so does 10^6; m², m^2 and m2 are the same."""

from __future__ import annotations

import re
import unicodedata

SMALL_DIGITS = "⁰¹²³⁴-⁹₀-₉"
APART = re.compile(rf"(?:(?<=\d)|(?<=[^\W\d_{SMALL_DIGITS}]{{4}}))(?=[{SMALL_DIGITS}])")
"""Between a number, or a word that is too long for a unit or variable, and small digits."""
POWER = re.compile(r"(?<![^\W_])([^\W\d_]{1,3})\^(?=\d)")
EXPONENT = re.compile(r"(?<=\d)⁻?[⁰¹²³⁴-⁹]+")


def compatible(text: str) -> str:
    """The text in NFKC."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", APART.sub(" ", text))


def with_units(text: str) -> str:
    """The text with m2 for m^2."""
    return POWER.sub(r"\1", text) if "^" in text else text


def with_powers(text: str) -> str:
    """The text with m2 for m^2, and 10^6 for 10⁶."""
    text = with_units(text)
    return text if text.isascii() else EXPONENT.sub(lambda found: f"^{unicodedata.normalize('NFKC', found[0])}", text)
