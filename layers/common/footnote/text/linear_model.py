"""Linear models over hashed features of a text: features of its characters and words, and weights from a file in this package.

A file contains little-endian floats of 2 bytes, a row with a weight for each output: one for each slot, and the model's further inputs."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

SLOTS = 1 << 13
"""Rows of weights; features that share a slot share them."""
HEAD, TAIL = 80, 40
"""Number of characters examined, from the beginning and from the end: the instruction is there, the text to work on between."""
NEAR = 400
"""Characters of a longer text from whose ends, with white space and numbers shortened, those are taken."""
LONGEST_NGRAM = 4

DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = re.compile(r"[^\W_]+|[^\w\s]")


def shown(text: str) -> str:
    """The examined part of a text: its ends, in small letters, numbers as 0."""
    near = text if len(text) <= 2 * NEAR else f"{text[:NEAR]} {text[-NEAR:]}"
    said = DIGITS.sub("0", " ".join(near.casefold().split()))
    return said if len(said) <= HEAD + TAIL else f"{said[:HEAD]}…{said[-TAIL:]}"


def text_slots(text: str) -> list[int]:
    """The slots of a text's features."""
    return sorted({crc32(feature.encode("utf-8", "replace")) % SLOTS for feature in text_features(text)})


def text_features(text: str) -> Iterator[str]:
    """N-grams of characters, words, pairs of words, and the first and last words."""
    said = shown(text)
    padded = f" {said} "
    for size in range(1, LONGEST_NGRAM + 1):
        for start in range(len(padded) - size + 1):
            yield f"c:{padded[start : start + size]}"
    words = WORDS.findall(said)
    for word in words:
        yield f"w:{word}"
    for first, second in pairwise(words):
        yield f"p:{first} {second}"
    for length in (1, 2, 3):
        yield f"first{length}:{' '.join(words[:length])}"
        yield f"last{length}:{' '.join(words[-length:])}"


@cache
def read_weights(name: str, outputs: int) -> list[tuple[float, ...]]:
    """The rows of `<name>.bin`."""
    data = files("footnote.text").joinpath(f"{name}.bin").read_bytes()
    return list(struct.iter_unpack(f"<{outputs}e", data))


def pack_weights(rows: Sequence[Sequence[float]]) -> bytes:
    """A file as `read_weights` reads it."""
    return b"".join(struct.pack(f"<{len(row)}e", *row) for row in rows)
