"""A model reads the first passages of the last answer beside what was found for a follow-up."""

from __future__ import annotations

from typing import Any

from footnote.rank.expand import add_earlier, may_add_earlier
from footnote.types import Exchange
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import make_turn

EARLIER = Exchange("How much are the prizes?", "100 euros [1].")


class Index:
    async def read(self, caller: Any, chunk_ids: Any) -> Any:
        return [make_hit("Little, so that nobody competes.", chunk_id.partition("|")[0]).chunk for chunk_id in chunk_ids]


async def test_the_first_three_passages_that_were_not_found_follow_what_was_added() -> None:
    passages = ("prizes|1|0", "found|1|0", "rules|1|0", "fourth|1|0")
    turn = make_turn(
        "Why so little?",
        hits=(make_hit("Little.", "found"),),
        added=(make_hit("Near.", "near"),),
        exchanges=(EARLIER,),
        passages=passages,
        model="fake",
    )
    made = await call_step(add_earlier, turn, FakeDeps(index=Index()))
    assert [hit.chunk.doc_id for hit in made.evidence.added] == ["near", "prizes", "rules"]
    assert [hit.chunk.doc_id for hit in made.evidence.hits] == ["found"]


def test_without_a_model_an_earlier_passage_or_a_hit_nothing_is_added() -> None:
    turn = make_turn(hits=(make_hit("Little."),), exchanges=(EARLIER,), passages=("prizes|1|0",), model="fake")
    assert may_add_earlier(turn)
    assert not may_add_earlier(make_turn(hits=(make_hit("Little."),), exchanges=(EARLIER,), passages=("prizes|1|0",)))
    assert not may_add_earlier(make_turn(hits=(make_hit("Little."),), exchanges=(EARLIER,), model="fake"))
    assert not may_add_earlier(make_turn(exchanges=(EARLIER,), passages=("prizes|1|0",), model="fake"))
