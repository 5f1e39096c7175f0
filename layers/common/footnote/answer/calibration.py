"""Calibrates when a question is refused: what do questions that have nothing to do with a collection score on it?

The everyday questions of a language are searched for with the caller's permissions, and their median score is kept until the number
of passages that the caller sees has changed by a tenth.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from copy import copy
from statistics import median

from footnote.answer.tiers import SCORING
from footnote.errors import StoreUnavailable
from footnote.ports import Cache, Index
from footnote.text.everyday_questions import EVERYDAY
from footnote.types import Turn

KEPT_S = 30 * 24 * 3600.0
AT_ONCE = 8
"""Questions that are searched for at the same time."""
GROWTH = math.log(1.1)
SCORED_BY = hashlib.sha256(json.dumps([EVERYDAY, SCORING]).encode()).hexdigest()[:8]

TYPICAL = -3.0
"""m while vectors or lists are missing, and in a language without everyday questions: in the middle of what was measured."""

Score = Callable[[Turn, str, bool], Awaitable[float | None]]
"""(turn, question, by vectors) → `tiers.score_evidence` of the question with the turn's caller and collection; None if its search was
incomplete."""


class Calibration:
    """Medians by collection, caller's view, language and embedder; kept in the process and in the cache."""

    def __init__(self, score: Score, index: Index, cache: Cache) -> None:
        self._score = score
        self._index = index
        self._cache = cache
        self._known: dict[str, float] = {}
        self._running: dict[str, asyncio.Task[float]] = {}

    def through(self, index: Index) -> Calibration:
        """The same medians, for a turn that sees the collection through this index."""
        made = copy(self)
        made._index = index
        return made

    async def median(self, turn: Turn, *, by_vectors: bool) -> float:
        """m for the turn's collection as its caller sees it."""
        if (by_vectors and turn.evidence.vectors_pending) or turn.lang not in EVERYDAY:
            return TYPICAL
        lang = turn.lang
        view = await self._index.view(turn.caller, turn.request.collection)
        size = round(math.log(max(1, sum(view.languages.values()))) / GROWTH)
        readers = "*" if turn.caller.sees_all else sorted(view.groups)
        of = json.dumps([SCORED_BY, view.stored or turn.request.collection, readers, size, lang, turn.embedder if by_vectors else ""])
        key = "calibration:" + hashlib.sha256(of.encode()).hexdigest()
        if key not in self._known:
            if turn.lacks_index_lists:  # so many searches would make a slow engine slower, and lack the same lists
                return TYPICAL
            if key not in self._running:  # several questions at once wait for the same
                self._running[key] = asyncio.create_task(self._find(turn, lang, by_vectors, key))
            running = self._running[key]
            try:
                return await asyncio.shield(running)
            finally:
                if running.done():  # another that waited may have removed it
                    self._running.pop(key, None)
        return self._known[key]

    async def _find(self, turn: Turn, lang: str, by_vectors: bool, key: str) -> float:
        readable = True
        try:
            if (kept := await self._cache.get(key)) is not None:
                self._known[key] = float(kept)
                return self._known[key]
        except StoreUnavailable:
            readable = False  # skip the write, too: a cache that hangs costs one wait only
        gate = asyncio.Semaphore(AT_ONCE)

        async def score(question: str) -> float | None:
            async with gate:
                return await self._score(turn, question, by_vectors)

        scores = await asyncio.gather(*(score(question) for question in EVERYDAY[lang]))
        whole = [found for found in scores if found is not None]
        found = median(whole) if whole else TYPICAL
        if whole:
            self._known[key] = found
        if readable and len(whole) == len(scores):
            with suppress(StoreUnavailable):
                await self._cache.put(key, found, KEPT_S)
        return found
