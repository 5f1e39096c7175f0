"""Sets the language of a turn, and which knowledge of the collection it uses."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.types import KNOWLEDGE, KnowledgeKind, Maker, Plan, Turn
from footnote.types.copies import replace

BUILT, NOT_BUILT = "the collection has built it", "the collection has not built it"
DEFAULT = "default"
"""What decided the level where nobody did."""


async def set_language(turn: Turn, *, index: Index) -> Turn:
    """The languages expected of a question: its own, and those of the passages that the caller may read. In the plan, each kind of
    knowledge is off where the collection has not built it, and on where it has, unless a level was asked for, which decides."""
    view = await index.view(turn.caller, turn.request.collection)
    turn = _in_language(turn, detect_language(turn.request.question, view.languages))
    built = view.knowledge if view.languages else {}  # those who may read nothing of a collection are told nothing of it
    return replace(turn, languages=view.languages, plan=_with_built(turn.plan, built))


async def set_language_without_index(turn: Turn) -> Turn:
    """The question's language, detected from its words alone; used when the index is down."""
    return _in_language(turn, detect_language(turn.request.question))


def _with_built(plan: Plan, built: Mapping[KnowledgeKind, Maker]) -> Plan:
    for kind in KNOWLEDGE:
        if kind not in built:
            plan = plan.without(kind, NOT_BUILT)
        elif plan.level_because == DEFAULT:
            plan = plan.with_built(kind, BUILT)
    return plan


def _in_language(turn: Turn, lang: str) -> Turn:
    return replace(turn, queries=tuple(replace(query, lang=lang) for query in turn.queries))
