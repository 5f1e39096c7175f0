"""Which sentences of the passages are told as connections, and in which order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.retrieve.connections import MOST_FACTS, find_connections
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Fact, Hit
from tests.deps import FakeDeps, call_step
from tests.fakes import build_all, make_document, put_document, switch_on
from tests.turns import make_turn

ME = Caller("me", frozenset({"staff"}))
BRIDGE, SCHOOL, OTHER = "Edith Marlow built it with Bert Olsen.", "Edith Marlow taught Carla Diaz.", "Dan Egger paid Helen Foster."
IN_OTHER_LANGUAGES = {
    "de": ("Otto Maurer baute ihn mit Bernd Olsen.", "Otto Maurer unterrichtete Anna Fischer."),
    "ko": ("부산항만공사에서 박서준을 만났다.", "부산항만공사는 김안나가 세웠다."),
}


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await switch_on(made, "graph")
    yield made
    await made.close()


async def put(core: Core, *texts: str, doc_id: str = "plan", lang: str = "en", groups: Sequence[str] = ("staff",)) -> list[Hit]:
    """Passages as hits of a search."""
    return [Hit(chunk, 1.0) for chunk in await put_document(core.generations, make_document(doc_id, groups=groups), texts, lang=lang)]


async def facts(
    core: Core, hits: Sequence[Hit], question: str = "Who?", *, added: Sequence[Hit] = (), lang: str = "en", built: bool = True
) -> list[Fact]:
    if built:
        await build_all(core)
    turn = make_turn(question, hits=tuple(hits), added=tuple(added), lang=lang)
    turn = await call_step(find_connections, replace(turn, caller=ME), FakeDeps(index=core.index, knowledge=core.knowledge))
    return [*turn.evidence.facts]


async def test_facts_connect_entities_that_several_passages_name(core: Core) -> None:
    assert await facts(core, await put(core, BRIDGE, OTHER, SCHOOL)) == [Fact(BRIDGE, "plan|1|0"), Fact(SCHOOL, "plan|1|2")]


@pytest.mark.parametrize("lang", list(IN_OTHER_LANGUAGES))
async def test_facts_are_found_in_other_languages(lang: str, core: Core) -> None:
    hits = await put(core, *IN_OTHER_LANGUAGES[lang], lang=lang)
    assert [fact.text for fact in await facts(core, hits, lang=lang)] == [*IN_OTHER_LANGUAGES[lang]]


async def test_facts_connect_entities_that_the_question_and_a_passage_name(core: Core) -> None:
    hits = await put(core, BRIDGE, OTHER)
    assert await facts(core, hits) == []
    assert await facts(core, hits, "Whom did Dan Egger pay?") == [Fact(OTHER, "plan|1|1")]
    assert await facts(core, hits, "Who is Martha Jenkins?") == []


async def test_a_sentence_that_names_one_entity_connects_nothing(core: Core) -> None:
    assert await facts(core, await put(core, "It was built by Edith Marlow.", "Edith Marlow lived there.")) == []


async def test_facts_of_what_most_passages_name_come_first(core: Core) -> None:
    texts = (
        "Dan Egger met Bert Olsen.",
        "Dan Egger left.",
        "Edith Marlow met Carla Diaz.",
        "Edith Marlow left.",
        "Edith Marlow came back.",
    )
    told = await facts(core, await put(core, *texts))
    assert [fact.text for fact in told] == [texts[2], texts[0]]


async def test_a_sentence_is_told_once_and_ranks_by_its_best_entity(core: Core) -> None:
    texts = ("Dan Egger met Carla Diaz.", "Bert Olsen and Dan Egger met Edith Marlow.", "Edith Marlow left.", "Edith Marlow came back.")
    told = await facts(core, await put(core, *texts))
    assert [fact.text for fact in told] == [texts[1], texts[0]]


async def test_equal_facts_are_in_the_order_of_the_passages(core: Core) -> None:
    first, second = await put(core, BRIDGE, SCHOOL)
    assert [fact.text for fact in await facts(core, [second, first])] == [SCHOOL, BRIDGE]


async def test_passages_that_were_added_count_as_well(core: Core) -> None:
    bridge, school = await put(core, BRIDGE, SCHOOL)
    assert await facts(core, [bridge]) == []
    assert await facts(core, [bridge], added=[school]) == [Fact(BRIDGE, "plan|1|0"), Fact(SCHOOL, "plan|1|1")]


async def test_only_so_many_facts_are_told(core: Core) -> None:
    texts = [f"Edith Marlow met Bert Olsen on day {number}." for number in range(MOST_FACTS + 5)]
    assert [fact.text for fact in await facts(core, await put(core, *texts))] == texts[:MOST_FACTS]


async def test_without_a_graph_there_are_no_facts(core: Core) -> None:
    hits = await put(core, BRIDGE, SCHOOL)
    assert await facts(core, hits, built=False) == []
    assert len(await facts(core, hits)) == 2
    await switch_on(core, "graph", maker="model")
    assert await facts(core, hits, built=False) == []
    assert await facts(core, []) == []


async def test_graphs_of_passages_that_may_not_be_read_any_more_say_nothing(core: Core) -> None:
    hits = [*await put(core, BRIDGE), *await put(core, SCHOOL, doc_id="closed", groups=["board"])]
    assert await facts(core, hits) == []
