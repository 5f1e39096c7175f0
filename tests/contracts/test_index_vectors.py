"""What every index does with vectors: chunks that wait for theirs, and dense search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from footnote.ports import ChunkVectors, PendingVector, VectorScope
from footnote.text.tokens import content_terms
from footnote.types import Caller, Candidates, Chunk, ChunkLevel, ChunkSentences
from tests.contracts.conftest import Open
from tests.contracts.test_index import LOCAL, ask, embed, ids, near, unit
from tests.fakes import make_chunk, make_document, put_document


@pytest.mark.engine
async def test_chunks_wait_for_their_vectors_oldest_first(index: Any) -> None:
    chunks = await put_document(index, make_document(title="T"), ["One. Two and three.", "zwei"])
    await put_document(index, make_document("b"), ["drei"], lang="de")
    assert await index.pending(VectorScope("e", frozenset({"en"})), 1) == [
        PendingVector("plan|1|0", "T", "One. Two and three.", "en", ((0, 19),))
    ]
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e"), 9)] == ["plan|1|0", "plan|1|1", "b|1|0"]
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e"), 9, "b")] == ["b|1|0"]
    assert await index.pending(VectorScope("e", frozenset()), 9) == []
    assert await index.progress(VectorScope("e")) == (0, 3)
    await embed(index, chunks[:1], unit(1))
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e", frozenset({"en"})), 9)] == ["plan|1|1"]
    assert (await index.progress(VectorScope("e", frozenset({"en"}))), await index.progress(VectorScope("e"))) == ((1, 2), (1, 3))


@pytest.mark.engine
async def test_it_can_be_asked_what_some_collections_wait_for(index: Any) -> None:
    for name in ("laws", "notes", "plans"):
        await put_document(index, make_document(name, collection=name), ["one"])

    async def waiting(**names: frozenset[str]) -> tuple[list[str], tuple[int, int]]:
        scope = VectorScope("e", **names)
        return [item.chunk_id for item in await index.pending(scope, 9)], await index.progress(scope)

    assert await waiting(only=frozenset({"laws", "notes"})) == (["laws|1|0", "notes|1|0"], (0, 2))
    assert await waiting(only=frozenset({"laws", "notes"}), without=frozenset({"laws"})) == (["notes|1|0"], (0, 1))
    assert await waiting(without=frozenset({"laws"})) == (["notes|1|0", "plans|1|0"], (0, 2))
    assert await waiting(only=frozenset({"nowhere"})) == ([], (0, 0))
    assert await waiting(only=frozenset()) == ([], (0, 0))


@pytest.mark.engine
async def test_the_vectors_of_a_chunk_that_vanished_are_dropped(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one"])
    other = await put_document(index, make_document("b"), ["two"])
    await index.remove("plan", 1)
    await embed(index, [*chunks, *other], unit(1), unit(1))
    assert await near(index, me, unit(1)) == ["b|1|0"]
    assert await index.progress(VectorScope("e")) == (1, 1)
    await index.put_vectors("e", [])


@pytest.mark.engine
async def test_another_embedder_takes_over_chunk_by_chunk(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "two"])
    await embed(index, chunks, unit(1), unit(0, 1))
    wide = np.eye(8, dtype=np.float32)
    assert await near(index, me, wide[0], embedder="f") == []
    assert await index.progress(VectorScope("f")) == (0, 2)
    await embed(index, chunks[:1], wide[0], embedder="f")
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("f"), 9)] == ["plan|1|1"]
    assert await near(index, me, wide[0], embedder="f") == ["plan|1|0"]
    assert await near(index, me, unit(1)) == ["plan|1|1"]
    await embed(index, chunks[1:], wide[1], embedder="f")
    assert await near(index, me, unit(1)) == []
    assert await near(index, me, wide[1], embedder="f") == ["plan|1|1", "plan|1|0"]


async def test_vectors_may_be_made_again(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "two"])
    await embed(index, chunks, unit(1), unit(0, 1))
    await embed(index, chunks, unit(0, 1), unit(1))
    assert await near(index, me, unit(1)) == ["plan|1|1", "plan|1|0"]
    assert await index.progress(VectorScope("e")) == (2, 2)


async def test_vectors_of_an_earlier_recipe_stay_in_use_until_they_are_replaced(index: Any, me: Caller) -> None:
    old = await put_document(index, make_document(), ["one", "two", "three"])
    axes = np.eye(4, dtype=np.float32)

    async def put(recipe: int, *numbers: int) -> None:
        await index.put_vectors("e", [ChunkVectors(old[i].chunk_id, axes[(i + recipe - 1) % 4], recipe=recipe) for i in numbers])

    async def state() -> tuple[Any, ...]:
        waiting = [item.chunk_id[-1] for item in await index.pending(VectorScope("e", recipe=2), 9)]
        found = await ask(index, me, "one", axes[0])
        return waiting, await index.progress(VectorScope("e", recipe=2)), sorted(ids(found.dense)), found.coverage, found.bare

    everything = sorted(chunk.chunk_id for chunk in old)
    await put(1, 0, 1, 2)
    assert (await index.pending(VectorScope("e", recipe=1), 9), await index.progress(VectorScope("e", recipe=1))) == ([], (3, 3))
    assert await state() == (["0", "1", "2"], (0, 3), everything, 1.0, frozenset())
    assert (await near(index, me, axes[0]))[0] == "plan|1|0"
    await put(2, 0)
    assert await state() == (["1", "2"], (1, 3), everything, 1.0, frozenset())
    assert (await near(index, me, axes[1]))[:2] == ["plan|1|0", "plan|1|1"]  # the new vector of one, the old one of two
    await put(2, 1, 2)
    assert await state() == ([], (3, 3), everything, 1.0, frozenset())
    assert (await index.pending(VectorScope("e", recipe=1), 9), await index.progress(VectorScope("e", recipe=1))) == ([], (3, 3))
    assert (await near(index, me, axes[3]))[0] == "plan|1|2"


@pytest.mark.engine
async def test_chunks_without_a_vector_come_before_those_of_an_earlier_recipe(index: Any) -> None:
    await embed(index, await put_document(index, make_document(), ["one"]), unit(1))
    await put_document(index, make_document("new", title="T"), ["two"], headings=("A", "한"))
    waiting = await index.pending(VectorScope("e", recipe=1), 9)
    assert [(item.chunk_id, item.headings) for item in waiting] == [("new|1|0", ("A", "한")), ("plan|1|0", ())]
    assert await index.pending(VectorScope("e", recipe=1), 1) == waiting[:1]
    assert await index.pending(VectorScope("e", recipe=1), 9, "plan") == waiting[1:]


async def put_levels(index: Any, doc_id: str = "plan", collection: str = "default", groups: Sequence[str] = ("staff",)) -> list[Chunk]:
    """A passage, the opening of a section, and an outline."""
    document = make_document(doc_id, collection=collection, groups=groups)
    levels: tuple[ChunkLevel, ...] = (2, 1, 0)
    chunks = [make_chunk(document, "The bridge.", i, level=level) for i, level in enumerate(levels)]
    await index.stage(document, chunks, [((0, 11),)] * 3)
    await index.activate(doc_id, 1)
    return chunks


async def waiting_for(index: Any) -> list[str]:
    waiting = [item.chunk_id for item in await index.pending(VectorScope("e"), 99)]
    done, total = await index.progress(VectorScope("e"))
    assert total - done == len(waiting)
    return waiting


@pytest.mark.engine
async def test_outlines_and_openings_get_vectors_in_collections_where_they_are_searched(open_index: Open, me: Caller) -> None:
    index, other = await open_index(), await open_index()
    chunks = await put_levels(index)
    await put_levels(index, "law", "laws")
    passages = ["plan|1|0", "law|1|0"]
    assert await waiting_for(index) == passages
    await embed(index, chunks[:1], unit(1))
    for unmoved in ({"levels": (2,), "vector": unit(1)}, {"levels": (0, 1, 2)}):  # passages alone; words alone
        await ask(index, me, "bridge", **unmoved)
        assert await waiting_for(index) == passages[1:]
    found = await ask(index, me, "bridge", unit(1), levels=(0, 1, 2))
    assert (sorted(ids(found.lexical)), ids(found.dense)) == ([chunk.chunk_id for chunk in chunks], passages[:1])
    assert (found.coverage, found.bare) == (pytest.approx(1 / 3), {"plan|1|1", "plan|1|2"})
    for each in (index, other):
        assert await waiting_for(each) == ["plan|1|1", "plan|1|2", "law|1|0"]
    assert [item.chunk_id for item in await other.pending(VectorScope("e"), 99, "plan")] == ["plan|1|1", "plan|1|2"]
    await embed(other, chunks[1:], unit(1), unit(0, 1))
    found = await ask(index, me, "bridge", unit(0, 1), levels=(0, 1, 2))
    assert (ids(found.dense)[0], found.coverage, found.bare) == ("plan|1|2", 1.0, frozenset())
    await put_levels(index, "later")
    assert await waiting_for(index) == ["law|1|0", "later|1|0", "later|1|1", "later|1|2"]
    await ask(index, me, vector=unit(1), levels=(0,), collection="laws")
    assert await waiting_for(index) == ["law|1|0", "law|1|1", "law|1|2", "later|1|0", "later|1|1", "later|1|2"]


@pytest.mark.engine
async def test_a_search_at_all_levels_of_an_unknown_collection_finds_nothing(index: Any, me: Caller) -> None:
    assert await ask(index, me, "bridge", unit(1), levels=(0, 1), collection="unknown") == Candidates()
    await put_levels(index, "plan", "unknown")
    assert await waiting_for(index) == ["plan|1|0"]


@pytest.mark.engine
async def test_sentence_vectors_come_back_with_their_passage(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["The first sentence. The second sentence.", "Another one without any."])
    sentences = np.array([[127, 0, 0, -127], [1, 2, 3, 4]], np.int8)
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, unit(3, 4), sentences), ChunkVectors(chunks[1].chunk_id, unit(1))])
    found = await index.sentences(me, [chunk.chunk_id for chunk in chunks], "e")
    assert found["plan|1|0"].bounds == ((0, 19), (20, 40))
    assert found["plan|1|0"].vectors.tolist() == sentences.tolist()
    assert found["plan|1|0"].passage.tolist() == unit(3, 4).tolist()
    assert (found["plan|1|1"].bounds, found["plan|1|1"].vectors) == (((0, 24),), None)


@pytest.mark.parametrize(
    ("text", "lang", "terms"),
    [
        ("The bridges are old. Is it so?", "en", ("bridg old", "")),
        ("Die Brücken sind alt. Züge fahren.", "de", ("bruck alt", "zug fahr")),
        ("다리는 오래되었다. Python도 쓴다.", "ko", ("다리 리는 오래 래되 되었 었다", "도 쓴다 python")),
    ],
)
async def test_the_terms_of_sentences_and_headings_are_kept(
    index: Any, me: Caller, stranger: Caller, text: str, lang: str, terms: tuple[str, ...]
) -> None:
    document, end = make_document(title="Plans"), text.index(".") + 1
    chunk, bounds = make_chunk(document, text, lang=lang, headings=("Rail", "Python")), ((0, end), (end + 1, len(text)))
    await index.stage(document, [chunk], [bounds])
    await index.activate("plan", 1)
    found = (await index.sentences(me, [chunk.chunk_id], "e"))[chunk.chunk_id]
    assert found.terms == terms
    assert found.terms == tuple(" ".join(content_terms(text[start:end], lang)) for start, end in bounds)
    assert found.heading_terms == " ".join(content_terms("Plans Rail Python", lang))
    await embed(index, [chunk], unit(1))
    assert (await index.sentences(me, [chunk.chunk_id], "e"))[chunk.chunk_id].terms == terms
    assert await index.sentences(stranger, [chunk.chunk_id], "e") == {}
    await put_document(index, make_document(generation=2, groups=("hr",)), [text])
    assert await index.sentences(me, ["plan|1|0", "plan|2|0"], "e") == {}


async def test_a_chunk_without_sentences_has_the_terms_of_its_title(index: Any, me: Caller) -> None:
    document = make_document(title="Harbour plans")
    await index.stage(document, [make_chunk(document, "…"), make_chunk(document, "One.", 1)], [(), ((0, 4),)])
    await index.activate("plan", 1)
    found = await index.sentences(me, ["plan|1|0", "plan|1|1"], "e")
    assert found["plan|1|0"] == ChunkSentences((), heading_terms="harbour plan")
    assert found["plan|1|1"] == ChunkSentences(((0, 4),), terms=("one",), heading_terms="harbour plan")


@pytest.mark.engine
async def test_coverage_counts_what_the_caller_may_read_in_the_languages_that_get_vectors(index: Any, me: Caller) -> None:
    english = await put_document(index, make_document(), ["one", "two"])
    await put_document(index, make_document("ko"), ["하나"], lang="ko")
    hidden = await put_document(index, make_document("hidden", groups=("hr",)), ["one of theirs"])
    await embed(index, english, unit(1), unit(0, 1))
    spoken = frozenset({"en"})
    assert (await ask(index, me, vector=unit(1), languages=spoken)).coverage == 1.0
    assert (await ask(index, me, vector=unit(1))).coverage == pytest.approx(2 / 3)
    assert (await ask(index, LOCAL, vector=unit(1), languages=spoken)).coverage == pytest.approx(2 / 3)
    assert (await ask(index, me, vector=unit(1), languages=spoken, levels=(0,))).coverage == 1.0  # there are none
    assert (await ask(index, me, vector=unit(1), languages=spoken, embedder="other")).coverage == 0.0
    await embed(index, hidden, unit(1))
    assert (await ask(index, LOCAL, vector=unit(1), languages=spoken)).coverage == 1.0
    assert (await ask(index, me, "one", languages=spoken)).coverage == 1.0  # no vector was asked for


@pytest.mark.engine
async def test_passages_found_by_words_that_have_no_vector_are_named(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "one two", "one three", "four"])
    assert (await ask(index, me, "one", unit(1))).bare == {"plan|1|0", "plan|1|1", "plan|1|2"}
    await embed(index, chunks[:2], unit(1), unit(0, 1))
    found = await ask(index, me, "one", unit(1))
    assert (set(ids(found.lexical)), found.bare) == ({"plan|1|0", "plan|1|1", "plan|1|2"}, {"plan|1|2"})
    assert (await ask(index, me, "one", unit(1), embedder="other")).bare == {"plan|1|0", "plan|1|1", "plan|1|2"}
    assert (await ask(index, me, "one")).bare == frozenset()
    assert (await ask(index, me, vector=unit(1))).bare == frozenset()


@pytest.mark.engine
async def test_no_list_is_missing_from_a_search_that_is_answered_in_time(index: Any, me: Caller) -> None:
    document = make_document()
    chunk = make_chunk(document, "The bridge is old.")
    await put_document(index, document, ["The bridge is old."])
    await embed(index, [chunk], unit(1))
    found = await ask(index, me, "bridge", unit(1))
    assert (ids(found.lexical), ids(found.dense), found.missing) == (["plan|1|0"], ["plan|1|0"], frozenset())
    assert set(found.ms) <= {"bm25", "cosine"}


@pytest.mark.engine
async def test_hits_in_another_language_are_marked(index: Any, me: Caller) -> None:
    chunks = [*await put_document(index, make_document(), ["one"]), *await put_document(index, make_document("de"), ["one"], lang="de")]
    await embed(index, chunks, unit(1), unit(0, 1))
    for lang, foreign in (("en", "de|1|0"), ("de", "plan|1|0")):
        found = await ask(index, me, "one", unit(1), lang=lang, spoken=frozenset({"en", "de"}))
        for entries in (found.lexical, found.dense):
            assert {entry.chunk_id for entry in entries if entry.foreign} == {foreign}
            assert len(entries) == 2
