"""What is about the last answer keeps its passages, and its question."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Exchange, Turn
from footnote.understand.last_answer import keep_last_answer, needs_no_search
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import make_turn

BUILT = Exchange("When was the bridge built?", "In 1894 [1].")


class Index:
    """`readable`: documents whose passages may be read."""

    def __init__(self, *readable: str) -> None:
        self.readable = readable
        self.asked: list[str] = []

    async def read(self, caller: Any, chunk_ids: Any) -> Any:
        self.asked += chunk_ids
        return [hit.chunk for hit in (make_hit(f"{name}.", name) for name in self.readable) if hit.chunk.chunk_id in chunk_ids]


async def keep(turn: Turn, *readable: str) -> tuple[Turn, Index]:
    index = Index(*readable)
    return await call_step(keep_last_answer, turn, FakeDeps(index=index)), index


def stored(question: str, *exchanges: Exchange) -> Turn:
    return make_turn(
        question, exchanges=exchanges, trace_ids=("t0",), asked="When was the bridge built?", passages=("b|1|0", "a|1|0"), lang="en"
    )


async def test_the_passages_are_read_again_in_their_order() -> None:
    turn, _ = await keep(stored("make that shorter", BUILT), "a", "b")
    assert [hit.chunk.chunk_id for hit in turn.evidence.hits] == ["b|1|0", "a|1|0"]
    assert (turn.request.question, turn.asked) == ("make that shorter", "When was the bridge built?")
    assert turn.conversation.is_asked_about
    assert needs_no_search(turn)


async def test_a_passage_that_may_not_be_read_any_more_is_left_out() -> None:
    turn, _ = await keep(stored("make that shorter", BUILT), "a")
    assert [hit.chunk.chunk_id for hit in turn.evidence.hits] == ["a|1|0"]


async def test_where_no_passage_is_left_the_question_of_the_answer_is_searched_for() -> None:
    turn, _ = await keep(stored("make that shorter", BUILT))
    assert (turn.asked, needs_no_search(turn)) == ("When was the bridge built?", False)


@pytest.mark.parametrize("thanks", ["thanks!", "Danke!", "감사합니다"])
async def test_thanks_read_nothing(thanks: str) -> None:
    turn, index = await keep(stored(thanks, BUILT), "a", "b")
    assert (turn.conversation.is_asked_about, index.asked) == (False, [])


async def test_a_question_to_the_documents_reads_nothing() -> None:
    turn, index = await keep(stored("And what colour is it?", BUILT), "a", "b")
    assert (turn.asked, index.asked, turn.conversation.is_asked_about) == ("And what colour is it?", [], False)


@pytest.mark.parametrize(
    ("exchanges", "asked"),
    [
        ((BUILT,), "When was the bridge built?"),
        ((BUILT, Exchange("make that shorter", "1894 [1].")), "When was the bridge built?"),
        ((BUILT, Exchange("Thanks!", "You're welcome!")), "When was the bridge built?"),
        ((BUILT, Exchange("And who paid for it?", "The city [1].")), "And who paid for it? bridge built"),
        ((Exchange("make that shorter", "What?"),), "make that shorter"),
    ],
    ids=["the last", "before another about it", "before thanks", "completed", "there is none"],
)
async def test_of_a_conversation_that_the_client_sends_the_last_question_is_searched_for(
    exchanges: tuple[Exchange, ...], asked: str
) -> None:
    turn, _ = await keep(make_turn("as a table, please", exchanges=exchanges))
    assert (turn.asked, needs_no_search(turn)) == (asked, False)


async def test_a_repeated_search_has_its_own_language() -> None:
    turn, _ = await keep(make_turn("in English please", exchanges=(Exchange("Wann wurde die Brücke gebaut?", "1894 [1]."),), lang="en"))
    assert (turn.asked, turn.lang) == ("Wann wurde die Brücke gebaut?", "de")
