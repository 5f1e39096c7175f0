"""Recognises requests that no document has to be searched for: to translate, rewrite, calculate, or write something new.

A linear model over the characters and words of a request, in English, German and Korean. Its weights are in `search_need.bin`, which
`python -m bench.requests --fit` makes.
"""

from __future__ import annotations

from footnote.text.attached_files import names_attached
from footnote.text.linear_model import probability, text_features
from footnote.text.small_talk import is_small_talk

LEAST = 0.5
"""A request that needs documents with a lower probability is not searched for."""


def needs_search(text: str) -> bool:
    """Whether documents might answer the request: no small talk, and nothing that a model does by itself; less than 1 ms."""
    return not is_small_talk(text) and (names_attached(text) or search_need(text) >= LEAST)


def search_need(text: str) -> float:
    """The probability that documents might answer the request, 0..1."""
    return probability("search_need", set(text_features(text)))
