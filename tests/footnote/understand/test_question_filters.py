"""A question that names a time searches documents of that time, if they have a date."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import Caller, Condition, Conditions, Period, Request, Scope, Turn
from footnote.types.conditions import ANYTHING
from tests.fakes import make_document, put_document
from tests.turns import HELD

NOW = 1_779_235_200.0  # 2026-05-20
ANN, BOB = Caller("ann", frozenset({"red"})), Caller("bob", frozenset({"blue"}))


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)), clock=lambda: NOW)
    for year in (2023, 2025):
        document = make_document(f"lease-{year}", groups=["red"], metadata={"created_time": f"{year}-02-01"})
        await put_document(made.generations, document, [f"The contract of {year} says that the rent of the hall is due on Monday."])
    await put_document(
        made.generations, make_document("note", groups=["blue"]), ["The contract says: the rent of the hall is due on Friday."]
    )
    yield made
    await made.close()


async def ask(core: Core, question: str, caller: Caller = ANN, *, conditions: Conditions = ANYTHING, on: bool = True) -> Turn:
    request = Request(question, "default", options={"question_filters": on}, conditions=conditions)
    return await core.answer.finish(core.new_turn(request, caller, HELD))


def found(turn: Turn) -> set[str]:
    return {hit.chunk.doc_id for hit in turn.evidence.hits}


@pytest.mark.parametrize(
    "question", ["What rent do contracts since 2024 name?", "Contract: rent in Verträge seit 2024", "rent 2024년 이후 계약서"]
)
async def test_only_documents_of_the_named_time_are_searched(core: Core, question: str) -> None:
    turn = await ask(core, question)
    assert found(turn) == {"lease-2025"}
    note = {"field": "created_time", "from": "2024-01-01", "before": None, "applied": True}
    assert turn.trace.notes["question_filter"] == note
    assert turn.reading.scope == Scope(period=Period(date(2024, 1, 1)))


async def test_without_the_option_nothing_is_left_out(core: Core) -> None:
    turn = await ask(core, "What rent do contracts since 2024 name?", on=False)
    assert found(turn) == {"lease-2023", "lease-2025"}
    assert "question_filter" not in turn.trace.notes


async def test_if_nothing_is_found_in_that_time_all_is_searched_and_the_trace_says_so(core: Core) -> None:
    turn = await ask(core, "What rent do contracts before 2020 name?")
    assert found(turn) == {"lease-2023", "lease-2025"}
    assert (turn.trace.notes["question_filter"]["applied"], turn.reading.scope) == (False, Scope())


async def test_conditions_of_the_request_hold_too(core: Core) -> None:
    own = Conditions((Condition("created_time", "before", ("2024-01-01",)),))
    assert found(await ask(core, "What rent do contracts since 2023 name?", conditions=own)) == {"lease-2023"}


async def test_dates_of_documents_that_the_caller_may_not_read_decide_nothing(core: Core) -> None:
    turn = await ask(core, "What rent do contracts since 2024 name?", BOB)
    assert found(turn) == {"note"}
    assert "question_filter" not in turn.trace.notes


@pytest.mark.parametrize("dated", [True, False], ids=["with dates", "without"])
async def test_an_admin_switches_it_on_for_everybody_and_without_dates_it_does_nothing(dated: bool, tmp_path: Path) -> None:
    settings = Settings(
        footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False), rag=Rag(switched_on=["question_filters"])
    )
    core = Core(settings, clock=lambda: NOW)
    for year in (2023, 2025):
        metadata = {"created_time": f"{year}-02-01"} if dated else {"author": "Ann"}
        document = make_document(f"lease-{year}", groups=["red"], metadata=metadata)
        await put_document(core.generations, document, [f"The contract of {year} says that the rent of the hall is due on Monday."])
    turn = await core.answer.finish(core.new_turn(Request("What rent do contracts since 2024 name?", "default"), ANN, HELD))
    assert found(turn) == ({"lease-2025"} if dated else {"lease-2023", "lease-2025"})
    assert ("question_filter" in turn.trace.notes) is dated
    await core.close()
