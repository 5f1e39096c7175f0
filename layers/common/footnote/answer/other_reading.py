"""Chooses between two readings of a follow-up: alone, or completed by the conversation; and of a question after a story: alone, or with it.

Its form suggests the likelier one (`understand.rewrite`), which is searched for first. The other is searched for if the first is not
certain, or takes the question as a follow-up: a new topic in a word or two, “Parking?”, looks like the end of a question. The results of
both are judged as for an answer without a language model, and the surer one is answered, with or without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from footnote.answer.extract import PartAnswer, read_parts
from footnote.answer.sub_questions import decisive
from footnote.answer.toolbox import Search
from footnote.ports import Embedder, Index
from footnote.text.tokens import content_terms
from footnote.types import Conversation, Reading, Tier, Turn
from footnote.types.copies import replace

TIERS: tuple[Tier, ...] = get_args(Tier)
"""The surest first."""
SURER = 0.1
"""How much likelier an answer to a completed question must be than one to the question which seems to need no completion: without a
margin, a tenth of the new questions of 15 folders are taken for follow-ups."""


def has_other_reading(turn: Turn) -> bool:
    """The question may be read in two ways, and the index was searched for it."""
    scope = turn.reading.scope
    return bool(turn.conversation.other_reading and turn.evidence.lists) and not (scope.collection or scope.attached)


async def take_surer_reading(turn: Turn, *, index: Index, embedder: Embedder | None, searcher: Search) -> Turn:
    """The turn, or if the other reading is surer, the turn with its queries and hits."""
    question, other = turn.request.question, turn.conversation.other_reading
    goes_on = other == question and not turn.reading.divided
    own = await read_parts(turn, index=index, embedder=embedder)
    if not goes_on and decisive([part.verdict for part in own]).tier == "answer":
        return turn
    other_turn = replace(turn, queries=turn.answered).rewrite(*(() if goes_on else (other,))).again()
    searched = await searcher(replace(other_turn, reading=Reading(scope=turn.reading.scope), conversation=Conversation()))
    if searched.outcome is not None or not searched.evidence.hits:
        return turn
    words = frozenset(content_terms(question, turn.lang))
    others = await read_parts(searched, index=index, embedder=embedder)
    (tier, score), (own_tier, own_score) = _sureness(others, words), _sureness(own, words)
    if (tier, score) <= (own_tier, own_score + (0.0 if goes_on else SURER)):
        return turn
    return replace(turn, queries=searched.queries, reading=searched.reading, evidence=searched.evidence).with_notes(other_reading=True)


def _sureness(parts: Sequence[PartAnswer], words: frozenset[str]) -> tuple[int, float]:
    """Tier and score. Excerpts without a word of the question are no answer to it: they answer the one before."""
    verdict = decisive([part.verdict for part in parts])
    quoted_terms = frozenset[str]().union(*(sentence.held for part in parts for quote in part.quotes for sentence in quote.marked))
    tier: Tier = "closest" if verdict.tier == "answer" and words and words.isdisjoint(quoted_terms) else verdict.tier
    return -TIERS.index(tier), verdict.score
