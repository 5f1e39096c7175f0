"""What a question asks is read once, for the text that is answered and for each of several questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from footnote.pipeline import ANSWER, FIND, LOOK_UP, RETRIEVE
from footnote.steps import Step
from footnote.types import AttachedFiles, Classification, Period, Reading, Scope
from footnote.understand.read_question import read_question, reading_shown
from tests.deps import FakeDeps, run_step
from tests.turns import make_turn


async def read(question: str, **changes: Any) -> Reading:
    turn = replace(make_turn(question, **changes), reading=Reading())
    return (await run_step(read_question, turn, FakeDeps())).reading


@pytest.mark.parametrize(
    ("question", "lang", "reading"),
    [
        ("When was it built?", "en", Reading(asked_type="date")),
        ("Wie oft tagt er?", "de", Reading(asked_type="number")),
        ("How do I reset it?", "en", Reading(asked_type="how-to")),
        ("What is a portlet?", "en", Reading(asked_type="definition")),
        ("Who is the treasurer?", "en", Reading(asked_type="person")),
        ("컬렉션이 뭐예요?", "ko", Reading(asked_type="definition")),
        ("¿Cuánto cuesta la entrada?", "es", Reading(asked_type="number")),
    ],
)
async def test_a_reading_tells_what_is_asked_for(question: str, lang: str, reading: Reading) -> None:
    assert await read(question, lang=lang) == replace(reading, question=question, lang=lang)


async def test_each_of_several_questions_has_a_reading_of_its_own() -> None:
    parts = ("What is a portlet?", "When was it built?")
    reading = await read("Portlet, and when?", queries=parts)
    assert reading.question == " ".join(parts)
    assert [(part.question, part.asked_type) for part in reading.parts] == [
        (parts[0], "definition"),
        (parts[1], "date"),
    ]


async def test_a_reading_keeps_what_other_steps_set_and_tells_no_words() -> None:
    scope = Scope(collection=True, attached=AttachedFiles(2, named="In the file?"), period=Period(date(2024, 1, 1)))
    known = Reading(classification=Classification("LIST"), scope=scope, divided="Portlet?", unknown_words=("portlett",))
    turn = await run_step(read_question, replace(make_turn("What is a portlet?"), reading=known), FakeDeps())
    told = (turn.reading.classification, turn.reading.scope, turn.reading.divided, turn.reading.unknown_words)
    assert told == (known.classification, scope, "Portlet?", ("portlett",))
    assert reading_shown(turn) == {
        "asked_type": "definition",
        "parts": 0,
        "scope": "collection, attached, period",
    }


def test_another_question_is_not_read_yet() -> None:
    turn = make_turn("What is a portlet?")
    assert (turn.reading.asked_type, turn.ask("When was it built?").reading) == ("definition", Reading())


@pytest.mark.parametrize("table", [ANSWER, RETRIEVE, LOOK_UP, FIND], ids=["ANSWER", "RETRIEVE", "LOOK_UP", "FIND"])
def test_every_table_reads_the_question_before_it_searches(table: tuple[Any, ...]) -> None:
    names = [row.name for row in table]
    reading = table[names.index("reading")]
    assert isinstance(reading, Step)
    assert reading.when is None
    assert not {"embed", "recall", "search", "mode"}.intersection(names[: names.index("reading")])
