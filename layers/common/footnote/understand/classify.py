"""Classifies the question, by patterns or by a model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.steps import known_early
from footnote.text.question_kinds import classify
from footnote.text.untrusted import untrusted
from footnote.types import Classification, Intent, Message, QuestionType, Turn
from footnote.types.copies import replace

LIMIT_S = 10
AGREED, DISAGREED = 0.95, 0.7
"""The confidence in a model's answer if the patterns agree, and if they disagree."""


class Kind(BaseModel, defer_build=True):
    """The model's reply."""

    intent: Intent = Field(description="one of FACTUAL, SUMMARY, COMPARISON, LIST, ANALYTICAL")
    type: QuestionType = Field(description="one of factual, comparative, procedural, relational, aggregative, temporal")
    needs_steps: bool = Field(description="true or false: whether something has to be found first")


@known_early
def searches_documents(turn: Turn) -> bool:
    """The documents answer."""
    return turn.request.mode == "rag"


@known_early
def has_model_to_classify(turn: Turn) -> bool:
    """There is a language model, and the documents answer."""
    return turn.plan.model is not None and searches_documents(turn)


def kind_shown(turn: Turn) -> dict[str, Any]:
    """What kind of question it is, and how sure that is."""
    kind = turn.reading.classification
    return {"intent": kind.intent, "type": kind.type, "confidence": kind.confidence} if kind else {}


async def classify_by_rules(turn: Turn) -> Turn:
    """Sets `turn.reading.classification` by patterns."""
    return _classified(turn, classify(turn.asked, turn.lang))


async def classify_by_model(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Lets a model decide intent, type and whether there are several steps; the entities stay. A question about the last answer is not
    classified."""
    if turn.conversation.is_asked_about:
        return turn
    ruled = turn.reading.classification or classify(turn.asked, turn.lang)
    prompt = prompts.render("classify", turn.lang, {"question": untrusted(turn.asked)}, turn.plan.prompts)
    kind = await ask(models, turn.plan.model, [Message("user", prompt)], Kind, timeout_s=LIMIT_S)
    sure = AGREED if (kind.intent, kind.type) == (ruled.intent, ruled.type) else DISAGREED
    classification = replace(
        ruled,
        intent=kind.intent,
        type=kind.type,
        is_multi_hop=kind.needs_steps,
        because=f"the model {turn.plan.model}",
        confidence=sure,
    )
    return _classified(turn, classification)


def _classified(turn: Turn, classification: Classification) -> Turn:
    note = {
        "intent": classification.intent,
        "type": classification.type,
        "multi_hop": classification.is_multi_hop,
        "because": classification.because,
    }
    entities = [{"kind": entity.kind, "text": entity.text} for entity in classification.entities]
    turn = replace(turn, reading=replace(turn.reading, classification=classification))
    return turn.with_notes(classification={**note, "confidence": classification.confidence, "entities": entities})
