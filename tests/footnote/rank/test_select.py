"""The fused ranking is read through the permission gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from footnote.rank.select import cut, read_pool, was_reranked
from footnote.types import OPTIONS, Caller, Candidate, Candidates, Chunk, Condition, Conditions, Ranked, plan
from tests.deps import FakeDeps, call_step
from tests.fakes import make_chunk, make_document, make_hit
from tests.turns import ME, make_turn


class Gate:
    """An index in which only some chunks are still readable."""

    def __init__(self, *readable: int) -> None:
        document = make_document()
        self.chunks = {f"plan|1|{i}": make_chunk(document, f"text {i}", i) for i in readable}
        self.reads: list[list[str]] = []

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        assert caller == ME
        self.reads.append(list(chunk_ids))
        return [self.chunks[chunk_id] for chunk_id in reversed(chunk_ids) if chunk_id in self.chunks]


RANKED = tuple(Ranked(f"plan|1|{i}", 1 - i / 10, "How long?") for i in range(6))


async def test_the_best_readable_chunks_become_hits_in_their_order() -> None:
    index: Any = Gate(0, 1, 2, 3, 4, 5)
    found = Candidates(tuple(Candidate(f"plan|1|{i}", float(i)) for i in range(6)), (Candidate("plan|1|1", 0.7),))
    evidence = (await call_step(read_pool, make_turn(found=(found,), ranked=RANKED, limit=2), FakeDeps(index=index))).evidence
    assert [(hit.chunk.text, hit.score, hit.scores) for hit in evidence.hits] == [
        ("text 0", 1.0, {"bm25": 0.0}),
        ("text 1", 0.9, {"bm25": 1.0, "cosine": 0.7}),
    ]
    assert evidence.pool == evidence.hits
    assert index.reads == [["plan|1|0", "plan|1|1"]]


async def test_chunks_that_are_no_longer_readable_are_replaced_by_the_next_best() -> None:
    index: Any = Gate(1, 4, 5)
    hits = (await call_step(read_pool, make_turn(ranked=RANKED, limit=2), FakeDeps(index=index))).evidence.hits
    assert [hit.chunk.ordinal for hit in hits] == [1, 4]
    index = Gate(5)
    turn = await call_step(read_pool, make_turn(ranked=RANKED, limit=4), FakeDeps(index=index))
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [5]


async def test_chunks_whose_metadata_no_longer_meet_the_conditions_are_replaced() -> None:
    index: Any = Gate(0, 1, 2, 3)
    for place, status in ((0, "draft"), (1, "valid"), (2, "draft"), (3, "valid")):
        index.chunks[f"plan|1|{place}"] = replace(index.chunks[f"plan|1|{place}"], metadata={"status": status})
    turn = make_turn(ranked=RANKED, limit=2, conditions=Conditions((Condition("status", "is", ("valid",)),)))
    evidence = (await call_step(read_pool, turn, FakeDeps(index=index))).evidence
    assert [hit.chunk.ordinal for hit in evidence.hits] == [1, 3]
    assert evidence.pool == evidence.hits


async def test_nothing_ranked_reads_nothing() -> None:
    index: Any = Gate(0)
    assert (await call_step(read_pool, make_turn(), FakeDeps(index=index))).evidence.hits == ()
    assert index.reads == []


async def test_the_pool_has_the_plans_pool_size_and_the_hits_have_the_requests_limit(monkeypatch: Any) -> None:
    monkeypatch.setattr(plan, "OPTIONS", {**OPTIONS, "faq": replace(OPTIONS["faq"], pool_size=4)})
    index: Any = Gate(0, 2, 3, 4, 5)
    turn = await read_pool(make_turn(ranked=RANKED, limit=2), index=index)
    assert [hit.chunk.ordinal for hit in turn.evidence.pool] == [0, 2, 3, 4]
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [0, 2]
    assert not was_reranked(turn)
    reranked = replace(turn, evidence=replace(turn.evidence, pool=turn.evidence.pool[::-1]))
    assert was_reranked(reranked)
    assert [hit.chunk.ordinal for hit in (await cut(reranked)).evidence.hits] == [4, 3]


async def test_who_asks_for_more_than_a_pool_gets_them(monkeypatch: Any) -> None:
    monkeypatch.setattr(plan, "OPTIONS", {**OPTIONS, "faq": replace(OPTIONS["faq"], pool_size=2)})
    index: Any = Gate(0, 1, 2, 3, 4, 5)
    turn = await read_pool(make_turn(ranked=RANKED, limit=5), index=index)
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [0, 1, 2, 3, 4]


async def test_hits_of_another_system_are_not_cut_to_an_empty_pool() -> None:
    assert not was_reranked(make_turn(hits=(make_hit("x"),)))
