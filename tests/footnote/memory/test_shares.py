"""What a reader of a shared conversation sees of an answer, passage by passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from footnote.memory.shares import NOTHING, SharedAnswer, digest_of, make_share, read_shared
from footnote.types import Answer, Caller, Chunk, Citation, Hit
from tests.turns import ME, make_turn, stored

READER = Caller("reader", frozenset({"staff"}))


class Passages:
    """`Index.read` of these passages alone."""

    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = {chunk.chunk_id: chunk for chunk in chunks}

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        assert caller == READER
        return [self._chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in self._chunks]


def passage(doc_id: str, text: str, generation: int = 1, ordinal: int = 0) -> Chunk:
    return Chunk(f"{doc_id}|{generation}|{ordinal}", doc_id, generation, ordinal, 2, doc_id.title(), text, "en", "default")


def cite(number: int, chunk: Chunk, *sentences: str) -> Citation:
    bounds = tuple((chunk.text.find(each), chunk.text.find(each) + len(each)) for each in sentences)
    return Citation(number, Hit(chunk, 0.5), sentences[0], None, bounds, ((0, 3),))


async def seen(*readable: Chunk, citations: Sequence[Citation], hits: Sequence[Chunk] = (), extractive: bool = True) -> SharedAnswer:
    found = tuple(Hit(chunk, 0.5) for chunk in hits or {each.hit.chunk.chunk_id: each.hit.chunk for each in citations}.values())
    answer = Answer("From all of them.", tuple(citations), extractive=extractive)
    record = stored(make_turn(caller=ME, room_id="r1", trace_id="t1", hits=found, answer=answer))
    index: Any = Passages(*readable)
    (shared,) = await read_shared([record], READER, index=index)
    return shared


RED = passage("red", "Red is warm. It is loud, too. 붉은색은 따뜻하다.")
BLUE = passage("blue", "Blue is cold.")


async def test_sentences_of_readable_passages_are_cut_from_them_in_the_answers_order() -> None:
    loud = cite(1, RED, "It is loud, too.", "붉은색은 따뜻하다.", "It is loud, too.")
    citations = [loud, cite(2, BLUE, "Blue is cold."), cite(3, RED, "Red is warm.")]
    shared = await seen(RED, citations=citations)
    assert (shared.text, shared.withheld) == ("It is loud, too. 붉은색은 따뜻하다. [1]\n\nRed is warm. [3]", "part")
    assert [shared.text[start:end] for reference in shared.references for start, end in reference["spans"]] == ["[1]", "[3]"]
    assert shared.texts == {"red|1|0": RED.text}


async def test_a_quoted_sentence_that_leaves_code_open_does_not_swallow_its_marker() -> None:
    open_code = passage("red", "Set `colour to red. It is warm.")
    shared = await seen(open_code, citations=[cite(1, open_code, "Set `colour to red.")], hits=(open_code, BLUE))
    assert shared.text == "Set \\`colour to red. [1]"
    assert [shared.text[start:end] for reference in shared.references for start, end in reference["spans"]] == ["[1]"]


async def test_an_answer_whose_passages_are_all_readable_is_shown_as_it_was() -> None:
    for extractive in (True, False):
        shared = await seen(RED, BLUE, citations=[cite(1, RED, "Red is warm.")], hits=(RED, BLUE), extractive=extractive)
        assert (shared.text, shared.withheld, [hit["doc_id"] for hit in shared.hits]) == ("From all of them.", "nothing", ["red"])


async def test_an_unreadable_passage_that_is_not_cited_leaves_the_quoted_sentences() -> None:
    shared = await seen(RED, citations=[cite(1, RED, "Red is warm.")], hits=(RED, BLUE))
    assert (shared.text, shared.withheld) == ("Red is warm. [1]", "part")


@pytest.mark.parametrize(
    ("readable", "citations"),
    [
        ((), [cite(1, RED, "Red is warm.")]),
        ((BLUE,), [cite(1, RED, "Red is warm.")]),
        ((passage("red", "Red is warm.", 2),), [cite(1, RED, "Red is warm.")]),
        ((BLUE,), [Citation(1, Hit(BLUE, 0.5), "x", None, ((5, 900),)), cite(2, RED, "Red is warm.")]),
        ((BLUE,), [Citation(1, Hit(BLUE, 0.5), "x"), cite(2, RED, "Red is warm.")]),
    ],
    ids=["nothing readable", "another document", "another version", "positions outside of the passage", "no positions"],
)
async def test_where_no_cited_sentence_can_be_read_all_is_withheld(readable: Sequence[Chunk], citations: Sequence[Citation]) -> None:
    assert await seen(*readable, citations=citations) == NOTHING


async def test_a_citation_of_two_versions_of_a_passage_needs_both() -> None:
    newer = passage("red", RED.text, 2)
    shared = await seen(newer, citations=[cite(1, newer, "Red is warm.")], hits=(RED, newer))
    assert shared == NOTHING


def test_a_token_opens_by_its_hash_alone() -> None:
    share, token = make_share(ME, "r1", 100.0, 50.0)
    assert (share.digest, share.user_id, share.room_id, share.created_at, share.expires_at) == (digest_of(token), "me", "r1", 100.0, 150.0)
    assert share.digest.startswith(share.share_id)
    assert token not in repr(share)
    assert make_share(ME, "r1", 100.0, None)[0].expires_at is None
