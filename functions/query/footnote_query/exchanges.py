"""The earlier exchanges of a conversation that the client sends with each request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from footnote.guard.input_guard import LONGEST
from footnote.types import Exchange


def exchanges_of(said: Sequence[tuple[str, str]]) -> tuple[Exchange, ...]:
    """The questions that an answer follows, oldest first. `said`: (role, text) of the messages of user and assistant. Questions are
    truncated to the maximum length of a question, because a model that rewrites follow-ups reads all of them."""
    return tuple(
        Exchange(question[:LONGEST], answer)
        for (asker, question), (answerer, answer) in pairwise(said)
        if (asker, answerer) == ("user", "assistant")
    )
