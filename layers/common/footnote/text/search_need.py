"""Recognises requests that no document has to be searched for: to translate, rewrite, calculate, or write something new.

A linear model over the characters and words of a request, in English, German and Korean. Its weights are in `search_need.bin`, which
`python -m bench.requests --fit` makes.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

from footnote.text.attached_files import names_attached
from footnote.text.small_talk import is_small_talk

SLOTS = 1 << 14
"""Weights; features that share a slot share its weight."""
HEAD, TAIL = 80, 40
"""Characters that are looked at, from the beginning and from the end: what is to be done stands there, the text to work on between."""
NEAR = 400
"""Characters of a longer text from whose ends, with white space and numbers shortened, those are taken."""
LONGEST_NGRAM = 4
LEAST = 0.5
"""A request that needs documents with a lower probability is not searched for."""

DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = re.compile(r"[^\W_]+|[^\w\s]")


def needs_search(text: str) -> bool:
    """Whether documents might answer the request: no small talk, and nothing that a model does by itself; less than 1 ms."""
    return not is_small_talk(text) and (names_attached(text) or search_need(text) >= LEAST)


def search_need(text: str) -> float:
    """The probability that documents might answer the request, 0..1."""
    slots = set(features(text))
    if not slots:
        return 1.0
    bias, weights = _weights()
    return 1 / (1 + math.exp(-bias - sum(weights[slot] for slot in slots) / math.sqrt(len(slots))))


def features(text: str) -> Iterator[int]:
    """The slots of a request's features: n-grams of characters, words, pairs of words, and the first and last words."""
    near = text if len(text) <= 2 * NEAR else f"{text[:NEAR]} {text[-NEAR:]}"
    said = DIGITS.sub("0", " ".join(near.casefold().split()))
    shown = said if len(said) <= HEAD + TAIL else f"{said[:HEAD]}…{said[-TAIL:]}"
    padded = f" {shown} "
    for size in range(1, LONGEST_NGRAM + 1):
        for start in range(len(padded) - size + 1):
            yield _slot("c", padded[start : start + size])
    words = WORDS.findall(shown)
    for word in words:
        yield _slot("w", word)
    for first, second in pairwise(words):
        yield _slot("p", f"{first} {second}")
    for length in (1, 2, 3):
        yield _slot(f"first{length}", " ".join(words[:length]))
        yield _slot(f"last{length}", " ".join(words[-length:]))


def _slot(kind: str, value: str) -> int:
    return crc32(f"{kind}:{value}".encode("utf-8", "replace")) % SLOTS


@cache
def _weights() -> tuple[float, list[float]]:
    """The bias and the weight of each slot: little-endian floats of 4 and 2 bytes."""
    data = files("footnote.text").joinpath("search_need.bin").read_bytes()
    return struct.unpack_from("<f", data)[0], list(struct.unpack_from(f"<{SLOTS}e", data, 4))
