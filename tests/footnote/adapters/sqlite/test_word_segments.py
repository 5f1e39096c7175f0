"""Search by the postings of segments finds what SQLite's own search finds, with the same scores."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite import index as index_module
from footnote.adapters.sqlite import word_segments
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.adapters.sqlite.word_search import find_by_words
from footnote.types import Caller, Candidate, Search
from tests.fakes import make_document, put_document
from tests.turns import ME

SEGMENT = 8
WORDS = [f"w{number}" for number in range(30)]
OFTEN = [1 / (1 + number) for number in range(30)]
QUESTIONS = ["w0", "w1 w2", "w0 w3 w9 w29", "w5 w0 w11 w20 unheard", "w28 w29", "unheard"]


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_segments, "SEGMENT", SEGMENT)


async def lexical(index: SqliteIndex, text: str, limit: int, caller: Caller = ME) -> tuple[Candidate, ...]:
    return (await index.candidates(caller, Search("default", text, limit=limit))).lexical


async def differing(index: SqliteIndex, limit: int, caller: Caller = ME) -> list[str]:
    """The questions that SQLite alone answers otherwise."""
    found = [await lexical(index, question, limit, caller) for question in QUESTIONS]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            index_module, "find_by_words", lambda connection, collection_id, _, *rest: find_by_words(connection, collection_id, 0, *rest)
        )
        alone = [await lexical(index, question, limit, caller) for question in QUESTIONS]
    assert any(alone)
    return [question for question, one, other in zip(QUESTIONS, found, alone, strict=True) if one != other]


def segments(folder: Path) -> list[int]:
    with closing(sqlite3.connect(folder / "index.db")) as connection:
        return [last for (last,) in connection.execute("SELECT last FROM word_segments ORDER BY segment")]


@pytest.mark.parametrize("seed", range(4))
async def test_segments_find_what_sqlite_finds_however_documents_change(open_index: Any, tmp_path: Path, seed: int) -> None:
    index, chance = open_index(), random.Random(seed)
    generations: dict[str, int] = {}
    for _ in range(40):
        doc_id = f"d{chance.randrange(25)}"
        generations[doc_id] = generation = generations.get(doc_id, 0) + 1
        texts = [" ".join(chance.choices(WORDS, OFTEN, k=chance.randint(1, 12))) for _ in range(chance.randint(1, 4))]
        groups, title = (chance.choice(("*", "*", "staff")),), chance.choice(WORDS)
        collection = "other" if doc_id.endswith("3") else "default"
        document = make_document(doc_id, generation=generation, title=title, groups=groups, collection=collection)
        await put_document(index, document, texts)
        if chance.random() < 0.3:
            await index.remove(doc_id, generation)
    assert len(segments(tmp_path)) > 3
    for caller in (ME, Caller("guest")):
        for limit in (1, 3, 100):
            assert await differing(index, limit, caller) == []


async def test_a_row_of_a_segment_is_never_used_again(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    await put_document(index, make_document("a"), ["bridge"] * SEGMENT)
    await index.remove("a", 1)
    await put_document(index, make_document("b"), ["river"])
    assert segments(tmp_path) == [SEGMENT]
    assert await lexical(index, "bridge", 9) == ()
    assert [entry.chunk_id for entry in await lexical(index, "river", 9)] == ["b|1|0"]


async def test_a_folder_from_before_segments_gets_them(open_index: Any, tmp_path: Path) -> None:
    index = open_index()
    for number in range(5):
        await put_document(index, make_document(f"d{number}"), [f"w{number} w0 w{at}" for at in range(6)])
    before = [await lexical(index, question, 9) for question in QUESTIONS]
    await index.close()
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        connection.executescript(
            "DROP TABLE word_segments; DROP TABLE postings; DROP TABLE layers; DROP TABLE layer_keys;"
            "ALTER TABLE collections DROP COLUMN segmented; PRAGMA user_version = 10;"
        )
    index = open_index()
    assert [await lexical(index, question, 9) for question in QUESTIONS] == before
    assert segments(tmp_path) == [8, 16, 24]
