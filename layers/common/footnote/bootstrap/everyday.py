"""Scores everyday questions on a collection, for the calibration of refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from footnote.answer.extract import PASSAGES, score_turn
from footnote.bootstrap.suggestions import CHEAP, UNSAVED
from footnote.deps import Deps
from footnote.pipeline import FIND
from footnote.steps import Runner
from footnote.text.embedded_texts import MIXED
from footnote.types import Query, Request, Turn

if TYPE_CHECKING:
    from footnote.bootstrap import Core


class EverydayQuestions:
    """Asks everyday questions; their vectors are computed once for all collections of an embedder."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._find = Runner(FIND, Deps, core.turn_deps)
        self._known: dict[tuple[str, bool, str], Query] = {}
        """(name of the embedder, whether the vector is without its language, question) → the question with its vector."""

    async def score(self, turn: Turn, question: str, by_vectors: bool) -> float | None:
        """The score of the question on the turn's collection; None if a part of the search failed."""
        request = Request(question, turn.request.collection, limit=PASSAGES, retriever="cc" if by_vectors else "bm25", options=CHEAP)
        asked = self._core.new_turn(request, turn.caller, UNSAVED, trace_id="")
        embedder = self._core.embedder_for(turn.request.collection)
        key = "" if embedder is None else embedder.name, turn.foreign_share >= MIXED, question
        query = self._known.get(key, Query(question, lang=turn.lang))
        deps = self._core.turn_deps(asked)
        found = await self._find.finish(replace(asked, languages=turn.languages, queries=(query,)), deps)
        self._known[key] = found.queries[0]
        return None if found.lacks_index_lists else await score_turn(found, index=deps.index)
