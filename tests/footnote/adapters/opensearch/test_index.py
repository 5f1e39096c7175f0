"""What is peculiar to the index in OpenSearch: the fence, the gate, aliases, faults of the engine, its own fusion."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.opensearch.mapping import Names
from footnote.errors import SearchUnavailable
from footnote.ports import ChunkVectors, Indexed, VectorScope
from footnote.retrieve.fuse import fuse
from footnote.settings import OpenSearch
from footnote.types import Candidate, Chunk, Search, chunks_digest, lists_of
from tests.contracts.backends_opensearch import opensearch_index, opensearch_settings
from tests.fakes import FakeEmbedder, make_chunk, make_document, put_document
from tests.openai_server import Reply, serving
from tests.turns import ME

AXES = np.eye(4, dtype=np.float32)


@pytest.fixture
def settings(opensearch_url: str, tmp_path: Path) -> OpenSearch:
    return opensearch_settings(opensearch_url, tmp_path)


@pytest.fixture
async def index(settings: OpenSearch) -> AsyncIterator[OpenSearchIndex]:
    async with opensearch_index(settings) as index:
        yield index


@pytest.fixture
async def engine(settings: OpenSearch) -> AsyncIterator[OpenSearchClient]:
    """The same engine, past the index."""
    client = OpenSearchClient(settings)
    yield client
    await client.close()


async def found(index: OpenSearchIndex, text: str = "bridge", collection: str = "default") -> list[str]:
    return [entry.chunk_id for entry in (await index.candidates(ME, Search(collection, text))).lexical]


async def listed(index: OpenSearchIndex) -> list[Indexed]:
    return [item async for item in index.inventory()]


async def embed(index: OpenSearchIndex, chunks: list[Chunk], vector: Any, embedder: str = "e") -> None:
    await index.put_vectors(embedder, [ChunkVectors(chunk.chunk_id, vector) for chunk in chunks])


async def test_a_search_answers_even_if_it_cannot_be_noted_that_outlines_need_vectors(
    index: OpenSearchIndex, engine: OpenSearchClient, settings: OpenSearch
) -> None:
    document = make_document()
    await index.stage(document, [make_chunk(document, "The bridge.", level=0)], [()])
    await index.activate("plan", 1)
    search = Search("default", "bridge", vector=np.ones(4, np.float32), embedder="e", levels=(0,))
    for is_blocked, waiting in ((True, []), (False, ["plan|1|0"])):
        await engine.request("PUT", f"/{Names(settings.prefix).searched}/_settings", {"index.blocks.write": is_blocked})
        assert [entry.chunk_id for entry in (await index.candidates(ME, search)).lexical] == ["plan|1|0"]
        assert [item.chunk_id for item in await index.pending(VectorScope("e"), 9)] == waiting


# --- the fence and the gate --------------------------------------------------------------------


async def test_of_two_generations_that_are_flipped_at_once_the_later_one_answers(index: OpenSearchIndex) -> None:
    for generation in range(1, 7):
        document = make_document(generation=generation)
        await index.stage(document, [make_chunk(document, "The bridge.")], [()])
    flipped = await asyncio.gather(*(index.activate("plan", generation) for generation in (3, 6, 1, 5, 2, 4)))
    assert flipped[1] is True
    assert await found(index) == ["plan|6|0"]
    assert [chunk.generation for chunk in await index.read(ME, [f"plan|{generation}|0" for generation in range(1, 7)])] == [6]


async def test_a_chunk_that_is_written_too_late_is_found_but_never_read(index: OpenSearchIndex, engine: OpenSearchClient) -> None:
    await put_document(index, make_document(), ["The bridge."])
    await put_document(index, make_document("other"), ["The bridge."])
    names = await index_names(engine)
    (late,) = await engine.get([{"_index": names.chunks("default"), "_id": "plan|1|0"}])
    assert late is not None
    await index.remove("plan", 1)
    await engine.bulk([({"index": {"_index": names.chunks("default"), "_id": "plan|1|0"}}, late["_source"])], refresh=True)
    assert await found(index) == ["other|1|0", "plan|1|0"]
    assert [chunk.chunk_id for chunk in await index.read(ME, ["plan|1|0", "other|1|0"])] == ["other|1|0"]
    assert sorted(await index.sentences(ME, ["plan|1|0", "other|1|0"], "e")) == ["other|1|0"]
    assert await listed(index) == [Indexed("other", 1, "default", True, 1), Indexed("plan", 1, "default", False, 1)]
    await index.remove("plan", 1)
    assert await listed(index) == [Indexed("other", 1, "default", True, 1)]


async def test_groups_that_changed_since_a_search_count_when_the_chunk_is_read(index: OpenSearchIndex, engine: OpenSearchClient) -> None:
    await put_document(index, make_document(), ["The bridge."])
    names = await index_names(engine)
    await engine.bulk([({"update": {"_index": names.chunks("default"), "_id": "plan|1|0"}}, {"doc": {"permission_groups": ["guests"]}})])
    assert await found(index) == ["plan|1|0"]  # nobody refreshed
    assert await index.read(ME, ["plan|1|0"]) == []


async def test_a_flip_that_broke_off_after_its_decision_is_finished_by_the_next_one(
    index: OpenSearchIndex, engine: OpenSearchClient
) -> None:
    await put_document(index, make_document(), ["The old bridge."])
    document = make_document(generation=2)
    await index.stage(document, [make_chunk(document, "The new bridge.")], [()])
    names = await index_names(engine)
    head = {"_index": names.versions, "_id": "doc|plan"}
    await engine.bulk([({"update": head}, {"doc": {"active": 2}})])
    assert await index.read(ME, ["plan|1|0"]) == []
    assert await listed(index) == [Indexed("plan", 1, "default", False, 1), Indexed("plan", 2, "default", True, 1)]
    assert await index.activate("plan", 2) is True
    assert await found(index) == ["plan|2|0"]
    assert await listed(index) == [Indexed("plan", 2, "default", True, 1)]


async def test_where_nothing_was_written_there_is_nothing(index: OpenSearchIndex) -> None:
    assert (await listed(index), await index.pending(VectorScope("e"), 9), await index.progress(VectorScope("e"))) == ([], [], (0, 0))
    assert await index.staged("plan", 1) == (0, chunks_digest([]))
    await embed(index, [make_chunk(make_document(), "gone")], AXES[0])
    await index.remove("plan", 1)
    assert await listed(index) == []
    await index.stage(make_document("empty"), [], [])
    assert await listed(index) == [Indexed("empty", 1, "default", False, 0)]


# --- names and mappings ------------------------------------------------------------------------


async def index_names(engine: OpenSearchClient) -> Names:
    return Names(engine._settings.prefix)


async def test_a_collection_is_an_alias_of_an_index_with_a_safe_name(index: OpenSearchIndex, engine: OpenSearchClient) -> None:
    name = "Verträge/계약 *,?"
    await put_document(index, make_document(collection=name), ["The bridge."])
    assert await found(index, collection=name) == ["plan|1|0"]
    names = await index_names(engine)
    (concrete,) = await engine.request("GET", f"/{names.chunks(name)}")
    assert concrete == f"{names.chunks(name)}-g0001"
    assert sorted((await engine.request("GET", f"/{concrete}/_alias"))[concrete]["aliases"]) == [names.chunks(name), names.all_chunks]
    (record,) = await engine.get([{"_index": names.versions, "_id": f"collection|{name}"}])
    assert record is not None
    assert record["_source"]["index"] == concrete


async def test_vectors_of_another_length_are_refused_with_a_remedy(index: OpenSearchIndex) -> None:
    chunks = await put_document(index, make_document(), ["The bridge."])
    await embed(index, chunks, AXES[0])
    with pytest.raises(SearchUnavailable, match=r"length 4 .* have 8.*EMBEDDING__DIMENSION.*footnote reindex"):
        await embed(index, chunks, np.eye(8, dtype=np.float32)[0])
    with pytest.raises(SearchUnavailable, match="footnote reindex"):
        await index.candidates(ME, Search("default", vector=np.eye(8, dtype=np.float32)[0], embedder="e"))


async def test_a_vector_without_a_direction_is_stored_and_finds_nothing(index: OpenSearchIndex) -> None:
    chunks = await put_document(index, make_document(), ["The bridge.", "A road."])
    await embed(index, chunks[:1], AXES[0] * 0)
    await embed(index, chunks[1:], AXES[0])
    assert await index.pending(VectorScope("e"), 9) == []
    near = await index.candidates(ME, Search("default", vector=AXES[0], embedder="e"))
    assert near.dense == (Candidate("plan|1|1", 1.0),)


async def test_an_index_of_another_mapping_is_refused_with_a_remedy(
    index: OpenSearchIndex, engine: OpenSearchClient, settings: OpenSearch
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    names = await index_names(engine)
    await engine.bulk([({"update": {"_index": names.versions, "_id": "collection|default"}}, {"doc": {"mapping": 0}})])
    other = OpenSearchIndex(settings)
    try:
        with pytest.raises(SearchUnavailable, match=r"another version of Footnote.*footnote reindex"):
            await found(other)
        with pytest.raises(SearchUnavailable, match="footnote reindex"):
            await put_document(other, make_document("b"), ["The bridge."])
    finally:
        await other.close()


# --- the engine's own fusion -------------------------------------------------------------------


async def test_the_engine_fuses_as_the_core_does(index: OpenSearchIndex, settings: OpenSearch) -> None:
    embedder = FakeEmbedder()
    words = "bridge river road hill tower gate wall mill".split()
    texts = [" ".join(words[(i * step) % 8] for step in range(1, 4 + i % 7)) + f" number {i}" for i in range(40)]
    chunks = await put_document(index, make_document(title="Sights"), texts)
    await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, embedder.vector(chunk.text)) for chunk in chunks])
    fusing = OpenSearchIndex(settings.model_copy(update={"server_fusion": True}))
    try:
        for question in ("bridge and river", "the mill at the gate", "tower", "a road up the hill"):
            asked = Search("default", question, vector=embedder.vector(question), embedder="e")
            ours = fuse(lists_of(question, await index.candidates(ME, asked)), "cc", weight=0.5)
            theirs = await fusing.candidates(ME, asked)
            assert theirs.lexical == theirs.dense
            assert [entry.chunk_id for entry in theirs.dense[:10]] == [entry.chunk_id for entry in ours[:10]], question
            assert [entry.score for entry in theirs.dense[:10]] == pytest.approx([entry.score for entry in ours[:10]], abs=0.002)
            for one_list in (replace(asked, vector=None), replace(asked, text="")):
                assert await fusing.candidates(ME, one_list) == await index.candidates(ME, one_list)
    finally:
        await fusing.close()


async def test_while_vectors_are_missing_the_core_fuses_and_not_the_engine(index: OpenSearchIndex, settings: OpenSearch) -> None:
    embedder = FakeEmbedder()
    chunks = await put_document(index, make_document(), ["The bridge is old.", "A bridge.", "The river."])
    fusing = OpenSearchIndex(settings.model_copy(update={"server_fusion": True}))
    asked = Search("default", "bridge", vector=embedder.vector("bridge"), embedder="e")
    try:
        for count in (1, 2):
            await index.put_vectors("e", [ChunkVectors(chunk.chunk_id, embedder.vector(chunk.text)) for chunk in chunks[:count]])
            assert await fusing.candidates(ME, asked) == await index.candidates(ME, asked)
    finally:
        await fusing.close()


# --- faults ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Engine:
    """Gives its replies one after the other, the last one again and again. None cuts the connection, an event never comes."""

    replies: list[tuple[int, Any] | asyncio.Event | None]
    url: str = ""
    requests: list[tuple[str, dict[str, str], str]] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := (await reader.readline()).decode():
                headers = {}
                while header := (await reader.readline()).decode().strip():
                    name, _, value = header.partition(": ")
                    headers[name.lower()] = value
                body = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
                self.requests.append((line.rpartition(" ")[0], headers, body))
                reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
                if reply is None:
                    break
                if isinstance(reply, asyncio.Event):
                    await reply.wait()
                    break
                text = json.dumps(reply[1]).encode()
                writer.write(
                    f"HTTP/1.1 {reply[0]} x\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n".encode() + text
                )
        finally:
            writer.close()


@asynccontextmanager
async def replying(*replies: tuple[int, Any] | asyncio.Event | None, **changes: Any) -> AsyncIterator[tuple[Engine, OpenSearchClient]]:
    engine = Engine(list(replies))
    listening = await asyncio.start_server(engine.handle, "127.0.0.1", 0)
    engine.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    client = OpenSearchClient(OpenSearch.model_validate({"url": engine.url, "limit_s": 5, **changes}))
    try:
        yield engine, client
    finally:
        await client.close()
        for reply in replies:
            if isinstance(reply, asyncio.Event):
                reply.set()
        listening.close()
        await listening.wait_closed()


HITS = {"hits": {"hits": []}, "_shards": {"failed": 0}, "timed_out": False}


def failed(kind: str, status: int) -> tuple[int, Any]:
    return status, {"error": {"type": kind, "reason": "the bridge"}, "status": status}


@pytest.mark.parametrize(
    "part",
    [
        {"hits": {"hits": []}, "_shards": {"total": 2, "successful": 1, "failed": 1}},
        {"hits": {"hits": []}, "timed_out": True},
        {"error": {"type": "search_phase_execution_exception"}, "status": 503},
    ],
)
async def test_an_answer_of_some_shards_is_no_answer(part: dict[str, Any]) -> None:
    async with replying((200, {"responses": [HITS, part]})) as (_, client):
        with pytest.raises(SearchUnavailable):
            await client.searches([("a", {}), ("b", {})])


async def test_a_missing_index_is_no_fault() -> None:
    missing = {"error": {"type": "index_not_found_exception"}, "status": 404}
    async with replying((200, {"responses": [HITS, missing]})) as (_, client):
        assert await client.searches([("a", {}), ("b", {})]) == [HITS, None]


async def test_of_a_bulk_request_only_what_failed_is_sent_again() -> None:
    def item(status: int, **fields: Any) -> dict[str, Any]:
        return {"index": {"status": status, **fields}}

    gone = item(404, error={"type": "document_missing_exception"})
    busy = item(429, error={"type": "circuit_breaking_exception"})
    replies = [(200, {"items": [item(201), busy, gone, busy]}), (200, {"items": [item(200), busy]}), (200, {"items": [item(201)]})]
    async with replying(*replies) as (engine, client):
        written = await client.bulk([({"index": {"_id": letter}}, {"text": "다리"}) for letter in "abcd"])
    bodies = [[json.loads(line)["index"]["_id"] for line in body.splitlines()[::2]] for _, _, body in engine.requests]
    assert (written, bodies) == (3, [["a", "b", "c", "d"], ["b", "d"], ["d"]])


@pytest.mark.parametrize("kind", [(400, "strict_dynamic_mapping_exception"), (404, "index_not_found_exception")])
async def test_a_document_that_the_engine_does_not_take_is_an_error(kind: tuple[int, str]) -> None:
    item = {"index": {"status": kind[0], "error": {"type": kind[1]}}}
    async with replying((200, {"items": [item]})) as (engine, client):
        with pytest.raises(SearchUnavailable, match=f"{kind[0]} {kind[1]}"):
            await client.bulk([({"index": {"_id": "a"}}, {"x": 1})])
    assert len(engine.requests) == 1


async def test_a_busy_engine_and_a_broken_connection_are_tried_again() -> None:
    async with replying(None, failed("rejected_execution_exception", 429), (200, {"responses": [HITS]})) as (engine, client):
        assert await client.search("a", {}) == HITS
    assert len(engine.requests) == 3


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("reply", "tries", "told"),
    [
        (None, 3, "cannot be reached.*OPENSEARCH__URL"),
        (failed("rejected_execution_exception", 429), 3, "overloaded"),
        (failed("no_master", 503), 3, "503 no_master"),
        (failed("security_exception", 401), 1, "OPENSEARCH__AUTH"),
        (failed("security_exception", 403), 1, "begin with the prefix"),
        (failed("cluster_block_exception", 403), 1, "disk space"),
        (failed("parsing_exception", 400), 1, "400 parsing_exception"),
    ],
)
async def test_an_error_of_the_engine_names_a_remedy_and_no_address(reply: Any, tries: int, told: str) -> None:
    async with replying(reply) as (engine, client):
        with pytest.raises(SearchUnavailable, match=told) as caught:
            await client.search("a", {})
    assert len(engine.requests) == tries
    assert "127.0.0.1" not in caught.value.detail
    assert "bridge" not in caught.value.detail


@pytest.mark.parametrize(
    ("body", "content_type"),
    [("<html>Sign in</html>", "text/html"), ("no JSON", "application/json"), ("[]", "application/json"), ("OK", "text/plain")],
)
async def test_an_address_without_an_engine_is_an_error_with_the_setting(body: str, content_type: str) -> None:
    async with serving() as server:
        server.replies["/"] = Reply(200, (body,), content_type)
        client = OpenSearchClient(OpenSearch(url=server.url))
        with pytest.raises(SearchUnavailable, match="Check OPENSEARCH__URL"):
            await client.request("GET", "/")
        await client.close()


@pytest.mark.parametrize("url", ["https://host:port", "http://["])
async def test_an_address_that_is_none_is_told_with_the_setting(url: str) -> None:
    with pytest.raises(SearchUnavailable, match="Check OPENSEARCH__URL"):
        await OpenSearchClient(OpenSearch(url=url)).search("a", {})


async def test_a_profile_that_there_is_not_is_told_as_wanting_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(SearchUnavailable, match="cannot be signed"):
        await OpenSearchClient(OpenSearch(url="http://127.0.0.1:1", auth="aws")).search("a", {})


async def test_a_slow_engine_is_given_up_in_time() -> None:
    async with replying(asyncio.Event(), limit_s=0.2) as (engine, client):
        with pytest.raises(SearchUnavailable, match=r"in time.*OPENSEARCH__LIMIT_S"):
            await client.search("a", {})
    assert len(engine.requests) == 1


async def test_a_user_signs_in_with_a_password() -> None:
    async with replying((200, {}), auth="basic", user="reader", password="geheim:ü") as (engine, client):
        await client.request("GET", "/")
    assert engine.requests[0][1]["authorization"] == f"Basic {base64.b64encode('reader:geheim:ü'.encode()).decode()}"


async def test_requests_are_signed_and_credentials_are_asked_for_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_ACCESS_KEY_ID": "old", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "eu-central-1"}.items():
        monkeypatch.setenv(name, value)
    async with replying(failed("security_exception", 403), (200, {}), failed("security_exception", 403), auth="aws") as (engine, client):
        await client.request("GET", "/")
        signed = [headers["authorization"].split("/") for _, headers, _ in engine.requests]
        assert [(parts[0], *parts[2:4]) for parts in signed] == [("AWS4-HMAC-SHA256 Credential=old", "eu-central-1", "es")] * 2
        with pytest.raises(SearchUnavailable, match="begin with the prefix"):
            await client.request("GET", "/")
    assert len(engine.requests) == 4
