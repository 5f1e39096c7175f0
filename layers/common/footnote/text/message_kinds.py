"""Classifies a message: a question, a follow-up, thanks, a task that needs no document, …

One linear model over the characters and words of a message, and over its vector if the built-in embedder made it, without the component of
its language. Its weights are in `message_kinds.bin`, written by `python -m bench.message_kinds --fit`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from footnote.text.attached_files import names_attached
from footnote.text.linear_model import read_weights, text_slots
from footnote.text.words import says_nothing
from footnote.types import SMALL_TALK, MessageKind, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EMBEDDER = "multilingual-e5-small"
"""The embedder whose vectors the model takes."""
DIMENSION = 384
KINDS: tuple[MessageKind, ...] = ("question", "follow_up", "about_answer", "collection", "greeting", "thanks", "task")
WEIGHTS = "message_kinds"
MAY_GO_ON = 0.15
"""The probability of a follow-up from which a model is asked: it finds 70 of 79 follow-ups of held-out folders, and is asked for 7 of 100
self-contained questions."""
ALONE: dict[MessageKind, MessageKind] = {"follow_up": "question", "about_answer": "task"}
"""The kind of such a message if there is no earlier one."""


def message_kind(turn: Turn) -> MessageKind:
    """The kind of a turn's message."""
    return turn.message_kind or kind_of(turn.request.question, goes_on=bool(turn.conversation.exchanges))


def kind_of(text: str, *, goes_on: bool = False, vector: npt.NDArray[np.float32] | None = None) -> MessageKind:
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
    weights = read_weights(WEIGHTS, len(KINDS))
    slots = text_slots(text)
    bias = weights[-1]
    return [sum([weights[slot][kind] for slot in slots]) / math.sqrt(len(slots)) + bias[kind] for kind in range(len(KINDS))]


def _scores_of_vector(vector: npt.NDArray[np.float32]) -> Sequence[float]:
    scores: list[float] = (vector @ _vector_weights()).tolist()
    return scores


@lru_cache(maxsize=1)
def _vector_weights() -> npt.NDArray[np.float32]:
    import numpy as np

    return np.array(read_weights(WEIGHTS, len(KINDS))[-1 - DIMENSION : -1], dtype=np.float32)
