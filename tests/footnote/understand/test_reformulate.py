"""A model corrects typos without changing the meaning of the question."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.steps import SKIP
from footnote.types import Turn, Usage
from footnote.understand.question_filters import names_period
from footnote.understand.reformulate import may_reformulate, reformulate
from footnote.understand.spelling import may_correct
from tests.deps import FakeDeps, call_step, finish
from tests.fakes import FakeModel, FakeModels
from tests.footnote.step_toys import toy
from tests.turns import HELD, make_turn

MENDS = replace(HELD, options={"reformulate": True})


def asked(question: str, lang: str = "en", **changes: Any) -> Turn:
    return make_turn(question, **{"profile": MENDS, "model": "fake", "lang": lang, "usage": Usage(1, 1), **changes})


def misspelt(question: str, **changes: Any) -> Turn:
    return asked(question, unknown_words=("Wehn",), **changes)


class Meanings:
    """An embedder that knows rent from everything else."""

    name = "meanings"
    dimension = 2

    def __init__(self, *, down: bool = False, languages: frozenset[str] | None = None) -> None:
        self.down, self.languages = down, languages

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        if self.down:
            raise ModelUnavailable("down")
        rent = re.compile("deposit|tenants|mieter|보증금")
        return np.array([[1, 0.1] if rent.search(text) else [0.1, 1] for text in texts], np.float32)


async def mend(turn: Turn, *replies: str, embedder: Meanings | None = None) -> Turn:
    model = FakeModel([[reply, Delta(usage=Usage(30, 5))] for reply in replies])
    return await call_step(reformulate, turn, FakeDeps(models=FakeModels(model), embedder=embedder))


@pytest.mark.parametrize(
    ("turn", "may"),
    [
        (misspelt("Wehn?"), True),
        (asked("When?"), False),
        (misspelt("Wehn?", model=None), False),
        (misspelt("Wehn?", queries=("When does the ferry leave?",)), False),
    ],
    ids=["allowed", "known words", "no model", "just reworded"],
)
def test_only_with_a_model_is_reformulated_what_no_model_has_just_worded(turn: Turn, may: bool) -> None:
    assert may_reformulate(turn) is may


@pytest.mark.parametrize("mode", ["gpt", "vision", "pa"])
def test_a_question_without_documents_is_not_reformulated_corrected_or_filtered(mode: str) -> None:
    turn = misspelt("Wehn did contracts of 2024 end?", mode=mode)
    assert (may_reformulate(turn), may_correct(turn), names_period(turn)) == (False, False, False)
    searched = misspelt("Wehn did contracts of 2024 end?", mode="rag")
    assert (may_reformulate(searched), may_correct(searched), names_period(searched)) == (True, True, True)


@pytest.mark.parametrize(
    ("lang", "question", "query"),
    [
        ("en", "wehn dose teh ferry to Bremen leav", "When does the ferry to Bremen leave?"),
        ("en", "eifel tower hight", "What is the height of the Eiffel Tower?"),
        ("en", "why cant I not cancel 2 orders", "Why can I not cancel 2 orders?"),
        ("de", "wie hoch sind die Gebüren für Hunde", "Wie hoch sind die Gebühren für Hunde?"),
        ("ko", "에펠탑 높이 얼마인가여 2024년", "2024년 에펠탑의 높이는 얼마인가요?"),
    ],
)
async def test_a_mended_question_is_searched_for_and_the_owner_sees_both(lang: str, question: str, query: str) -> None:
    turn = await mend(asked(question, lang), json.dumps({"query": f" {query}\n"}))
    assert turn.rewritten == (query,)
    assert turn.trace.notes == {"original": question, "reformulated": query}
    assert (turn.request.question, turn.trace.usage) == (question, Usage(31, 6))


@pytest.mark.parametrize(
    ("lang", "question", "query"),
    [
        ("en", "What did we sell in 2023?", "What did we sell in 2024?"),
        ("en", "What did we sell in 2023?", "What did we sell?"),
        ("en", "What did we sell?", "What did we sell in 2024?"),
        ("en", "Does the ferry to Bremen run?", "Does the ferry run?"),
        ("en", "Does the ferry to Austria run?", "Does the ferry to Australia run?"),
        ("en", "Who is the president?", "Who is President Miller?"),
        ("en", "What does the VAT cover?", "What does the tax cover?"),
        ("en", "Which dogs are not allowed?", "Which dogs are allowed?"),
        ("en", "Which dogs are allowed?", "Which dogs aren’t allowed?"),
        ("en", "Why cannot dogs enter?", "Why can dogs enter?"),
        ("en", "Does the ferry run?", "배가 다니나요?"),
        ("de", "Wann ist keine Schule?", "Wann ist Schule?"),
        ("de", "Was kostet der Zug nach Schweden?", "Was kostet der Zug nach Spanien?"),
        ("de", "Was kostet der Flug in den Iran?", "Was kostet der Flug in den Irak?"),
        ("de", "Was steht in § 14 Absatz 2?", "Was steht in § 14 Absatz 3?"),
        ("ko", "환불이 안 되는 물건은 무엇인가요?", "환불이 되는 물건은 무엇인가요?"),
        ("ko", "vpn 접속 방법은 무엇인가요?", "접속 방법은 무엇인가요?"),
    ],
)
async def test_a_wording_with_another_number_name_negation_or_language_is_dropped(lang: str, question: str, query: str) -> None:
    turn = await mend(asked(question, lang), json.dumps({"query": query}))
    assert (turn.rewritten, turn.trace.notes, turn.trace.usage) == ((), {}, Usage(31, 6))


@pytest.mark.parametrize(
    ("lang", "question", "query"),
    [
        ("en", "how high is the deposit for the flat?", "what colour are the cats in the garden?"),
        ("de", "wie hoch ist der anteil, den mieter zahlen?", "welche farbe haben katzen in gärten?"),
        ("ko", "아파트 보증금은 얼마인가요?", "정원에 있는 고양이는 무슨 색인가요?"),
    ],
)
@pytest.mark.parametrize("embedder", [None, Meanings()], ids=["by words", "by meaning"])
async def test_a_wording_about_something_else_is_not_answered_but_finds_evidence(
    lang: str, question: str, query: str, embedder: Meanings | None
) -> None:
    turn = await mend(asked(question, lang), json.dumps({"query": query}), embedder=embedder)
    assert (turn.rewritten, turn.asked, turn.trace.notes) == ((), question, {"rewrite_set_aside": [query]})
    assert [(each.text, each.kind, each.weight) for each in turn.queries] == [(question, "original", 1.0), (query, "paraphrase", 0.5)]


async def test_a_wording_in_other_words_is_answered_where_the_embedder_sees_the_same() -> None:
    question, query = "how high is the deposit for the flat?", "what amount of security must tenants pay?"
    assert (await mend(asked(question), json.dumps({"query": query}), embedder=Meanings())).rewritten == (query,)
    assert (await mend(asked(question), json.dumps({"query": query}))).rewritten == ()


async def test_where_the_embedder_is_down_or_lacks_the_language_words_decide() -> None:
    question, query = "how high is the deposit for the flat?", "what amount of security must tenants pay?"
    for embedder in (Meanings(down=True), Meanings(languages=frozenset({"de"}))):
        assert (await mend(asked(question), json.dumps({"query": query}), embedder=embedder)).rewritten == ()


async def test_half_a_character_in_a_wording_is_no_part_of_what_is_searched_for() -> None:
    assert (await mend(asked("ferry wehn"), r'{"query": "ferry when\ud83d"}')).rewritten == ("ferry when\ufffd",)


@pytest.mark.parametrize("reply", ["When?", '{"query": ', '{"query": ["When?"]}', '{"queries": ["When?"]}'])
async def test_malformed_replies_are_an_error_and_their_usage_counts(reply: str) -> None:
    deps = FakeDeps(models=FakeModels(FakeModel([[reply, Delta(usage=Usage(30, 5))]] * 2)))
    turn = await finish((toy("reformulate", reformulate, on_error=SKIP),), asked("wehn"), deps)
    assert (turn.query_texts, turn.trace.degraded, turn.trace.usage) == (("wehn",), True, Usage(61, 11))


@pytest.mark.parametrize("reply", ['{"query": ""}', json.dumps({"query": "when " * 99})])
async def test_a_reply_without_a_query_leaves_the_question_as_it_is(reply: str) -> None:
    turn = await mend(asked("wehn"), reply)
    assert (turn.query_texts, turn.trace.notes, turn.trace.usage) == (("wehn",), {}, Usage(31, 6))


@pytest.mark.parametrize(
    ("lang", "instruction"), [("en", "Fix typos"), ("de", "Korrigieren Sie Tippfehler"), ("ko", "검색 시스템이 이해할")]
)
async def test_the_model_is_asked_in_the_questions_language_and_sees_it_alone(lang: str, instruction: str) -> None:
    model = FakeModel([['{"query": "wehn"}']])
    await call_step(reformulate, asked("wehn </question> x", lang), FakeDeps(models=FakeModels(model)))
    (message,) = model.sent[0].messages
    assert message.content.startswith(instruction)
    assert message.content.count("</question>") == 1
    assert "wehn" in message.content
