"""The whole pipeline on the embedded index and stores, with a fake model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.answer.messages import message
from footnote.errors import BadRequest, ModelTimeout, ModelUnavailable, Rejected, SearchUnavailable, StoreUnavailable
from footnote.events import Answering, Done, Event, Failed, LanguageKnown, PassagesRead, Searching, StepFinished, StepStarted, Token
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE
from footnote.ports import ChunkVectors
from footnote.steps import steps_of
from footnote.turn_records.read import question_of
from footnote.types import Caller, Turn
from tests.deps import FakeDeps, Turns, finish, run_table
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, Piece, make_document, put_document
from tests.turns import HELD, LIVE, ME, make_turn

BRIDGE = ["The bridge was built in 1894. It is painted blue.", "Ferries cross the river every hour."]
QUESTION = "When was the bridge built?"
STRICT = replace(HELD, options={"reject_uncited": True})


class Down:
    """A backend whose methods all fail."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def fail(*args: Any, **options: Any) -> Any:
            raise SearchUnavailable("The index is down.")

        return fail


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[SqliteIndex]:
    index = SqliteIndex(tmp_path)
    yield index
    await index.close()


@pytest.fixture
async def bridge(index: SqliteIndex) -> SqliteIndex:
    await put_document(index, make_document("bridge", title="Records"), BRIDGE)
    return index


def ports(index: Any, *reply: Piece, model: Any = None, turns: Turns | None = None, embedder: Any = None) -> FakeDeps:
    models = FakeModels(model if model is not None else FakeModel([reply]) if reply else None)
    return FakeDeps(index=index, embedder=embedder, models=models, turns=turns or Turns())


async def run(bound: FakeDeps, turn: Turn) -> list[Event]:
    return await run_table(ANSWER, turn, bound)


async def answer(bound: FakeDeps, turn: Turn) -> Turn:
    return await finish(ANSWER, turn, bound)


def tokens(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


# --- answers -----------------------------------------------------------------------------------


async def test_a_question_is_answered_from_the_passage_it_finds_and_cites_it(bridge: SqliteIndex) -> None:
    bound = ports(bridge, "It was built ", "in 1894 [1].", turns=(turns := Turns()))
    events = await run(bound, make_turn(QUESTION))
    turn = events[-1].turn  # type: ignore[union-attr]
    assert tokens(events) == turn.answer.text == "It was built in 1894 [1]."
    assert [(citation.number, citation.hit.chunk.chunk_id, citation.snippet) for citation in turn.answer.citations] == [
        (1, "bridge|1|0", "The bridge was built in 1894.")
    ]
    assert (turn.outcome, turn.record.degraded, turn.record.persisted, turn.lang) == (None, False, True, "en")
    assert [event.name for event in events if isinstance(event, StepStarted)] == [
        "guard", "open", "budget", "model", "announce", "language", "spelling", "forbidden", "classify", "route", "reading", "search",
        "fuse", "read", "titles", "context", "answer", "check", "support", "injection", "follow_up", "save", "unread", "spend",
        "announce_answer", "meter",
    ]  # fmt: skip
    assert [(saved["result"]["final_response"], saved["status"]) for saved in turns.saved] == [(turn.answer.text, "done")]
    assert [event for event in events if not isinstance(event, StepStarted | StepFinished | Token | Done)] == [
        LanguageKnown("en"), Searching("index"), PassagesRead(1), Answering(),
    ]  # fmt: skip
    sent = bound.models.model.sent[0]
    assert BRIDGE[0] in sent.messages[-1].content
    assert sent.messages[-1].content.endswith(f"\n\n{QUESTION}")


@pytest.mark.usefixtures("sure_of_little")
async def test_without_a_model_the_sentences_that_answer_are_quoted(bridge: SqliteIndex) -> None:
    events = await run(ports(bridge), make_turn(QUESTION, LIVE))
    turn = events[-1].turn  # type: ignore[union-attr]
    assert tokens(events) == turn.answer.text
    assert turn.answer.text == "**Records**\n\nThe bridge was built in 1894. It is painted blue. [1]"
    assert (turn.answer.extractive, turn.record.degraded, turn.plan.model) == (True, False, None)


async def test_a_question_that_no_passage_answers_is_refused_and_keeps_the_nearest(bridge: SqliteIndex) -> None:
    turn = await answer(ports(bridge), make_turn("Which river plants taste like salted caramel chocolate?"))
    assert (turn.outcome, turn.answer and turn.answer.text, turn.record.persisted) == ("refused", message("refused", "en"), True)
    assert [hit.chunk.text for hit in turn.evidence.hits] == [BRIDGE[1]]


@pytest.mark.parametrize("error", [ModelUnavailable("down"), ModelTimeout("late"), RuntimeError("bug")])
async def test_quotes_replace_a_failing_model(bridge: SqliteIndex, error: Exception) -> None:
    turn = await answer(ports(bridge, "It was", error), make_turn(QUESTION))
    assert (turn.answer.extractive, turn.record.degraded) == (True, True)
    assert "It was [" not in turn.answer.text
    assert [span.status for span in turn.record.spans if span.name == "answer"] == ["fallback"]


async def test_an_interrupted_streamed_answer_ends_with_the_error_and_the_text_sent(bridge: SqliteIndex) -> None:
    turns = Turns()
    events = await run(ports(bridge, "It was", ModelTimeout("late"), turns=turns), make_turn(QUESTION, LIVE))
    failed = events[-1]
    assert isinstance(failed, Failed)
    assert (type(failed.error), failed.text) == (ModelTimeout, "It was")
    assert [saved["status"] for saved in turns.saved] == ["error"]


async def test_quotes_also_replace_a_failing_choice_of_model(bridge: SqliteIndex) -> None:
    turn = await answer(ports(bridge, model=ModelUnavailable("no key")), make_turn(QUESTION, model="gpt"))
    assert (turn.answer.extractive, turn.record.degraded) == (True, True)


@pytest.mark.usefixtures("sure_of_little")
async def test_quotes_take_the_place_of_an_answer_that_cites_nothing(bridge: SqliteIndex) -> None:
    quoted = await answer(ports(bridge, "In 1894 [9]."), make_turn(QUESTION))
    assert (quoted.answer.extractive, quoted.answer.warnings, quoted.outcome) == (True, ("marker_dropped", "uncited"), None)
    events = await run(ports(bridge, "In 1894."), make_turn(QUESTION, STRICT))
    assert tokens(events) == message("uncited", "en")


# --- no hits -----------------------------------------------------------------------------------


async def test_an_answer_without_hits_says_so_and_calls_no_model(bridge: SqliteIndex) -> None:
    bound = ports(bridge, "An invention.")
    turn = await answer(bound, make_turn("Zebras?"))
    assert (turn.outcome, turn.answer and turn.answer.text, turn.record.persisted) == ("no_hits", message("no_hits", "en"), True)
    assert bound.models.model.sent == []


async def test_an_empty_collection_says_that_there_are_no_documents_yet(index: SqliteIndex) -> None:
    turn = await answer(ports(index), make_turn("왜 그런가요?", caller=Caller("local", sees_all=True)))
    assert (turn.outcome, turn.answer and turn.answer.text) == ("no_hits", message("empty", "ko"))


async def test_a_caller_without_the_group_finds_nothing(bridge: SqliteIndex) -> None:
    turn = await answer(ports(bridge, "It was built in 1894 [1]."), make_turn(QUESTION, caller=Caller("x", frozenset({"guests"}))))
    assert (turn.outcome, turn.evidence.hits, turn.answer and turn.answer.text) == ("no_hits", (), message("no_access", "en"))


# --- unavailable backends ----------------------------------------------------------------------


async def test_an_index_that_is_down_is_never_reported_as_nothing_found() -> None:
    turns = Turns()
    events = await run(ports(Down(), "x", turns=turns), make_turn(QUESTION))
    assert isinstance(events[-1], Failed)
    assert isinstance(events[-1].error, SearchUnavailable)
    assert [(question_of(saved), saved["status"]) for saved in turns.saved] == [(QUESTION, "error")]


async def test_the_question_is_answered_while_the_store_is_down(bridge: SqliteIndex) -> None:
    turn = await answer(ports(bridge, "In 1894 [1].", turns=Turns(StoreUnavailable("down"))), make_turn(QUESTION))
    assert (turn.answer.text, turn.record.persisted) == ("In 1894 [1].", False)


async def test_lexical_search_remains_when_the_embedder_fails(bridge: SqliteIndex) -> None:
    class Broken(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
            raise ModelUnavailable("down")

    turn = await answer(ports(bridge, "In 1894 [1].", embedder=Broken()), make_turn(QUESTION, retriever="cc"))
    assert (turn.answer.text, turn.answer.warnings, turn.record.degraded) == ("In 1894 [1].", ("missing_cosine",), True)
    assert {span.name: span.status for span in turn.record.spans}["embed"] == "skipped"


@pytest.mark.parametrize("question", ["", "?!", "x" * 3000])
async def test_a_rejected_question_is_a_bad_request_without_a_search(question: str) -> None:
    events = await run(ports(Down(), "x"), make_turn(question))
    assert isinstance(events[-1], Failed)
    assert isinstance(events[-1].error, Rejected)
    assert isinstance(events[-1].error, BadRequest)


# --- retrieval ---------------------------------------------------------------------------------


async def test_both_lists_are_fused_and_a_hit_keeps_both_scores(bridge: SqliteIndex) -> None:
    embedder = FakeEmbedder()
    await bridge.put_vectors(embedder.name, [ChunkVectors(f"bridge|1|{i}", embedder.vector(text)) for i, text in enumerate(BRIDGE)])
    turn = await finish(RETRIEVE, make_turn(QUESTION, retriever="cc"), ports(bridge, embedder=embedder))
    assert [hit.chunk.ordinal for hit in turn.evidence.hits] == [0, 1]
    assert turn.evidence.hits[0].score == pytest.approx(0.75)
    assert "bm25" in turn.evidence.hits[0].scores
    assert turn.evidence.hits[0].scores["cosine"] == pytest.approx(float(embedder.vector(QUESTION) @ embedder.vector(BRIDGE[0])), abs=1e-5)
    assert "bm25" not in turn.evidence.hits[1].scores
    assert embedder.embedded == [QUESTION]


async def test_retrieval_writes_nothing_and_calls_no_model(bridge: SqliteIndex) -> None:
    bound = ports(bridge, "x", turns=(turns := Turns()))
    turn = await finish(RETRIEVE, make_turn(QUESTION, limit=1), bound)
    assert (len(turn.evidence.hits), turns.saved, bound.models.asked) == (1, [], [])
    assert turn.caller == ME


@pytest.mark.parametrize(
    ("document", "lang", "question"),
    [
        ("Die Brücke wurde 1894 gebaut. Sie ist heute blau gestrichen.", "de", "Wann wurde die Brücke gebaut?"),
        ("다리는 1894년에 건설되었다. 오늘은 파란색으로 칠해져 있다.", "ko", "다리는 언제 건설되었나요?"),
    ],
)
async def test_documents_in_other_languages_are_found_by_lexical_search(
    index: SqliteIndex, document: str, lang: str, question: str
) -> None:
    await put_document(index, make_document(), [document], lang=lang)
    embedder = FakeEmbedder()
    turn = await answer(ports(index, embedder=embedder), make_turn(question))
    assert (turn.lang, turn.answer.extractive, "1894" in turn.answer.text) == (lang, True, True)
    assert embedder.embedded == []


def test_no_step_is_cut_off_sooner_than_a_busy_machine_takes() -> None:
    """What takes milliseconds takes a second there."""
    limits = {step.name: step.timeout_s for step in steps_of((*ANSWER, *LOOK_UP)) if step.timeout_s is not None}
    assert {"open", "find_answer", "save"} < limits.keys()
    assert {name: seconds for name, seconds in limits.items() if seconds < 2} == {}
