"""What stands where in a prompt: the rules, the conversation, the day and the passages, the question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.context import assemble_context
from footnote.prompts import LANGUAGES, Prompts
from footnote.types import Classification, Exchange, Hit, Profile, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_chunk, make_document, make_hit
from tests.turns import make_turn

STYLES = ("numbered", "footnote", "references")
DAY_S = 86_400.0
EXCHANGE = Exchange("Is there a bridge?", "Yes [1].")


def profile_of(style: str) -> Profile:
    prompts: dict[str, Any] = {"prompt": f"answer_{style}"}
    if style == "references":
        prompts = {"prompt": "system", "question_prompt": "answer_references"}
    return Profile("p", live=True, citation_style=style, options={"answer_form": True}, **prompts)


async def assemble(style: str, question: str, *hits: Hit, **changes: Any) -> Turn:
    return await call_step(assemble_context, make_turn(question, profile_of(style), hits=hits, **changes), FakeDeps())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("style", STYLES)
async def test_all_before_the_last_message_is_as_in_the_turn_before(style: str, lang: str) -> None:
    first = await assemble(
        style, "How old is it?", make_hit("Built in 1894.", "bridge"), lang=lang, exchanges=(EXCHANGE,), started_at=0.0,
        classification=Classification("FACTUAL"),
    )  # fmt: skip
    second = await assemble(
        style, "List the ferries.", make_hit("Ferries leave hourly.", "ferry"), lang=lang, started_at=DAY_S,
        exchanges=(EXCHANGE, Exchange("How old is it?", "130 years.")), classification=Classification("LIST"),
    )  # fmt: skip
    assert second.messages[:3] == first.messages[:3]
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user", "assistant", "user"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("style", STYLES)
async def test_the_question_stands_last_and_the_passages_before_it(style: str, lang: str) -> None:
    turn = await assemble(style, "How old is it?", make_hit("Built in 1894.", "bridge"), lang=lang, attached="A map.")
    last = turn.messages[-1].content
    assert last.endswith("How old is it?")
    order = ["1970-01-01", "Built in 1894.", "A map.", "How old is it?"]
    assert sorted(order, key=last.index) == order
    assert [text for text in order if text in turn.messages[0].content] == []


async def test_a_saved_prompt_without_the_line_of_the_documents_stays_in_one_piece() -> None:
    class Saved(Prompts):
        def render(self, name: str, *arguments: Any) -> str:
            return "Use this: Built in 1894." if name.startswith("answer_") else super().render(name, *arguments)

    deps = FakeDeps(prompts=Saved())
    hits = (make_hit("Built in 1894."),)
    numbered = await call_step(assemble_context, make_turn("When?", profile_of("numbered"), hits=hits), deps)
    assert numbered.messages[0].content == "Use this: Built in 1894."
    assert numbered.messages[1].content.endswith("\n\nWhen?")
    references = await call_step(assemble_context, make_turn("When?", profile_of("references"), hits=hits), deps)
    assert references.messages[1].content.endswith("\n\nUse this: Built in 1894.")


@pytest.mark.parametrize("style", STYLES)
async def test_a_passage_that_two_documents_have_is_shown_once_under_both_titles(style: str) -> None:
    same = "The toll is two  euros."
    hits = (make_hit(same, "bridge"), make_hit("It is blue.", "paint"), make_hit("The toll is two euros.", "tolls"))
    turn = await assemble(style, "How much?", *hits)
    said = turn.messages[-1].content
    assert (said.count("euros"), "Bridge; Tolls" in said, "It is blue." in said) == (1, True, True)
    assert [hit.chunk.doc_id for hit in turn.evidence.hits] == ["bridge", "paint", "tolls"]
    assert [hit.chunk.doc_id for hit in turn.evidence.citable] == ["bridge", "paint"]


async def test_the_same_words_under_another_heading_are_another_passage() -> None:
    hit = make_hit("The fee is two euros.", "fees")
    two = [replace(hit, chunk=replace(hit.chunk, chunk_id=f"fees|1|{at}", headings=("Fees", plan))) for at, plan in enumerate("AB")]
    assert (await assemble("numbered", "How much?", *two)).messages[-1].content.count("euros") == 2


@pytest.mark.parametrize("style", STYLES)
async def test_a_passage_carries_its_files_name_and_its_documents_date(style: str) -> None:
    metadata = {"file_name": "rules/v2/toll 2024.pdf", "published": "2024-03-01T09:00:00Z"}
    chunk = make_chunk(make_document("rules", title="Rules", metadata=metadata), "Two euros.")
    said = (await assemble(style, "How much?", Hit(chunk, 1.0), make_hit("Plain."))).messages[-1].content
    assert ("toll 2024.pdf" in said, "2024-03-01" in said, "v2" in said) == (True, True, False)
    labelled = replace(chunk, file_label="rules/v2/toll 2024.pdf")
    assert (await assemble(style, "How much?", Hit(labelled, 1.0))).messages[-1].content.count("toll 2024.pdf") == 1


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["answer_numbered", "answer_footnote", "system", "agent", "vision"])
def test_the_users_wish_for_a_form_is_named_behind_what_is_usual(name: str, lang: str) -> None:
    wish = {"en": "follow that wish instead", "de": "an diesen Wunsch", "ko": "그 요청을 따르세요"}[lang]
    usual = {"en": "brief", "de": "knapp", "ko": "짧게"}[lang]
    rules = Prompts().render(name, lang, {"documents": [], "tools": False, "voices": ""})
    assert 0 < rules.index(usual) < rules.index(wish)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["answer_numbered", "answer_footnote", "answer_references", "agent"])
def test_something_close_may_be_told_where_the_documents_do_not_answer(name: str, lang: str) -> None:
    close = {"en": "something close", "de": "etwas Naheliegendes", "ko": "가까운 내용"}[lang]
    forbids = {"en": "cite nothing", "de": "nennen Sie kein Dokument", "ko": "아무것도"}[lang]
    rules = Prompts().render(name, lang, {"documents": [], "question": "", "tools": False, "voices": ""})
    assert (close in rules, forbids in rules) == (True, False)
