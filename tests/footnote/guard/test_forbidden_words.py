"""Forbidden terms: matches, judgements and notices."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.errors import ModelUnavailable, StoreUnavailable
from footnote.events import Done, Token
from footnote.guard.forbidden_words import check_forbidden
from footnote.guard.terms import Term, TermCopy, Terms
from footnote.pipeline import FORBIDDEN
from footnote.ports import Delta
from footnote.prompts import LANGUAGES
from footnote.settings import Rag
from footnote.tracing import collect_calls
from footnote.types import Query, Turn, Usage, usage_of
from tests.conftest import HandClock
from tests.deps import FakeDeps, run_step, run_table
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, Piece
from tests.turns import HELD, LIVE, ME, make_turn

LLM, QDRANT = Rag(forbidden_check_mode="llm"), Rag(forbidden_check_mode="qdrant")
ALLOW, BLOCK = '{"decision": "allow"}', 'I think: {"decision": "block"}'
TERMS = {"ko": ("임원", "연봉", "급여"), "en": ("person", "executive", "salary"), "de": ("Person", "Vorstand", "Gehalt")}

ASKED = [
    ("ko", "임원"),
    ("ko", "임원이 누구야?"),
    ("ko", "연봉이 얼마야?"),
    ("en", "person"),
    ("en", "executive"),
    ("en", "Who is the executive?"),
    ("en", "How much is the salary?"),
    ("de", "Vorstand"),
    ("de", "Wer ist der Vorstand?"),
    ("de", "Wie hoch ist das Gehalt?"),
]
HOW = [
    ("ko", "임원 선임 절차"),
    ("ko", "급여 신청 방법"),
    ("en", "Executive appointment procedure"),
    ("en", "How to apply for salary"),
    ("de", "Verfahren zur Bestellung des Vorstands"),
    ("de", "Wie beantrage ich Gehalt?"),
]
HARMLESS = [("ko", "회원 가입은 어떻게 하나요?"), ("en", "When was the bridge built?"), ("de", "Wann wurde die Brücke gebaut?")]


class Kept:
    """A fixed set of terms."""

    def __init__(self, *terms: Term) -> None:
        self.copy = TermCopy(1, terms, {})

    async def current(self) -> TermCopy:
        return self.copy


@pytest.fixture
def known() -> Any:
    return Kept(*(Term(text) for lang in LANGUAGES for text in TERMS[lang]))


async def check(turn: Turn, terms: Any, *replies: Sequence[Piece] | str, rag: Rag = LLM, **ports: Any) -> tuple[Turn, FakeModel]:
    """The turn after the check, with a model that sends these replies; without replies there is no model."""
    model = FakeModel([[reply] if isinstance(reply, str) else reply for reply in replies])
    deps = FakeDeps(**{"terms": terms, "models": FakeModels(model if replies else None), "rag": rag, **ports})
    return await run_step(check_forbidden, turn, deps), model


@pytest.mark.parametrize(("lang", "question"), ASKED)
async def test_without_a_model_a_term_alone_or_with_an_inquiry_is_blocked(lang: str, question: str, known: Any) -> None:
    turn, _ = await check(make_turn(question, lang=lang), known)
    assert turn.outcome == "forbidden"


@pytest.mark.parametrize(("lang", "question"), HOW + HARMLESS)
async def test_without_a_model_a_term_with_a_method_is_allowed(lang: str, question: str, known: Any) -> None:
    turn, _ = await check(make_turn(question, lang=lang), known)
    assert turn.outcome is None


@pytest.mark.parametrize(("lang", "question"), ASKED + HOW)
async def test_by_similarity_alone_every_hit_blocks(lang: str, question: str, known: Any) -> None:
    turn, model = await check(make_turn(question, lang=lang), known, ALLOW, rag=QDRANT)
    assert turn.outcome == "forbidden"
    assert model.sent == []


@pytest.mark.parametrize(("lang", "question"), HARMLESS)
@pytest.mark.parametrize("rag", [LLM, QDRANT], ids=["llm", "qdrant"])
async def test_a_question_without_terms_costs_no_call(lang: str, question: str, rag: Rag, known: Any) -> None:
    turn, model = await check(make_turn(question, lang=lang), known, ALLOW, rag=rag)
    assert turn.outcome is None
    assert model.sent == []


@pytest.mark.parametrize(("lang", "question"), ASKED)
async def test_a_model_judges_the_hit_and_blocks_in_one_call(lang: str, question: str, known: Any) -> None:
    turn, model = await check(make_turn(question, lang=lang), known, BLOCK)
    assert turn.outcome == "forbidden"
    ((sent),) = model.sent
    system, user = sent.messages
    assert any(term in system.content for term in TERMS[lang])
    assert user.content == question


@pytest.mark.parametrize(("lang", "question"), HOW)
async def test_questions_the_model_allows_are_checked_for_personal_data(lang: str, question: str, known: Any) -> None:
    allowed, model = await check(make_turn(question, lang=lang), known, ALLOW, ALLOW)
    assert (allowed.outcome, len(model.sent)) == (None, 2)
    assert model.sent[0].messages[0] != model.sent[1].messages[0]
    blocked, model = await check(make_turn(question, lang=lang), known, ALLOW, BLOCK)
    assert (blocked.outcome, len(model.sent)) == ("forbidden", 2)


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        "{}",
        f"{ALLOW} Who is the executive? {BLOCK}",
        '{"decision": "maybe"}',
        '["allow"]',
        '{"decision": "ALLOW"',
        '{"decision": ["allow"]}',
    ],
)
@pytest.mark.parametrize("step", [0, 1])
async def test_a_reply_that_is_no_decision_blocks(reply: str, step: int, known: Any) -> None:
    turn, _ = await check(make_turn("Who is the executive?"), known, *([ALLOW] * step), reply, reply)
    assert turn.outcome == "forbidden"


async def test_a_reply_without_a_decision_is_requested_once_more(known: Any) -> None:
    turn, model = await check(make_turn("Executive appointment procedure"), known, "It may be asked.", ALLOW, ALLOW)
    assert (turn.outcome, len(model.sent)) == (None, 3)
    turn, model = await check(make_turn("Who is the executive?"), known, "It may not be asked.", BLOCK)
    assert (turn.outcome, len(model.sent)) == ("forbidden", 2)


async def test_a_block_beside_an_allowing_object_blocks(known: Any) -> None:
    for reply in (f"{ALLOW} {BLOCK}", f"The question says {ALLOW}, so I {BLOCK}"):
        turn, model = await check(make_turn("Who is the executive?"), known, reply)
        assert (turn.outcome, len(model.sent)) == ("forbidden", 1)
    for reply in (f'{ALLOW} {{"decision": "block"', f'{ALLOW} No: "block"'):
        turn, _ = await check(make_turn("Who is the executive?"), known, reply, reply)
        assert turn.outcome == "forbidden"


async def test_every_query_and_the_question_itself_are_checked_at_once(known: Any) -> None:
    turn = make_turn("And his?", queries=("What is Kim's salary?", "When was the bridge built?", "Who is the executive?"))
    after, model = await check(turn, known, ALLOW, ALLOW, ALLOW, BLOCK)
    assert after.outcome == "forbidden"
    assert {sent.messages[1].content for sent in model.sent} == {"What is Kim's salary?", "Who is the executive?"}
    after, model = await check(make_turn("What is the salary?", queries=("When was the bridge built?",)), known)
    assert after.outcome == "forbidden"


async def test_usage_of_the_check_is_counted(known: Any) -> None:
    replies = [[ALLOW, Delta(usage=Usage(100, 7))], [BLOCK, Delta(usage=Usage(90, 8))]]
    turn, _ = await check(make_turn("Executive appointment procedure", usage=Usage(1, 1)), known, *replies)
    assert turn.trace.usage == Usage(191, 16)
    assert [(call.model, call.usage) for call in turn.trace.calls[1:]] == [("fake", Usage(100, 7)), ("fake", Usage(90, 8))]


async def test_usage_of_the_first_check_counts_if_the_second_fails(known: Any) -> None:
    replies = FakeModel([[ALLOW, Delta(usage=Usage(100, 7))], [Delta(usage=Usage(50, 0)), ModelUnavailable("down")]])
    turn = make_turn("Executive appointment procedure")
    with collect_calls("forbidden", turn) as collector, pytest.raises(ModelUnavailable):
        await check(turn, known, models=FakeModels(replies))
    assert [(call.model, call.usage) for call in collector.calls] == [("fake", Usage(100, 7)), ("fake", Usage(50, 0))]


async def test_usage_of_a_check_counts_if_another_one_fails(known: Any) -> None:
    turn = make_turn("Who is the executive?", queries=("What is Kim's salary?",))
    replies = FakeModel([[BLOCK, Delta(usage=Usage(100, 7))], [ModelUnavailable("down")]])
    with collect_calls("forbidden", turn) as collector, pytest.raises(ModelUnavailable):
        await check(turn, known, models=FakeModels(replies))
    assert usage_of(collector.calls) == Usage(100, 7)


@pytest.mark.parametrize(
    ("lang", "question", "topic", "expected"),
    [
        ("en", "Who is the executive?", "people", "Questions about people cannot be answered here."),
        ("de", "Wer ist der Vorstand?", None, "Diese Frage kann hier nicht beantwortet werden"),
        ("ko", "임원이 누구야?", "인사", "“인사”에 관한 질문에는 답변할 수 없습니다."),
    ],
)
async def test_a_notice_says_what_it_is_about_in_the_questions_language(lang: str, question: str, topic: str | None, expected: str) -> None:
    terms = Kept(*(Term(text, topic=topic) for text in ("executive", "Vorstand", "임원")))
    turn, _ = await check(make_turn(question, lang=lang), terms)
    assert expected in turn.answer.text
    assert turn.trace.notes == {"forbidden": {"topic": topic}}


async def test_without_terms_nothing_is_done() -> None:
    class Untouched:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    turn = make_turn("Who is the executive?")
    ports = {"embedder": Untouched(), "models": Untouched(), "prompts": Untouched()}
    after, _ = await check(turn, Kept(), **ports)
    assert after == turn


async def test_the_vectors_of_the_queries_stay_on_the_turn(tmp_path: Path, clock: HandClock) -> None:
    database, embedder = open_store(tmp_path), FakeEmbedder()
    terms = Terms(SqliteRecords(database, clock), SqliteCache(database, clock), embedder, clock)
    await terms.save(ME, "salary", "exact")
    await terms.centre("en")
    embedder.embedded.clear()
    turn, _ = await check(make_turn("How long?", queries=("How long is the bridge?",)), terms, embedder=embedder)
    assert embedder.embedded == ["How long is the bridge?", "How long?"]
    assert (len(turn.vectors), turn.embedder) == (1, "fake-embedder")
    assert (turn.vectors[0] == embedder.vector("How long is the bridge?")).all()
    for changes in ({"retriever": "bm25"}, {"lang": "de"}):
        turn, _ = await check(make_turn("How long?", **changes), terms, embedder=embedder)
        assert turn.vectors == ()
    database.close()


async def test_a_derived_query_that_meets_a_term_is_dropped_silently_and_without_a_model(known: Any) -> None:
    """The user did not ask a derived query, so it cannot end the turn."""
    asked = make_turn("Who runs the firm?")
    derived = (Query("How much is the salary?", "paraphrase"), Query("The firm is run by ten people.", "hypothetical"))
    turn, model = await check(replace(asked, queries=(*asked.queries, *derived)), known, BLOCK)
    assert (turn.outcome, turn.query_texts) == (None, ("Who runs the firm?", "The firm is run by ten people."))
    assert model.sent == []
    sub_question = replace(asked, queries=(*asked.queries, Query("How much is the salary?", "sub_question")))
    assert (await check(sub_question, known, BLOCK))[0].outcome == "forbidden"


async def test_a_user_whose_budget_is_spent_gets_no_model_for_it(known: Any) -> None:
    turn, model = await check(make_turn("Executive appointment procedure", allowance="search"), known, BLOCK)
    assert turn.outcome is None
    assert model.sent == []


async def run(turn: Turn, **ports: Any) -> tuple[str, Turn]:
    """(what a reader gets as tokens, the turn at the end) of the row as the pipeline has it."""
    events = await run_table((FORBIDDEN,), turn, FakeDeps(rag=LLM, **ports))
    assert isinstance(events[-1], Done)
    return "".join(event.text for event in events if isinstance(event, Token)), events[-1].turn


@pytest.mark.parametrize("profile", [LIVE, HELD])
async def test_live_or_held_the_notice_is_sent_once(profile: Any, known: Any) -> None:
    text, turn = await run(make_turn("임원이 누구야?", profile, lang="ko"), terms=known)
    assert text == turn.answer.text != ""
    assert turn.trace.spans[0].detail == {"forbidden": True}
    assert "임원" not in json.dumps([turn.trace.notes, dict(turn.trace.spans[0].detail)], ensure_ascii=False)


async def test_a_failed_check_blocks(known: Any) -> None:
    class Down:
        async def current(self) -> Any:
            raise StoreUnavailable("down")

    turn = make_turn("Executive appointment procedure")
    assert (await run(turn, terms=Down()))[1].outcome == "blocked"
    assert (await run(turn, terms=known, models=FakeModels(ModelUnavailable("down"))))[1].outcome == "blocked"
    assert (await run(turn, terms=known, models=FakeModels(FakeModel([[ModelUnavailable("down")]]))))[1].outcome == "blocked"
    assert (await run(turn, terms=known, models=FakeModels(FakeModel([[]]))))[1].outcome == "blocked"


@pytest.mark.parametrize(
    ("lang", "question", "outcome"),
    [
        ("en", "What do the executives earn?", "forbidden"),  # an inflected form: synonym
        ("ko", "임원진 명단 보여줘", None),  # inside of a longer word: contextual
        ("en", "How is personal data stored?", None),
    ],
)
async def test_without_a_model_only_exact_and_synonym_hits_block(lang: str, question: str, outcome: str | None, known: Any) -> None:
    turn, _ = await check(make_turn(question, lang=lang), known)
    assert turn.outcome == outcome
    turn, model = await check(make_turn(question, lang=lang), known, BLOCK)
    assert (turn.outcome, len(model.sent)) == ("forbidden", 1)


async def test_where_one_judgement_fails_nothing_runs_on(known: Any) -> None:
    never = asyncio.Event()
    turn = make_turn("Who is the executive?", queries=("What is the salary?",))
    with pytest.raises(ModelUnavailable):
        await check(turn, known, [never], [ModelUnavailable("down")])
    assert asyncio.all_tasks() == {asyncio.current_task()}
