"""Classifies a message: a question, a follow-up, thanks, a task that needs no document, …

One linear model over hashed features of the characters and words of a message, and over its vector if the built-in embedder made it,
without the component of its language. Its weights are in `message_kinds.bin`, written by `python -m bench.message_kinds --fit`:
little-endian floats of 2 bytes, a row with a weight for each kind: one for each slot, then for each dimension of the vector, then the
bias."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

from footnote.text.attached_files import names_attached
from footnote.text.words import says_nothing
from footnote.types import SMALL_TALK, Matrix, MessageKind, Turn, Vector

EMBEDDER = "multilingual-e5-small"
"""The embedder whose vectors the model takes."""
DIMENSION = 384
KINDS: tuple[MessageKind, ...] = ("question", "follow_up", "about_answer", "collection", "greeting", "thanks", "task")
MAY_GO_ON = 0.15
"""The probability of a follow-up from which a model is asked: it finds 70 of 79 follow-ups of held-out folders, and is asked for 7 of 100
self-contained questions."""
ALONE: dict[MessageKind, MessageKind] = {"follow_up": "question", "about_answer": "task"}
"""The kind of such a message if there is no earlier one."""
SLOTS = 1 << 13
"""Rows of weights; features that share a slot share them."""
HEAD, TAIL = 80, 40
"""Number of characters examined, from the beginning and from the end: the instruction is there, the text to work on between."""
NEAR = 400
"""Characters of a longer text from whose ends, with white space and numbers shortened, those are taken."""
LONGEST_NGRAM = 4

DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = re.compile(r"[^\W_]+|[^\w\s]")


def message_kind(turn: Turn) -> MessageKind:
    """The kind of a turn's message."""
    return turn.message_kind or kind_of(turn.request.question, goes_on=bool(turn.conversation.exchanges))


def kind_of(text: str, *, goes_on: bool = False, vector: Vector | None = None) -> MessageKind:
    """The kind of a message; less than 1 ms. `goes_on`: there are earlier messages. `vector`: of EMBEDDER, without the component of its
    language."""
    scores = _scores_of_text(text)
    if vector is not None:
        scores = [score + more for score, more in zip(scores, _scores_of_vector(vector), strict=True)]
    shares = dict(zip(KINDS, map(math.exp, scores), strict=True))
    if not goes_on:
        for kind, alone in ALONE.items():
            shares[alone] += shares.pop(kind)
    kind = max(shares, key=lambda kind: shares[kind])
    return "follow_up" if goes_on and kind == "question" and says_nothing(text) else kind


def is_small_talk(text: str) -> bool:
    """Whether the text is only a greeting, chit-chat, thanks or a goodbye."""
    return kind_of(text) in SMALL_TALK


def needs_conversation(text: str) -> bool:
    """Whether the text cannot be understood without the conversation."""
    return kind_of(text, goes_on=True) == "follow_up"


def may_go_on(text: str) -> bool:
    """Whether a model should complete a later message of a conversation; it leaves a self-contained one alone."""
    scores = [math.exp(score) for score in _scores_of_text(text)]
    return scores[KINDS.index("follow_up")] >= MAY_GO_ON * sum(scores)


def needs_search(text: str) -> bool:
    """Whether documents might answer a message that nothing came before: no small talk, and nothing that a model does by itself."""
    kind = kind_of(text)
    return kind not in SMALL_TALK and (kind != "task" or names_attached(text))


@lru_cache(maxsize=256)
def _scores_of_text(text: str) -> list[float]:
    weights = _weights()
    slots = text_slots(text)
    bias = weights[-1]
    of_kinds = zip(*(weights[slot] for slot in slots), strict=True)
    return [sum(of_kind) / math.sqrt(len(slots)) + own for of_kind, own in zip(of_kinds, bias, strict=True)]


def _scores_of_vector(vector: Vector) -> Sequence[float]:
    scores: list[float] = (vector @ _vector_weights()).tolist()
    return scores


@lru_cache(maxsize=1)
def _vector_weights() -> Matrix:
    import numpy as np

    return np.array(_weights()[-1 - DIMENSION : -1], dtype=np.float32)


def _shown(text: str) -> str:
    """The examined part of a text: its ends, in small letters, numbers as 0."""
    near = text if len(text) <= 2 * NEAR else f"{text[:NEAR]} {text[-NEAR:]}"
    said = DIGITS.sub("0", " ".join(near.casefold().split()))
    return said if len(said) <= HEAD + TAIL else f"{said[:HEAD]}…{said[-TAIL:]}"


def text_slots(text: str) -> list[int]:
    """The slots of a text's features."""
    return sorted({crc32(feature.encode("utf-8", "replace")) % SLOTS for feature in _features(text)})


def _features(text: str) -> Iterator[str]:
    """N-grams of characters, words, pairs of words, and the first and last words."""
    said = _shown(text)
    padded = f" {said} "
    for size in range(1, LONGEST_NGRAM + 1):
        yield from {f"c:{padded[start : start + size]}" for start in range(len(padded) - size + 1)}
    words = WORDS.findall(said)
    for word in words:
        yield f"w:{word}"
    for first, second in pairwise(words):
        yield f"p:{first} {second}"
    for length in (1, 2, 3):
        yield f"first{length}:{' '.join(words[:length])}"
        yield f"last{length}:{' '.join(words[-length:])}"


@cache
def _weights() -> list[tuple[float, ...]]:
    """The rows of the file."""
    return list(struct.iter_unpack(f"<{len(KINDS)}e", files("footnote.text").joinpath("message_kinds.bin").read_bytes()))
