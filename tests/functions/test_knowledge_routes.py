"""What a collection builds beside words and vectors: admins switch it, and readers see its graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.types import KNOWLEDGE, Caller
from footnote_query.graph import MOST_PASSAGES, MOST_RELATIONS
from tests.fakes import FakeTokenEmbedder, build_all, embed_all, switch_on, work_all
from tests.functions.conftest import LOCAL, OpenSite, Site

ANN = Caller("ann", frozenset({"staff"}))
TEXTS = ("Ann Mason runs the Acme Works.", "Bert Olsen met Ann Mason in Elmby.", "It rained.")
EMPTY: dict[str, Any] = {"entities": [], "relations": []}
GRAPH = {"kinds": "graph"}


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await filled(await open_site(filled=False))


async def filled(site: Site) -> Site:
    """A collection of three passages with vectors, known as `works` and `factory`."""
    site.core.embedder = FakeTokenEmbedder(dimension=64)
    await put(site, "people")
    await site.core.collections.edit("works", lambda now: replace(now, aliases=("factory",)), by="root")
    await embed_all(site.core)
    return site


async def put(
    site: Site, name: str, texts: tuple[str, ...] = TEXTS, collection: str = "works", groups: tuple[str, ...] = ("staff",)
) -> None:
    """Documents of one passage each: `name0`, `name1` …"""
    for number, text in enumerate(texts):
        known: dict[str, Any] = {"doc_id": f"{name}{number}", "permission_groups": list(groups)}
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=f"{name}{number}.txt", collection=collection, **known)
    await work_all(site.core)


async def told(site: Site, method: str = "GET", name: str = "works", **given: Any) -> dict[str, dict[str, Any]]:
    """Kind → its state."""
    reply = await site.client.request(method, f"/collections/{name}/knowledge", **given)
    assert reply.status_code == 200, reply.text
    return {state["kind"]: state for state in reply.json()["data"]}


async def actions(site: Site) -> list[dict[str, Any]]:
    return [entry for entry in (await site.client.get("/audit")).json()["data"] if entry["action"].startswith("collection.")]


async def graph(site: Site, *passages: str, name: str = "works") -> dict[str, Any]:
    reply = await site.client.get(f"/collections/{name}/graph", params={"passage": list(passages)})
    assert reply.status_code == 200, reply.text
    shown: dict[str, Any] = reply.json()
    return shown


# --- knowledge -----------------------------------------------------------------------------------


async def test_everything_is_off_at_first_and_its_cost_is_told(site: Site) -> None:
    states = await told(site)
    assert tuple(states) == KNOWLEDGE
    for state in states.values():
        assert (state["made_by"], state["built"], state["total"], state["obstacle"]) == (None, 0, 3, "")
        estimate = state["estimate"]
        assert (estimate["passages"], estimate["prompt_tokens"], estimate["completion_tokens"]) == (3, 0, 0)
        assert estimate["cost"] == 0
        assert estimate["seconds"] > 0


async def test_an_estimate_for_a_model_counts_its_tokens(site: Site) -> None:
    states = await told(site, params={"made_by": "model"})
    estimate = states["graph"]["estimate"]
    assert (estimate["cost"], estimate["seconds"]) == (None, None)
    tokens = {kind: (state["estimate"]["prompt_tokens"] > 0, state["estimate"]["completion_tokens"]) for kind, state in states.items()}
    assert tokens == {"graph": (True, 300), "late_interaction": (False, 0), "summary_tree": (True, 38)}  # 3/8 of a reply of 800, of 100
    assert (await site.client.get("/collections/works/knowledge", params={"made_by": "magic"})).status_code == 422


async def test_what_is_switched_on_is_built_in_the_background(site: Site) -> None:
    states = await told(site, "POST", json={"kinds": ["graph", "summary_tree"]})
    assert {kind: state["made_by"] for kind, state in states.items()} == {
        "graph": "rules",
        "late_interaction": None,
        "summary_tree": "rules",
    }
    assert {state["built"] for state in states.values()} == {0}
    assert not await site.core.ingestor.work_one()  # the worker looks for it without a job
    await build_all(site.core)
    states = await told(site)
    assert {kind: state["built"] for kind, state in states.items()} == {"graph": 3, "late_interaction": 0, "summary_tree": 3}
    assert states["graph"]["estimate"] == {"passages": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0, "seconds": None}


async def test_without_kinds_all_are_built(site: Site) -> None:
    assert {state["made_by"] for state in (await told(site, "POST", json={})).values()} == {"rules"}
    await build_all(site.core)
    assert {state["built"] for state in (await told(site)).values()} == {3}
    states = await told(site, "DELETE", params={"kinds": list(KNOWLEDGE)})
    assert {(state["made_by"], state["built"]) for state in states.values()} == {(None, 0)}
    await build_all(site.core)
    assert {state["built"] for state in (await told(site)).values()} == {0}


async def test_what_is_dropped_is_gone_and_the_rest_stays(site: Site) -> None:
    await told(site, "POST", json={})
    await build_all(site.core)
    states = await told(site, "DELETE", params={"kinds": ["graph", "late_interaction"]})
    assert {kind: state["built"] for kind, state in states.items()} == {"graph": 0, "late_interaction": 0, "summary_tree": 3}
    assert {kind: state["made_by"] for kind, state in states.items()} == {
        "graph": None,
        "late_interaction": None,
        "summary_tree": "rules",
    }


async def test_another_maker_builds_it_anew(site: Site) -> None:
    await told(site, "POST", json={"kinds": ["graph"]})
    await build_all(site.core)
    llm = site.core.settings.llm.model_copy(update={"base_url": "http://127.0.0.1:9/v1", "model": "m"})
    site.core.live.current = site.core.settings.model_copy(update={"llm": llm})
    states = await told(site, "POST", json={"kinds": ["graph", "late_interaction"], "made_by": "model"})
    assert states["late_interaction"]["made_by"] == "rules"  # no model is asked for it
    assert (states["graph"]["made_by"], states["graph"]["built"]) == ("model", 0)
    states = await told(site, "POST", json={})  # whatever builds it now goes on
    assert {kind: state["made_by"] for kind, state in states.items()} == {
        "graph": "model",
        "late_interaction": "rules",
        "summary_tree": "rules",
    }
    assert (await told(site, "POST", json={"kinds": ["graph"], "made_by": "rules"}))["graph"]["made_by"] == "rules"


async def test_what_is_built_stays_if_there_is_no_model_to_build_it_anew(site: Site) -> None:
    await told(site, "POST", json={"kinds": ["graph"]})
    await build_all(site.core)
    refused = await site.client.post("/collections/works/knowledge", json={"kinds": ["graph"], "made_by": "model"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "No language model is configured.")
    state = (await told(site))["graph"]
    assert (state["made_by"], state["built"], state["obstacle"]) == ("rules", 3, "")
    asked = (await told(site, params={"made_by": "model"}))["graph"]
    assert (asked["obstacle"], asked["estimate"]["passages"]) == ("No language model is configured.", 3)


async def test_an_alias_is_as_good_as_the_name(site: Site) -> None:
    await told(site, "POST", "factory", json={"kinds": ["graph"]})
    await build_all(site.core)
    assert (await told(site))["graph"]["built"] == (await told(site, name="factory"))["graph"]["built"] == 3
    assert (await told(site, "DELETE", "factory", params=GRAPH))["graph"]["built"] == 0


async def test_other_settings_of_the_collection_stay_and_leave_knowledge_on(site: Site) -> None:
    await site.client.patch("/collections/works", json={"settings": {"languages": ["de"]}})
    await told(site, "POST", json={"kinds": ["graph"]})
    await site.client.patch("/collections/works", json={"settings": {"chunker": "table"}})
    assert (await told(site))["graph"]["made_by"] == "rules"
    settings = (await site.core.collections.get(await site.core.collections.resolve("works"))).languages
    assert settings == ("de",)


async def test_what_cannot_be_built_says_why(site: Site) -> None:
    site.core.embedder = None
    states = await told(site, "POST", json={})
    assert {kind: bool(state["obstacle"]) for kind, state in states.items()} == {
        "graph": False,
        "late_interaction": True,
        "summary_tree": True,
    }
    await build_all(site.core)
    assert {kind: state["built"] for kind, state in (await told(site)).items()} == {"graph": 3, "late_interaction": 0, "summary_tree": 0}


async def test_changes_are_audited_and_reads_are_not(site: Site) -> None:
    await told(site)
    await told(site, "POST", json={"kinds": ["graph"]})
    await told(site, "DELETE", "factory", params={"kinds": "graph"})
    built, dropped = sorted(await actions(site), key=lambda entry: str(entry["action"]))
    assert (built["action"], built["object_id"], built["user_id"]) == ("collection.build", "works", "local")
    assert (dropped["action"], dropped["object_id"]) == ("collection.drop_knowledge", "works")
    assert (built["facts"], dropped["facts"]) == ({"kinds": ["graph"], "made_by": ["rules"]}, {"kinds": ["graph"]})


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_only_admins_may(method: str, open_site: OpenSite) -> None:
    site = await filled(await open_site(caller=ANN, filled=False))
    replies = [await site.client.request(method, f"/collections/{name}/knowledge", params=GRAPH, json={}) for name in ("works", "nowhere")]
    assert [reply.status_code for reply in replies] == [403, 403]
    assert replies[0].json()["detail"] == replies[1].json()["detail"]
    assert (await site.core.collections.get(await site.core.collections.resolve("works"))).knowledge == {}


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_unknown_collection_is_a_404(method: str, site: Site) -> None:
    assert (await site.client.request(method, "/collections/nowhere/knowledge", params=GRAPH, json={})).status_code == 404
    await site.core.collections.delete("works", by="root")
    assert (await site.client.request(method, "/collections/works/knowledge", params=GRAPH, json={})).status_code == 404
    assert await actions(site) == []


@pytest.mark.parametrize("params", [{}, {"kinds": ""}, {"kinds": "magic"}, {"kind": "graph"}])
async def test_only_what_is_named_is_dropped(params: dict[str, str], site: Site) -> None:
    await told(site, "POST", json={"kinds": ["graph"]})
    assert (await site.client.delete("/collections/works/knowledge", params=params)).status_code == 422
    assert (await told(site))["graph"]["made_by"] == "rules"


@pytest.mark.parametrize("body", [{"kinds": []}, {"kinds": ["magic"]}, {"made_by": "magic"}, {"kinds": "graph"}, {"kind": ["graph"]}])
async def test_bad_input_is_refused(body: dict[str, Any], site: Site) -> None:
    assert (await site.client.post("/collections/works/knowledge", json=body)).status_code == 422
    assert (await site.client.delete("/collections/works/knowledge", params={"kinds": "magic"})).status_code == 422
    assert await actions(site) == []


# --- the graph -----------------------------------------------------------------------------------


@pytest.fixture
async def built(site: Site) -> Site:
    await switch_on(site.core, "graph", collection="works")
    await build_all(site.core)
    return site


async def test_the_graph_is_empty_where_none_is_built(site: Site) -> None:
    assert await graph(site, "people0#000") == EMPTY
    assert await graph(site, "people0#000", name="nowhere") == EMPTY


async def test_a_graph_shows_entities_and_relations_of_passages(built: Site) -> None:
    shown = await graph(built, "people0#000", "people1#000", "people2#000")
    assert shown["entities"][0] | {"kind": ""} == {"name": "Ann Mason", "kind": "", "passages": ["people0#000", "people1#000"]}
    assert {entity["name"] for entity in shown["entities"]} >= {"Bert Olsen", "Elmby"}
    assert {(relation["text"], relation["passage"]) for relation in shown["relations"]} == {
        (TEXTS[0], "people0#000"),
        (TEXTS[1], "people1#000"),
    }
    names = {entity["name"] for entity in shown["entities"]}
    assert all({relation["source"], relation["target"]} <= names for relation in shown["relations"])


async def test_a_name_is_one_entity_of_one_kind_across_documents(built: Site) -> None:
    await put(built, "also", ("Ann Mason, who is a teacher, was born in Elmby.", "Yesterday Mr Mason left."))
    await build_all(built.core)
    shown = await graph(built, "also1#000", "also0#000", "people0#000")
    (ann,) = [entity for entity in shown["entities"] if "Mason" in entity["name"]]
    assert ann == {"name": "Ann Mason", "kind": "person", "passages": ["also1#000", "also0#000", "people0#000"]}
    assert (await graph(built, "also1#000"))["entities"][0]["name"] == "Mason"


async def test_an_alias_shows_the_same_graph_and_another_collection_none(built: Site) -> None:
    assert await graph(built, "people0#000", name="factory") == await graph(built, "people0#000") != EMPTY
    await put(built, "aside", collection="side")
    await built.core.collections.edit("side", lambda now: now, by="root")
    await switch_on(built.core, "graph", collection="side")
    await build_all(built.core)
    assert await graph(built, "people0#000", name="side") == EMPTY
    assert await graph(built, "aside0#000", "people0#000", name="side") == await graph(built, "aside0#000", name="side")


MALFORMED = [
    "",
    "#",
    "people0",
    "people0#",
    "#000",
    "people0#x",
    "people0#-1",
    "people0#0#0",
    "people0#٣",
    "nobody#000",
    "people0#999",
    "a b#1",
]


@pytest.mark.parametrize("passage", [*MALFORMED, "people0#" + "9" * 30])
async def test_malformed_and_unknown_ids_are_ignored(passage: str, built: Site) -> None:
    assert await graph(built, passage) == EMPTY
    assert await graph(built, passage, "people0#000") == await graph(built, "people0#000")


async def test_more_passages_than_the_most_are_refused(built: Site) -> None:
    await graph(built, *["people0#000"] * MOST_PASSAGES)
    for passages in (["people0#000"] * (MOST_PASSAGES + 1), []):
        assert (await built.client.get("/collections/works/graph", params={"passage": passages})).status_code == 422


async def test_a_passage_that_is_asked_for_twice_counts_once(built: Site) -> None:
    assert await graph(built, "people0#000", "people0#000") == await graph(built, "people0#000")


async def test_only_so_many_relations_are_shown(built: Site) -> None:
    names = ("Bert Olsen", "Carla Diaz", "Dan Egger", "Hugo Ibsen", "Gina Hall", "Ida Jung")
    pairs = [f"{one} met {other}." for one in names for other in names if one < other]
    await put(built, "many", tuple(" ".join((*pairs, f"It rained {number} times.")) for number in range(MOST_PASSAGES)))
    await build_all(built.core)
    shown = await graph(built, *(f"many{number}#000" for number in range(MOST_PASSAGES)))
    assert len(shown["relations"]) == MOST_RELATIONS


async def test_a_changed_document_shows_its_new_graph_and_a_deleted_one_none(built: Site) -> None:
    await put(built, "people", ("Carla Diaz left Elmby.",))
    assert await graph(built, "people0#000") == EMPTY  # it waits to be built
    await build_all(built.core)
    assert {entity["name"] for entity in (await graph(built, "people0#000"))["entities"]} == {"Carla Diaz", "Elmby"}
    await built.core.ingestor.delete(LOCAL, "people0")
    assert await graph(built, "people0#000") == EMPTY


async def test_passages_that_a_caller_may_not_read_are_left_out(open_site: OpenSite) -> None:
    site = await filled(await open_site(caller=ANN, filled=False))
    await put(site, "board", ("Ann Mason will leave the Acme Works. Carla Diaz follows Ann Mason.",), groups=("board",))
    await switch_on(site.core, "graph", collection="works")
    await build_all(site.core)
    assert await graph(site, "board0#000") == EMPTY
    assert await graph(site, "board0#000", "people0#000") == await graph(site, "people0#000") != EMPTY


async def test_a_deleted_collection_shows_no_graph(built: Site) -> None:
    await built.core.collections.delete("works", by="root")
    assert await graph(built, "people0#000") == EMPTY
