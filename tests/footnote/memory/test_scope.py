"""Another reader, collection, setting … does not hit what was kept for this one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from footnote.memory.scope import answer_scope, digest, search_scope
from footnote.ports import View
from footnote.prompts import Prompts
from footnote.prompts.store import Saved
from footnote.settings import LLM, Settings
from footnote.settings.marks import SettingInfo, each_setting
from footnote.types import Caller, Exchange, Turn
from tests.settings import with_another
from tests.turns import HELD, ME, make_turn, with_

SAID = (Exchange("What does it cost?", "Nine euros."),)
ASKED = make_turn(filters={"class": ("a",)}, room_id="r", exchanges=SAID, trace_ids=("t0",), model="m", embedder="e")

OF_A_SEARCH: dict[str, Turn] = {
    "group": with_(ASKED, caller=replace(ME, groups=frozenset({"guests"}))),
    "group more": with_(ASKED, caller=replace(ME, groups=ME.groups | {"guests"})),
    "narrower": with_(ASKED, caller=ME.narrowed(("nobody",))),
    "one who sees all": with_(ASKED, caller=Caller("me", ME.groups, sees_all=True)),
    "collection": with_(ASKED, collection="other"),
    "language": with_(ASKED, lang="de"),
    "dialect": with_(ASKED, profile=replace(HELD, name="other")),
    "embedder": with_(ASKED, embedder="other"),
    "retriever": with_(ASKED, retriever="bm25"),
    "filter": with_(ASKED, filters={"class": ("b",)}),
    "filtered field": with_(ASKED, filters={"kind": ("a",)}),
    "level": with_(ASKED, levels=(1, 2)),
}
OF_AN_ANSWER: dict[str, Turn] = OF_A_SEARCH | {
    "mode": with_(ASKED, mode="gpt"),
    "limit": with_(ASKED, limit=9),
    "style": with_(ASKED, profile=replace(HELD, citation_style="footnote")),
    "strictness": with_(ASKED, profile=replace(HELD, options={"reject_uncited": True})),
    "prompt": with_(ASKED, profile=replace(HELD, prompt="other")),
    "model": with_(ASKED, model="other"),
    "temperature": with_(ASKED, temperature=0.9),
    "length": with_(ASKED, max_tokens=9),
    "organisation": with_(ASKED, tool_scope="org"),
    "room": with_(ASKED, room_id="r2"),
    "place in the room": with_(ASKED, trace_ids=("t1",)),
    "thing said before": with_(ASKED, exchanges=(Exchange("What does it cost?", "Ten euros."),)),
    "conversation": with_(ASKED, exchanges=(), trace_ids=()),
    "user's conversation": with_(ASKED, caller=replace(ME, user_id="you")),
}


def of_answer(turn: Turn, settings: Settings | None = None, prompts: Any = None, **view: Any) -> str:
    return digest(answer_scope(turn, seen_by(turn, **view), settings or Settings(), prompts or Prompts()))


def of_search(turn: Turn, settings: Settings | None = None, **view: Any) -> str:
    return digest(search_scope(turn, seen_by(turn, **view), settings or Settings()))


def seen_by(turn: Turn, *, version: int = 1, groups: frozenset[str] | None = None) -> View:
    """Of a collection whose access lists name all of the caller's groups, unless these are given."""
    return View(version, groups=turn.caller.groups if groups is None else groups)


@pytest.mark.parametrize("part", OF_A_SEARCH)
def test_another_one_does_not_hit_what_was_found(part: str) -> None:
    assert of_search(OF_A_SEARCH[part]) != of_search(ASKED)


@pytest.mark.parametrize("part", OF_AN_ANSWER)
def test_another_one_does_not_hit_an_answer(part: str) -> None:
    assert of_answer(OF_AN_ANSWER[part]) != of_answer(ASKED)


def test_a_change_of_the_documents_or_a_prompt_hits_nothing_from_before() -> None:
    before = of_answer(ASKED)
    saved = SimpleNamespace(saved={"answer_numbered.en": Saved("…", 2, 0.0, "ann")})
    changed = [
        of_answer(ASKED, version=2),
        of_answer(ASKED, prompts=saved),
    ]
    assert len({before, *changed}) == 3
    assert of_search(ASKED) != of_search(ASKED, version=2)


@pytest.mark.parametrize("changed", each_setting(Settings), ids=lambda changed: changed.key)
def test_another_setting_hits_nothing_that_it_affects(changed: SettingInfo) -> None:
    before, after = Settings(), with_another(Settings(), changed)
    assert (of_search(ASKED, after) == of_search(ASKED, before)) == (changed.mark.affects != "search")
    assert (of_answer(ASKED, after) == of_answer(ASKED, before)) == (changed.mark.affects == "nothing")
    assert of_answer(ASKED, with_another(Settings(), changed)) == of_answer(ASKED, after)


def test_a_default_that_somebody_set_is_not_that_of_an_api() -> None:
    assert of_answer(ASKED, Settings(llm=LLM(temperature=0.2))) != of_answer(ASKED)


def test_a_key_holds_of_a_secret_only_that_there_is_one() -> None:
    one, other = (Settings(llm=LLM(api_key=key)) for key in ("k-1", "k-2"))
    assert of_answer(ASKED, one) == of_answer(ASKED, other) != of_answer(ASKED)


def test_one_who_may_read_nothing_is_not_one_who_may_read_all() -> None:
    nobody = with_(ASKED, caller=Caller("me"))
    assert of_answer(nobody) != of_answer(with_(nobody, caller=Caller("me", sees_all=True)))
    assert of_answer(nobody) != of_answer(with_(nobody, caller=Caller("me", frozenset({"all"}))))


@pytest.mark.parametrize("common", [frozenset(), frozenset({"staff"})], ids=["public", "one group"])
def test_two_who_see_the_same_of_a_collection_share_what_was_found(common: frozenset[str]) -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=())
    ann, bob = (with_(alone, caller=Caller(name, frozenset({f"user:{name}", "staff", name}))) for name in ("ann", "bob"))
    for of in (of_answer, of_search):
        assert of(ann, groups=common) == of(bob, groups=common)
        assert of(ann, groups=common | {"user:ann"}) != of(bob, groups=common)
        assert of(ann, groups=common) != of(with_(alone, caller=Caller("ann", sees_all=True)), groups=common)


@pytest.mark.parametrize("changes", [{"tool_scope": "org"}, {"ask_kdb": True}], ids=["tools", "knowledge base"])
def test_where_other_systems_are_searched_any_group_may_matter_to_an_answer(changes: dict[str, Any]) -> None:
    ann = with_(ASKED, exchanges=(), trace_ids=(), caller=Caller("ann", frozenset({"user:ann"})), **changes)
    bob = with_(ann, caller=Caller("bob", frozenset({"user:bob"})))
    assert of_answer(ann, groups=frozenset()) != of_answer(bob, groups=frozenset())
    assert of_search(ann, groups=frozenset()) == of_search(bob, groups=frozenset())


def test_who_and_when_matter_in_a_conversation_only() -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=())
    for other in (
        with_(alone, caller=replace(ME, user_id="you", role="admin")),
        with_(alone, room_id="r2"),
        with_(alone, trace_id="t9", started_at=5.0),
    ):
        assert of_answer(other) == of_answer(alone)


def test_what_a_query_finds_has_nothing_to_do_with_what_was_said_before() -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=(), room_id=None)
    assert of_search(alone) == of_search(ASKED)
