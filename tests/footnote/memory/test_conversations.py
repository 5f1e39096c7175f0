"""Every turn is stored, whatever became of it."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import StoreUnavailable
from footnote.memory.conversations import save_turn
from footnote.types import Answer, Turn
from tests.fakes import make_turn


class Turns:
    def __init__(self, error: Exception | None = None) -> None:
        self.saved: list[tuple[Turn, str]] = []
        self.error = error

    async def save(self, turn: Turn, status: str) -> None:
        if self.error:
            raise self.error
        self.saved.append((turn, status))


@pytest.mark.parametrize(("answer", "status"), [(Answer("Two years."), "done"), (None, "error")])
async def test_a_turn_is_stored_by_whether_it_was_answered(answer: Answer | None, status: str) -> None:
    turns: Any = Turns()
    saved = await save_turn(make_turn(answer=answer), turns=turns)
    assert saved.persisted
    assert turns.saved == [(saved, status)]


async def test_a_store_that_is_down_is_told_and_not_hidden() -> None:
    turns: Any = Turns(StoreUnavailable("down"))
    with pytest.raises(StoreUnavailable):
        await save_turn(make_turn(), turns=turns)
