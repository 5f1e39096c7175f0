"""Near-identical questions with different answers never hit, even with an embedder that finds all texts similar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.adapters.e5.embedder import E5
from footnote.adapters.sqlite.cache import SqliteCache
from footnote.memory.answer_cache import find_answer, keep_answer
from footnote.memory.search_cache import keep_searches, recall_searches
from footnote.ports import View
from footnote.types import Answer, Caller, Candidate, Candidates, Chunk, Exchange, Ranked
from tests.conftest import HandClock
from tests.deps import FakeDeps, run_step
from tests.fakes import FakeEmbedder, make_hit
from tests.footnote.memory.pairs import DIFFERENT, Pair, read_fresh
from tests.turns import HELD, make_turn, with_

KEPT = replace(HELD, search_cache_s=900, answer_cache_s=900, options={"search_cache": True, "answer_cache": True})
HIT = make_hit("The answer.")
FOUND = Candidates(lexical=(Candidate(HIT.chunk.chunk_id, 1.0),))


class AllAlike(FakeEmbedder):
    """Supports every language; two different texts have a cosine similarity of about 0.99."""

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        whole = np.concatenate([[9.95], super().vector(text)[1:]]).astype(np.float32)
        return whole / np.linalg.norm(whole)


class Library:
    """An index with one public passage, whose access lists name all groups."""

    async def view(self, caller: Caller, collection: str) -> View:
        return View(1, {"en": 1}, caller.groups)

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [HIT.chunk for _ in chunk_ids]


async def hits(pair: Pair, number: int, cache: SqliteCache, embedder: Any, clock: HandClock) -> tuple[bool, bool]:
    """Whether the second question gets the first one's (search result, answer)."""
    deps = FakeDeps(index=Library(), optional_cache=cache, embedder=embedder, clock=clock)
    first = make_turn(pair.asked, KEPT, lang=pair.lang, collection=f"of pair {number}", room_id="r1")
    other = with_(first, question=pair.other)
    match pair.kind:
        case "groups":
            other = with_(other, caller=Caller("you", frozenset({"board"})))
        case "language":
            other = with_(other, lang="ko" if pair.lang == "de" else "de")
        case "conversation":
            first = with_(first, exchanges=(Exchange("What does the small one cost?", "9"),), trace_ids=("a",))
            other = with_(other, exchanges=(Exchange("What does the big one cost?", "12"),), trace_ids=("b",), room_id="r2")
    if embedder.languages is None or pair.lang in embedder.languages:
        vectors = await embedder.embed([pair.asked, pair.other], query=True)
        first = with_(first, vectors=(vectors[0],), embedder=embedder.name)
        other = with_(other, vectors=(vectors[1],), embedder=embedder.name)
    searched = await run_step(recall_searches, first, deps)
    await run_step(keep_searches, with_(searched, found=(FOUND,)), deps)
    asked = await run_step(find_answer, first, deps)
    made = with_(asked, answer=Answer("The answer."), hits=(HIT,), ranked=(Ranked(HIT.chunk.chunk_id, 1.0),))
    await run_step(keep_answer, made, deps)
    answered = await run_step(find_answer, other, deps)
    return (await run_step(recall_searches, other, deps)).evidence.lists != (), answered.outcome == "cached"


@pytest.mark.parametrize(
    "embedder",
    [
        pytest.param(E5(), id="e5", marks=pytest.mark.slow("embeds 200 pairs of questions")),
        pytest.param(AllAlike(languages=None), id="all alike", marks=pytest.mark.nightly),
    ],
)
async def test_no_question_gets_the_answer_to_another(cache: SqliteCache, clock: HandClock, embedder: Any) -> None:
    assert len(DIFFERENT) >= 200
    wrong = []
    for number, pair in enumerate(DIFFERENT):
        search_hit, answer_hit = await hits(pair, number, cache, embedder, clock)
        # Search results do not depend on the conversation.
        if answer_hit or (search_hit and pair.kind != "conversation"):
            wrong.append(pair)
    assert wrong == []


@pytest.mark.nightly
async def test_held_out_pairs_never_hit_wrongly(cache: SqliteCache, clock: HandClock) -> None:
    embedder = E5()
    wrong = []
    for number, (lang, first, other, same) in enumerate(read_fresh()):
        search, answer = await hits(Pair("fresh", lang, first, other), number, cache, embedder, clock)
        assert search == answer
        wrong += [(first, other)] if answer and not same else []
    assert wrong == []
