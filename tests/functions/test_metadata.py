"""Document metadata from the upload to the answer: filters, fields in references, and predefined answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.conftest import HandClock
from tests.fakes import FakeModels, SameModel, work_all
from tests.functions.conftest import OpenClient, read_events
from tests.functions.test_query_bad_input import detail_of

TEXT = b"The lighthouse was lit in 1874."
LAW: dict[str, Any] = {"class": "Law", "year": 2024, "topics": ["lamps", "harbour"], "url": "https://example.org/tower"}


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    made = Core(settings, clock=clock, models=FakeModels(SameModel("In 1874.\nSOURCES_USED: 1")))
    yield made
    await made.close()


@pytest.fixture
async def ingest(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_ingest)


@pytest.fixture
async def query(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_query)


async def send(client: httpx.AsyncClient, metadata: Any = None, data: bytes = TEXT, name: str = "tower.txt") -> httpx.Response:
    form = {"index_name": "default"} | ({} if metadata is None else {"metadata": json.dumps(metadata)})
    return await client.post("/ingest/file", files={"file": (name, data)}, data=form)


async def found(query: httpx.AsyncClient, **wanted: list[str]) -> int:
    body = {"index_name": "default", "query_text": "lighthouse", "permission_groups": [], "filter": wanted}
    return len((await query.post("/retrieve-bm25", json=body)).json()["hits"]["hits"])


async def ask(query: httpx.AsyncClient, question: str, **body: Any) -> dict[str, Any]:
    return read_events((await query.post("/v2/rag/query", json={"query": question, "room_id": "r"} | body)).text)[-1]


async def test_a_search_is_narrowed_by_fields_of_the_documents(core: Core, ingest: httpx.AsyncClient, query: httpx.AsyncClient) -> None:
    assert (await send(ingest, LAW)).json()["metadata"] == LAW
    await work_all(core)
    there: list[dict[str, list[str]]] = [
        {"class": ["Law", "Tax"]},
        {"year": ["2024"]},
        {"topics": ["harbour"]},
        {"file_name": ["tower.txt"]},
    ]
    elsewhere: list[dict[str, list[str]]] = [{"class": ["Tax"]}, {"colour": ["red"]}]
    assert [await found(query, **each) for each in (*there, *elsewhere)] == [1, 1, 1, 1, 0, 0]
    narrowed = await ask(query, "When was the lighthouse lit?", metadata_filter_key="class", metadata_filter_values=["Law"])
    (reference,) = narrowed["references"]
    assert (reference["file_name"], reference["metadatas"]) == (
        "tower.txt", LAW | {"file_name": "tower.txt", "lang": "en", "paragraph_type": "normal", "pii": False, "type": "text"},
    )  # fmt: skip
    outside = await ask(query, "When was the lighthouse lit?", metadata_filter_key="class", metadata_filter_values=["Tax"])
    assert outside["references"] == []


async def test_a_frequent_question_is_answered_by_its_document(core: Core, ingest: httpx.AsyncClient, query: httpx.AsyncClient) -> None:
    await send(ingest, {"paragraph_type": "faq", "question": "When was the lighthouse lit?"})
    await work_all(core)
    answer = await ask(query, "When was the lighthouse lit?")
    assert (answer["final_response"], len(answer["references"]), answer["usage"]["total_tokens"]) == (TEXT.decode(), 1, 0)


async def test_a_signed_form_carries_the_fields(core: Core, ingest: httpx.AsyncClient, query: httpx.AsyncClient) -> None:
    asked = {"file_name": "tower.txt", "size": len(TEXT), "metadata": {" class ": "Law"}}
    target = (await ingest.post("/uploads", json=asked)).json()
    assert (await ingest.post(target["url"], data=target["fields"], files={"file": ("any", TEXT)})).status_code == 204
    assert (await ingest.get(f"/documents/{target['doc_id']}")).json()["metadata"] == {"class": "Law"}
    await work_all(core)
    assert await found(query, **{"class": ["Law"]}) == 1


async def test_the_same_file_with_other_fields_is_read_again_and_without_any_keeps_them(
    core: Core, ingest: httpx.AsyncClient, query: httpx.AsyncClient
) -> None:
    first = (await send(ingest, {"class": "Law"})).json()
    await work_all(core)
    for metadata, state, shown in (
        (None, "READY", {"class": "Law"}), ({"class": "Law"}, "READY", {"class": "Law"}), ({"class": "Tax"}, "RECEIVED", {"class": "Tax"}),
        ({}, "RECEIVED", {}),
    ):  # fmt: skip
        again = (await send(ingest, metadata)).json()
        assert (again["doc_id"], again["state"], again["metadata"]) == (first["doc_id"], state, shown)
        await work_all(core)
        assert await found(query, **{"class": [shown.get("class", "Law")]}) == bool(shown)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"owner": {"name": "ann"}}, "The metadata's “owner” must be a string, a number, true or false, or a list of these."),
        ({"owner": [["ann"]]}, "The metadata's “owner” must be a string, a number, true or false, or a list of these."),
        ({"owner": None}, "The metadata's “owner” must be a string, a number, true or false, or a list of these."),
        ({"year": float("inf")}, "The metadata's “year” must be a string, a number, true or false, or a list of these."),
        ({" ": "x"}, "The name of a metadata field must have 1 to 64 printable characters."),
        ({"x" * 65: "x"}, "The name of a metadata field must have 1 to 64 printable characters."),
        ({"text": "x" * 8000}, "The metadata has more than 8000 characters as JSON."),
        ({"url": "javascript:alert(1)"}, "The metadata's url must start with http:// or https://."),
        ({"url": 7}, "The metadata's url must start with http:// or https://."),
    ],
)
async def test_an_invalid_field_is_refused_before_the_file_is_stored(metadata: Any, message: str, ingest: httpx.AsyncClient) -> None:
    assert detail_of(await send(ingest, metadata)) == message
    if metadata != {"year": float("inf")}:  # JSON has no such number
        reply = await ingest.post("/uploads", json={"file_name": "tower.txt", "size": 1, "metadata": metadata})
        assert detail_of(reply) == message
    assert (await ingest.get("/documents")).json()["data"] == []


@pytest.mark.parametrize("metadata", ["{", "7", "[]", '"x"'])
async def test_metadata_that_is_not_an_object_is_refused(metadata: str, ingest: httpx.AsyncClient) -> None:
    reply = await ingest.post("/ingest/file", files={"file": ("a.txt", TEXT)}, data={"index_name": "default", "metadata": metadata})
    assert detail_of(reply).startswith("metadata: ")


async def test_a_lone_surrogate_in_metadata_is_replaced(core: Core, ingest: httpx.AsyncClient) -> None:
    asked = json.dumps({"file_name": "a.txt", "size": 1, "metadata": {"class": "\ud83d"}})
    target = (await ingest.post("/uploads", content=asked, headers={"content-type": "application/json"})).json()
    assert (await ingest.post(target["url"], data=target["fields"], files={"file": ("any", TEXT)})).status_code == 204
    await work_all(core)
    (document,) = (await ingest.get("/documents")).json()["data"]
    assert (document["state"], document["metadata"]) == ("READY", {"class": "\ufffd"})
