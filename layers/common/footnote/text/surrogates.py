"""Repairs lone surrogates: JSON can escape them, UTF-8 cannot encode them. Apply it to all text from outside."""

from __future__ import annotations


def repair(text: str) -> str:
    """Joins surrogate pairs into their character and replaces each lone surrogate with U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
