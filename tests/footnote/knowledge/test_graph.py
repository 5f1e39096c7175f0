"""The walk over entities: from the first results to the passages about what they name."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.knowledge.graph import FIRST, MOST, Graph
from footnote.knowledge.recipes import scopes_of
from footnote.ports import Found, Scope
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Candidate, Query
from tests.fakes import build_all, make_document, put_document, switch_on

ME = Caller("me", frozenset({"staff"}))
RECIPE = scopes_of("default", "graph", "rules", None)[0].recipe
BRIDGE = "The bridge was built by Edith Marlow."


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await switch_on(made, "graph")
    yield made
    await made.close()


async def put(core: Core, doc_id: str, *texts: str, title: str = "", **given: Any) -> None:
    await put_document(core.generations, make_document(doc_id, title=title, **given), texts)


async def put_edith(core: Core, *doc_ids: str) -> None:
    """Passages about Edith Marlow that do not name her."""
    for doc_id in doc_ids or ("edith",):
        await put(core, doc_id, "She was born by the sea.", title="Edith Marlow")


async def found(core: Core, question: str, *seeds: tuple[str, float], without: Collection[str] = (), **changes: Any) -> Found:
    """What the graph finds for the question. `seeds`: results by words and vectors; `without`: what the request filters out."""
    await build_all(core)

    async def readable(asked: Collection[str]) -> frozenset[str]:
        return frozenset(chunk.chunk_id for chunk in await core.index.read(ME, list(asked)) if chunk.chunk_id not in without)

    candidates = tuple(Candidate(chunk_id, score) for chunk_id, score in seeds)
    scope = Scope("default", ME, readable, RECIPE, candidates, **changes)
    return await Graph(core.knowledge).search(Query(question), scope)


def scores(found: Found) -> dict[str, float]:
    return {entry.chunk_id: round(entry.score, 4) for entry in found.items}


def weight(count: int) -> float:
    """Of an entity that so many passages name."""
    return 1 - math.log(count) / math.log(MOST + 1)


async def test_an_entity_of_a_first_result_leads_to_a_passage_about_it(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core)
    result = await found(core, "Who built it, and where was she born?", ("bridge|1|0", 0.8))
    assert scores(result) == {"edith|1|0": round(0.8 * weight(2), 4)}


async def test_a_heading_says_what_a_passage_is_about_as_a_title_does(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    document = make_document("people", title="Those who worked here")
    await put_document(core.generations, document, ["She was born by the sea."], headings=("Edith Marlow",))
    assert list(scores(await found(core, "Who?", ("bridge|1|0", 1.0)))) == ["people|1|0"]


async def test_a_passage_that_only_mentions_the_entity_is_not_found(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put(core, "tower", "The tower was built by Edith Marlow.")
    assert await found(core, "Who built it?", ("bridge|1|0", 1.0), ("tower|1|0", 0.5)) == Found()


async def test_mentions_lower_the_weight_of_an_entity(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core)
    await put(core, "tower", "The tower was built by Edith Marlow.", "The quay was built by Edith Marlow.")
    assert scores(await found(core, "Who built it?", ("bridge|1|0", 1.0))) == {"edith|1|0": round(weight(4), 4)}


async def test_an_entity_that_the_question_names_is_not_followed(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core)
    assert await found(core, "What did EDITH MARLOW build?", ("bridge|1|0", 1.0)) == Found()
    assert await found(core, "What did Edith Marlow build?") == Found()


async def test_what_a_result_is_about_is_not_followed_from_it(core: Core) -> None:
    await put(core, "life", "Edith Marlow was born by the sea.", title="Edith Marlow")
    await put_edith(core)
    assert await found(core, "Who was born by the sea?", ("life|1|0", 1.0)) == Found()
    await put(core, "bridge", BRIDGE)
    result = await found(core, "Who?", ("life|1|0", 1.0), ("bridge|1|0", 0.5))
    assert scores(result) == {"edith|1|0": round(0.5 * weight(3), 4), "life|1|0": round(0.5 * weight(3), 4)}


async def test_the_walk_ends_after_one_step(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put(core, "edith", "She was taught by Bert Olsen.", title="Edith Marlow")
    await put(core, "bert", "He lived by the sea.", title="Bert Olsen")
    assert list(scores(await found(core, "Who?", ("bridge|1|0", 1.0)))) == ["edith|1|0"]


async def test_an_entity_that_too_many_passages_name_is_not_followed(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core)
    await put(core, "many", *(f"Edith Marlow came {number} times." for number in range(MOST - 2)))
    assert scores(await found(core, "Who built it?", ("bridge|1|0", 1.0))) == {"edith|1|0": round(weight(MOST), 4)}
    await put(core, "more", "Edith Marlow lived there.")
    assert await found(core, "Who built it?", ("bridge|1|0", 1.0)) == Found()


async def test_only_the_first_results_are_followed(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core)
    before = [(f"x{number}|1|0", 1.0) for number in range(FIRST)]
    for chunk_id, _ in before:
        await put(core, chunk_id.split("|")[0], "It rained.")
    assert await found(core, "Who?", *before, ("bridge|1|0", 0.9)) == Found()
    assert list(scores(await found(core, "Who?", *before[1:], ("bridge|1|0", 0.9)))) == ["edith|1|0"]


async def test_of_several_ways_to_a_passage_the_best_counts(core: Core) -> None:
    await put(core, "low", BRIDGE)
    await put(core, "high", "Edith Marlow lived there.")
    await put_edith(core)
    assert scores(await found(core, "Who?", ("high|1|0", 0.9), ("low|1|0", 0.2))) == {"edith|1|0": round(0.9 * weight(3), 4)}


async def test_a_better_result_and_a_rarer_entity_lead_to_better_passages(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put(core, "tower", "The tower was built by Bert Olsen.", "Bert Olsen lived there.")
    await put_edith(core)
    await put(core, "bert", "He was born by the sea.", title="Bert Olsen")
    tower = ("tower|1|0", 1.0)
    assert list(scores(await found(core, "Who?", tower, ("bridge|1|0", 0.2)))) == ["bert|1|0", "edith|1|0"]
    assert list(scores(await found(core, "Who?", tower, ("bridge|1|0", 1.0)))) == ["edith|1|0", "bert|1|0"]


async def test_equally_good_passages_are_in_the_order_of_their_ids(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core, "c", "a", "b")
    ids = list(scores(await found(core, "Who?", ("bridge|1|0", 1.0))))
    assert ids == ["a|1|0", "b|1|0", "c|1|0"]
    assert list(scores(await found(core, "Who?", ("bridge|1|0", 1.0), limit=2))) == ids[:2]


async def test_what_the_request_filters_out_takes_no_place_and_leads_nowhere(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put_edith(core, "a", "b")
    seed = ("bridge|1|0", 1.0)
    assert list(scores(await found(core, "Who?", seed, without=["a|1|0"], limit=1))) == ["b|1|0"]
    assert await found(core, "Who?", seed, without=["bridge|1|0"]) == Found()
    assert await found(core, "Who?", seed, without=["a|1|0", "b|1|0"]) == Found()


async def test_what_the_caller_may_not_read_leads_nowhere_and_weighs_nothing(core: Core) -> None:
    await put(core, "bridge", BRIDGE)
    await put(core, "secret", BRIDGE, groups=["board"])
    await put_edith(core)
    assert await found(core, "Who?", ("secret|1|0", 1.0)) == Found()
    assert scores(await found(core, "Who?", ("bridge|1|0", 1.0))) == {"edith|1|0": round(weight(2), 4)}


async def test_without_results_nothing_is_found(core: Core) -> None:
    await put_edith(core)
    assert await found(core, "What about it?") == Found()
    assert await found(core, "") == Found()


async def test_scores_stay_within_0_and_1(core: Core) -> None:
    await put(core, "bridge", "The bridge was built by Edith Marlow and Bert Olsen.", title="Kestrel Bridge")
    for doc_id, title in (("edith", "Edith Marlow"), ("bert", "Bert Olsen")):
        await put(core, doc_id, "Edith Marlow and Bert Olsen were born by the sea.", title=title)
    seeds: Sequence[tuple[str, float]] = [("bridge|1|0", 1.0), ("edith|1|0", 1.0), ("bert|1|0", 1.0)]
    result = await found(core, "Who built the Kestrel Bridge?", *seeds)
    assert set(scores(result)) == {"edith|1|0", "bert|1|0"}
    assert all(0 < entry.score <= 1 for entry in result.items)
