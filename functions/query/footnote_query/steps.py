"""The steps of a turn, with what they used of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from footnote.turn_records.read import step_usage_of
from footnote.types import Stage, TurnRecord

if TYPE_CHECKING:
    from footnote.settings import LLM


class StepBody(BaseModel):
    """A finished step of the pipeline."""

    name: str
    ms: float
    status: str
    out: dict[str, Any] = Field(description="What it did. `used`: the tokens of each language model that it called.")
    stage: Stage
    cost: float | None = Field(None, description="Of the tokens in `out.used` at current prices; null = none, or a model has no price.")


def make_steps(record: TurnRecord, llm: LLM) -> list[StepBody]:
    """The steps of a turn, with their stages."""
    from footnote.pipeline import STAGES  # the core is loaded by the first request, not with the app

    return [make_step(**span, stage=STAGES.get(span["name"], Stage.ANSWER), llm=llm) for span in record["spans"]]


def make_step(name: str, ms: float, status: str, detail: Mapping[str, Any], stage: Stage, llm: LLM) -> StepBody:
    """A step that has ended."""
    used = step_usage_of(detail)
    return StepBody(name=name, ms=round(ms, 2), status=status, out=dict(detail), stage=stage, cost=llm.cost(used) if used else None)
