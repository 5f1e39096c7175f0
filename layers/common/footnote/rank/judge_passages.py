"""Lets a model judge the passages in one call, before an answer is written from them (Self-RAG). Their order stays.

Passages judged irrelevant are dropped, except the LEAST best ones. So a model that judges badly costs little (`python -m bench.ranking
--judges`)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.model_calls import ask
from footnote.ports import Models
from footnote.prompts import Prompts
from footnote.rank.rerank import whole_text
from footnote.text.untrusted import untrusted
from footnote.types import Hit, Message, Turn
from footnote.types.copies import replace

LEAST = 3
MOST = 20
"""Passages that are judged; those after them stay."""
CHARACTERS = 1_000
"""Of a passage, its title and headings included."""
LIMIT_S = 8.0


class Judgement(BaseModel, defer_build=True):
    """The model's reply."""

    relevant: list[int] = Field(description="a list of the numbers of the passages that help to answer the question")
    partly: list[int] = Field(description="a list of the numbers of the passages that are about it and do not answer it")
    irrelevant: list[int] = Field(description="a list of the numbers of the passages that are about something else")


def may_judge(turn: Turn) -> bool:
    """Passages are verified, there is a language model, and more were found than stay anyway."""
    return turn.plan.wants("verify_passages") and turn.plan.model is not None and len(turn.evidence.hits) > LEAST


def has_no_judgement(turn: Turn) -> bool:
    """Something has been found, and no model has judged it: there is none, it failed, or there were too few passages to ask."""
    return bool(turn.evidence.hits) and not turn.evidence.judged


async def judge_passages(turn: Turn, *, models: Models, prompts: Prompts) -> Turn:
    """Drops the hits after the first LEAST that the model calls irrelevant, and notes its judgement as the score `relevance`:
    1 relevant, .5 partly, 0 not. A passage that it does not name stays, and of two judgements the better one counts."""
    judged, rest = turn.evidence.hits[:MOST], turn.evidence.hits[MOST:]
    values = {"question": untrusted(turn.asked), "passages": [untrusted(whole_text(hit, CHARACTERS)) for hit in judged]}
    prompt = prompts.render("judge_passages", turn.lang, values, turn.plan.prompts)
    judgement = await ask(models, turn.plan.model, [Message("user", prompt)], Judgement, timeout_s=LIMIT_S)
    ratings = {**dict.fromkeys(judgement.irrelevant, 0.0), **dict.fromkeys(judgement.partly, 0.5), **dict.fromkeys(judgement.relevant, 1.0)}
    relevance = [ratings.get(number) for number in range(1, len(judged) + 1)]
    kept = [_noted(hit, value) for at, (hit, value) in enumerate(zip(judged, relevance, strict=True)) if at < LEAST or value != 0]
    evidence = replace(turn.evidence, hits=(*kept, *rest), judged=len(judged))
    return replace(turn, evidence=evidence).with_notes(judged_passages=len(judged))


def _noted(hit: Hit, relevance: float | None) -> Hit:
    return hit if relevance is None else replace(hit, scores={**hit.scores, "relevance": relevance})
