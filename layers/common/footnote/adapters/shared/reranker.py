"""Reads the scores of rerankers, which differ in names and scales."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from footnote.errors import Unavailable

UNREADABLE = "The reranker replied in an unknown format. Check RERANK__SHAPE."


class Score(BaseModel):
    """The score of the text at one position of the request."""

    model_config = ConfigDict(defer_build=True)

    index: int = Field(ge=0)
    score: float = Field(validation_alias=AliasChoices("relevance_score", "relevanceScore", "score"), allow_inf_nan=False)


def read_scores(found: object, texts: int) -> dict[int, float]:
    """A list of objects with an index and a score → index → score. Unavailable if it is none, names a text that was not sent, or names
    one twice."""
    try:
        scores = TypeAdapter(list[Score]).validate_python(found)
    except ValidationError as exc:
        raise Unavailable(UNREADABLE) from exc
    by_index = {each.index: each.score for each in scores}
    if len(by_index) < len(scores) or max(by_index, default=-1) >= texts:
        raise Unavailable(UNREADABLE)
    return by_index


def scaled(scores: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The scores in 0..1. Some servers send logits: if a score is outside, the logistic function is applied to all."""
    found = dict(scores)
    if all(0 <= score <= 1 for score in found.values()):
        return found
    return {index: 1 / (1 + exp(-max(-700.0, score))) for index, score in found.items()}
