"""Tells by its vector what kind of message somebody wrote, in any language: a question, a follow-up, thanks, …

A linear model over the vectors of the built-in embedder, without what tells their language. Its weights are in `message_kinds.npy`, which
`python -m bench.message_kinds --fit` makes from 212 examples.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.types import MessageKind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EMBEDDER = "multilingual-e5-small"
"""The name of the embedder whose vectors are told apart."""
KINDS: tuple[MessageKind, ...] = ("question", "follow_up", "about_answer", "collection", "greeting", "thanks", "task")
WEIGHTS = Path(__file__).with_name("message_kinds.npy")
"""(385, 7): a row for each number of a vector, and the bias."""
MARGIN = 0.15
"""A kind other than a question is told if its score, which is 1 for the examples, is higher than any other by so much."""


def kind_of(vector: npt.NDArray[np.float32]) -> MessageKind:
    """The kind of a message with this vector."""
    import numpy as np

    weights = _weights()
    scores = vector @ weights[:-1] + weights[-1]
    second, best = np.argsort(scores)[-2:]
    return KINDS[best] if scores[best] - scores[second] >= MARGIN else "question"


@cache
def _weights() -> npt.NDArray[np.float32]:
    import numpy as np

    weights: npt.NDArray[np.float32] = np.load(WEIGHTS)
    return weights
