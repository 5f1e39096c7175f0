"""Generated answers and the check of their citations."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.generate import answer_no_hits, generate, need_model, pick_model
from footnote.answer.messages import MESSAGES, message
from footnote.errors import ModelUnavailable, StoreUnavailable
from footnote.events import Event, Think, Token
from footnote.ports import Delta, Record
from footnote.settings import LLM
from footnote.tracing import collect_calls
from footnote.types import Answer, Caller, Chunk, Message, Profile, Turn, Usage
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeModel, FakeModels, Piece, make_hit
from tests.turns import HELD, ME, make_turn, with_

HIT = make_hit("The bridge was built in 1894. It is blue.", "bridge")
PROFILE = Profile("p", live=False, citation_style="numbered", prompt="x", temperature=0.4, max_tokens=9, first_token_s=1.5)
ASKED = make_turn("When?", PROFILE, hits=(HIT,), messages=(Message("system", "one two three"), Message("user", "When?")), model="fake")


async def run(*reply: Piece, turn: Turn = ASKED, llm: LLM | None = None) -> tuple[list[Event], Turn, FakeModel]:
    model = FakeModel([reply])
    events = [event async for event in call_step(generate, turn, FakeDeps(models=FakeModels(model), llm=llm or LLM()))]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1], model  # type: ignore[return-value]


async def test_the_reply_is_streamed_as_it_comes_and_kept_as_an_answer() -> None:
    events, turn, model = await run(Delta(thinking="Hm."), "In 18", "94 [1].", Delta(usage=Usage(11, 5)))
    assert events == [Think("Hm."), Token("In 18"), Token("94 [1].")]
    assert (turn.answer.text, turn.answer.model, turn.answer.extractive) == ("In 1894 [1].", "fake", False)
    assert [(citation.number, citation.hit, citation.snippet) for citation in turn.answer.citations] == [(1, HIT, HIT.chunk.text)]
    assert turn.trace.usage == Usage(11, 5)
    assert model.sent[0].messages == ASKED.messages
    assert model.sent[0].options == {"temperature": 0.4, "max_tokens": 9, "first_token_s": 1.5, "total_s": 120}


@pytest.mark.parametrize(
    ("usual", "settings", "limits"),
    [
        (15, {}, (15, 120)),
        (None, {}, (120, 120)),
        (15, {"total_timeout_s": 300}, (15, 300)),
        (None, {"total_timeout_s": 300}, (300, 300)),
        (15, {"first_token_timeout_s": 60}, (60, 120)),
        (None, {"first_token_timeout_s": 60}, (60, 120)),
    ],
)
async def test_a_setting_changes_how_long_a_model_may_take(
    usual: float | None, settings: dict[str, float], limits: tuple[float, float]
) -> None:
    asked = with_(ASKED, profile=replace(PROFILE, first_token_s=usual))
    _, _, model = await run("In 1894 [1].", turn=asked, llm=LLM(**settings))  # type: ignore[arg-type]
    assert (model.sent[0].options["first_token_s"], model.sent[0].options["total_s"]) == limits


async def test_an_answer_of_another_model_than_the_one_picked_is_marked() -> None:
    _, turn, _ = await run("In 1894 [1].", turn=with_(ASKED, model="big"))
    assert (turn.answer and turn.answer.model, turn.trace.degraded) == ("fake", True)
    assert not (await run("In 1894 [1]."))[1].trace.degraded


async def test_tokens_are_estimated_where_the_provider_does_not_tell() -> None:
    _, turn, _ = await run("Yes, in 1894.", turn=with_(ASKED, usage=Usage(1, 1)))
    # one two three = 3, "When?" = 1.5 → 2; Yes in 1894 = 3, two signs = 1
    assert turn.trace.usage == Usage(6, 5, estimated=True)


@pytest.mark.parametrize("reply", ["\n\n  In 1894 [1].\n", "In 1894 [1].", "\tIn 1894 [1]. [7]\n"])
async def test_markers_stand_where_their_spans_say_whatever_white_space_came(reply: str) -> None:
    _, turn, _ = await run(reply)
    assert turn.answer.text == "In 1894 [1]."
    assert turn.answer.citations[0].spans == ((8, 11),)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ((), "empty answer"),
        (("",), "empty answer"),
        (("  \n",), "empty answer"),
        ((Delta(thinking="Hm."),), "empty answer"),
        ((Delta(thinking="Hm."), Delta(cut="length")), "reached its token limit"),
        ((Delta(cut="content_filter"),), "withheld by the content filter"),
        (("<think>In 1894, I think",), "empty answer"),
        (("<think>Hm.</think>",), "empty answer"),
        (("<think>Hm.</think>[9]",), "empty answer"),
    ],
)
async def test_an_empty_reply_is_an_error_of_the_model(reply: tuple[Piece, ...], told: str) -> None:
    with pytest.raises(ModelUnavailable, match=told):
        await run(*reply)


@pytest.mark.parametrize(
    ("reply", "used"),
    [
        (("Yes, in 1894.", ModelUnavailable("gone")), Usage(5, 4, estimated=True)),
        (("Yes.", Delta(usage=Usage(11, 5)), ModelUnavailable("gone")), Usage(11, 5)),
        ((ModelUnavailable("gone"),), Usage()),
        (("[9]",), Usage(5, 2, estimated=True)),
        (("  ", Delta(usage=Usage(11, 5))), Usage(11, 5)),
        ((), Usage(5, 0, estimated=True)),
    ],
)
async def test_usage_of_a_useless_reply_is_recorded(reply: tuple[Piece, ...], used: Usage) -> None:
    with collect_calls("answer", ASKED) as collector, pytest.raises(ModelUnavailable):
        await run(*reply)
    assert [(call.step, call.model, call.usage) for call in collector.calls] == [("answer", "fake", used)]


async def test_a_model_that_is_gone_meanwhile_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        [event async for event in call_step(generate, ASKED, FakeDeps())]


async def test_text_around_the_answer_is_never_sent() -> None:
    reply = "Sure, here is", " the answer: In 1894 [1].", "\nSUGGESTED_", "QUESTIONS: Who built it?|Is it blue?"
    events, turn, _ = await run(*reply)
    assert "".join(event.text for event in events if isinstance(event, Token)) == "In 1894 [1]."
    assert (turn.answer.text, turn.answer.citations[0].spans) == ("In 1894 [1].", ((8, 11),))
    assert turn.trace.suggested_questions == ("Who built it?", "Is it blue?")


async def test_they_are_left_out_of_a_held_reply_whose_thinking_has_no_opening_tag() -> None:
    _, turn, _ = await run("SUGGESTED_QUESTIONS: No?\n</think>Certainly! Let me help: In 1894 [1].\nSUGGESTED_QUESTIONS: Who built it?")
    assert (turn.answer and turn.answer.text, turn.trace.suggested_questions) == ("In 1894 [1].", ("Who built it?",))


CODE = [
    ("```sh\ngrep -E '[^0-9]+' list.txt | sed 's/[^a-z]//g'\n```\nIn 1894 {}.", ["[^bridge]", "[1]", "[Source 1]"]),
    ("```c\na[i] = b[1] + c[12] + d[0];\n```\nIn 1894 {}.", ["[^bridge]", "[1]", "[Source 1]"]),
    ("Read `data[1]` first, then `row[0][2]` {}.", ["[^bridge]", "[1]", "[Source 1]"]),
]


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(("text", "markers"), CODE)
async def test_a_models_code_stays_as_it_wrote_it_in_every_style(text: str, markers: list[str], live: bool) -> None:
    for style, marker in zip(("footnote", "numbered", "source"), markers, strict=True):
        said = text.format(marker)
        _, turn, _ = await run(said, turn=with_(ASKED, profile=replace(PROFILE, citation_style=style, live=live)))
        assert turn.answer.text == said
        assert [turn.answer.text[start:end] for each in turn.answer.citations for start, end in each.spans] == [marker]
        events, *_ = await run(*said, turn=with_(ASKED, profile=replace(PROFILE, citation_style=style, live=live)))
        assert "".join(event.text for event in events if isinstance(event, Token)) == said


async def test_a_reasoning_model_is_told_to_think_longer_where_the_plan_wants_it() -> None:
    for level, effort in (("enhanced", None), ("maximum", "high")):
        _, _, model = await run("In 1894 [1].", turn=with_(ASKED, level=level, model="fake"))
        assert model.sent[0].options.get("effort") == effort


# --- what is asked of the model ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "settings", "sent"),
    [
        ({"temperature": 0.0, "max_tokens": 5}, LLM(temperature=0.7, max_completion_tokens=50), (0.0, 5)),
        ({}, LLM(temperature=0.7, max_completion_tokens=50), (0.7, 50)),
        ({}, LLM(), (0.4, 9)),
        ({"profile": HELD}, LLM(), (None, None)),
    ],
)
async def test_the_request_overrides_the_settings_and_those_override_the_profile(
    asked: dict[str, Any], settings: LLM, sent: tuple[float | None, int | None]
) -> None:
    _, _, model = await run("In 1894 [1].", turn=with_(ASKED, **asked), llm=settings)
    assert (model.sent[0].options["temperature"], model.sent[0].options["max_tokens"]) == sent


class Preferences:
    """`ports.Records` with one user's preference, or down."""

    def __init__(self, model_id: str | None = None, error: Exception | None = None) -> None:
        self._model_id, self._error = model_id, error

    async def get(self, kind: str, key: str) -> Record | None:
        if self._error is not None:
            raise self._error
        known = (kind, key) == ("preference", "me") and self._model_id is not None
        return Record(key, {"model_id": self._model_id}, 1, 0.0, "me") if known else None


@pytest.mark.parametrize(
    ("asked", "llm", "preferences", "picked"),
    [
        ("big", LLM(), Preferences("mine"), "big"),
        (None, LLM(), Preferences("mine"), "mine"),
        (None, LLM(allowed_models=["big"]), Preferences("mine"), None),
        (None, LLM(allowed_models=["big", "mine"]), Preferences("mine"), "mine"),
        (None, LLM(), Preferences(), None),
        (None, LLM(), Preferences(error=StoreUnavailable("down")), None),
    ],
)
async def test_the_requests_model_overrides_the_users_and_that_the_configured_one(
    asked: str | None, llm: LLM, preferences: Any, picked: str | None
) -> None:
    models = FakeModels(FakeModel([], name="llama"))
    turn = await call_step(pick_model, make_turn(model=asked), FakeDeps(models=models, llm=llm, records=preferences))
    assert turn.plan.model == "llama"
    assert models.asked == [picked]


class Silent(Preferences):
    """A store that never replies."""

    async def get(self, kind: str, key: str) -> Record | None:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_store_that_falls_silent_delays_the_answer_by_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.answer.generate.PREFERENCE_S", 0.01)
    models, records = FakeModels(FakeModel([], name="llama")), Silent()
    turn = await call_step(pick_model, make_turn(), FakeDeps(models=models, llm=LLM(model="usual"), records=records))
    assert (turn.plan.model, models.asked) == ("llama", ["usual"])


async def test_without_a_model_the_plan_has_none() -> None:
    records: Any = Preferences()
    assert (await call_step(pick_model, make_turn(model="big"), FakeDeps(records=records))).plan.model is None


async def test_a_budget_that_runs_out_leaves_a_cheaper_model_and_then_none() -> None:
    models, records = FakeModels(FakeModel([], name="any")), Preferences("mine")
    for allowance, llm in (("cheaper", LLM(cheaper_model="small")), ("cheaper", LLM()), ("search", LLM(cheaper_model="small"))):
        turn = await call_step(pick_model, make_turn(allowance=allowance), FakeDeps(models=models, llm=llm, records=records))
        assert (turn.plan.model is None) is (allowance == "search")
    assert models.asked == ["small", "mine"]


async def test_a_mode_that_needs_a_model_reports_a_used_up_budget() -> None:
    assert [event async for event in need_model(ASKED)] == [ASKED]
    spent, settled = [event async for event in need_model(make_turn(allowance="search", lang="de"))]
    assert spent == Token(message("spent", "de"))
    assert isinstance(settled, Turn)
    assert (settled.outcome, settled.answer) == ("refused", Answer(message("spent", "de")))
    with pytest.raises(ModelUnavailable, match="needs a language model"):
        [event async for event in need_model(make_turn())]


# --- thinking ----------------------------------------------------------------------------------


async def test_thoughts_in_the_text_are_no_part_of_the_answer() -> None:
    events, turn, _ = await run("<thi", "nk>Is it [1]?</thi", "nk>\n\nIn 1894 [1].")
    assert events == [Think("Is it [1]?"), Token("In 1894 [1].")]
    assert (turn.answer.text, turn.answer.citations[0].spans) == ("In 1894 [1].", ((8, 11),))


async def test_thoughts_whose_beginning_got_lost_are_left_out_where_that_is_still_possible() -> None:
    _, turn, _ = await run("Is it?</think>In 1894 [1].")
    assert turn.answer.text == "In 1894 [1]."
    live = with_(ASKED, profile=replace(PROFILE, live=True))
    events, turn, _ = await run("Is it?</think> In 1894 [1].", turn=live)
    assert "".join(event.text for event in events if isinstance(event, Token)) == turn.answer.text == "Is it? In 1894 [1]."


async def test_a_reply_that_only_names_its_sources_is_an_error_of_the_model() -> None:
    with pytest.raises(ModelUnavailable, match="empty answer"):
        await run("SOURCES_USED: 1", turn=with_(ASKED, profile=replace(PROFILE, citation_style="references")))


# --- no hits -----------------------------------------------------------------------------------


async def test_the_notice_says_why_nothing_was_found() -> None:
    class Visible:
        def __init__(self, *chunks: Chunk) -> None:
            self._chunks = chunks

        async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
            return list(self._chunks)

    everybody, chat = Caller("local", sees_all=True), replace(HELD, nothing_found="nothing_found")
    for index, caller, profile, key in (
        (Visible(HIT.chunk), ME, HELD, "no_hits"),
        (Visible(), ME, HELD, "no_access"),
        (Visible(), everybody, HELD, "empty"),
        (Visible(), ME, chat, "nothing_found"),
        (Visible(HIT.chunk), ME, chat, "nothing_found"),
    ):
        turn = make_turn(lang="ko", caller=caller, profile=profile)
        said = [event async for event in call_step(answer_no_hits, turn, FakeDeps(index=index))]
        assert said[0] == Token(MESSAGES[key]["ko"])
        assert isinstance(said[1], Turn)
        assert (said[1].outcome, said[1].answer) == ("no_hits", Answer(MESSAGES[key]["ko"]))


def test_every_message_exists_in_three_languages_and_falls_back_to_english() -> None:
    assert all(sorted(texts) == ["de", "en", "ko"] and all(texts.values()) for texts in MESSAGES.values())
    assert message("empty", "fr") == MESSAGES["empty"]["en"]
