"""The collections that a caller may search, with questions that they answer; and whether they answer a question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from footnote.answer.choose import Quote
from footnote.answer.extract import certain_quotes
from footnote.answer.unread import reading_of
from footnote.bootstrap.deps import Deps
from footnote.errors import StoreUnavailable
from footnote.learn.questions import in_language, suggest_questions
from footnote.memory.scope import search_scope
from footnote.types import Caller, Conversation, OptionName, Profile, Request, Trace, Turn
from footnote.types.copies import replace

if TYPE_CHECKING:
    from footnote.bootstrap import Core

QUESTIONS_S = 24 * 3600.0
MOST_KEPT = 2000
"""Trials that are kept in the process."""
UNSAVED = Profile("none", live=False, citation_style="numbered", prompt="answer_numbered")

CHEAP: Mapping[OptionName, bool] = {"rerank": False, "feedback_weights": False}
"""Options of searches that a collection needs for itself: there are many, and each call of a reranker may cost money."""

FREE: tuple[OptionName, ...] = ("rerank", "feedback_weights", "search_cache", "spelling", "remote_search", "knowledge_base")
"""Options that are off while a question is tried after an answer."""


async def list_collections(core: Core, caller: Caller, lang: str | None) -> list[dict[str, Any]]:
    """The collections visible to the caller, with the numbers of documents that are READY and that are still being read, and at most
    three suggested questions each, those in `lang` first. The questions are cached for each version of a collection."""
    return [
        {
            "name": name,
            "documents": documents,
            "reading": reading_of(await core.ledger.readable_states(caller, name)),
            "questions": in_language(await _questions(core, caller, name, documents), lang),
        }
        for name, documents in (await core.ledger.collections(caller)).items()
    ]


async def _questions(core: Core, caller: Caller, name: str, documents: int) -> Sequence[Sequence[str]]:
    view = await core.index.view(caller, name)
    if not view.version or not documents:
        return []
    readers = "*" if caller.sees_all else json.dumps(sorted(caller.groups))  # a group's name may hold any separator
    key = f"questions-6:{view.stored}:{view.version}:{readers}"
    make = partial(suggest_questions, caller, name, index=core.index, quotes=partial(_quotes, core, caller, name))
    try:
        questions: Sequence[Sequence[str]] | None = await core.optional_cache.get(key)
    except StoreUnavailable:  # skip the write, too: a cache that hangs costs one wait only
        return await make()
    if questions is None:
        questions = await make()
        with suppress(StoreUnavailable):
            await core.optional_cache.put(key, questions, QUESTIONS_S)
    return questions


async def _quotes(core: Core, caller: Caller, collection: str, question: str) -> list[tuple[str, int, int]]:
    turn = core.new_turn(Request(question, collection, options=CHEAP), caller, UNSAVED, trace_id="")
    deps = core.turn_deps(turn)
    found = await core.retrieve.finish(turn, deps)
    return _marked(await certain_quotes(found, index=deps.index, embedder=core.embedder))


def _marked(quotes: Sequence[Quote]) -> list[tuple[str, int, int]]:
    return [(quote.hit.chunk.chunk_id, each.start, each.end) for quote in quotes for each in quote.marked]


class Trials:
    """Tries questions before they are suggested. What came of one is kept until the collection changes: an answer makes up to eight trials,
    mostly of the same questions as the answers before it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._kept: dict[str, list[tuple[str, int, int]]] = {}

    async def __call__(self, turn: Turn, question: str) -> list[tuple[str, int, int]]:
        """(chunk id, start, end) of each sentence that would answer the question; [] if it has no certain answer."""
        deps = self._core.turn_deps(turn)
        view = await deps.index.view(turn.caller, turn.request.collection)
        key = json.dumps([question, search_scope(turn, view, self._core.settings)], sort_keys=True, default=str)
        if key not in self._kept:
            found = await self._try(turn, question, deps)
            if turn.evidence.vectors_pending:
                return found
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        return self._kept[key]

    async def _try(self, turn: Turn, question: str, deps: Deps) -> list[tuple[str, int, int]]:
        """The question is asked like the turn's, but without a language model, a reranker, weights from feedback, external systems
        and the cache of searches."""
        plan = replace(turn.plan, allowance="search")  # forbidden terms are then checked without a model
        for option in FREE:
            plan = plan.without(option, "a suggested question is tried")
        asked = replace(turn.ask(question), plan=plan, conversation=Conversation(), answer=None, outcome=None, trace=Trace())
        found = await self._core.lookup.finish(replace(asked, request=replace(asked.request, tool_scope="", ask_kdb=False)), deps)
        return _marked(await certain_quotes(found, index=deps.index))
