"""Several answers to one question, of which the best supported one is given.

The drafts are written at the same time, at a temperature above 0, so they differ where the model is unsure. That they differ is
reported: by the warning `disagreement`, and in the trace.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from footnote.answer.flaws import lacks_information
from footnote.answer.generate import answer_fitting
from footnote.answer.support import check_claims, groundedness
from footnote.errors import FootnoteError
from footnote.events import Event, Token
from footnote.ports import Embedder, Index, Models, Verifier
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.steps import known_early
from footnote.text.particulars import count_negations
from footnote.text.sentences import split_sentences
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.text.values import COMMON, values_in
from footnote.types import Answer, Turn
from footnote.types.copies import replace

DRAFTS = 3
TEMPERATURE = 0.7
"""For requests that name none, or 0, at which all drafts would be alike."""
SAME = 0.5
"""Cosine of the letter pairs of two sentences about the same thing."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One of the answers. `turn`: the turn as it would be with it. `supported`: share of its sentences that are not
    doubted. `support`: the same, with that of doubted ones. `lacks`: it says that the documents lack the answer."""

    turn: Turn
    answer: Answer
    supported: float
    support: float
    lacks: bool


@known_early
def is_unanswered(turn: Turn) -> bool:
    """A language model answers, and has not yet."""
    return turn.plan.model is not None and turn.answer is None


async def vote(
    turn: Turn,
    *,
    models: Models,
    prompts: Prompts,
    llm: LLM,
    conversation: Conversation,
    index: Index,
    embedder: Embedder | None,
    verifier: Verifier | None,
) -> AsyncIterator[Event | Turn]:
    """Writes DRAFTS answers and gives the one that its sources support best; notes the `vote`. Raises the error of the first draft if
    all of them fail."""
    temperature = turn.request.temperature or TEMPERATURE
    varied = replace(turn, request=replace(turn.request, temperature=temperature))
    written = await asyncio.gather(*(_write(varied, models, prompts, llm, conversation) for _ in range(DRAFTS)), return_exceptions=True)
    for error in written:
        if isinstance(error, BaseException) and not isinstance(error, FootnoteError):
            raise error
    drafts = [await _judged(draft, index, embedder, verifier) for draft in written if isinstance(draft, Turn)]
    drafts = [draft for draft in drafts if not draft.answer.cut] or drafts
    if not drafts:
        raise next(error for error in written if isinstance(error, FootnoteError))
    best = choose(drafts)
    differ = any(are_different(one.answer, other.answer, turn.lang) for one, other in combinations(drafts, 2))
    answer = replace(best.answer, warnings=(*best.answer.warnings, "disagreement")) if differ else best.answer
    note = {
        "drafts": len(drafts),
        "chosen": drafts.index(best) + 1,
        "supported": [round(draft.supported, 3) for draft in drafts],
        "differ": differ,
    }
    yield Token(answer.text)
    yield replace(best.turn, request=turn.request, answer=answer).with_notes(vote=note)


def choose(drafts: Sequence[Draft]) -> Draft:
    """The draft with most of its claims supported; of equals, the one whose claims are supported best, then the first. If most drafts say
    that the documents lack the answer, the first of these."""
    lacking = [draft for draft in drafts if draft.lacks]
    if 2 * len(lacking) > len(drafts):
        return lacking[0]
    return max((draft for draft in drafts if not draft.lacks), key=lambda draft: (draft.supported, draft.support))


def are_different(one: Answer, other: Answer, lang: str) -> bool:
    """Whether two answers disagree: only one says that the documents lack it, they have no number in common, or of two sentences about the
    same thing one is negated or has other numbers."""
    if lacks_information(one, lang) or lacks_information(other, lang):
        return lacks_information(one, lang) != lacks_information(other, lang)
    claims, others = ([text[slice(*span)] for span in split_sentences(text, lang)] for text in (one.unmarked, other.unmarked))
    if _are_apart(_numbers(claims, lang), _numbers(others, lang)):
        return True
    return any(
        _is_about_the_same(claim, said)
        and ((count_negations(claim) > 0) != (count_negations(said) > 0) or _are_apart(_numbers([claim], lang), _numbers([said], lang)))
        for claim in claims
        for said in others
    )


async def _write(turn: Turn, models: Models, prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    async for item in answer_fitting(turn, models=models, prompts=prompts, llm=llm, conversation=conversation):
        turn = item if isinstance(item, Turn) else turn
    return turn


async def _judged(turn: Turn, index: Index, embedder: Embedder | None, verifier: Verifier | None) -> Draft:
    answer = turn.answer or Answer("")
    turn, checked = await check_claims(turn, answer, index, embedder, verifier)
    claims = [claim for claim in checked if claim.support is not None]
    return Draft(
        turn,
        answer,
        supported=sum(not claim.is_doubted for claim in claims) / len(claims) if claims else 0.0,
        support=groundedness(claims) or 0.0,
        lacks=lacks_information(answer, turn.lang),
    )


def _numbers(claims: Sequence[str], lang: str) -> frozenset[str]:
    return frozenset().union(*(values_in(claim, lang) for claim in claims)) - COMMON


def _are_apart(numbers: frozenset[str], others: frozenset[str]) -> bool:
    return bool(numbers and others) and numbers.isdisjoint(others)


def _is_about_the_same(claim: str, other: str) -> bool:
    return bigram_cosine(bigrams(claim), bigrams(other)) >= SAME
