"""The fused order, read through the final gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnote.rank.select import read_pool
from footnote.types import Caller, Candidate, Candidates, Chunk, Ranked
from tests.deps import FakeDeps, call_step
from tests.fakes import make_chunk, make_document
from tests.turns import ME, make_turn


class Gate:
    """An index where only some chunks may still be read."""

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


async def test_what_may_not_be_read_any_more_is_made_up_for_by_the_next_best() -> None:
    index: Any = Gate(1, 4, 5)
    hits = (await call_step(read_pool, make_turn(ranked=RANKED, limit=2), FakeDeps(index=index))).evidence.hits
    assert [hit.chunk.ordinal for hit in hits] == [1, 4]
    index = Gate(5)
    turn = await call_step(read_pool, make_turn(ranked=RANKED, limit=4), FakeDeps(index=index))
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [5]


async def test_nothing_ranked_reads_nothing() -> None:
    index: Any = Gate(0)
    assert (await call_step(read_pool, make_turn(), FakeDeps(index=index))).evidence.hits == ()
    assert index.reads == []
