"""Cache scopes: another caller, collection or setting does not hit the entries of this one."""

from __future__ import annotations

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest

from footnote.memory.scope import answer_scope, digest, search_scope
from footnote.ports import View
from footnote.prompts import Prompts
from footnote.prompts.store import Saved
from footnote.settings import LLM, Settings
from footnote.settings.marks import SettingInfo, each_setting
from footnote.types import Arm, Assignment, Caller, Condition, Conditions, Exchange, Expansion, Request, Turn
from tests.settings import with_another
from tests.turns import HELD, ME, make_turn, with_

SAID = (Exchange("What does it cost?", "Nine euros."),)
ASKED = make_turn(filters={"class": ("a",)}, room_id="r", exchanges=SAID, trace_ids=("t0",), model="m", embedder="e")

ASSIGNED = Assignment("e1", "longer answers", Arm("control"), 0, {"control": 0.5, "other": 0.5})

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
    "condition": with_(ASKED, conditions=Conditions((Condition("site", "is", ("Oslo",)),))),
    "weight of vectors": with_(ASKED, alpha=0.9),
    "threshold": with_(ASKED, threshold=0.7),
    "level": with_(ASKED, levels=(1, 2)),
    "experiment": replace(ASKED, plan=replace(ASKED.plan, assignment=ASSIGNED)),
    "arm": replace(ASKED, plan=replace(ASKED.plan, assignment=replace(ASSIGNED, arm=Arm("other")))),
}
OF_AN_ANSWER: dict[str, Turn] = OF_A_SEARCH | {
    "mode": with_(ASKED, mode="gpt"),
    "day": with_(ASKED, started_at=90_000.0),
    "day elsewhere": with_(ASKED, caller=replace(ME, time_zone="America/New_York")),
    "limit": with_(ASKED, limit=9),
    "style": with_(ASKED, profile=replace(HELD, citation_style="footnote")),
    "strictness": with_(ASKED, profile=replace(HELD, options={"reject_uncited": True})),
    "prompt": with_(ASKED, profile=replace(HELD, prompt="other")),
    "model": with_(ASKED, model="other"),
    "temperature": with_(ASKED, temperature=0.9),
    "length": with_(ASKED, max_tokens=9),
    "organisation": with_(ASKED, tool_scope="org"),
    "other system": with_(ASKED, ask_kdb=True),
    "server in its links": with_(ASKED, link_origin="https://docs.example.org"),
    "first number": with_(ASKED, first_number=3),
    "expansion": with_(ASKED, expansion=Expansion(chunks=2)),
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


def seen_by(turn: Turn, *, version: int = 1, groups: frozenset[str] | None = None, **attached: Any) -> View:
    """The scope of a collection whose access lists name all of the caller's groups, unless `groups` are given."""
    return View(version, groups=turn.caller.groups if groups is None else groups, **attached)


NO_PART = {
    "question": "what is looked up within the scope",
    "is_test": "never cached",
    "replays": "never cached",
    "attached": "never cached",
    "images": "only for a mode without search",
    "asked_mode": "only for a mode without search",
    "retriever": "by the plan that follows from it",
    "limit": "by the plan that follows from it",
    "levels": "by the plan that follows from them",
    "level": "by the plan that follows from it",
    "options": "by the plan that follows from them",
}
"""Fields of a request that are no part of the scope, and why."""


@pytest.mark.parametrize("name", [each.name for each in fields(Request) if each.name not in NO_PART])
def test_answers_are_not_shared_by_requests_that_differ_in_any_field(name: str) -> None:
    """A new field is a part of the scope, or has its reason above."""
    turns = [ASKED, *OF_AN_ANSWER.values()]
    assert len({str(getattr(turn.request, name)) for turn in turns}) > 1, "a case of its own is missing above"


@pytest.mark.parametrize("part", OF_A_SEARCH)
def test_search_results_are_not_shared_across_a_different_part_of_the_scope(part: str) -> None:
    assert of_search(OF_A_SEARCH[part]) != of_search(ASKED)


@pytest.mark.parametrize("part", OF_AN_ANSWER)
def test_answers_are_not_shared_across_a_different_part_of_the_scope(part: str) -> None:
    assert of_answer(OF_AN_ANSWER[part]) != of_answer(ASKED)


def test_answers_are_shared_whatever_is_shown_until_they_come() -> None:
    assert of_answer(with_(ASKED, profile=replace(HELD, quotes_first=True, first_token_s=15))) == of_answer(ASKED)


def test_a_change_of_documents_or_prompts_invalidates_earlier_entries() -> None:
    before = of_answer(ASKED)
    saved = SimpleNamespace(saved={"answer_numbered.en": Saved("…", 2, 0.0, "ann")})
    changed = [
        of_answer(ASKED, version=2),
        of_answer(ASKED, prompts=saved),
    ]
    assert len({before, *changed}) == 3
    assert of_search(ASKED) != of_search(ASKED, version=2)


def test_attached_files_and_what_becomes_of_them_are_in_the_scope() -> None:
    """A file that is still being read is attached already: only the version tells when it can be searched."""
    one = {"attached": ("offer",), "attached_version": 1}
    read = {"attached": ("offer",), "attached_version": 2}
    both = {"attached": ("offer", "plan"), "attached_version": 1}
    for of in (of_search, of_answer):
        assert len({of(ASKED), of(ASKED, **one), of(ASKED, **read), of(ASKED, **both)}) == 4


@pytest.mark.parametrize("changed", each_setting(Settings), ids=lambda changed: changed.key)
def test_a_changed_setting_invalidates_the_entries_that_it_affects(changed: SettingInfo) -> None:
    before, after = Settings(), with_another(Settings(), changed)
    assert (of_search(ASKED, after) == of_search(ASKED, before)) == (changed.mark.affects != "search")
    assert (of_answer(ASKED, after) == of_answer(ASKED, before)) == (changed.mark.affects == "nothing")
    assert of_answer(ASKED, with_another(Settings(), changed)) == of_answer(ASKED, after)


def test_a_setting_set_to_its_default_differs_from_an_unset_one() -> None:
    assert of_answer(ASKED, Settings(llm=LLM(temperature=0.2))) != of_answer(ASKED)


def test_a_cache_key_contains_only_the_presence_of_a_secret() -> None:
    one, other = (Settings(llm=LLM(api_key=key)) for key in ("k-1", "k-2"))
    assert of_answer(ASKED, one) == of_answer(ASKED, other) != of_answer(ASKED)


def test_a_caller_who_may_read_nothing_shares_no_entry_with_one_who_may_read_all() -> None:
    nobody = with_(ASKED, caller=Caller("me"))
    assert of_answer(nobody) != of_answer(with_(nobody, caller=Caller("me", sees_all=True)))
    assert of_answer(nobody) != of_answer(with_(nobody, caller=Caller("me", frozenset({"all"}))))


@pytest.mark.parametrize("common", [frozenset(), frozenset({"staff"})], ids=["public", "one group"])
def test_callers_with_the_same_view_of_a_collection_share_search_results(common: frozenset[str]) -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=())
    ann, bob = (with_(alone, caller=Caller(name, frozenset({f"user:{name}", "staff", name}))) for name in ("ann", "bob"))
    for of in (of_answer, of_search):
        assert of(ann, groups=common) == of(bob, groups=common)
        assert of(ann, groups=common | {"user:ann"}) != of(bob, groups=common)
        assert of(ann, groups=common) != of(with_(alone, caller=Caller("ann", sees_all=True)), groups=common)


@pytest.mark.parametrize("changes", [{"tool_scope": "org"}, {"ask_kdb": True}], ids=["tools", "knowledge base"])
def test_if_external_systems_are_searched_all_groups_are_in_the_scope_of_an_answer(changes: dict[str, Any]) -> None:
    ann = with_(ASKED, exchanges=(), trace_ids=(), caller=Caller("ann", frozenset({"user:ann"})), **changes)
    bob = with_(ann, caller=Caller("bob", frozenset({"user:bob"})))
    assert of_answer(ann, groups=frozenset()) != of_answer(bob, groups=frozenset())
    assert of_search(ann, groups=frozenset()) == of_search(bob, groups=frozenset())


def test_user_and_room_matter_only_in_a_conversation() -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=())
    for other in (
        with_(alone, caller=replace(ME, user_id="you", role="admin")),
        with_(alone, room_id="r2"),
        with_(alone, trace_id="t9", started_at=5.0),
    ):
        assert of_answer(other) == of_answer(alone)


def test_search_results_do_not_depend_on_the_conversation() -> None:
    alone = with_(ASKED, exchanges=(), trace_ids=(), room_id=None)
    assert of_search(alone) == of_search(ASKED)
