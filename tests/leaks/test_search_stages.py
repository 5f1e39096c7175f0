"""What derives queries, follows lists, adds passages or corrects words tells a user nothing of documents that they may not read.

Each stage is run in a world with documents of others and in one without. Whatever a reader can see of it has to be the same. Each has a
mutant in which one check is missing, or both checks where there are two.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite import index
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.ingest import knowledge
from footnote.knowledge.graph import Graph
from footnote.knowledge.recipes import scopes_of
from footnote.knowledge.summary_tree import SummaryTree
from footnote.knowledge.tree import Summary, pack
from footnote.ports import Built, Scope
from footnote.rank.expand import expand_documents
from footnote.retrieve import lists
from footnote.retrieve.connections import find_connections
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.types import KNOWLEDGE, SYSTEM, Caller, Hit, KnowledgeKind, OptionName, Profile, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import FakeTokenEmbedder, build_all, embed_all, make_chunk, make_document, put_document, switch_on
from tests.leaks.mutants import Mutant, giving, readable_by_all, seed, sees_all

pytestmark = pytest.mark.usefixtures("small_trees")

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READER = Caller("bob", frozenset({"blue"}))
WORDS = "heat transfer laminar boundary layer flat plate"
OPEN, CLOSED = "open|1|0", "closed|1|0"
NO_SEARCH_ASKS: Mutant = ((index, "_visible_acls", giving(None)), (SqliteIndex, "read", sees_all))
"""Neither the search nor the gate behind it asks for groups."""


UNGATED: Mutant = ((lists, "gate_of", readable_by_all),)
"""The lists do not ask either."""


async def readable(chunk_ids: Any) -> frozenset[str]:
    return frozenset(chunk_ids)


def trusting(search: Any) -> Any:
    """The source takes all passages for readable."""
    return lambda self, query, scope: search(self, query, replace(scope, readable=readable))


def as_everybody(search: Any) -> Any:
    """The source asks for itself."""

    def asked(self: Any, query: Any, scope: Scope) -> Any:
        return search(self, query, replace(scope, caller=SYSTEM, readable=readable))

    return asked


def whoever_reads(group: Any) -> Any:
    """Passages are grouped without their groups of readers."""
    return lambda leaves: group([replace(leaf, groups=frozenset()) for leaf in leaves])


async def find(core: Core, question: str, option: OptionName | None = None) -> Turn:
    request = Request(question, "default", options={option: True} if option else {})
    return await core.retrieve.finish(core.new_turn(request, READER, PROFILE, trace_id=""))


def seen(turn: Turn) -> Any:
    """The words of the queries, and ids and places of what was found."""
    queries = [sorted(query.text.split()) for query in turn.queries]
    found = [(each.source, [entry.chunk_id for entry in each.items]) for each in turn.evidence.lists]
    return queries, found, [hit.chunk.chunk_id for hit in turn.evidence.hits]


async def put_with_outline(core: Core, doc_id: str, group: str, outline: str) -> None:
    document = make_document(doc_id, groups=[group], title="")
    chunks = [make_chunk(document, "Ships pay ten euros."), make_chunk(document, outline, 1, level=0)]
    await core.generations.stage(document, chunks, [tuple(split_sentences(chunk.text, "en")) for chunk in chunks])
    await core.generations.activate(doc_id, 1)


async def keywords(core: Core, hidden: bool) -> Any:
    """Pseudo-relevance feedback: the words of the first passages are searched for."""
    await put_document(core.generations, make_document("open", groups=["blue"]), [f"{WORDS} nusselt", "prandtl of a plate"])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), [f"{WORDS} zqcanary {WORDS}"] * 3)
    return seen(await find(core, WORDS, "feedback_query"))


async def expanded(core: Core, hidden: bool) -> Any:
    """A document whose groups changed after its passage was read for this turn."""
    document = make_document("closed", groups=["red"])
    hit_of = make_chunk(document, "The bridge was built in 1894.")
    if hidden:
        await put_document(core.generations, document, [hit_of.text, "It has a secret door."])
    turn = core.new_turn(Request("When was the bridge built?", "default"), READER, PROFILE)
    turn = replace(turn, evidence=replace(turn.evidence, hits=(Hit(hit_of, 1.0),)))
    done = await call_step(expand_documents, turn, FakeDeps(index=core.index))
    return [hit.chunk.text for hit in done.evidence.added]


async def entities_weighed(core: Core, hidden: bool) -> Any:
    """An entity weighs less the more passages name it."""
    await put_document(core.generations, make_document("open", groups=["blue"]), ["The painter was taught by Edith Marlow."])
    await put_document(core.generations, make_document("open2", groups=["blue"], title="Edith Marlow"), ["Soup is served at noon."])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["Edith Marlow met Carla Diaz."] * 5)
    return await listed(core, "Who taught the painter?", "graph")


async def connections_walked(core: Core, hidden: bool) -> Any:
    """A passage that only others may read answers the question, and connects it with a passage that the reader may read."""
    await put_document(core.generations, make_document("open", groups=["blue"], title="Carla Diaz"), ["Soup is served at noon."])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The painter was paid by Carla Diaz."])
    return await listed(core, "Who paid the painter?", "graph")


async def facts_told(core: Core, hidden: bool) -> Any:
    """The graph of a document whose groups changed after its passage was read for this turn."""
    await switch_on(core, "graph")
    document = make_document("closed", groups=["red"])
    passage = make_chunk(document, "The painter Edith Marlow was paid by Carla Diaz.")
    if hidden:
        await put_document(core.generations, document, [passage.text])
        await build_all(core)
    turn = core.new_turn(Request("Who paid Edith Marlow?", "default"), READER, PROFILE)
    turn = replace(turn, evidence=replace(turn.evidence, hits=(Hit(passage, 1.0),)))
    return (await call_step(find_connections, turn, FakeDeps(index=core.index, knowledge=core.knowledge))).evidence.facts


async def tokens_compared(core: Core, hidden: bool) -> Any:
    """Late interaction: a token counts by how many of the passages have it."""
    core.embedder = FakeTokenEmbedder()
    await put_document(core.generations, make_document("open", groups=["blue"]), ["The tunnel is old.", "A secret is kept in the tower."])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The secret tunnel is secret."] * 3)
    return await listed(core, "Is there a secret tunnel?", "late_interaction")


async def summaries_followed(core: Core, hidden: bool) -> Any:
    """A summary of passages for different readers, as it is left when a document gets others."""
    core.embedder = embedder = FakeTokenEmbedder()
    await put_document(core.generations, make_document("open", groups=["blue"]), ["Soup is served at noon."])
    await switch_on(core, "summary_tree")
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The tunnel is secret."])
        mixed = Summary("a secret tunnel", embedder.vector("a secret tunnel"), (OPEN, CLOSED), OPEN)
        scope, _ = scopes_of("default", "summary_tree", "rules", embedder)
        await core.knowledge.put_built(scope, [Built(OPEN, pack([mixed]))])
    return found_by(await find(core, "Is there a secret tunnel?"), "summary_tree")


async def summaries_built(core: Core, hidden: bool) -> Any:
    """Passages that are near each other, for different readers."""
    core.embedder = FakeTokenEmbedder()
    texts = [f"The tunnel under the river has {number} lamps." for number in ("one", "two", "three", "four", "five")]
    await put_document(core.generations, make_document("open", groups=["blue"]), texts)
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), texts)
    return await listed(core, "How many lamps has the tunnel?", "summary_tree")


async def plans_made(core: Core, hidden: bool) -> Any:
    """What a collection has built, to somebody who may read nothing of it."""
    await put_document(core.generations, make_document("open", groups=["blue"], collection="side"), ["Soup is served at noon."])
    if hidden:
        await switch_on(core, *KNOWLEDGE)
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The tunnel is secret."])
    turns = [await find(core, "Is there a secret tunnel?"), await find(core, "Is there a secret tunnel?", "graph")]
    return [{name: turn.plan.choices[name] for name in KNOWLEDGE} for turn in turns]


async def listed(core: Core, question: str, kind: KnowledgeKind) -> Any:
    """What the reader finds once the collection has built this."""
    await switch_on(core, kind)
    await embed_all(core)
    await build_all(core)
    return found_by(await find(core, question), kind)


def found_by(turn: Turn, kind: KnowledgeKind) -> Any:
    """The entries of the list with their scores, which are of what the reader may read alone."""
    return [(entry.chunk_id, round(entry.score, 5)) for each in turn.evidence.lists if each.source == kind for entry in each.items]


async def documents_found(core: Core, hidden: bool) -> Any:
    """Documents first: outlines lead to passages."""
    await put_with_outline(core, "open", "blue", "Harbour report")
    if hidden:
        await put_with_outline(core, "closed", "red", "Harbour report on the harbour")
    return seen(await find(core, "Summarize the harbour report", "documents_first"))


async def sampled(core: Core, hidden: bool) -> Any:
    """Spelling, where nothing is found and a sample of the collection is read."""
    await put_document(core.generations, make_document("open", groups=["blue"]), ["Soup is served at noon."])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The extradition is secret."])
    return seen(await find(core, "Where is the extraditoin?"))


Stage = Callable[[Core, bool], Awaitable[Any]]
STAGES: Mapping[str, tuple[Stage, Mutant]] = {
    "keywords are taken from passages without groups": (keywords, NO_SEARCH_ASKS),
    "documents are expanded without their groups": (expanded, ((SqliteIndex, "read", sees_all),)),
    "entities count passages without groups": (entities_weighed, ((index, "_keyed", sees_all),)),
    "a graph is walked for everybody": (entities_weighed, ((Graph, "search", as_everybody),)),
    "a graph is walked without groups": (connections_walked, (*NO_SEARCH_ASKS, *UNGATED, (index, "_built", sees_all))),
    "facts are told without groups": (facts_told, ((index, "_built", sees_all),)),
    "late interaction ranks passages without groups": (tokens_compared, (*NO_SEARCH_ASKS, *UNGATED)),
    "summaries are followed without groups": (summaries_followed, ((SummaryTree, "search", trusting),)),
    "summaries are made of passages for different readers": (
        summaries_built, ((knowledge, "group_passages", whoever_reads), (SummaryTree, "search", trusting)),
    ),
    "what is built is told to everybody": (plans_made, ((index, "_read_view", sees_all),)),
    "documents are searched first without groups": (documents_found, NO_SEARCH_ASKS),
    "words are sampled without groups": (sampled, ((SqliteIndex, "sample", sees_all),)),
}  # fmt: skip


async def run(stage: Stage, folder: Path, *, hidden: bool) -> Any:
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    try:
        return await stage(core, hidden)
    finally:
        await core.close()


async def differs(stage: Stage, folder: Path) -> bool:
    return await run(stage, folder / "with", hidden=True) != await run(stage, folder / "without", hidden=False)


@pytest.mark.parametrize("stage", [stage for stage, _ in STAGES.values()], ids=lambda stage: stage.__name__)
async def test_a_stage_is_the_same_whether_or_not_hidden_documents_exist(stage: Stage, tmp_path: Path) -> None:
    assert not await differs(stage, tmp_path)


@pytest.mark.parametrize("name", STAGES)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, mutant = STAGES[name]
    seed(monkeypatch, mutant)
    assert await differs(stage, tmp_path)


async def test_a_reader_of_all_documents_gets_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "READER", LOCAL)
    for stage in (keywords, documents_found, sampled, entities_weighed, connections_walked, facts_told, tokens_compared):
        assert await differs(stage, tmp_path / stage.__name__)


@pytest.mark.parametrize("stage", [entities_weighed, tokens_compared, summaries_built])
async def test_what_a_reader_may_read_is_listed(stage: Stage, tmp_path: Path) -> None:
    items = await run(stage, tmp_path, hidden=True)
    assert items
    assert {chunk_id.split("|")[0] for chunk_id, _ in items} <= {"open", "open2"}
