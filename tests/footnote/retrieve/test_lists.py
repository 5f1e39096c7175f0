"""Further lists beside words and vectors are used where they are built; each may fail, and none shows what the caller may not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import SearchUnavailable
from footnote.knowledge.recipes import recipe_of
from footnote.plan import make_plan
from footnote.ports import Found, Scope
from footnote.retrieve import lists
from footnote.retrieve.fuse import BY_SCORE, LIST_WEIGHT, fuse_lists
from footnote.retrieve.lists import wants_lists
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import KNOWLEDGE, Caller, Candidate, Profile, Query, RankedList, Request, Turn
from footnote.understand.language import BUILT, NOT_BUILT
from tests.deps import FakeDeps, call_step
from tests.fakes import build_all, make_document, put_document, switch_on
from tests.turns import make_turn

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
ALL = Caller("local", sees_all=True)
READER = Caller("bob", frozenset({"blue"}))
QUESTIONS = {"en": "Who founded the Harbour Trust?", "de": "Wer gründete den Elbe-Verein?", "ko": "부산항만공사는 누가 세웠나요?"}
TITLES = {"en": "Ann Mason", "de": "Ann Maurer", "ko": "김안나"}
TEXTS = {
    "en": ("Ann Mason built the Harbour Trust.", "Everything was paid from her own purse.", "Soup is served at noon."),
    "de": ("Ann Maurer baute den Elbe-Verein auf.", "Alles wurde aus eigener Tasche bezahlt.", "Suppe gibt es am Mittag."),
    "ko": ("부산항만공사는 1894년에 김안나가 만들었다.", "모든 비용을 혼자 냈다.", "점심에 수프가 나온다."),
}


class Listed:
    """A source that finds what it is told, or fails."""

    def __init__(self, *chunk_ids: str, error: Exception | None = None, wait_s: float = 0) -> None:
        self.scopes: list[Scope] = []
        self._found = Found(tuple(Candidate(chunk_id, 1.0) for chunk_id in chunk_ids))
        self._error, self._wait_s = error, wait_s

    async def search(self, query: Query, scope: Scope) -> Found:
        self.scopes.append(scope)
        await asyncio.sleep(self._wait_s)
        if self._error is not None:
            raise self._error
        return self._found


@asynccontextmanager
async def world(folder: Path, sources: Mapping[str, Any], lang: str = "en") -> AsyncIterator[Core]:
    """Three documents: one that says the question's words, one about a person whom it names, one about something else. The collection
    has built what these sources search."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    if sources:
        core.ranked_lists = dict(sources)
    await switch_on(core, *KNOWLEDGE)
    for doc_id, text in zip(("named", "linked", "other"), TEXTS[lang], strict=True):
        given = {"groups": ["red"], "title": TITLES[lang]} if doc_id == "linked" else {"groups": ["blue"]}
        await put_document(core.generations, make_document(doc_id, **given), [text], lang=lang)
    try:
        yield core
    finally:
        await core.close()


async def search(core: Core, lang: str = "en", caller: Caller = ALL, **changes: Any) -> Turn:
    return await core.retrieve.finish(core.new_turn(Request(QUESTIONS[lang], **changes), caller, PROFILE))


def found(turn: Turn) -> list[str]:
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


@pytest.mark.parametrize("lang", list(TEXTS))
async def test_a_graph_finds_what_the_questions_words_do_not(lang: str, tmp_path: Path) -> None:
    async with world(tmp_path, {}, lang) as core:
        await build_all(core)
        assert found(await search(core, lang, options={"graph": False})) == ["named"]
        turn = await search(core, lang)
        assert found(turn) == ["named", "linked"]
        assert turn.evidence.hits[1].scores == {"graph": turn.evidence.hits[1].scores["graph"]}
        assert not turn.trace.degraded


async def test_a_list_that_fails_is_left_out_and_the_others_go_on(tmp_path: Path) -> None:
    sources = {"graph": Listed("linked|1|0"), "late_interaction": Listed("other|1|0", error=SearchUnavailable())}
    async with world(tmp_path, sources) as core:
        turn = await search(core)
        assert found(turn) == ["named", "linked"]
        assert turn.trace.degraded
        assert turn.trace.notes["lists_missing"] == ["late_interaction"]


async def test_a_list_that_is_late_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LIMIT_S", 1.0)
    async with world(tmp_path, {"graph": Listed("linked|1|0", wait_s=3600), "summary_tree": Listed("other|1|0")}) as core:
        turn = await search(core)
        assert found(turn) == ["named", "other"]
        assert turn.trace.notes["lists_missing"] == ["graph"]
        assert set(turn.trace.notes["latency_map"]) == {"graph", "summary_tree"}
        assert turn.trace.notes["latency_map"]["graph"] >= 1000


async def test_unreadable_passages_take_no_rank(tmp_path: Path) -> None:
    async with world(tmp_path, {"graph": Listed("linked|1|0", "gone|1|0", "other|1|0")}) as core:
        turn = await search(core, caller=READER)
        assert [found.items for found in turn.evidence.lists if found.source == "graph"] == [(Candidate("other|1|0", 1.0),)]
        assert found(turn) == ["named", "other"]


async def test_a_list_has_as_many_readable_entries_as_the_index_finds_at_most(tmp_path: Path) -> None:
    async with world(tmp_path, {"graph": Listed("linked|1|0", *(f"letter|1|{at}" for at in range(20)))}) as core:
        core.live.current = core.settings.model_copy(update={"rag": Rag(candidates=10)})
        await put_document(core.generations, make_document("letter", groups=["blue"]), [f"Letter {at}." for at in range(20)])
        turn = await search(core, caller=READER)
        (listed,) = (found.items for found in turn.evidence.lists if found.source == "graph")
        assert [entry.chunk_id for entry in listed] == [f"letter|1|{at}" for at in range(10)]


@pytest.mark.parametrize(
    "changes", [{"collection": "side"}, {"levels": (0,)}, {"filters": {"topic": ("x",)}}], ids=["collection", "level", "filter"]
)
async def test_passages_excluded_by_the_request_are_not_found(tmp_path: Path, changes: dict[str, Any]) -> None:
    async with world(tmp_path, {"graph": Listed("linked|1|0")}) as core:
        assert found(await search(core, **changes)) == []


@pytest.mark.parametrize("retriever", ["bm25", "knn"])
def test_a_search_by_one_list_alone_asks_no_other(retriever: Any) -> None:
    assert not wants_lists(make_turn(retriever=retriever, options={"graph": True}))
    assert wants_lists(make_turn(options={"graph": True}))
    assert not wants_lists(make_turn())


async def test_a_list_adds_the_scores_of_its_ranks_and_the_best_keeps_its_score() -> None:
    words = RankedList("bm25", "Why?", (Candidate("a", 9.0), Candidate("b", 5.0), Candidate("c", 1.0)))
    turn = make_turn("Why?", lists=(words, RankedList("summary_tree", "Why?", (Candidate("d", 2.0), Candidate("b", 1.0)))))
    ranked = (await call_step(fuse_lists, turn, FakeDeps(rag=Rag(rrf_k=1)))).evidence.ranked
    assert [(entry.chunk_id, round(entry.score, 4)) for entry in ranked] == [
        ("a", 1.0),
        ("b", round(0.5 + LIST_WEIGHT * 2 / 3, 4)),
        ("d", LIST_WEIGHT),
        ("c", 0.0),
    ]


async def test_a_graph_and_tokens_add_their_scores() -> None:
    words = RankedList("bm25", "Why?", (Candidate("a", 9.0), Candidate("b", 5.0), Candidate("c", 1.0)))
    for source, weight in BY_SCORE.items():
        turn = make_turn("Why?", lists=(words, RankedList(source, "Why?", (Candidate("d", 0.4), Candidate("b", 0.2)))))
        ranked = (await call_step(fuse_lists, turn, FakeDeps(rag=Rag()))).evidence.ranked
        expected = {"a": 1.0, "b": 0.5 + 0.2 * weight, "d": 0.4 * weight, "c": 0.0}
        assert {entry.chunk_id: entry.score for entry in ranked} == pytest.approx(expected)


async def test_the_sources_are_told_the_results_by_words_and_vectors(tmp_path: Path) -> None:
    listed = Listed("other|1|0")
    async with world(tmp_path, {"graph": listed, "late_interaction": listed}) as core:
        turn = await search(core)
        assert [scope.seeds for scope in listed.scopes] == [(Candidate("named|1|0", 1.0),)] * 2
        assert [scope.recipe for scope in listed.scopes] == [
            recipe_of("graph", "rules", None),
            recipe_of("late_interaction", "rules", None),
        ]
        assert {scope.caller for scope in listed.scopes} == {turn.caller}


LEVEL_TABLE = [("basic", ()), ("standard", ()), ("enhanced", ("graph",)), ("maximum", KNOWLEDGE)]


@pytest.mark.parametrize(("level", "wanted"), LEVEL_TABLE)
async def test_a_level_that_is_asked_for_uses_what_it_wants_and_is_built(level: Any, wanted: Any, tmp_path: Path) -> None:
    async with world(tmp_path, {name: Listed("other|1|0") for name in KNOWLEDGE}) as core:
        plan = make_plan(Request("Who?", level=level), PROFILE, Settings())
        assert tuple(name for name in KNOWLEDGE if plan.wants(name)) == wanted
        turn = await search(core, level=level)
        assert tuple(name for name in KNOWLEDGE if turn.plan.wants(name)) == wanted
        assert {ranking.source for ranking in turn.evidence.lists if ranking.source in KNOWLEDGE} == set(wanted)
        await switch_on(core, "late_interaction")
        turn = await search(core, level=level)
        assert {name for name in KNOWLEDGE if turn.plan.wants(name)} == {"late_interaction"} & {*wanted}
        assert {turn.plan.choices[name].because for name in wanted if name != "late_interaction"} <= {NOT_BUILT}


async def test_without_a_level_all_that_is_built_is_used(tmp_path: Path) -> None:
    async with world(tmp_path, {name: Listed("other|1|0") for name in KNOWLEDGE}) as core:
        turn = await search(core)
        assert {ranking.source for ranking in turn.evidence.lists if ranking.source in KNOWLEDGE} == set(KNOWLEDGE)
        assert {turn.plan.choices[name].because for name in KNOWLEDGE} == {BUILT}
        await switch_on(core, "late_interaction")
        turn = await search(core)
        assert {ranking.source for ranking in turn.evidence.lists if ranking.source in KNOWLEDGE} == {"late_interaction"}


async def test_a_request_decides_against_what_is_built_and_not_for_what_is_not(tmp_path: Path) -> None:
    async with world(tmp_path, {name: Listed("other|1|0") for name in KNOWLEDGE}) as core:
        await switch_on(core, "graph", "late_interaction")
        turn = await search(core, options={"graph": False, "summary_tree": True})
        assert {name: turn.plan.wants(name) for name in KNOWLEDGE} == {"graph": False, "late_interaction": True, "summary_tree": False}
        assert (turn.plan.choices["graph"].because, turn.plan.choices["summary_tree"].because) == ("request", NOT_BUILT)
        basic = await search(core, level="basic", options={"graph": True})
        assert [name for name in KNOWLEDGE if basic.plan.wants(name)] == ["graph"]


async def test_each_collection_uses_what_it_has_built(tmp_path: Path) -> None:
    async with world(tmp_path, {name: Listed("other|1|0") for name in KNOWLEDGE}) as core:
        await put_document(core.generations, make_document("aside", collection="side"), ["The Harbour Trust."])
        turn = await search(core, collection="side")
        assert not any(map(turn.plan.wants, KNOWLEDGE))
        await core.collections.edit("default", lambda now: replace(now, aliases=("main",)), by="root")
        turn = await search(core, collection="main")
        assert all(map(turn.plan.wants, KNOWLEDGE))


def test_the_setting_switches_the_graph() -> None:
    for on in (True, False):
        plan = make_plan(Request("Who?"), PROFILE, Settings(rag=Rag(graph=on)))
        assert plan.wants("graph") is on
    assert not make_plan(Request("Who?"), PROFILE, Settings()).wants("graph")


async def test_a_setting_against_the_graph_holds_where_it_is_built(tmp_path: Path) -> None:
    async with world(tmp_path, {"graph": Listed("other|1|0")}) as core:
        core.live.current = core.settings.model_copy(update={"rag": Rag(graph=False)})
        assert not (await search(core)).plan.wants("graph")


@pytest.mark.parametrize(("kinds", "because"), [((), NOT_BUILT), (("graph",), BUILT)], ids=["none", "graph"])
async def test_an_explanation_says_what_the_collection_has_built(kinds: Any, because: str, tmp_path: Path) -> None:
    async with world(tmp_path, {}) as core:
        await switch_on(core, *kinds)
        explained = await core.explain(core.new_turn(Request(QUESTIONS["en"], options={} if kinds else {"graph": True}), ALL, PROFILE))
        assert explained.plan.choices["graph"].because == because


async def test_who_may_read_nothing_is_not_told_what_is_built(tmp_path: Path) -> None:
    async with world(tmp_path, {name: Listed("other|1|0") for name in KNOWLEDGE}) as core:
        turn = await search(core, caller=Caller("guest", frozenset()), level="maximum")
        assert {turn.plan.choices[name].because for name in KNOWLEDGE} == {NOT_BUILT}
