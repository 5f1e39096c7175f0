"""Linear models over hashed features of a text: features of its characters and words, and weights from a file in this package.

A file holds the bias and the weight of each slot, little-endian floats of 4 and 2 bytes. What may follow is its model's.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Set
from functools import cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

SLOTS = 1 << 14
"""Weights; features that share a slot share its weight."""
HEAD, TAIL = 80, 40
"""Characters that are looked at, from the beginning and from the end: what is to be done stands there, the text to work on between."""
NEAR = 400
"""Characters of a longer text from whose ends, with white space and numbers shortened, those are taken."""
LONGEST_NGRAM = 4

DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = re.compile(r"[^\W_]+|[^\w\s]")


def shown(text: str) -> str:
    """What is looked at of a text: its ends, in small letters, numbers as 0."""
    near = text if len(text) <= 2 * NEAR else f"{text[:NEAR]} {text[-NEAR:]}"
    said = DIGITS.sub("0", " ".join(near.casefold().split()))
    return said if len(said) <= HEAD + TAIL else f"{said[:HEAD]}…{said[-TAIL:]}"


def text_features(text: str) -> Iterator[int]:
    """The slots of a text's features: n-grams of characters, words, pairs of words, and the first and last words."""
    said = shown(text)
    padded = f" {said} "
    for size in range(1, LONGEST_NGRAM + 1):
        for start in range(len(padded) - size + 1):
            yield slot_of("c", padded[start : start + size])
    words = WORDS.findall(said)
    for word in words:
        yield slot_of("w", word)
    for first, second in pairwise(words):
        yield slot_of("p", f"{first} {second}")
    for length in (1, 2, 3):
        yield slot_of(f"first{length}", " ".join(words[:length]))
        yield slot_of(f"last{length}", " ".join(words[-length:]))


def slot_of(kind: str, value: str) -> int:
    """The slot of a feature."""
    return hash_of(f"{kind}:{value}") % SLOTS


def hash_of(text: str) -> int:
    """The same number for a text in every process."""
    return crc32(text.encode("utf-8", "replace"))


def probability(name: str, slots: Set[int]) -> float:
    """What the model with the weights `<name>.bin` says of these features, 0..1; 1 of none."""
    if not slots:
        return 1.0
    bias, weights, _ = read_weights(name)
    return 1 / (1 + math.exp(-bias - sum(weights[slot] for slot in slots) / math.sqrt(len(slots))))


@cache
def read_weights(name: str) -> tuple[float, list[float], bytes]:
    """The bias, the weight of each slot, and what follows them in the file."""
    data = files("footnote.text").joinpath(f"{name}.bin").read_bytes()
    return struct.unpack_from("<f", data)[0], list(struct.unpack_from(f"<{SLOTS}e", data, 4)), data[4 + 2 * SLOTS :]


def pack_weights(bias: float, weights: list[float]) -> bytes:
    """A file as `read_weights` reads it."""
    return struct.pack("<f", bias) + struct.pack(f"<{SLOTS}e", *weights)
