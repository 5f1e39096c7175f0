"""A reranker, which may be another company's service, sees only passages that the caller may read at that moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Rerank, Settings
from footnote.types import Caller, Candidates, Chunk, Profile, Request, Search
from tests.contracts.backends_rerank import jina
from tests.fakes import make_document, put_document
from tests.openai_server import Server, serving

QUESTION = "When was the bridge over the river built?"
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READERS = {"open": {"*"}, "crimson": {"red"}, "azure": {"blue"}, "both": {"red", "blue"}, "own": {"user:ann"}}
"""A word of the document → the groups that may read it."""


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[tuple[Core, Server]]:
    async with serving() as server:
        server.replies["/rerank"] = jina
        rerank = Rerank(base_url=server.url, model="m", timeout_s=5)
        core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False), rerank=rerank))
        for word, groups in READERS.items():
            document = make_document(word, groups=sorted(groups))
            await put_document(core.generations, document, [f"The {word} bridge over the river was built in 1894.", f"The {word} river."])
        try:
            yield core, server
        finally:
            await core.close()


async def assert_sees(core: Core, server: Server, caller: Caller, words: set[str]) -> None:
    """A search by this caller sends these documents to the reranker, and no others."""
    server.requests.clear()
    await core.retrieve.finish(core.new_turn(Request(QUESTION, "default", limit=2), caller, PROFILE))
    seen = " ".join(text for _, _, sent in server.requests for text in sent["documents"])
    assert {word for word in READERS if word in seen} == words


CALLERS = [
    (Caller("bob", frozenset({"blue"})), {"open", "azure", "both"}),
    (Caller("cem", frozenset({"red"})), {"open", "crimson", "both"}),
    (Caller("ann", frozenset({"user:ann"})), {"open", "own"}),
    (Caller("eve", frozenset()), {"open"}),
    (Caller("root", sees_all=True), set(READERS)),
]


async def test_a_reranker_sees_what_the_caller_may_read_and_nothing_else(tmp_path: Path) -> None:
    async with world(tmp_path) as (core, server):
        for caller, words in CALLERS:
            await assert_sees(core, server, caller, words)


async def test_a_document_that_is_removed_during_the_search_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path) as (core, server):
        find = SqliteIndex.candidates

        async def find_and_lose(self: SqliteIndex, caller: Caller, search: Search) -> Candidates:
            found = await find(self, caller, search)
            await self.remove("azure", 1)
            return found

        monkeypatch.setattr(SqliteIndex, "candidates", find_and_lose)
        await assert_sees(core, server, CALLERS[0][0], {"open", "both"})


async def test_the_test_notices_a_gate_that_lets_everything_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find, read = SqliteIndex.candidates, SqliteIndex.read

    async def find_all(self: SqliteIndex, caller: Caller, search: Any) -> Candidates:
        return await find(self, Caller("any", sees_all=True), search)

    async def read_all(self: SqliteIndex, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        return await read(self, Caller("any", sees_all=True), chunk_ids)

    async with world(tmp_path) as (core, server):
        monkeypatch.setattr(SqliteIndex, "candidates", find_all)
        await assert_sees(core, server, *CALLERS[0])  # the gate alone is enough
        monkeypatch.setattr(SqliteIndex, "read", read_all)
        with pytest.raises(AssertionError):
            await assert_sees(core, server, *CALLERS[0])
