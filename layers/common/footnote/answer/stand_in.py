"""Says beside the text that sentences of the documents stand in for the answer of a language model that failed."""

from __future__ import annotations

from dataclasses import replace

from footnote.turn_records.make import is_without_its_model
from footnote.types import Turn

WARNING = "model_failed"
"""Not shown if the budget is the reason, which has a warning of its own."""


def stands_in(turn: Turn) -> bool:
    """The documents are quoted because the language model did not answer."""
    said = any(warning.startswith("budget_") for warning in turn.answer.warnings) if turn.answer else True
    return not said and turn.outcome in (None, "closest", "refused") and is_without_its_model(turn)


async def warn_of_stand_in(turn: Turn) -> Turn:
    """Adds the warning."""
    return replace(turn, answer=replace(turn.answer, warnings=(*turn.answer.warnings, WARNING))) if turn.answer else turn
