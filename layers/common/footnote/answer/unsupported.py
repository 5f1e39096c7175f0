"""Handles a model's answer with sentences that the passages do not support (`support`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from footnote.answer.check import quote_documents, with_warning
from footnote.answer.messages import message
from footnote.answer.support import groundedness
from footnote.events import Event
from footnote.ports import Embedder, Index
from footnote.settings import Rag
from footnote.types import Answer, Turn


def is_checked(turn: Turn) -> bool:
    """A model wrote the answer, it has no other flaw, and its sentences were compared with passages."""
    return turn.outcome is None and turn.answer is not None and not turn.answer.extractive and bool(turn.answer.claims)


async def check_support(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> AsyncIterator[Event | Turn]:
    """Notes `groundedness` (0..1) and the doubted sentences as `unsupported`.

    If a sentence is doubted, the answer gets the warning `unsupported`. If all are, it is no answer: the documents are quoted instead, or
    below it if it has been shown, and the warning is `unfounded`. With RAG__OUTPUT_CHECK=reject, or the option `reject_uncited` instead of
    quotes, a notice replaces a text that has not been shown."""
    answer = turn.answer
    if answer is None:
        yield turn
        return
    doubted = [claim for claim in answer.claims if claim.is_doubted]
    turn = turn.with_notes(groundedness=groundedness(answer.claims))
    if not doubted:
        yield turn
        return
    turn = turn.with_notes(unsupported=[answer.unmarked[claim.start : claim.end] for claim in doubted])
    unfounded = len(doubted) == len(answer.claims) and not turn.conversation.is_asked_about
    if (rag.output_check == "reject" and not turn.profile.live) or (unfounded and turn.plan.wants("reject_uncited")):
        refusal = Answer(message("unsupported", turn.lang), model=answer.model)
        yield replace(turn, outcome="refused", answer=refusal).with_notes(rejected_answer=answer.text)
    elif unfounded:
        async for item in quote_documents(turn, answer, "unfounded", index, embedder):
            yield item
    else:
        yield with_warning(turn, answer, "unsupported")
