"""Critique of an answer: the sentences that the passages do not support, by the check of `support` and, where RAG__CRITIC asks for it, by
the model. `guard.answer_policy` finds what breaks the policy; `revise` has all of it corrected where the answer has not been shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field

from footnote.answer.context import fenced
from footnote.answer.flaws import lacks_information
from footnote.answer.support import check_claims
from footnote.errors import FootnoteError
from footnote.model_calls import ask
from footnote.ports import Embedder, Index, Models, Verifier
from footnote.prompts import Prompts
from footnote.settings import Rag
from footnote.text.sentences import split_sentences
from footnote.text.untrusted import untrusted
from footnote.types import Answer, Message, Turn

LIMIT_S, REPLY_TOKENS = 15, 1000


class Criticism(BaseModel, defer_build=True):
    """The model's reply."""

    unsupported: list[int] = Field(description="a list of the numbers of the sentences that no document supports")


async def critique(
    turn: Turn, *, index: Index, embedder: Embedder | None, verifier: Verifier | None, models: Models, prompts: Prompts, rag: Rag
) -> Turn:
    """Sets `answer.claims` and `review.doubted`, the unsupported sentences, and notes these. If the model cannot decide, none are doubted;
    nor in an answer that only says that the documents lack it."""
    answer = turn.answer
    if answer is None or lacks_information(answer, turn.lang):
        return turn
    turn, claims = await check_claims(turn, answer, index, embedder, verifier)
    answer = replace(answer, claims=claims)
    turn, doubted = replace(turn, answer=answer), doubted_of(answer)
    if rag.critic == "model":
        doubted += [sentence for sentence in await _ask_model(turn, answer, models, prompts) if sentence not in doubted]
    if not doubted:
        return turn
    review = replace(turn.record.review, doubted=tuple(doubted))
    return replace(turn, record=replace(turn.record, review=review)).with_notes(doubted=doubted)


def critique_shown(turn: Turn) -> dict[str, Any]:
    """The number of doubted sentences."""
    return {"doubted": len(turn.record.review.doubted)}


def doubted_of(answer: Answer) -> list[str]:
    """The sentences that no passage supports."""
    text = answer.unmarked
    return [text[claim.start : claim.end] for claim in answer.claims if claim.is_doubted]


async def _ask_model(turn: Turn, answer: Answer, models: Models, prompts: Prompts) -> list[str]:
    text = answer.unmarked
    sentences = [text[start:end] for start, end in split_sentences(text, turn.lang)]
    values = {
        "question": untrusted(turn.asked),
        "documents": [fenced(hit) for hit in turn.evidence.citable],
        "sentences": [untrusted(sentence) for sentence in sentences],
    }
    request = Message("user", prompts.render("critique", turn.lang, values, turn.plan.prompts))
    try:
        said = await ask(models, turn.plan.model, [request], Criticism, max_tokens=REPLY_TOKENS, timeout_s=LIMIT_S)
    except FootnoteError:
        return []
    return [sentences[number - 1] for number in dict.fromkeys(said.unsupported) if 0 < number <= len(sentences)]
