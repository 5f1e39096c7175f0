"""Attached files compete with the collection, and questions that name them are answered from them alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.bootstrap import Core
from footnote.collections.attachments import CONVERSATION
from footnote.errors import StoreUnavailable
from footnote.retrieve.attached import AttachedIndex
from footnote.settings import LLM, Embedding, Settings
from footnote.types import ATTACHED, Caller, Candidate, Candidates, Mode, Profile, Request, Search, Turn
from tests.fakes import FakeEmbedder, make_document, put_document

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered", limit=5)
ANN = Caller("ann", frozenset({"user:ann"}))
OFFER = ["The repair of the mill costs 9000 crowns.", "The carpenter begins in May.", "Oak is delivered by the abbey."]


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    for number in range(120):
        text = f"Mill {number} grinds rye. The miller of mill {number} pays {number} crowns of rent."
        await put_document(made.generations, make_document(f"mill{number}", groups=("*",)), [text])
    yield made
    await made.close()


async def attach(core: Core, *texts: str, doc_id: str = "offer", user_id: str = "ann", title: str = "", **changes: Any) -> None:
    """`changes`: of its passages."""
    conversation = await core.collections.attachments.add(user_id, "r1", doc_id)
    metadata = {CONVERSATION: conversation}
    made = make_document(doc_id, collection=ATTACHED, groups=(f"user:{user_id}",), metadata=metadata, title=title or doc_id.title())
    await put_document(core.generations, made, texts, metadata=metadata, **changes)


async def find(core: Core, question: str, room_id: str | None = "r1", mode: Mode = "rag") -> list[str]:
    request = Request(question, "default", room_id=room_id, mode=mode)
    run = core.lookup if mode == "pa" else core.retrieve
    turn: Turn = await run.finish(core.new_turn(request, ANN, PROFILE, trace_id="t1"))
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


@pytest.mark.parametrize("embeds", [False, True], ids=["words", "vectors"])
async def test_a_passage_of_a_file_is_first_if_it_answers_best_and_not_if_it_does_not(core: Core, embeds: bool) -> None:
    if embeds:
        core.embedder = FakeEmbedder()
    await attach(core, *OFFER)
    while embeds and await core.ingestor.embed_some():
        pass
    assert (await find(core, "What does the repair of the mill cost?"))[0] == "offer"
    assert (await find(core, "How much rent does the miller of mill 77 pay?"))[0] == "mill77"
    assert await find(core, "How much rent does the miller of mill 77 pay?") == await find(
        core, "How much rent does the miller of mill 77 pay?", room_id=None
    )


async def both_lists(core: Core, text: str) -> Candidates:
    """What a search of the conversation finds, with the engine's scores."""
    index = AttachedIndex(core.index, core.collections.attachments, "ann", "r1", lambda: core.embedder)
    return await index.candidates(ANN, Search("default", text, limit=200))


async def test_by_words_a_passage_of_a_file_scores_as_the_same_passage_of_the_collection(core: Core) -> None:
    await attach(core, "Mill 77 grinds rye. The miller of mill 77 pays 77 crowns of rent.", title="Mill77")
    lexical = (await both_lists(core, "What rent does the miller of mill 77 pay?")).lexical
    found = {entry.chunk_id: entry.score for entry in lexical}
    assert found["offer|1|0"] == pytest.approx(found["mill77|1|0"])
    assert max(score for chunk_id, score in found.items() if chunk_id not in ("offer|1|0", "mill77|1|0")) < found["mill77|1|0"]


async def test_a_word_in_a_title_or_heading_of_a_file_counts_as_three(core: Core) -> None:
    await attach(core, "Repair of the roof, repair of the wheel, repair of the door.", doc_id="thrice")
    await attach(core, "Repair of the roof, repair of the wheel.", doc_id="twice")
    await attach(core, "The roof, the wheel and the door.", doc_id="heading", headings=("Repair",))
    await attach(core, "The roof, the wheel and the door.", doc_id="title", title="Repair")
    lexical = (await both_lists(core, "repair of the roof")).lexical
    found = {entry.chunk_id: entry.score for entry in lexical}
    assert found["heading|1|0"] == found["title|1|0"] == found["thrice|1|0"] > found["twice|1|0"] > 0


def without_vectors(share: float, *dense: str) -> Candidates:
    return Candidates((), tuple(Candidate(chunk_id, 0.9) for chunk_id in dense), coverage=share)


@pytest.mark.parametrize(
    ("own", "attached", "coverage"),
    [
        (without_vectors(1.0, "mill1|1|0"), without_vectors(1.0, "offer|1|0"), 1.0),
        (without_vectors(1.0, "mill1|1|0"), without_vectors(0.0), 0.99),  # the collection's vectors count, and nothing is kept for later
        (without_vectors(0.5, "mill1|1|0"), without_vectors(0.0), 0.5),
        (without_vectors(1.0), without_vectors(0.25, "offer|1|0"), 0.25),  # there are only the file's, and few
    ],
)
async def test_vectors_that_a_file_lacks_leave_the_collections_their_weight(
    core: Core, monkeypatch: pytest.MonkeyPatch, own: Candidates, attached: Candidates, coverage: float
) -> None:
    async def candidates(caller: Caller, search: Search) -> Candidates:
        return attached if search.collection == ATTACHED else own

    await attach(core, *OFFER)
    monkeypatch.setattr(core.index, "candidates", candidates)
    assert (await both_lists(core, "What does the repair cost?")).coverage == coverage


async def test_missing_vectors_and_late_lists_of_both_searches_are_reported(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    async def candidates(caller: Caller, search: Search) -> Candidates:
        name, late = ("offer", "cosine") if search.collection == ATTACHED else ("mill1", "bm25")
        return Candidates((Candidate(f"{name}|1|0", 1.0),), bare=frozenset({f"{name}|1|0"}), missing=frozenset({late}))

    await attach(core, *OFFER)
    monkeypatch.setattr(core.index, "candidates", candidates)
    found = await both_lists(core, "What does the repair cost?")
    assert (found.bare, found.missing) == ({"offer|1|0", "mill1|1|0"}, {"bm25", "cosine"})


async def test_a_vector_is_compared_with_those_of_its_own_embedder_alone(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection may have another embedder than attached files."""
    searched: list[tuple[str, bool]] = []

    async def candidates(caller: Caller, search: Search) -> Candidates:
        searched.append((search.collection, search.vector is not None))
        return Candidates()

    await attach(core, *OFFER)
    monkeypatch.setattr(core.index, "candidates", candidates)
    core.embedder = FakeEmbedder()
    index = AttachedIndex(core.index, core.collections.attachments, "ann", "r1", lambda: core.embedder)
    for embedder in ("fake-embedder", "another"):
        await index.candidates(ANN, Search("default", "repair", vector=np.ones(16, np.float32), embedder=embedder))
    assert sorted(searched) == [("default", True), ("default", True), (ATTACHED, False), (ATTACHED, True)]


async def test_a_word_that_only_an_attached_file_holds_is_known(core: Core) -> None:
    """So it is not taken for a misspelt one of the collection."""
    await attach(core, "The millet harvest was good.")
    index = AttachedIndex(core.index, core.collections.attachments, "ann", "r1", lambda: None)
    assert await index.known_terms(ANN, "default", ["millet", "rye", "wine"]) == {"millet", "rye"}
    assert await core.index.known_terms(ANN, "default", ["millet", "rye", "wine"]) == {"rye"}


async def test_an_agent_that_searches_for_the_attached_file_reads_it_alone(core: Core) -> None:
    await attach(core, *OFFER)
    assert set(await find(core, "mill rent")) != {"offer"}
    assert set(await find(core, "attached file mill", mode="pa")) == {"offer"}


async def test_while_the_records_are_down_the_collection_answers(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await attach(core, *OFFER)

    async def down(user_id: str, room_id: str) -> tuple[str, ...]:
        raise StoreUnavailable("down")

    monkeypatch.setattr(core.collections.attachments, "of", down)
    found = await find(core, "What does the repair of the mill cost?")
    assert found
    assert "offer" not in found


async def scores(core: Core, *others: str) -> tuple[dict[str, float], dict[str, float]]:
    """The scores by words of a user's passages, before and after another user attached these."""
    await attach(core, *OFFER)
    await attach(core, *(f"Ferries cross the river at {hour}." for hour in range(24)), doc_id="ferries", user_id="ben")
    found = []
    for _ in range(2):
        request = Request("What does the repair of the mill cost?", "default", room_id="r1")
        turn: Turn = await core.retrieve.finish(core.new_turn(request, ANN, PROFILE, trace_id="t1"))
        found.append({hit.chunk.text: hit.scores["bm25"] for hit in turn.evidence.hits if hit.chunk.doc_id == "offer"})
        await attach(core, *others, doc_id="others", user_id="ben")
    assert all(found)
    return found[0], found[1]


async def test_scores_tell_nothing_of_the_words_in_files_of_others(core: Core) -> None:
    before, after = await scores(core, *(f"Repair {number} of a mill." for number in range(20)))
    assert before == after


async def test_scores_as_the_index_gives_them_would_tell(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    async def as_found(self: Any, caller: Any, search: Any, first: Any, attached: list[Any]) -> list[Any]:
        return attached

    monkeypatch.setattr(AttachedIndex, "_by_words", as_found)
    before, after = await scores(core, *(f"Repair {number} of a mill." for number in range(20)))
    assert before != after
