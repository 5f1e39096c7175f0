"""What derives queries, follows lists, adds passages or corrects words tells a user nothing of documents that they may not read.

Each stage is run in a world with documents of others and in one without. Whatever a reader can see of it has to be the same. Each has a
mutant in which one check is missing, or both checks where there are two.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.in_process.ranked_lists import LateInteraction, Summary, SummaryTree
from footnote.adapters.sqlite import index
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.rank.expand import expand_documents
from footnote.retrieve import lists
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.types import Caller, Hit, OptionName, Profile, Query, Request, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_chunk, make_document, put_document
from tests.leaks.mutants import Mutant, giving, readable_by_all, seed, sees_all

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READER = Caller("bob", frozenset({"blue"}))
WORDS = "heat transfer laminar boundary layer flat plate"
OPEN, CLOSED = "open|1|0", "closed|1|0"
NO_SEARCH_ASKS: Mutant = ((index, "_visible_acls", giving(None)), (SqliteIndex, "read", sees_all))
"""Neither the search nor the gate behind it asks for groups."""


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


async def tokens_compared(core: Core, hidden: bool) -> Any:
    """Late interaction, over the passages of everybody."""

    async def tokens(query: Query) -> Any:
        return np.eye(1, 4, dtype=np.float32)

    core.ranked_lists = {
        "late_interaction": LateInteraction(
            tokens, {"default": {chunk_id: np.eye(1, 4, dtype=np.float32) for chunk_id in (OPEN, CLOSED)[: 1 + hidden]}}
        )
    }
    return await _bridges(core, hidden, "late_interaction")


async def summaries_followed(core: Core, hidden: bool) -> Any:
    """A summary tree whose summary is made of passages for different readers."""
    core.ranked_lists = {"summary_tree": SummaryTree({"default": [Summary("a secret tunnel", (OPEN, CLOSED))] if hidden else []})}
    return await _bridges(core, hidden, "summary_tree")


async def _bridges(core: Core, hidden: bool, option: OptionName) -> Any:
    await put_document(core.generations, make_document("open", groups=["blue"]), ["Soup is served at noon."])
    if hidden:
        await put_document(core.generations, make_document("closed", groups=["red"]), ["The tunnel is secret."])
    return seen(await find(core, "Is there a secret tunnel?", option))


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
    "late interaction ranks passages without groups": (tokens_compared, ((lists, "gate_of", readable_by_all),)),
    "summaries are followed without groups": (summaries_followed, ((lists, "gate_of", readable_by_all),)),
    "documents are searched first without groups": (documents_found, NO_SEARCH_ASKS),
    "words are sampled without groups": (sampled, ((SqliteIndex, "sample", sees_all),)),
}


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
    for stage in (keywords, documents_found, sampled):
        assert await differs(stage, tmp_path / stage.__name__)
