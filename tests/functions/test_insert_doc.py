"""`POST /insert-doc` and `GET /ingest/jobs/{job_id}`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.errors import SearchUnavailable
from footnote.guard.audit import read_audit
from footnote.types import SYSTEM, Caller
from footnote_ingest.app import create_app
from footnote_query.app import create_app as create_query
from tests.functions.conftest import OpenClient, as_caller
from tests.functions.test_query_bad_input import detail_of

EXAMPLE: dict[str, Any] = {
    "index_name": "your_index_name",
    "data": {
        "doc_id": "ABCD0001",
        "title": "Sample Document",
        "content": "This is a sample document.",
        "permission_groups": ["user"],
        "created_time": "2025-05-29T17:02:54.917+09:00",
        "additional_field": "some value",
        "summary": "Short synopsis",
        " topics": ["product", "release"],
        "lang": "ko",
        "pii": False,
        "type": "pdf",
    },
    "chunk_factor": {"logic": "fixed_size", "chunk_size": 1024, "chunk_overlap": 128, "separator": " "},
}
ANN = Caller("ann", frozenset({"user", "user:ann"}))
BOB = Caller("bob", frozenset({"other", "user:bob"}))


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_app)


@pytest.fixture
async def search(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_query)


@pytest.fixture
async def worker(core: Core) -> AsyncIterator[None]:
    async def work() -> None:
        while True:
            if not await core.ingestor.work_one():
                await asyncio.sleep(0.01)

    task = asyncio.create_task(work())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is not READY when the request returns."""
    monkeypatch.setattr("footnote_ingest.insert.WAIT_S", 0.0)


def example(**data: Any) -> dict[str, Any]:
    return {**EXAMPLE, "data": {**EXAMPLE["data"], **data}}


async def hits(search: httpx.AsyncClient, query: str, **changes: Any) -> list[dict[str, Any]]:
    asked = {"index_name": "your_index_name", "query_text": query, "permission_groups": ["user"], "num_result_doc": 50, **changes}
    reply = await search.post("/retrieve-bm25", json=asked)
    return reply.json()["hits"]["hits"]


@pytest.mark.usefixtures("worker")
async def test_the_example_is_found_as_the_example_says(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    reply = await client.post("/insert-doc", json=EXAMPLE)
    assert (reply.status_code, reply.json()) == (200, {"doc_id": "ABCD0001", "state": "READY", "chunks": 1})
    (hit,) = await hits(search, "Sample query")
    assert (hit["_index"], hit["_id"]) == ("your_index_name", "ABCD0001#000")
    source = hit["_source"]
    assert {name: source[name] for name in ("doc_id", "title", "content", "permission_groups", "created_time", "additional_field")} == {
        "doc_id": "ABCD0001",
        "title": "Sample Document",
        "content": "This is a sample document.",
        "permission_groups": ["user"],
        "created_time": "2025-05-29T17:02:54.917+09:00",
        "additional_field": "some value",
    }
    sent = {"summary": "Short synopsis", "topics": ["product", "release"], "lang": "ko", "pii": False, "type": "pdf"}
    assert {name: source[name] for name in sent} == sent
    for filtered in ({"lang": ["ko"]}, {"pii": [False]}, {"pii": ["false"]}):
        assert len(await hits(search, "sample", filter=filtered)) == 1
    for filtered in ({"lang": ["en"]}, {"pii": [True]}):
        assert await hits(search, "sample", filter=filtered) == []


@pytest.mark.usefixtures("worker")
async def test_passages_that_repeat_are_left_out_of_files_and_kept_as_sent(client: httpx.AsyncClient, core: Core) -> None:
    rule = "The night shift hands the keys of the depot to the guard, who writes the time into the book and signs for them. " * 3
    sent = {**example(content=rule * 9), "chunk_factor": {**EXAMPLE["chunk_factor"], "chunk_size": len(rule), "chunk_overlap": 0}}
    as_sent = (await client.post("/insert-doc", json=sent)).json()["chunks"]
    file = {"file": ("a.md", "\n\n".join([rule * 3] * 3).encode())}
    posted = (await client.post("/ingest/file", files=file, data={"index_name": "default"})).json()
    while (document := await core.ledger.get(SYSTEM, posted["doc_id"])).state != "READY":
        await asyncio.sleep(0.01)
    assert (as_sent > 3, document.chunks) == (True, 1)


@pytest.mark.usefixtures("worker")
async def test_no_field_that_is_sent_hides_whose_document_it_is(open_client: OpenClient, core: Core) -> None:
    client, search = await open_client(as_caller(ANN, create_app)), await open_client(create_query)
    fields = {"doc_id": "other", "permission_groups": ["*"], "title": "Other", "content": "Other", "level": 9, "paragraph_type": "law"}
    file = {"file": ("a.txt", b"This is a sample document.")}
    reply = await client.post("/ingest/file", files=file, data={"index_name": "your_index_name", "metadata": json.dumps(fields)})
    while (await core.lifecycle.counts())["READY"] == 0:
        await asyncio.sleep(0.01)
    (hit,) = await hits(search, "sample", permission_groups=[])
    source = hit["_source"]
    assert (source["doc_id"], source["content"]) == (reply.json()["doc_id"], "This is a sample document.")
    assert (source["permission_groups"], source["level"], source["paragraph_type"]) == (["user:ann"], 9, "law")


@pytest.mark.usefixtures("worker")
async def test_the_language_of_a_document_filters_a_search(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    german = "Der Leuchtturm am Hafen wurde im Jahr 1874 gebaut und ist vierzig Meter hoch."
    data = {"doc_id": "turm", "content": german, "permission_groups": ["user"]}
    await client.post("/insert-doc", json={"index_name": "your_index_name", "data": data, "chunk_factor": {"chunk_size": 100}})
    assert [hit["_source"]["lang"] for hit in await hits(search, "Leuchtturm", filter={"lang": ["de"]})] == ["de"]
    assert await hits(search, "Leuchtturm", filter={"lang": ["en"]}) == []


@pytest.mark.usefixtures("worker")
async def test_extra_fields_filter_a_search(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    await client.post("/insert-doc", json=EXAMPLE)
    await client.post("/insert-doc", json=example(doc_id="B2", **{" topics": ["other"]}))
    found = await hits(search, "sample document", filter={"topics": ["release", "unused"]})
    assert [hit["_id"] for hit in found] == ["ABCD0001#000"]
    assert await hits(search, "sample document", filter={"topics": ["unused"]}) == []


@pytest.mark.usefixtures("worker")
async def test_a_document_is_replaced_by_its_id(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    await client.post("/insert-doc", json=EXAMPLE)
    reply = await client.post("/insert-doc", json=example(content="It says something new."))
    assert reply.json() == {"doc_id": "ABCD0001", "state": "READY", "chunks": 1}
    assert await hits(search, "sample document content", filter={"topics": ["release"]}) != []
    assert [hit["_source"]["content"] for hit in await hits(search, "new")] == ["It says something new."]
    again = await client.post("/insert-doc", json=example(content="It says something new."))
    assert again.json() == reply.json()


@pytest.mark.usefixtures("worker")
async def test_chunk_sizes_count_characters(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    content = " ".join(f"단어{number:04d}" for number in range(100))
    body = {**example(content=content), "chunk_factor": {"chunk_size": 70, "chunk_overlap": 14}}
    reply = await client.post("/insert-doc", json=body)
    # a word has 6 characters; 10 words fit into 70, and 2 of them are repeated
    assert reply.json() == {"doc_id": "ABCD0001", "state": "READY", "chunks": 13}
    texts = [hit["_source"]["content"] for hit in await hits(search, content[:200])]
    assert max(map(len, texts)) == 69
    assert " ".join(f"단어{number:04d}" for number in range(8, 18)) in texts


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        ({"meta": {"a": 1}}, "data: “meta” is nested. Send strings, numbers, booleans, or lists of them"),
        ({" rows": [[1]]}, "data: “rows” is nested. Send strings, numbers, booleans, or lists of them"),
        ({"topics": ["a"]}, "data: “topics” is sent twice: two keys differ in white space alone"),
        ({"created_time": "yesterday"}, "data.created_time: use ISO 8601, for example 2025-05-29T17:02:54.917+09:00"),
        ({"file_name": "a.pdf"}, "data.file_name: this name is taken. Choose another one."),
        (
            {"doc_id": "../etc"},
            "data.doc_id: use 1 to 100 letters (a–z), digits, dots, dashes or underscores, starting with a letter or digit.",
        ),
        ({"permission_groups": ["a b"]}, None),
        ({"content": " \n "}, None),
    ],
)
async def test_bad_data_is_refused_and_named(client: httpx.AsyncClient, core: Core, data: dict[str, Any], detail: str | None) -> None:
    reply = await client.post("/insert-doc", json=example(**data))
    assert reply.status_code == 422
    assert detail in (None, detail_of(reply))
    assert (await core.lifecycle.counts())["RECEIVED"] == 0


@pytest.mark.parametrize(
    "factor", [{"logic": "semantic"}, {"chunk_size": 0}, {"chunk_size": 100, "chunk_overlap": 51}, {"chunk_overlap": -1}]
)
async def test_a_bad_chunk_factor_is_refused(client: httpx.AsyncClient, factor: dict[str, Any]) -> None:
    reply = await client.post("/insert-doc", json={**EXAMPLE, "chunk_factor": factor})
    assert reply.status_code == 422
    assert "chunk_factor" in detail_of(reply)


@pytest.mark.usefixtures("no_wait")
async def test_a_document_that_is_not_ready_yet_is_accepted(client: httpx.AsyncClient, core: Core) -> None:
    reply = await client.post("/insert-doc", json=EXAMPLE)
    assert (reply.status_code, reply.json()) == (202, {"doc_id": "ABCD0001", "state": "RECEIVED", "chunks": 0})
    job = (await client.get("/ingest/jobs/ABCD0001")).json()
    assert (job["job_id"], job["doc_id"], job["state"], job["chunks"]) == ("ABCD0001", "ABCD0001", "RECEIVED", 0)
    await core.ingestor.work_one()
    job = (await client.get("/ingest/jobs/ABCD0001")).json()
    assert (job["state"], job["chunks"]) == ("READY", 1)


@pytest.mark.usefixtures("no_wait")
async def test_a_document_not_read_back_is_not_ready(client: httpx.AsyncClient, core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(doc_id: str, generation: int) -> tuple[int, str]:
        return 0, ""

    monkeypatch.setattr(core.generations, "staged", nothing)
    await client.post("/insert-doc", json=EXAMPLE)
    await core.ingestor.work_one()
    assert (await client.get("/ingest/jobs/ABCD0001")).json()["state"] == "PROCESSING"


@pytest.mark.usefixtures("worker")
async def test_a_file_is_a_job_too(client: httpx.AsyncClient, core: Core) -> None:
    sent = await client.post("/ingest/file", files={"file": ("empty.txt", b"")}, data={"index_name": "default"})
    doc_id = sent.json()["doc_id"]
    job: dict[str, Any] = {"state": ""}
    while job["state"] != "FAILED":
        job = (await client.get(f"/ingest/jobs/{doc_id}")).json()
    assert job["reason"] == "This file is empty."
    assert job["remedy"] == "Check that it was saved completely and add it again."


# --- permissions -------------------------------------------------------------------------------


@pytest.mark.usefixtures("worker")
async def test_a_document_and_its_job_belong_to_its_groups(open_client: OpenClient) -> None:
    ann, anns_search = await open_client(as_caller(ANN, create_app)), await open_client(as_caller(ANN, create_query))
    bob, bobs_search = await open_client(as_caller(BOB, create_app)), await open_client(as_caller(BOB, create_query))
    assert (await ann.post("/insert-doc", json=EXAMPLE)).json()["state"] == "READY"
    assert len(await hits(anns_search, "sample", permission_groups=[])) == 1
    assert (await ann.get("/ingest/jobs/ABCD0001")).status_code == 200
    assert await hits(bobs_search, "sample", permission_groups=[]) == []
    assert await hits(bobs_search, "sample", permission_groups=["user"]) == []
    hidden, missing = await bob.get("/ingest/jobs/ABCD0001"), await bob.get("/ingest/jobs/ABCD0002")
    assert detail_of(hidden, 404) == detail_of(missing, 404)
    assert (await bob.post("/insert-doc", json=example(permission_groups=["other"]))).status_code == 404
    assert (await bob.post("/insert-doc", json=example(doc_id="B1"))).status_code == 403
    assert (await bob.post("/insert-doc", json=example(doc_id="B2", permission_groups=[]))).json()["state"] == "READY"
    assert [hit["_source"]["doc_id"] for hit in await hits(anns_search, "sample", permission_groups=[])] == ["ABCD0001"]


@pytest.mark.usefixtures("no_wait")
async def test_new_groups_apply_before_the_document_is_processed_again(open_client: OpenClient, core: Core) -> None:
    cem = await open_client(as_caller(Caller("cem", frozenset({"user", "other"})), create_app))
    anns_search, bobs_search = await open_client(as_caller(ANN, create_query)), await open_client(as_caller(BOB, create_query))
    await cem.post("/insert-doc", json=EXAMPLE)
    await core.ingestor.work_one()
    assert len(await hits(anns_search, "sample", permission_groups=[])) == 1
    await cem.post("/insert-doc", json=example(permission_groups=["other"]))
    assert await hits(anns_search, "sample", permission_groups=[]) == []
    await core.ingestor.work_one()
    assert await hits(anns_search, "sample", permission_groups=[]) == []
    assert len(await hits(bobs_search, "sample", permission_groups=[])) == 1
    (entry,) = (await read_audit(core.records, 10)).data
    assert (entry.user_id, entry.action, entry.object_id) == ("cem", "document.groups", "ABCD0001")
    assert entry.facts == {"before": ["user"], "after": ["other"]}


@pytest.mark.usefixtures("no_wait")
async def test_groups_that_are_not_changed_are_not_in_the_audit_log(client: httpx.AsyncClient, core: Core) -> None:
    await client.post("/insert-doc", json=EXAMPLE)
    changed = example(permission_groups=["other"])
    assert (await client.post("/insert-doc", json=changed | {"index_name": "another"})).status_code == 409
    file = await client.post("/ingest/file", files={"file": ("a.txt", b"A file.")}, data={"index_name": "your_index_name"})
    from_file = example(doc_id=file.json()["doc_id"], permission_groups=["other"])
    assert (await client.post("/insert-doc", json=from_file)).status_code == 409
    assert not (await read_audit(core.records, 10)).data


@pytest.mark.usefixtures("no_wait")
async def test_new_groups_apply_in_the_index_even_if_it_was_down_meanwhile(
    client: httpx.AsyncClient, search: httpx.AsyncClient, core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(doc_id: str, through: int) -> None:
        raise SearchUnavailable("down")

    await client.post("/insert-doc", json=EXAMPLE)
    await core.ingestor.work_one()
    with monkeypatch.context() as broken:
        broken.setattr(core.generations, "remove", down)
        assert (await client.post("/insert-doc", json=example(permission_groups=["other"]))).status_code == 503
    assert (await client.post("/insert-doc", json=example(permission_groups=["other"]))).status_code == 202
    assert await hits(search, "sample", permission_groups=["user"]) == []


@pytest.mark.usefixtures("worker")
async def test_a_deleted_document_can_be_inserted_again(client: httpx.AsyncClient, search: httpx.AsyncClient) -> None:
    await client.post("/insert-doc", json=EXAMPLE)
    await client.delete("/documents/ABCD0001")
    assert (await client.get("/ingest/jobs/ABCD0001")).status_code == 404
    assert (await client.post("/insert-doc", json=EXAMPLE)).json()["state"] == "READY"
    assert len(await hits(search, "sample")) == 1


@pytest.mark.usefixtures("worker")
async def test_the_original_is_what_was_sent(client: httpx.AsyncClient) -> None:
    await client.post("/insert-doc", json=EXAMPLE)
    original = (await client.get("/documents/ABCD0001/content")).json()
    assert original["content"] == "This is a sample document."
    source = (await client.get("/documents/ABCD0001/content", params={"as": "marks", "chunk_id": "ABCD0001#000"})).json()
    assert source["quote"] == "This is a sample document."
    (document,) = (await client.get("/documents")).json()["data"]
    assert (document["title"], document["file_name"], document["format"]) == ("Sample Document", "ABCD0001.json", "text")


async def test_a_document_that_is_too_long_is_told_what_to_do(client: httpx.AsyncClient) -> None:
    reply = await client.post("/insert-doc", json={"index_name": "default", "data": {"doc_id": "a", "content": "x" * 2**20}})
    told = "A request body without files may have at most 1048576 bytes. Send a longer document as a file, with POST /ingest/file."
    assert (reply.status_code, reply.json()["detail"]) == (413, told)
