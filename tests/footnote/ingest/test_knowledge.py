"""Building the knowledge of collections in the background: what is built when, how far it is, and what it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest import knowledge
from footnote.ingest.knowledge import NO_MODEL, KnowledgeEstimate, KnowledgeState
from footnote.knowledge.entities import PassageGraph
from footnote.knowledge.entities import unpack as unpack_graph
from footnote.knowledge.late_interaction import unpack_tokens
from footnote.knowledge.recipes import VERSIONS
from footnote.ports import Built, LayerScope
from footnote.types import KNOWLEDGE, KnowledgeKind
from tests.fakes import FakeEmbedder, FakeTokenEmbedder, SameModel, build_all, embed_all, make_document, put_document, switch_on
from tests.footnote.ingest.knowledge_cores import PEOPLE, SOUPS, TUNNELS, Open, built, put, states, summaries


@pytest.fixture
def core(open_builder: Open) -> Core:
    return open_builder()


# --- when it is built ----------------------------------------------------------------------------


async def test_nothing_is_built_until_a_collection_switches_it_on(core: Core) -> None:
    await put(core, "people", PEOPLE)
    assert await core.knowledge_builder.build_some() == 0
    await switch_on(core, "graph")
    assert await core.knowledge_builder.build_some() == 3
    assert await core.knowledge_builder.build_some() == 0


async def test_only_the_collections_and_kinds_that_are_on_are_built(core: Core) -> None:
    await put(core, "people", PEOPLE)
    await put(core, "aside", PEOPLE, collection="side")
    await embed_all(core)
    await switch_on(core, "graph", collection="side")
    await build_all(core)
    assert len(await built(core, "graph", "side")) == 3
    assert await built(core, "graph") == {}
    assert await built(core, "late_interaction", "side") == {}


async def test_a_deleted_collection_is_not_built_until_it_is_restored(core: Core) -> None:
    await put(core, "aside", PEOPLE, collection="side")
    await switch_on(core, "graph", collection="side")
    await core.collections.delete("side", by="root")
    assert await core.knowledge_builder.build_some() == 0
    await core.collections.restore("side", by="root")
    assert await core.knowledge_builder.build_some() == 3


async def test_a_new_collection_with_a_former_name_builds_what_is_its_own(core: Core) -> None:
    await put(core, "aside", PEOPLE, collection="side")
    await switch_on(core, "graph", collection="side")
    await core.collections.edit("side", lambda now: replace(now, name="city"), by="root")
    await core.collections.edit("city", lambda now: replace(now, aliases=()), by="root")
    stored = await core.collections.open("side", by="root")
    assert stored != "side"
    await put(core, "new", PEOPLE[:1], collection=stored)
    await build_all(core)
    assert len(await built(core, "graph", "city")) == 3
    assert await built(core, "graph", "side") == {}


async def test_added_and_changed_documents_are_built_later(core: Core) -> None:
    await switch_on(core, "graph")
    await put(core, "people", PEOPLE)
    await build_all(core)
    await put(core, "more", PEOPLE[:1])
    await put(core, "people", PEOPLE[:2], generation=2)
    assert await core.knowledge_builder.build_some() == 3
    assert set(await built(core, "graph")) == {"more|1|0", "people|2|0", "people|2|1"}


async def test_what_was_built_by_an_earlier_version_is_built_again(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await switch_on(core, "graph")
    await put(core, "people", PEOPLE)
    await build_all(core)
    monkeypatch.setitem(VERSIONS, "graph", VERSIONS["graph"] + 1)
    assert (await states(core))["graph"].built == 0
    await build_all(core)
    assert (await states(core))["graph"].built == 3


@pytest.mark.parametrize("kind", KNOWLEDGE)
async def test_building_goes_on_where_it_was_killed(kind: KnowledgeKind, open_builder: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for at_once in KNOWLEDGE:
        monkeypatch.setitem(knowledge.AT_ONCE, at_once, 4)
    monkeypatch.setattr(knowledge, "WRITTEN", 2)
    core = open_builder()
    await put(core, "tunnels", TUNNELS)
    await put(core, "soups", SOUPS)
    await embed_all(core)
    await switch_on(core, kind)
    writes = 0
    original = type(core.knowledge).put_built

    async def put_built(self: Any, scope: LayerScope, items: Sequence[Built]) -> None:
        nonlocal writes
        writes += 1
        if writes == 2:
            raise KeyboardInterrupt
        await original(self, scope, items)

    with monkeypatch.context() as patch:
        patch.setattr(type(core.knowledge), "put_built", put_built)
        with pytest.raises(KeyboardInterrupt):
            await build_all(core)
    assert (await states(core))[kind].built == 2
    core = open_builder()
    assert (await states(core))[kind].built == 2
    await build_all(core)
    assert (await states(core))[kind] == KnowledgeState(kind, "rules", 8, 8)
    assert await core.knowledge_builder.build_some() == 0


async def test_what_a_model_makes_and_what_not_is_built_apart(open_builder: Open) -> None:
    core = open_builder(SameModel('{"entities": [], "relations": []}'))
    builder = core.knowledge_builder
    await put(core, "people", PEOPLE)
    await switch_on(core, "graph", "late_interaction", maker="model")
    assert await builder.build_some("rules") == 3
    assert await builder.build_some("rules") == 0
    assert {kind: state.built for kind, state in (await states(core)).items() if state.made_by} == {"graph": 0, "late_interaction": 3}
    assert await builder.build_some("model") == 3
    assert await builder.build_some("model") == 0
    assert {state.built for state in (await states(core)).values() if state.made_by} == {3}


async def test_an_idle_builder_asks_only_for_the_version(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await switch_on(core, "graph")
    await put(core, "people", PEOPLE)
    await build_all(core)

    async def unbuilt(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(type(core.knowledge), "unbuilt", unbuilt)
    assert await core.knowledge_builder.build_some() == 0


# --- what is built -------------------------------------------------------------------------------


async def test_a_graph_has_the_names_of_each_passage(core: Core) -> None:
    await switch_on(core, "graph")
    await put(core, "people", PEOPLE)
    await build_all(core)
    graphs = {chunk_id: unpack_graph(data) for chunk_id, data in (await built(core, "graph")).items()}
    assert [entity.name for entity in graphs["people|1|1"].entities] == ["Bert Olsen", "Elmby"]
    assert graphs["people|1|2"] == PassageGraph()


async def test_tokens_are_those_of_the_passage_below_its_title(core: Core) -> None:
    await switch_on(core, "late_interaction")
    await put(core, "people", PEOPLE, title="Works")
    await build_all(core)
    data = (await built(core, "late_interaction"))["people|1|1"]
    assert (unpack_tokens(data) == FakeTokenEmbedder().tokens("Works Bert Olsen left Elmby.")).all()


async def test_a_tree_waits_for_vectors(core: Core) -> None:
    await switch_on(core, "summary_tree")
    await put(core, "tunnels", TUNNELS)
    assert await core.knowledge_builder.build_some() == 0
    assert (await states(core))["summary_tree"].built == 0
    await embed_all(core)
    await build_all(core)
    assert [set(summary.chunk_ids) for summary in await summaries(core)] == [{f"tunnels|1|{number}" for number in range(4)}]
    assert (await states(core))["summary_tree"].built == 4


async def test_a_tree_does_not_wait_for_vectors_that_are_never_made(core: Core) -> None:
    await switch_on(core, "summary_tree")
    await put_document(core.generations, make_document("suppen"), ["Suppe gibt es am Mittag."], lang="de")
    await put(core, "tunnels", TUNNELS)
    await embed_all(core)
    await build_all(core)
    assert (await states(core))["summary_tree"] == KnowledgeState("summary_tree", "rules", 5, 5)
    (summary,) = await summaries(core)
    assert len(summary.chunk_ids) == 4


async def test_a_tree_groups_passages_of_the_same_readers_alone(core: Core) -> None:
    await switch_on(core, "summary_tree")
    await put(core, "open", TUNNELS)
    await put(core, "closed", TUNNELS, groups=["board"])
    await embed_all(core)
    await build_all(core)
    documents = [{chunk_id.split("|")[0] for chunk_id in summary.chunk_ids} for summary in await summaries(core)]
    assert sorted(documents, key=str) == [{"closed"}, {"open"}]


# --- what cannot be built, and how much there is -------------------------------------------------


async def test_without_an_embedder_only_a_graph_can_be_built(core: Core) -> None:
    core.embedder = None
    await put(core, "people", PEOPLE)
    await switch_on(core, *KNOWLEDGE)
    await build_all(core)
    told = await states(core)
    assert {kind: state.built for kind, state in told.items()} == {"graph": 3, "late_interaction": 0, "summary_tree": 0}
    assert told["graph"].obstacle == ""
    assert "has none" in told["summary_tree"].obstacle
    assert "has none" in told["late_interaction"].obstacle


async def test_an_embedder_of_whole_texts_makes_no_tokens(open_builder: Open) -> None:
    core = open_builder(embedder=FakeEmbedder())
    await put(core, "people", PEOPLE)
    await switch_on(core, "late_interaction")
    assert await core.knowledge_builder.build_some() == 0
    told = await states(core)
    assert "built-in" in told["late_interaction"].obstacle
    assert told["summary_tree"].obstacle == ""


async def test_what_a_model_is_to_make_needs_one_that_is_configured(core: Core) -> None:
    assert {state.obstacle for state in (await states(core)).values()} == {""}
    await switch_on(core, *KNOWLEDGE, maker="model")
    told = {kind: state.obstacle for kind, state in (await states(core)).items()}
    assert told == {"graph": NO_MODEL, "late_interaction": "", "summary_tree": NO_MODEL}
    builder = core.knowledge_builder
    configured = replace(builder, model=replace(builder.model, is_configured=lambda: True))
    assert {state.obstacle for state in await configured.states("default")} == {""}


async def test_states_tell_what_is_on_by_whom_and_how_far(core: Core) -> None:
    await put(core, "people", PEOPLE)
    assert await states(core) == {kind: KnowledgeState(kind, None, 0, 3) for kind in KNOWLEDGE}
    await switch_on(core, "graph")
    await build_all(core)
    await put(core, "more", PEOPLE)
    assert (await states(core))["graph"] == KnowledgeState("graph", "rules", 3, 6)
    assert (await states(core, "none"))["graph"] == KnowledgeState("graph", None, 0, 0)


async def test_what_is_dropped_is_gone_and_the_rest_stays(core: Core) -> None:
    await put(core, "tunnels", TUNNELS)
    await embed_all(core)
    await switch_on(core, *KNOWLEDGE)
    await build_all(core)
    await core.knowledge_builder.drop("default", ["graph", "summary_tree"])
    assert {kind: state.built for kind, state in (await states(core)).items()} == {"graph": 0, "late_interaction": 4, "summary_tree": 0}
    assert await summaries(core, 1) == []
    await build_all(core)  # they are still on
    assert {state.built for state in (await states(core)).values()} == {4}


@pytest.mark.parametrize("kind", KNOWLEDGE)
async def test_an_estimate_counts_what_is_left_and_stores_nothing(kind: KnowledgeKind, core: Core) -> None:
    await put(core, "tunnels", TUNNELS)
    await put(core, "soups", SOUPS)
    await embed_all(core)
    made = await core.knowledge_builder.estimate("default", kind, "rules")
    assert (made.passages, made.tokens) == (8, (0, 0))
    assert made.seconds is not None
    assert made.seconds > 0
    assert await built(core, kind) == {}
    await switch_on(core, kind)
    await build_all(core)
    assert await core.knowledge_builder.estimate("default", kind, "rules") == KnowledgeEstimate(0)


async def test_a_sample_is_built_once_for_each_kind_and_recipe(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(core, "people", PEOPLE)
    builder = core.knowledge_builder
    first = await builder.estimate("default", "graph", "rules")
    await put(core, "more", PEOPLE)

    async def unbuilt(*_: Any) -> Any:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(type(core.knowledge), "unbuilt", unbuilt)
        again = await builder.estimate("default", "graph", "rules")
        with pytest.raises(AssertionError):
            await builder.estimate("default", "late_interaction", "rules")
        monkeypatch.setitem(VERSIONS, "graph", VERSIONS["graph"] + 1)
        with pytest.raises(AssertionError):
            await builder.estimate("default", "graph", "rules")
    assert first.seconds is not None
    assert again.passages == 6
    assert again.seconds == pytest.approx(2 * first.seconds)


async def test_an_estimate_of_what_cannot_be_built_counts_passages_alone(core: Core) -> None:
    core.embedder = None
    await put(core, "tunnels", TUNNELS)
    assert await core.knowledge_builder.estimate("default", "summary_tree", "rules") == KnowledgeEstimate(4)


async def test_an_estimate_for_a_model_counts_tokens_and_its_last_calls(core: Core) -> None:
    await put(core, "tunnels", TUNNELS)
    short = await core.knowledge_builder.estimate("default", "graph", "model")
    assert (short.passages, short.seconds) == (4, None)
    assert short.tokens[1] == knowledge.REPLY["graph"] / 2  # of a call for eight passages
    assert short.tokens[0] > 4 * len(TUNNELS[0].split())
    await core.knowledge_builder.model.day.add(8.0, ended=True)
    await put(core, "soups", SOUPS)
    long = await core.knowledge_builder.estimate("default", "graph", "model")
    assert long.tokens[0] == pytest.approx(2 * short.tokens[0], rel=0.1)
    assert long.seconds == pytest.approx(8.0)  # one call for eight passages
