"""Further lists beside words and vectors are fused by their ranks; each may fail, and none shows what the caller may not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.in_process.ranked_lists import Entity, Graph, Relation
from footnote.bootstrap import Core
from footnote.errors import SearchUnavailable
from footnote.plan import make_plan
from footnote.ports import Found, Scope
from footnote.retrieve import lists
from footnote.retrieve.fuse import LIST_WEIGHT, fuse_lists
from footnote.retrieve.lists import wants_lists
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.types import Caller, Candidate, Fact, OptionName, Profile, Query, RankedList, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_document, put_document
from tests.turns import make_turn

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
ALL = Caller("local", sees_all=True)
READER = Caller("bob", frozenset({"blue"}))
QUESTIONS = {"en": "Who founded the Harbour Trust?", "de": "Wer gründete den Hafenverein?", "ko": "항구재단은 누가 세웠나요?"}
NAMES = {"en": "Harbour Trust", "de": "Hafenverein", "ko": "항구재단"}
TEXTS = {
    "en": ("The Harbour Trust owns the quay.", "Ann Mason paid for everything from her own purse.", "Soup is served at noon."),
    "de": ("Dem Hafenverein gehört der Kai.", "Ann Maurer bezahlte alles aus eigener Tasche.", "Suppe gibt es am Mittag."),
    "ko": ("항구재단은 부두를 소유한다.", "김안나가 모든 비용을 냈다.", "점심에 수프가 나온다."),
}


class Listed:
    """A source that finds what it is told, or fails."""

    def __init__(self, *chunk_ids: str, facts: Sequence[Fact] = (), error: Exception | None = None, wait_s: float = 0) -> None:
        self._found = Found(tuple(Candidate(chunk_id, 1.0) for chunk_id in chunk_ids), tuple(facts))
        self._error, self._wait_s = error, wait_s

    async def search(self, query: Query, scope: Scope) -> Found:
        await asyncio.sleep(self._wait_s)
        if self._error is not None:
            raise self._error
        return self._found


@asynccontextmanager
async def world(folder: Path, sources: Mapping[str, Any], lang: str = "en") -> AsyncIterator[Core]:
    """Three documents: one that says the question's words, one that answers without them, one about something else."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    core.ranked_lists = dict(sources)
    for doc_id, text in zip(("named", "linked", "other"), TEXTS[lang], strict=True):
        await put_document(core.generations, make_document(doc_id, groups=["red" if doc_id == "linked" else "blue"]), [text], lang=lang)
    try:
        yield core
    finally:
        await core.close()


async def search(core: Core, lang: str = "en", caller: Caller = ALL, options: Any = None, **changes: Any) -> Turn:
    options = dict.fromkeys(("graph", "late_interaction", "summary_tree"), True) if options is None else options
    return await core.retrieve.finish(core.new_turn(Request(QUESTIONS[lang], options=options, **changes), caller, PROFILE))


def found(turn: Turn) -> list[str]:
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


def graph(lang: str) -> Graph:
    entities = [Entity(NAMES[lang], ("named|1|0",), lang), Entity("Ann", ("linked|1|0",), lang)]
    return Graph({"default": (entities, [Relation("Ann", NAMES[lang], "Ann — founded — Trust", "linked|1|0", lang)])})


@pytest.mark.parametrize("lang", list(TEXTS))
async def test_a_graph_finds_what_the_questions_words_do_not(lang: str, tmp_path: Path) -> None:
    async with world(tmp_path, {"graph": graph(lang)}, lang) as core:
        assert found(await search(core, lang, options={})) == ["named"]
        turn = await search(core, lang)
        assert found(turn) == ["named", "linked"]
        assert turn.evidence.facts == (Fact("Ann — founded — Trust", "linked|1|0"),)
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


async def test_unreadable_passages_take_no_rank_and_reveal_no_fact(tmp_path: Path) -> None:
    facts = (Fact("Ann founded it", "linked|1|0"), Fact("The quay", "named|1|0"))
    async with world(tmp_path, {"graph": Listed("linked|1|0", "gone|1|0", "other|1|0", facts=facts)}) as core:
        turn = await search(core, caller=READER)
        assert [found.items for found in turn.evidence.lists if found.source == "graph"] == [(Candidate("other|1|0", 1.0),)]
        assert turn.evidence.facts == (Fact("The quay", "named|1|0"),)
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
    turn = make_turn("Why?", lists=(words, RankedList("graph", "Why?", (Candidate("d", 2.0), Candidate("b", 1.0)))))
    ranked = (await call_step(fuse_lists, turn, FakeDeps(rag=Rag(rrf_k=1)))).evidence.ranked
    assert [(entry.chunk_id, round(entry.score, 4)) for entry in ranked] == [
        ("a", 1.0),
        ("b", round(0.5 + LIST_WEIGHT * 2 / 3, 4)),
        ("d", LIST_WEIGHT),
        ("c", 0.0),
    ]


@pytest.mark.parametrize(
    ("level", "on"),
    [("standard", []), ("enhanced", ["graph"]), ("maximum", ["graph", "late_interaction", "summary_tree"])],
)
def test_levels_that_spend_more_use_what_a_collection_has(level: Any, on: list[str]) -> None:
    names: tuple[OptionName, ...] = ("graph", "late_interaction", "summary_tree")
    plan = make_plan(Request("Who?", level=level), PROFILE, Settings())
    assert [name for name in names if plan.wants(name)] == on


def test_the_setting_switches_the_graph() -> None:
    for on in (True, False):
        plan = make_plan(Request("Who?"), PROFILE, Settings(rag=Rag(graph=on)))
        assert plan.wants("graph") is on
    assert not make_plan(Request("Who?"), PROFILE, Settings()).wants("graph")


async def test_without_data_the_step_says_so(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    lines = (await core.explain(core.new_turn(Request("Who?", options={"graph": True}), ALL, PROFILE))).lines
    assert [(line.runs, line.because) for line in lines if line.step == "lists"] == [("no", "no such list has been built")]
    await core.close()
