"""Copies of records."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import pytest

from footnote.types import Span, Stage
from footnote.types.copies import replace
from tests.turns import make_turn


def test_a_copy_is_changed_like_by_dataclasses():
    turn = make_turn()

    assert replace(turn, outcome="refused") == dataclasses.replace(turn, outcome="refused")
    assert turn.outcome is None


def test_a_record_with_slots_is_copied_too():
    assert replace(Span("read", 1.0, stage=Stage.RANK), ms=2.0).ms == 2.0


@dataclasses.dataclass(frozen=True)
class Word:
    text: str

    @cached_property
    def length(self) -> int:
        return len(self.text)


def test_what_was_derived_from_a_record_is_not_copied():
    word = Word("seven")
    assert word.length == 5

    assert replace(word, text="one").length == 3


@pytest.mark.parametrize("record", [make_turn(), Span("read", 1.0, stage=Stage.RANK)])
def test_an_unknown_field_is_refused(record: object):
    with pytest.raises(TypeError, match="outcomes"):
        replace(record, outcomes="refused")  # type: ignore[type-var, call-arg]
