"""Recognises messages about the last answer or the conversation: to say it shorter or as a table, to prove it, to repeat what was asked.

A linear model in English, German and Korean, over the features of `linear_model` and the message's skeleton: its words, with those that
no such message of the fit has as `x`. “Put that into a table” leaves none, “put the prices of the lifts into a table” leaves two.
Its weights, and the words, are in `about_last_answer.bin`, which `python -m bench.follow_ups --fit` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from footnote.text.linear_model import WORDS, hash_of, probability, read_weights, shown, slot_of, text_features

NAME = "about_last_answer"
LEAST = 0.35
"""A message that asks the documents with a lower probability is about the last answer."""
MOST_UNKNOWN, LONGEST = 4, 7
"""Unknown words that are counted; words of a skeleton that counts as a whole."""
BITS = 1 << 16
"""Of the set of known words. A word is found by the remainder of its hash, so a few others count as known, too."""


def is_about_last_answer(text: str) -> bool:
    """Whether the message, which follows an answer, is about that answer or the conversation; less than 1 ms."""
    known = read_weights(NAME)[2]
    return asks_documents(text, lambda word: bool(known[(bit := bit_of(word)) // 8] >> bit % 8 & 1)) < LEAST


def asks_documents(text: str, is_known: Callable[[str], bool]) -> float:
    """The probability that the message asks something of the documents, 0..1."""
    return probability(NAME, set(features(text, is_known)))


def features(text: str, is_known: Callable[[str], bool]) -> Iterator[int]:
    """The slots of a message's features."""
    yield from text_features(text)
    words = [word if is_known(word) else "x" for word in words_of(text)]
    unknown = min(words.count("x"), MOST_UNKNOWN)
    yield slot_of("unknown", str(unknown))
    yield slot_of("unknown of", f"{unknown}/{min(len(words), LONGEST)}")
    skeleton = ["^", *words, "$"]
    for size in (2, 3):
        for start in range(len(skeleton) - size + 1):
            yield slot_of(f"skeleton{size}", " ".join(skeleton[start : start + size]))
    if len(words) <= LONGEST:
        yield slot_of("skeleton", " ".join(words))


def words_of(text: str) -> list[str]:
    """The words and signs of a message that are looked at."""
    return WORDS.findall(shown(text))


def bit_of(word: str) -> int:
    """The place of a word in the set of known words."""
    return hash_of(word) % BITS


def pack_known(words: Set[str]) -> bytes:
    """The set of known words as `is_about_last_answer` reads it."""
    packed = bytearray(BITS // 8)
    for bit in map(bit_of, words):
        packed[bit // 8] |= 1 << bit % 8
    return bytes(packed)
