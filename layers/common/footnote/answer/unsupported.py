"""What becomes of a model's answer whose statements the cited passages do not support (`assess`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from statistics import fmean

from footnote.answer.assess import find_support, is_comparable
from footnote.answer.check import has_other_sources, quote_documents, with_warning
from footnote.answer.messages import message
from footnote.events import Event
from footnote.ports import Embedder, Index
from footnote.settings import Rag
from footnote.types import Answer, Turn


def has_sources(turn: Turn) -> bool:
    """A model wrote the answer, and it cites something. Citations that were added are of passages that the check has found."""
    answer = turn.answer
    return answer is not None and bool(answer.citations) and not answer.extractive and "citations_added" not in answer.warnings


async def check_support(turn: Turn, *, index: Index, embedder: Embedder | None, rag: Rag) -> AsyncIterator[Event | Turn]:
    """Notes the mean support as `groundedness` (0..2) and the unsupported claims as `unsupported`.

    If a claim is unsupported, the answer gets the warning `unsupported`. If all are, and one is refuted, it is no answer: the documents
    are quoted instead of it, or below it where it has been shown, and the warning is `unfounded`. With RAG__OUTPUT_CHECK=reject, or the
    option `reject_uncited` instead of quotes, a notice takes the place of what has not been shown.
    """
    answer = turn.answer
    found = await find_support(turn, answer, index) if answer else []
    if measured := [result.total for _, result in found if result.measured]:
        turn = turn.with_notes(groundedness=round(fmean(measured), 3))
    doubted = [claim for claim, result in found if result.doubted]
    if answer is None or not doubted:
        yield turn
        return
    turn = turn.with_notes(unsupported=doubted)
    unfounded = len(doubted) == len(found) and any(result.refuted for _, result in found) and _rests_on_passages(turn, answer)
    if (rag.output_check == "reject" and not turn.profile.live) or (unfounded and turn.plan.wants("reject_uncited")):
        refusal = Answer(message("unsupported", turn.lang), model=answer.model)
        yield replace(turn, outcome="refused", answer=refusal).with_notes(rejected_answer=answer.text)
    elif unfounded:
        async for item in quote_documents(turn, answer, "unfounded", index, embedder):
            yield item
    else:
        yield with_warning(turn, answer, "unsupported")


def _rests_on_passages(turn: Turn, answer: Answer) -> bool:
    """Whether the words of the answer have to be in what it cites: not if it rests on something else, says its predecessor in other words,
    or is in another language."""
    passages = [citation.hit.chunk for citation in answer.citations]
    return not has_other_sources(turn) and not turn.conversation.is_asked_about and is_comparable(passages, turn.lang)
