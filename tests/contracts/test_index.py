"""What every index does. A backend's own files are in tests/footnote/adapters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footnote.ports import SMALL_COLLECTION, ChunkVectors, Indexed, VectorScope, View
from footnote.types import Caller, Candidates, Chunk, Part, Search, chunks_digest
from tests.contracts.conftest import Open
from tests.fakes import make_chunk, make_document, put_document

pytestmark = pytest.mark.engine

LOCAL = Caller("local", sees_all=True)


def unit(*values: float) -> npt.NDArray[np.float32]:
    vector = np.zeros(4, np.float32)
    vector[: len(values)] = values
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


async def embed(index: Any, chunks: Sequence[Chunk], *vectors: npt.NDArray[np.float32], embedder: str = "e") -> None:
    await index.put_vectors(embedder, [ChunkVectors(chunk.chunk_id, vector) for chunk, vector in zip(chunks, vectors, strict=True)])


async def ask(index: Any, caller: Caller, text: str = "", vector: Any = None, **changes: Any) -> Candidates:
    fields: dict[str, Any] = {"collection": "default", "embedder": "e" if vector is not None else "", **changes}
    found = await index.candidates(caller, Search(text=text, vector=vector, **fields))
    assert isinstance(found, Candidates)
    return found


def ids(entries: Sequence[Any]) -> list[str]:
    return [entry.chunk_id for entry in entries]


async def words(index: Any, caller: Caller, text: str, **changes: Any) -> list[str]:
    return ids((await ask(index, caller, text, **changes)).lexical)


async def near(index: Any, caller: Caller, vector: Any, **changes: Any) -> list[str]:
    return ids((await ask(index, caller, vector=vector, **changes)).dense)


# --- generations -------------------------------------------------------------------------------


async def test_a_staged_generation_does_not_answer_until_it_is_activated(index: Any, me: Caller) -> None:
    document = make_document()
    chunk = make_chunk(document, "The bridge is old.")
    await index.stage(document, [chunk], [((0, 18),)])
    assert await index.staged("plan", 1) == (1, chunks_digest([("plan|1|0", "The bridge is old.")]))
    assert await words(index, me, "bridge") == []
    assert await index.read(me, ["plan|1|0"]) == []
    assert await index.sentences(me, ["plan|1|0"], "e") == {}
    assert await index.sample(me, "default", 9) == []
    assert await index.pending(VectorScope("e"), 9) == []
    await index.activate("plan", 1)
    assert await words(index, me, "bridge") == ["plan|1|0"]
    assert await index.read(me, ["plan|1|0"]) == [chunk]


async def test_staged_chunks_are_read_back_in_order_and_complete(index: Any) -> None:
    document = make_document()
    chunks = [make_chunk(document, f"text {i}", i) for i in range(12)]
    await index.stage(document, chunks, [()] * 12)
    assert await index.staged("plan", 1) == (12, chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks))
    assert await index.staged("plan", 2) == (0, chunks_digest([]))


async def test_staging_again_replaces_what_was_staged(index: Any, me: Caller) -> None:
    document = make_document()
    await index.stage(document, [make_chunk(document, "first"), make_chunk(document, "more", 1)], [(), ()])
    await index.stage(document, [make_chunk(document, "second")], [()])
    assert await index.staged("plan", 1) == (1, chunks_digest([("plan|1|0", "second")]))
    await index.activate("plan", 1)
    assert (await words(index, me, "first"), await words(index, me, "second")) == ([], ["plan|1|0"])


async def test_a_job_redelivered_after_activation_can_stage_and_activate_again(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["The bridge is old."])
    await embed(index, chunks, unit(1))
    document = make_document()
    await index.stage(document, [make_chunk(document, "The bridge is old.")], [()])
    assert await words(index, me, "bridge") == ["plan|1|0"]  # it answers all the while
    await index.activate("plan", 1)
    assert await words(index, me, "bridge") == ["plan|1|0"]
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e"), 9)] == ["plan|1|0"]


async def test_a_new_generation_replaces_the_old_one_in_every_answer(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["The old bridge.", "Another old passage."])
    await embed(index, chunks, unit(1), unit(0, 1))
    await put_document(index, make_document(generation=2), ["The new bridge."])
    assert await words(index, me, "bridge old passage") == ["plan|2|0"]
    assert await near(index, me, unit(1)) == []
    assert [chunk.text for chunk in await index.read(me, ["plan|1|0", "plan|1|1", "plan|2|0"])] == ["The new bridge."]
    assert await index.staged("plan", 1) == (0, chunks_digest([]))


async def test_a_removed_document_is_not_found_even_if_a_late_worker_activates_it(index: Any, me: Caller) -> None:
    document = make_document(generation=2)
    await index.stage(document, [make_chunk(document, "The bridge.")], [()])
    await index.remove("plan", 2)
    assert not await index.activate("plan", 2)
    await index.stage(document, [make_chunk(document, "The bridge.")], [()])
    assert not await index.activate("plan", 2)
    assert await words(index, me, "bridge") == []
    assert await index.read(me, ["plan|2|0"]) == []
    await put_document(index, make_document(generation=3), ["The bridge."])
    assert await words(index, me, "bridge") == ["plan|3|0"]


async def test_an_older_generation_never_replaces_a_newer_one(index: Any, me: Caller) -> None:
    late, soon = make_document(generation=1), make_document(generation=2)
    await index.stage(late, [make_chunk(late, "The old bridge.")], [()])
    await index.stage(soon, [make_chunk(soon, "The new bridge.")], [()])
    assert await index.activate("plan", 2)
    assert not await index.activate("plan", 1)
    assert await index.activate("plan", 2)
    assert [chunk.text for chunk in await index.read(me, await words(index, me, "bridge"))] == ["The new bridge."]


async def test_removing_an_older_generation_leaves_the_newer_one(index: Any, me: Caller) -> None:
    await put_document(index, make_document(generation=2), ["The new bridge."])
    await index.remove("plan", 1)
    assert await words(index, me, "bridge") == ["plan|2|0"]
    await index.remove("plan", 2)
    assert await words(index, me, "bridge") == []


async def test_the_inventory_holds_every_active_or_staged_generation(index: Any) -> None:
    assert [item async for item in index.inventory()] == []
    await put_document(index, make_document("b", collection="other"), ["one", "two"])
    await put_document(index, make_document("a"), ["one"])
    newer = make_document("a", generation=2)
    await index.stage(newer, [make_chunk(newer, "one"), make_chunk(newer, "two", 1), make_chunk(newer, "three", 2)], [(), (), ()])
    gone = make_document("c")
    await put_document(index, gone, ["one"])
    await index.remove("c", 1)
    assert [item async for item in index.inventory()] == [
        Indexed("a", 1, "default", True, 1),
        Indexed("a", 2, "default", False, 3),
        Indexed("b", 1, "other", True, 2),
    ]


async def test_a_document_can_move_to_another_collection_and_other_groups(index: Any, me: Caller, stranger: Caller) -> None:
    await put_document(index, make_document(), ["The bridge."])
    before = await index.view(me, "default")
    await put_document(index, make_document(generation=2, collection="other", groups=("guests",)), ["The bridge."])
    assert await words(index, me, "bridge") == await words(index, me, "bridge", collection="other") == []
    assert await words(index, stranger, "bridge", collection="other") == ["plan|2|0"]
    assert (await index.view(me, "default")).version > before.version


async def test_a_removed_document_is_gone_at_once_and_may_come_back(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["The bridge."])
    await embed(index, chunks, unit(1))
    await put_document(index, make_document("other"), ["Another bridge."])
    await index.remove("plan", 1)
    assert await words(index, me, "bridge") == ["other|1|0"]
    assert await near(index, me, unit(1)) == []
    assert await index.read(me, ["plan|1|0"]) == []
    assert await index.sentences(me, ["plan|1|0"], "e") == {}
    await index.remove("plan", 1)
    await index.remove("never there", 1)
    await put_document(index, make_document(generation=3), ["The bridge is back."])
    assert sorted(await words(index, me, "bridge")) == ["other|1|0", "plan|3|0"]


async def test_a_document_without_chunks_is_not_found(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["The bridge."])
    await put_document(index, make_document(generation=2), [])
    assert await words(index, me, "bridge") == []
    assert await index.staged("plan", 2) == (0, chunks_digest([]))


# --- permissions -------------------------------------------------------------------------------


@pytest.fixture
async def guarded(index: Any) -> Any:
    """One document each for staff, guests, both, everyone and no one, otherwise equal."""
    for doc_id, groups in {"staff": ("staff",), "guests": ("guests",), "both": ("guests", "staff"), "all": ("*",), "none": ()}.items():
        chunks = await put_document(index, make_document(doc_id, groups=groups), ["The bridge."])
        await embed(index, chunks, unit(1))
    return index


CALLERS = [
    (Caller("a", frozenset({"staff"})), ["all", "both", "staff"]),
    (Caller("b", frozenset({"guests"})), ["all", "both", "guests"]),
    (Caller("c", frozenset({"staff", "guests"})), ["all", "both", "guests", "staff"]),
    (Caller("d"), ["all"]),
    (Caller("e", frozenset({"sta", "Staff", "st%", "*ff"})), ["all"]),
    (Caller("f", frozenset({"staff", "guests"})).narrowed(("guests", "admins")), ["all", "both", "guests"]),
    (LOCAL, ["all", "both", "guests", "staff"]),
    (LOCAL.narrowed(("guests",)), ["all", "both", "guests"]),
]


@pytest.mark.parametrize(("caller", "visible"), CALLERS)
async def test_a_caller_sees_the_documents_of_their_groups_and_no_others(guarded: Any, caller: Caller, visible: list[str]) -> None:
    expected = [f"{doc_id}|1|0" for doc_id in visible]
    everything = [f"{doc_id}|1|0" for doc_id in ("all", "both", "guests", "none", "staff")]
    found = await ask(guarded, caller, "bridge", unit(1))
    assert ids(found.lexical) == expected
    assert ids(found.dense) == expected
    assert [chunk.chunk_id for chunk in await guarded.read(caller, everything)] == expected
    assert sorted(await guarded.sentences(caller, everything, "e")) == expected
    assert sorted(chunk.chunk_id for chunk in await guarded.sample(caller, "default", 9)) == expected


async def test_a_hidden_document_takes_no_place_in_a_limited_list(guarded: Any, me: Caller) -> None:
    found = await ask(guarded, me, "bridge", unit(1), limit=2)
    assert (len(found.lexical), len(found.dense)) == (2, 2)


# --- searches ----------------------------------------------------------------------------------


async def test_filters_must_all_match_one_of_their_values(index: Any, me: Caller) -> None:
    for doc_id, metadata in {
        "a": {"class": "law", "year": 1949},
        "b": {"class": ["law", "history"], "year": 2020},
        "c": {"class": "art"},
        "d": {},
    }.items():
        await embed(index, await put_document(index, make_document(doc_id, metadata=metadata), ["The bridge."]), unit(1))

    async def found(**filters: tuple[str, ...]) -> list[str]:
        answer = await ask(index, me, "bridge", unit(1), filters=filters)
        assert ids(answer.lexical) == ids(answer.dense)
        return [entry.chunk_id[0] for entry in answer.lexical]

    assert await found() == ["a", "b", "c", "d"]
    assert await found(**{"class": ("law",)}) == ["a", "b"]
    assert await found(**{"class": ("history", "art")}) == ["b", "c"]
    assert await found(**{"class": ("law",), "year": ("1949", "1950")}) == ["a"]
    assert await found(**{"class": ("la",)}) == await found(missing=("x",)) == await found(year=()) == []


async def test_only_chunks_of_the_requested_levels_are_found(index: Any, me: Caller) -> None:
    document = make_document()
    chunks = [make_chunk(document, "The bridge.", level, level=level) for level in (0, 1, 2)]  # type: ignore[arg-type]
    await index.stage(document, chunks, [()] * 3)
    await index.activate("plan", 1)
    await embed(index, chunks, unit(1), unit(1), unit(1))
    for levels, expected in (((2,), ["plan|1|2"]), ((0, 1), ["plan|1|0", "plan|1|1"]), ((0, 1, 2), ["plan|1|0", "plan|1|1", "plan|1|2"])):
        found = await ask(index, me, "bridge", unit(1), levels=levels)
        assert (ids(found.lexical), ids(found.dense)) == (expected, expected)
    assert [chunk.level for chunk in await index.sample(me, "default", 9)] == [2]


async def test_collections_do_not_see_each_other(index: Any, me: Caller) -> None:
    await put_document(index, make_document("a", collection="one"), ["The bridge."])
    await put_document(index, make_document("b", collection="two; DROP TABLE chunks; --"), ["The bridge."])
    assert await words(index, me, "bridge", collection="one") == ["a|1|0"]
    assert await words(index, me, "bridge", collection="two; DROP TABLE chunks; --") == ["b|1|0"]


async def test_an_unknown_collection_is_empty(index: Any, me: Caller) -> None:
    assert await ask(index, me, "bridge", unit(1), collection="nowhere") == Candidates()
    assert await index.view(me, "nowhere") == View()
    assert await index.sample(me, "nowhere", 3) == []
    assert await index.term_weights(me, "nowhere", ["bridg"]) == {}
    assert await index.read(me, ["x|1|0"]) == []
    assert await index.read(me, []) == []


async def test_more_matches_nearer_beginnings_and_titles_rank_higher(index: Any, me: Caller) -> None:
    await put_document(index, make_document("a"), ["A bridge and a road and a river and a hill."])
    await put_document(index, make_document("b"), ["Bridge, bridge and bridge."])
    await put_document(index, make_document("c", title="The bridge"), ["A bridge and a road and a river and a hill."])
    await put_document(index, make_document("d"), ["No such thing."])
    found = (await ask(index, me, "bridges")).lexical
    assert ids(found) == ["c|1|0", "b|1|0", "a|1|0"]
    assert found[0].score > found[1].score > found[2].score > 0


async def test_lists_are_limited_and_ties_are_ordered_by_chunk_id(index: Any, me: Caller) -> None:
    for doc_id in ("c", "a", "e", "b", "d"):
        await embed(index, await put_document(index, make_document(doc_id, title="Same"), ["The bridge."]), unit(1, 1))
    await embed(index, await put_document(index, make_document("f", title="Same"), ["A bridge, a bridge."]), unit(1))
    found = await ask(index, me, "bridge", unit(1))
    assert ids(found.lexical) == ids(found.dense) == ["f|1|0", "a|1|0", "b|1|0", "c|1|0", "d|1|0", "e|1|0"]
    assert len({entry.score for entry in found.dense}) == 2
    limited = await ask(index, me, "bridge", unit(1), limit=3)
    assert ids(limited.lexical) == ["f|1|0", "a|1|0", "b|1|0"]
    assert ids(limited.dense) == ["f|1|0", "a|1|0", "b|1|0"]


async def test_the_dense_list_holds_cosines(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "two", "three"])
    await embed(index, chunks, unit(1), unit(3, 4), unit(-1))
    found = (await ask(index, me, vector=unit(1))).dense
    assert [(entry.chunk_id, round(entry.score, 5)) for entry in found] == [("plan|1|0", 1.0), ("plan|1|1", 0.6), ("plan|1|2", -1.0)]


async def test_coverage_is_the_share_of_chunks_that_have_a_vector(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "two", "three", "four"])
    assert (await ask(index, me, vector=unit(1))).coverage == 0.0
    await embed(index, chunks[:3], unit(1), unit(1), unit(1))
    assert (await ask(index, me, vector=unit(1))).coverage == 0.75
    await embed(index, chunks[3:], unit(1))
    assert (await ask(index, me, "one", unit(1))).coverage == 1.0


SIGNS = [
    "bridge AND", "NOT bridge", '"bridge', "bridge*", "(bridge", "bridge)", "NEAR(bridge", "^bridge", "title:bridge",
    "bridge -old", "bridge; --",
    "bridge\x00old", "bridge 🙂", "bri\u00addge bridge", "{bridge}", "bridge's", "'bridge'", "a:b:bridge", "+bridge", "bridge\\",
]  # fmt: skip


async def test_no_special_character_in_a_question_breaks_the_search(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["The bridge."])
    assert {question: await words(index, me, question) for question in SIGNS} == {question: ["plan|1|0"] for question in SIGNS}


async def test_a_question_without_a_word_finds_nothing(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["The bridge."])
    for question in ("", "?!", "🙂", "\x00", '""', "the", "*", "AND OR NOT"):
        assert await words(index, me, question) == [], question


@pytest.mark.parametrize(
    ("lang", "text", "question"),
    [
        ("en", "They were building bridges.", "bridge builders build"),
        ("de", "Der Kaufvertrag wurde unterschrieben.", "Vertrag"),
        ("ko", "서울특별시는 대한민국의 수도이다.", "대한민국"),
        ("ko", "GPT-4 Models를 사용한다.", "model"),
        ("ja", "東京タワーは高い。", "東京"),
        ("und", "Мост построен.", "мост"),
        ("und", "𝒜 ﬁne 𐐨𐐩 text", "𐐀𐐁"),
    ],
)
async def test_a_text_is_found_by_the_words_of_its_language(index: Any, me: Caller, lang: str, text: str, question: str) -> None:
    await put_document(index, make_document(), [text, "something else"], lang=lang)
    assert await words(index, me, question, lang=lang) == ["plan|1|0"]


async def test_a_very_long_question_is_answered(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["Die Brücke."], lang="de")
    question = "Brücke " + " ".join(f"w{i:03}verstand" for i in range(150))
    assert await words(index, me, question, lang="de") == ["plan|1|0"]


async def test_ids_titles_and_texts_may_hold_any_character(index: Any, me: Caller) -> None:
    document = make_document("ä|한/'\"%_🙂", title='“Ti"tle”', metadata={"k": ["v", {"x": None}]}, collection="한국어")
    parts = (Part(0, 3, 0, 0), Part(7, 4, 1, 12, "table"))
    about = {"headings": ("A", "한"), "page": 3, "kind": "table", "content_type": "contents"}
    chunk = make_chunk(document, "Bridge\n| 🙂 | 'x' |", parts=parts, **about)
    await index.stage(document, [chunk], [((0, 6), (7, 18))])
    await index.activate(document.doc_id, 1)
    found = await words(index, me, "bridge", collection="한국어")
    assert await index.read(me, found) == [chunk]
    assert (await index.sentences(me, found, "e"))[chunk.chunk_id].bounds == ((0, 6), (7, 18))
    await index.remove(document.doc_id, document.generation)
    assert await index.read(me, found) == []


async def test_chunks_are_read_in_the_order_asked(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["one", "two", "three"])
    assert [chunk.text for chunk in await index.read(me, ["plan|1|2", "x|1|0", "plan|1|0"])] == ["three", "one"]


# --- collections -------------------------------------------------------------------------------


async def test_term_weights_are_inverse_document_frequencies(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["bridge bridge road", "road river", "road", "hill"])
    weights = await index.term_weights(me, "default", ["road", "bridg", "nowher", "road"])
    chunks = 4 + SMALL_COLLECTION
    assert weights == {
        "road": pytest.approx(log(1 + (chunks - 3 + 0.5) / 3.5)),
        "bridg": pytest.approx(log(1 + (chunks - 1 + 0.5) / 1.5)),
        "nowher": pytest.approx(log(1 + (chunks + 0.5) / 0.5)),
    }
    assert await index.term_weights(me, "default", []) == {}
    await put_document(index, make_document("more"), ["bridge"])
    changed = await index.term_weights(me, "default", ["road", "bridg"])
    assert changed["bridg"] < weights["bridg"]
    assert changed["road"] > weights["road"]


async def test_terms_are_known_from_visible_active_chunks_only(index: Any, me: Caller, stranger: Caller) -> None:
    await put_document(index, make_document(), ["bridge road"])
    await index.stage(make_document("later"), [make_chunk(make_document("later"), "river")], [((0, 5),)])
    wanted = ["bridg", "road", "river", "nowher"]
    assert await index.known_terms(me, "default", wanted) == {"bridg", "road"}
    assert await index.known_terms(stranger, "default", wanted) == frozenset()
    assert await index.known_terms(me, "nowhere", wanted) == frozenset()
    assert await index.known_terms(me, "default", []) == frozenset()


async def test_the_version_grows_with_every_change_that_answers_can_see(index: Any) -> None:
    versions = []

    async def grown() -> int:
        view = await index.view(LOCAL, "default")
        versions.append(view.version)
        return sum(view.languages.values())

    chunks = await put_document(index, make_document(), ["one", "two"])
    assert await grown() == 2
    await put_document(index, make_document("b"), ["eins"], lang="de")
    assert await grown() == 3
    await embed(index, chunks[:1], unit(1))
    await grown()
    await index.remove("plan", 1)
    assert await grown() == 1
    await index.stage(make_document("c"), [], [])
    await index.remove("nothing", 1)
    assert versions == sorted(set(versions))
    assert (await index.view(LOCAL, "default")).version == versions[-1]


async def test_languages_are_counted_among_what_a_caller_may_read(index: Any, me: Caller) -> None:
    assert await index.view(me, "default") == View()
    await put_document(index, make_document(), ["one", "two"])
    await put_document(index, make_document("b", groups=("board",)), ["eins", "zwei", "drei"], lang="de")
    views = [await index.view(caller, "default") for caller in (me, Caller("boss", frozenset({"board"})), LOCAL, Caller("x"))]
    assert [view.languages for view in views] == [{"en": 2}, {"de": 3}, {"de": 3, "en": 2}, {}]
    await index.remove("b", 1)
    assert (await index.view(LOCAL, "default")).languages == {"en": 2}
    assert await index.view(me, "nowhere") == View()


async def test_a_view_holds_the_groups_of_the_caller_that_access_lists_name(index: Any) -> None:
    await put_document(index, make_document(groups=("staff", "board")), ["one"])
    await put_document(index, make_document("open", groups=("*",)), ["two"])
    await put_document(index, make_document("own", groups=("user:ann",)), ["three"])
    await put_document(index, make_document("elsewhere", collection="other", groups=("guests",)), ["four"])
    coming = make_document("coming", groups=("guests",))
    await index.stage(coming, [make_chunk(coming, "five")], [()])
    ann, bob = Caller("ann", frozenset({"user:ann", "staff", "guests"})), Caller("bob", frozenset({"user:bob", "staff"}))

    async def groups(*callers: Caller) -> list[frozenset[str]]:
        return [(await index.view(caller, "default")).groups for caller in callers]

    assert await groups(ann, bob, Caller("x")) == [{"user:ann", "staff"}, {"staff"}, frozenset()]
    await index.remove("own", 1)
    assert await groups(ann) == [{"staff"}]
    await put_document(index, make_document(generation=2, groups=("board",)), ["one"])
    assert await groups(ann, bob, Caller("boss", frozenset({"board"}))) == [frozenset(), frozenset(), {"board"}]


async def test_a_sample_takes_a_passage_of_each_document_before_a_second_of_any(index: Any, me: Caller) -> None:
    for doc_id in ("a", "b", "c"):
        await put_document(index, make_document(doc_id), ["first", "second"])
    assert [chunk.chunk_id for chunk in await index.sample(me, "default", 4)] == ["c|1|0", "b|1|0", "a|1|0", "c|1|1"]


# --- concurrency -------------------------------------------------------------------------------


async def test_another_client_of_the_same_data_sees_every_change(open_index: Open, me: Caller) -> None:
    writer, reader = await open_index(), await open_index()
    chunks = await put_document(writer, make_document(), ["The old bridge.", "The old road."])
    await embed(writer, chunks, unit(1), unit(0, 1))
    assert (await words(reader, me, "bridge"), await near(reader, me, unit(1))) == (["plan|1|0"], ["plan|1|0", "plan|1|1"])
    chunks = await put_document(writer, make_document(generation=2), ["The new bridge."])
    assert (await words(reader, me, "bridge road"), await near(reader, me, unit(1))) == (["plan|2|0"], [])
    await embed(writer, chunks, unit(1))
    assert await near(reader, me, unit(1)) == ["plan|2|0"]
    await writer.remove("plan", 2)
    assert (await words(reader, me, "bridge"), await near(reader, me, unit(1))) == ([], [])
    assert (await reader.view(LOCAL, "default")).languages == {}


async def test_a_search_sees_exactly_one_generation(open_index: Open, me: Caller) -> None:
    writer, other = await open_index(), await open_index()

    async def publish(generation: int) -> None:
        chunks = await put_document(writer, make_document(generation=generation), ["The bridge.", "A bridge."])
        await embed(writer, chunks, unit(1), unit(1))

    await publish(1)
    done = asyncio.Event()

    async def write() -> None:
        for generation in range(2, 9):
            await publish(generation)
        done.set()

    async def search(index: Any) -> int:
        searches = 0
        while not done.is_set():
            found = await ask(index, me, "bridge", unit(1))
            assert len(found.lexical) == 2
            generations = {entry.chunk_id.split("|")[1] for entry in (*found.lexical, *found.dense)}
            assert len(generations) == 1, found
            searches += 1
        return searches

    counts = await asyncio.gather(search(writer), search(other), search(other), write())
    assert min(counts[:3]) > 1


async def test_two_writers_wait_for_each_other(open_index: Open, me: Caller) -> None:
    clients = [await open_index(), await open_index()]

    async def write(doc_id: str, index: Any) -> None:
        await embed(index, await put_document(index, make_document(doc_id), ["The bridge."]), unit(1))

    await asyncio.gather(*(write(f"d{i}", clients[i % 2]) for i in range(10)))
    for client in clients:
        assert await words(client, me, "bridge") == await near(client, me, unit(1)) == [f"d{i}|1|0" for i in range(10)]
