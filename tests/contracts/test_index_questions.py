"""What every index does with questions that a passage answers: they find it, and are never read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from footnote.types import Caller
from tests.contracts.test_index import words
from tests.fakes import make_chunk, make_document, put_document


async def test_words_of_a_question_find_its_passage_alone(index: Any, me: Caller) -> None:
    document = make_document()
    chunks = [make_chunk(document, "The lamp burned oil.", 0), make_chunk(document, "The keeper climbed the stairs.", 1)]
    asked = [replace(chunks[0], questions=("What fuel was used?", "Who brought petroleum?")), chunks[1]]
    await index.stage(document, asked, [((0, 20),), ((0, 30),)])
    await index.activate(document.doc_id, 1)
    assert await words(index, me, "fuel petroleum") == ["plan|1|0"]
    assert await index.read(me, ["plan|1|0", "plan|1|1"]) == chunks
    assert sorted(chunk.text for chunk in await index.sample(me, "default", 9)) == sorted(chunk.text for chunk in chunks)
    assert (await index.info("default")).chunks == 2
    assert await words(index, Caller("eve"), "petroleum") == []
    assert await index.known_terms(Caller("eve"), "default", ["petroleum"]) == frozenset()


async def test_they_go_with_their_generation(index: Any, me: Caller) -> None:
    document = make_document()
    await put_document(index, document, ["The lamp burned oil."], questions=("Who brought petroleum?",))
    assert await index.staged(document.doc_id, 1) != (0, "")
    await put_document(index, make_document(generation=2), ["The lamp burned oil."], questions=("Who brought kerosene?",))
    assert (await words(index, me, "petroleum"), await words(index, me, "kerosene")) == ([], ["plan|2|0"])
    await index.remove(document.doc_id, 2)
    assert await words(index, me, "kerosene") == []
