"""Statements without support are searched for again, and the model corrects them or leaves them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.revise import critique, is_revisable, revise, revision_shown
from footnote.errors import ModelUnavailable
from footnote.ports import Delta
from footnote.prompts import LANGUAGES
from footnote.settings import Rag, Settings
from footnote.types import Answer, AttachedFiles, Citation, Evidence, Hit, Message, Reading, Review, Scope, Turn
from tests.deps import FakeDeps, run_step
from tests.fakes import FakeModel, FakeModels, make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import HELD, LIVE, make_turn, with_

BRIDGE = make_hit("The bridge was built in 1894. It is painted blue every ten years.", "bridge")
TOWER = make_hit("The tower was built in 1731 by Ada Berg.", "tower")
TEXT = "The bridge was built in 1894 [1]. The tower was built in 1650 [1]."
SCOPE = Scope(attached=AttachedFiles(1))
ASKED = make_turn(
    "When were they built?",
    scope=SCOPE,
    hits=(TOWER, BRIDGE),
    shown=(make_hit("Nothing.", "zero"), BRIDGE),
    messages=(Message("user", "When?"),),
    model="fake",
    profile=replace(HELD, options={"critique": True}),
)
THOROUGH = with_(ASKED, level="maximum")


def written(text: str = TEXT, hit: Hit = BRIDGE, asked: Turn = ASKED) -> Turn:
    spans = tuple((at, at + 3) for at in range(len(text)) if text.startswith("[1]", at))
    return with_(asked, answer=Answer(text, (Citation(1, hit, hit.chunk.text, spans=spans),) if spans else (), model="fake"))


async def run(turn: Turn, *replies: Any, found: Sequence[Hit] = (), outcome: Any = None) -> tuple[Turn, FakeModel, list[str]]:
    asked: list[str] = []

    async def search(turn: Turn) -> Turn:
        assert (turn.answer, turn.conversation.exchanges, turn.reading) == (None, (), Reading(scope=SCOPE))
        asked.append(turn.request.question)
        return replace(turn, evidence=Evidence(hits=tuple(found)), outcome=outcome)

    model = FakeModel([[reply] for reply in replies])
    deps = FakeDeps(models=FakeModels(model), index=Stored(BRIDGE, TOWER), searcher=search)
    return await run_step(revise, await run_step(critique, turn, deps), deps), model, asked


def without_claims(turn: Turn) -> Turn:
    assert turn.answer is not None
    return replace(turn, answer=replace(turn.answer, claims=()))


def text_of(turn: Turn) -> str:
    return turn.answer.text


async def test_a_supported_answer_stays_and_costs_nothing() -> None:
    before = written("The bridge was built in 1894 [1].")
    turn, model, asked = await run(before)
    assert (without_claims(turn), model.sent, asked) == (before, [], [])
    assert revision_shown(turn) == {"rounds": 0, "kept": 0, "because": ""}


async def test_evidence_for_an_unsupported_statement_corrects_it() -> None:
    turn, model, asked = await run(written(), "The bridge was built in 1894 [2]. The tower was built in 1731 [3].", found=(BRIDGE, TOWER))
    assert text_of(turn) == "The bridge was built in 1894 [1]. The tower was built in 1731 [2]."
    assert [citation.hit for citation in turn.answer.citations] == [BRIDGE, TOWER]
    assert asked == ["The tower was built in 1650    ."]
    assert turn.evidence.added == (TOWER,)
    assert turn.trace.notes["revision"] == [{"because": "unsupported", "doubted": 1, "found": 1, "kept": True}]
    _, draft, request = model.sent[0].messages
    assert draft == Message("assistant", "The bridge was built in 1894 [2]. The tower was built in 1650 [2].")  # as in the model's prompt
    assert request.content.count("<document ") == 1
    assert '<document number="3" title="Tower">' in request.content


async def test_without_evidence_the_statement_is_left_out() -> None:
    turn, model, _ = await run(written(), "The bridge was built in 1894 [2].")
    assert text_of(turn) == "The bridge was built in 1894 [1]."
    assert "<documents>" not in model.sent[0].messages[-1].content


@pytest.mark.parametrize(("asked", "rounds"), [(ASKED, 1), (THOROUGH, 2)])
async def test_there_is_one_round_and_at_level_maximum_two(asked: Turn, rounds: int) -> None:
    worse, better = f"{TEXT} The ferry costs 7 euros [1].".replace("[1]", "[2]"), TEXT.replace("[1]", "[2]")
    three = written(f"{TEXT} The ferry costs 7 euros [1]. It sinks in 1999 [1].", asked=asked)
    turn, model, _ = await run(three, worse, better, "never asked")
    assert (text_of(turn) == TEXT, len(model.sent)) == (rounds == 2, rounds)
    assert [each["doubted"] for each in turn.trace.notes["revision"]] == [3, 2][:rounds]
    assert revision_shown(turn) == {"rounds": rounds, "kept": rounds, "because": "unsupported"}


@pytest.mark.parametrize("reply", ["The bridge was built in 1894 [2]. The tower was built in 1651 [2].", "I don't know."])
async def test_a_revision_that_is_no_better_is_dropped(reply: str) -> None:
    turn, model, _ = await run(written(), reply)
    assert (text_of(turn), len(model.sent), turn.trace.notes["revision"][0]["kept"]) == (TEXT, 1, False)
    assert turn.evidence == ASKED.evidence


async def test_a_sentence_without_a_marker_is_compared_with_all_that_was_shown() -> None:

    text = "The bridge was built in 1894 [1]. It is painted blue every ten years. In Madrid it costs 999 euros, and Marta pays it."
    turn, model, _ = await run(written(text), "The bridge was built in 1894 [2].")
    assert model.sent[0].messages[-1].content.count("Marta") == 1
    assert "painted" not in model.sent[0].messages[-1].content.split("Write the whole")[0]
    assert text_of(turn) == "The bridge was built in 1894 [1]."


async def test_sentences_against_the_policy_are_left_out() -> None:
    text = "The bridge was built in 1894 [1]. Call Ada at +49 30 1234567."
    before = with_(written(text), review=Review(violations=("Call Ada at +49 30 1234567.",)))
    turn, model, _ = await run(before, "The bridge was built in 1894 [2].")
    assert text_of(turn) == "The bridge was built in 1894 [1]."
    assert "These sentences of your answer must not be in it:\n- Call Ada at +49 30 1234567." in model.sent[0].messages[-1].content
    assert revision_shown(turn) == {"rounds": 1, "kept": 1, "because": "unsupported"}


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_where_a_setting_asks_for_it_a_model_criticises_too(lang: str) -> None:
    text = "The bridge was built in 1894 [1]. It is painted blue every ten years [1]."
    model = FakeModel([['{"unsupported": [2, 9]}'], ["The bridge was built in 1894 [2]."]])
    deps = FakeDeps(
        models=FakeModels(model), index=Stored(BRIDGE, TOWER), searcher=returns_nothing, settings=Settings(rag=Rag(critic="model"))
    )
    turn = await run_step(critique, with_(written(text), lang=lang), deps)
    assert turn.trace.notes["doubted"] == ["It is painted blue every ten years    ."]
    assert "2. It is painted blue every ten years" in model.sent[0].messages[0].content
    assert text_of(await run_step(revise, turn, deps)) == "The bridge was built in 1894 [1]."


async def test_a_truncated_revision_is_dropped() -> None:
    model = FakeModel([["The bridge was built in 1894 [2].", Delta(cut="length")]])
    deps = FakeDeps(models=FakeModels(model), index=Stored(BRIDGE, TOWER), searcher=returns_nothing)
    assert text_of(await run_step(revise, written(), deps)) == TEXT


async def returns_nothing(turn: Turn) -> Turn:
    return replace(turn, evidence=Evidence())


async def test_an_answer_without_citations_whose_sentences_are_found_is_left_to_the_check() -> None:
    before = written("The bridge was built in 1894.")
    assert without_claims((await run(before))[0]) == before


async def test_an_answer_without_citations_gets_them() -> None:
    turn, *_ = await run(written("Queen Sonja opened it in 1931."), "The bridge was built in 1894 [2].")
    assert (text_of(turn), turn.trace.notes["revision"][0]["because"]) == ("The bridge was built in 1894 [1].", "uncited")


LACKING = "The documents do not contain this information."


async def test_where_the_documents_lack_the_answer_what_is_missing_is_searched_for() -> None:
    reply, answer = '{"queries": ["who built the tower", "", "date of the tower", "a third"]}', "The tower was built in 1731 [3]."
    turn, model, asked = await run(written(LACKING, asked=THOROUGH), reply, answer, found=(TOWER,))
    assert (text_of(turn), asked) == ("The tower was built in 1731 [1].", ["who built the tower", "date of the tower"])
    assert turn.trace.notes["revision"] == [{"because": "insufficient", "doubted": 0, "found": 1, "kept": True}]
    assert model.sent[0].messages[1] == Message("assistant", LACKING)
    assert "statements" not in model.sent[1].messages[-1].content


@pytest.mark.parametrize(
    ("reply", "found", "calls"), [('{"queries": ["x"]}', (), 1), ("none", (TOWER,), 2), (ModelUnavailable("gone"), (), 1)]
)
async def test_where_nothing_more_is_found_the_answer_stays(reply: Any, found: tuple[Hit, ...], calls: int) -> None:
    turn, model, _ = await run(written(LACKING, asked=THOROUGH), reply, "none", found=found)
    assert (text_of(turn), len(model.sent)) == (LACKING, calls)
    assert revision_shown(turn) == {"rounds": 1, "kept": 0, "because": "insufficient"}


async def test_an_answer_that_still_lacks_it_is_dropped() -> None:
    turn, *_ = await run(written(LACKING, asked=THOROUGH), '{"queries": ["tower"]}', "I don't know.", found=(TOWER,))
    assert (text_of(turn), turn.evidence.added) == (LACKING, ())


async def test_a_statement_that_may_not_be_searched_for_finds_nothing() -> None:
    turn, *_ = await run(written(), "The bridge was built in 1894 [2].", found=(TOWER,), outcome="forbidden")
    assert (turn.evidence.added, text_of(turn)) == ((), "The bridge was built in 1894 [1].")


async def test_warnings_and_questions_of_the_draft_stay() -> None:
    before = written(asked=with_(ASKED, suggested_questions=("Why?",)))
    assert before.answer is not None
    before = replace(before, answer=replace(before.answer, warnings=("disagreement",)))
    turn, *_ = await run(before, "The bridge was built in 1894 [2].")
    assert (turn.answer.warnings, turn.trace.suggested_questions) == (("disagreement",), ("Why?",))


async def test_a_model_that_fails_is_an_error_of_the_step() -> None:
    with pytest.raises(ModelUnavailable):
        await run(written(), ModelUnavailable("gone"))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("style", "shown"), [("footnote", '<document id="tower"'), ("references", '<document number="3"')])
async def test_documents_are_named_as_the_answer_cites_them(lang: str, style: str, shown: str) -> None:
    seen = tuple(replace(hit, chunk=replace(hit.chunk, lang=lang)) for hit in ASKED.evidence.citable)
    asked = with_(ASKED, profile=replace(HELD, citation_style=style), lang=lang, shown=seen)
    text = "The tower was built in 1650 in 1777."
    answer = Answer(text, (Citation(2, BRIDGE, "…"),), model="fake")
    _, model, _ = await run(with_(asked, answer=answer), "I don't know.", found=(TOWER,))
    assert shown in model.sent[0].messages[-1].content
    draft = model.sent[0].messages[-2].content
    assert draft == (f"{text}\nSOURCES_USED: 2" if style == "references" else text)


def test_only_an_answer_from_documents_is_revised_and_never_one_that_was_shown() -> None:
    assert is_revisable(written())
    for changes in (
        {"outcome": "refused"},
        {"answer": Answer("Quoted.", extractive=True)},
        {"answer": None},
        {"answer": Answer("", model="fake")},
        {"profile": LIVE},
    ):
        assert not is_revisable(with_(written(), **changes))
