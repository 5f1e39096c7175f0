"""Halves of characters: JSON can say them, UTF-8 cannot. Whatever comes from outside may hold some."""

from __future__ import annotations


def whole(text: str) -> str:
    """Two halves of a surrogate pair become their character, a lone one U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
