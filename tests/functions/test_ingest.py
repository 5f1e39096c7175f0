"""The ingest function by HTTP: uploads, documents, and files that must be refused."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfWriter

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Ingest, Settings
from footnote.types import Caller
from footnote_ingest.app import create_app
from footnote_query.app import create_app as create_query
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, work_all
from tests.functions.conftest import LOCAL, OpenClient, as_caller, heavy_imports
from tests.functions.test_query_bad_input import detail_of

MB = 2**20
TEXT = b"The lighthouse was lit in 1874."


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(max_file_mb=1))
    made = Core(settings, clock=clock)
    yield made
    await made.close()


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_app)


async def send(client: httpx.AsyncClient, data: bytes = TEXT, name: str = "tower.txt", **form: Any) -> httpx.Response:
    return await client.post("/ingest/file", files={"file": (name, data)}, data={"index_name": "default"} | form)


async def found(client: httpx.AsyncClient, question: str, groups: list[str] | None = None) -> list[str]:
    asked = {"index_name": "default", "query_text": question, "permission_groups": groups or []}
    hits = (await client.post("/retrieve-bm25", json=asked)).json()["hits"]["hits"]
    return [hit["_source"]["content"] for hit in hits]


def pdf(password: str = "") -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


# --- a document's life -------------------------------------------------------------------------


async def test_a_file_is_received_then_ready_then_found_then_gone(core: Core, client: httpx.AsyncClient, open_client: OpenClient) -> None:
    query = await open_client(create_query)
    reply = await send(client, permission_groups=["hr", "eng"])
    sent = reply.json()
    assert reply.status_code == 202
    assert {name: value for name, value in sent.items() if name != "doc_id"} == {
        "title": "tower.txt",
        "file_name": "tower.txt",
        "collection": "default",
        "state": "RECEIVED",
        "reason": None,
        "remedy": None,
        "pages": None,
        "chunks": 0,
        "size": 31,
        "lang": None,
        "format": "",
        "permission_groups": ["eng", "hr"],
        "owner": "",
        "metadata": {},
        "created_at": 1_700_000_000.0,
        "updated_at": 1_700_000_000.0,
        "additional_field": None,
        "restorable_until": None,
        "vectors": None,
    }
    await work_all(core)
    one = (await client.get(f"/documents/{sent['doc_id']}")).json()
    assert (one["state"], one["chunks"], one["lang"]) == ("READY", 1, "en")
    assert one["additional_field"] == "summary=tower | topics=tower | lang=en | pii=false | type=text"
    page = (await client.get("/documents")).json()
    assert ([listed["doc_id"] for listed in page["data"]], page["has_more"], page["last_id"]) == ([sent["doc_id"]], False, sent["doc_id"])
    assert await found(query, "lighthouse") == [TEXT.decode()]
    assert await found(query, "lighthouse", ["sales"]) == []
    gone = await client.delete(f"/documents/{sent['doc_id']}")
    assert (gone.status_code, gone.json()["state"]) == (200, "DELETED")
    assert await found(query, "lighthouse") == []
    assert (await client.get("/documents")).json() == {"data": [], "has_more": False, "last_id": None}
    assert detail_of(await client.get(f"/documents/{sent['doc_id']}"), 404) == "There is no such document."
    assert detail_of(await client.delete(f"/documents/{sent['doc_id']}"), 404) == "There is no such document."


async def test_a_deleted_document_is_listed_for_an_hour_and_restored_with_its_readers(
    core: Core, client: httpx.AsyncClient, open_client: OpenClient, clock: HandClock
) -> None:
    query = await open_client(create_query)
    doc_id = (await send(client, permission_groups=["hr"])).json()["doc_id"]
    await work_all(core)
    gone = (await client.delete(f"/documents/{doc_id}")).json()
    assert (gone["state"], gone["restorable_until"]) == ("DELETED", clock.now + 3600)
    listed = (await client.get("/documents", params={"deleted": True, "collection": "default"})).json()
    assert ([(each["doc_id"], each["restorable_until"]) for each in listed["data"]], listed["has_more"]) == (
        [(doc_id, clock.now + 3600)],
        False,
    )
    for path in ("", "/content", "/content?as=blocks"):
        assert (await client.get(f"/documents/{doc_id}{path}")).status_code == 404
    assert (await client.post(f"/documents/{doc_id}/retry")).status_code == 404
    assert await found(query, "lighthouse") == []
    clock.advance(3599)
    back = await client.post(f"/documents/{doc_id}/restore")
    assert (back.status_code, back.json()["state"], back.json()["permission_groups"]) == (202, "RECEIVED", ["hr"])
    assert (await client.get("/documents", params={"deleted": True})).json()["data"] == []
    await work_all(core)
    assert await found(query, "lighthouse", ["hr"]) == [TEXT.decode()]
    assert await found(query, "lighthouse", ["eng"]) == []
    assert (await client.post(f"/documents/{doc_id}/restore")).json()["state"] == "READY"  # repeated: it is there
    actions = [entry.value["action"] for entry in (await core.records.list("audit")).data]
    assert sorted(actions) == ["document.delete", "document.restore"]
    await client.delete(f"/documents/{doc_id}")
    clock.advance(3600)
    assert (await client.get("/documents", params={"deleted": True})).json()["data"] == []
    assert detail_of(await client.post(f"/documents/{doc_id}/restore"), 404) == "There is no such document."


async def test_a_document_that_was_added_again_is_not_restored(client: httpx.AsyncClient) -> None:
    doc_id = (await send(client)).json()["doc_id"]
    await client.delete(f"/documents/{doc_id}")
    await send(client, name="other.txt")
    assert "added again" in detail_of(await client.post(f"/documents/{doc_id}/restore"), 409)
    assert [each["doc_id"] for each in (await client.get("/documents", params={"deleted": True})).json()["data"]] == [doc_id]
    await send(client, b"A new version.")  # takes the name
    assert detail_of(await client.post(f"/documents/{doc_id}/restore"), 404) == "There is no such document."
    assert (await client.get("/documents", params={"deleted": True})).json()["data"] == []


async def test_an_admin_changes_who_reads_a_document_and_where_it_is(
    core: Core, client: httpx.AsyncClient, open_client: OpenClient
) -> None:
    query = await open_client(create_query)
    doc_id = (await send(client, permission_groups=["hr"])).json()["doc_id"]
    await work_all(core)
    changed = await client.patch(f"/documents/{doc_id}", json={"permission_groups": ["eng"]})
    assert (changed.status_code, changed.json()["permission_groups"], changed.json()["state"]) == (202, ["eng"], "RECEIVED")
    assert await found(query, "lighthouse", ["hr"]) == []
    await work_all(core)
    assert (await found(query, "lighthouse", ["hr"]), await found(query, "lighthouse", ["eng"])) == ([], [TEXT.decode()])
    moved = await client.patch(f"/documents/{doc_id}", json={"collection": "town"})
    assert (moved.json()["collection"], moved.json()["permission_groups"]) == ("town", ["eng"])
    await work_all(core)
    assert await found(query, "lighthouse") == []
    same = await client.patch(f"/documents/{doc_id}", json={"collection": "town", "permission_groups": ["eng"]})
    assert (same.status_code, same.json()["state"]) == (202, "READY")
    facts = [(entry.value["action"], entry.value["facts"]) for entry in (await core.records.list("audit")).data]
    assert ("document.set", {"permission_groups": ["eng"]}) in facts
    assert detail_of(await client.patch(f"/documents/{doc_id}", json={"permission_groups": []})).startswith("permission_groups: ")
    assert detail_of(await client.patch("/documents/nobody", json={"collection": "town"}), 404) == "There is no such document."


async def test_documents_come_in_pages_newest_first(client: httpx.AsyncClient, clock: HandClock) -> None:
    ids = []
    for number in range(3):
        ids.append((await send(client, b"No. %d" % number, f"{number}.txt")).json()["doc_id"])
        clock.advance(1)
    first = (await client.get("/documents", params={"limit": 2})).json()
    assert ([listed["doc_id"] for listed in first["data"]], first["has_more"], first["last_id"]) == ([ids[2], ids[1]], True, ids[1])
    second = (await client.get("/documents", params={"limit": 2, "after": first["last_id"]})).json()
    assert ([listed["doc_id"] for listed in second["data"]], second["has_more"]) == ([ids[0]], False)
    assert (await client.get("/documents", params={"collection": "other"})).json()["data"] == []
    assert detail_of(await client.get("/documents", params={"after": "nobody"}), 404) == "There is no such document."
    assert detail_of(await client.get("/documents", params={"limit": 0})).startswith("query.limit: ")


@pytest.mark.parametrize("doc_id", ["none", "..%2f..%2fsecret", "%00", "x" * 5000, "%ff"])
async def test_an_unknown_document_is_a_404(doc_id: str, client: httpx.AsyncClient) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/retry")):
        detail_of(await client.request(method, f"/documents/{doc_id}{path}"), 404)


async def test_a_failed_document_can_be_tried_again(core: Core, client: httpx.AsyncClient) -> None:
    doc_id = (await send(client)).json()["doc_id"]
    await core.lifecycle.update(doc_id, 1, state="FAILED", reason="Out of luck.", remedy="Try again.")
    reply = await client.post(f"/documents/{doc_id}/retry")
    assert (reply.status_code, reply.json()["state"], reply.json()["reason"]) == (202, "RECEIVED", None)
    await work_all(core)
    assert (await client.get(f"/documents/{doc_id}")).json()["state"] == "READY"
    reply = await client.post(f"/documents/{doc_id}/retry")
    assert (reply.status_code, reply.json()["state"]) == (202, "READY")


async def test_an_admin_retries_all_failed_documents_at_once(core: Core, client: httpx.AsyncClient) -> None:
    first, second = [(await send(client, f"Text {n}.".encode(), f"{n}.txt")).json()["doc_id"] for n in (1, 2)]
    await work_all(core)
    for doc_id in (first, second):
        await core.lifecycle.update(doc_id, 1, state="FAILED", reason="Out of luck.", remedy="Try again.")
    reply = await client.post("/documents/retry")
    assert (reply.status_code, reply.json()) == (202, {"count": 2})
    await work_all(core)
    assert [(await client.get(f"/documents/{doc_id}")).json()["state"] for doc_id in (first, second)] == ["READY", "READY"]
    assert (await client.post("/documents/retry")).json() == {"count": 0}


# --- invalid files ----------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("a\\b.txt", "a/b.txt"),
        ("C:\\x", "x"),
        ("report\0.txt", "report.txt"),
        ("x" * 5000 + ".txt", "x" * 296 + ".txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("Stra\u0308nde.txt", "Strände.txt"),
        ("안녕.txt", "안녕.txt"),
        ("-rf *.txt", "-rf *.txt"),
    ],
)
async def test_a_name_is_a_label_and_never_a_path(name: str, kept: str, tmp_path: Path, core: Core, client: httpx.AsyncClient) -> None:
    target = (await client.post("/uploads", json={"file_name": name[:1000], "size": 31})).json()
    reply = await client.post(target["url"], data=target["fields"], files={"file": ("../ignored", TEXT)})
    if len(name) <= 1000:
        assert reply.status_code == 204
        assert (await client.get(f"/documents/{target['doc_id']}")).json()["file_name"] == kept
    document = await core.ingestor.accept(LOCAL, TEXT, file_name=name, collection="other", permission_groups=[])
    assert document.file_name == kept
    await work_all(core)
    assert (await core.ledger.get(LOCAL, document.doc_id)).state == "READY"
    written = set(os.listdir(tmp_path))
    assert written <= {"files", "secret", "store.db", "store.db-wal", "store.db-shm", "index.db", "index.db-wal", "index.db-shm"}


@pytest.mark.parametrize("name", ["...", "../..", "/", "C:\\", "\u202e", " "])
async def test_a_file_name_without_a_base_name_is_refused(name: str, client: httpx.AsyncClient) -> None:
    remedy = "The file has no usable name. Give it one, for example “report.pdf”."
    assert detail_of(await client.post("/uploads", json={"file_name": name, "size": 1})) == remedy
    assert (await send(client, name=name)).status_code == 422


async def test_files_that_cannot_be_read_fail_with_a_remedy_and_stop_no_other(core: Core, client: httpx.AsyncClient) -> None:
    files = {
        "locked.pdf": pdf(password="secret"),
        "cut.pdf": pdf()[:40],
        "empty.txt": b"",
        "blank.pdf": pdf(),
        "picture.txt": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        "tower.txt": TEXT,
    }
    for name, data in files.items():
        assert (await send(client, data, name)).status_code == 202
    await work_all(core)
    listed = {document["file_name"]: document for document in (await client.get("/documents")).json()["data"]}
    assert {name: document["state"] for name, document in listed.items()} == dict.fromkeys(files, "FAILED") | {"tower.txt": "READY"}
    assert listed["locked.pdf"]["reason"] == "This PDF needs a password."
    assert listed["empty.txt"]["reason"] == "This file is empty."
    assert listed["picture.txt"]["reason"] == "This is an image (.png), which is not supported."
    for name in files.keys() - {"tower.txt"}:
        assert listed[name]["reason"], name
        assert listed[name]["remedy"], name


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("size", [MB + 1, 5 * MB])
async def test_a_file_that_is_too_large_is_a_413_that_names_the_limit(size: int, declared: bool, client: httpx.AsyncClient) -> None:
    body = httpx.Request("POST", "http://x", files={"file": ("a.txt", b"x" * size)}, data={"index_name": "default"})
    whole, taken = body.read(), 0

    async def in_pieces() -> AsyncIterator[bytes]:
        nonlocal taken
        for start in range(0, len(whole), 2**16):
            taken = start
            yield whole[start : start + 2**16]

    content: Any = whole if declared else in_pieces()
    reply = await client.post("/ingest/file", content=content, headers={"content-type": body.headers["content-type"]})
    assert detail_of(reply, 413) == "The file is larger than 1 MB. Split it, or raise INGEST__MAX_FILE_MB."
    assert taken <= 2 * MB  # an endless body does not fill the disk
    assert (await client.get("/documents")).json()["data"] == []


async def test_a_file_of_just_the_limit_is_taken(client: httpx.AsyncClient) -> None:
    assert (await send(client, b"x" * MB)).status_code == 202


@pytest.mark.parametrize(
    ("form", "detail"),
    [
        ({"index_name": ""}, "index_name: Field required"),
        ({"index_name": "../x"}, "An index name has 1 to 64 letters"),
        ({"index_name": "n" * 65}, "An index name has 1 to 64 letters"),
        ({"permission_groups": ["a b"]}, "A permission group has 1 to 128 letters"),
        ({"permission_groups": ["hr", "a,b"]}, "A permission group has 1 to 128 letters"),
    ],
)
async def test_a_form_that_cannot_be_used_is_refused(form: dict[str, Any], detail: str, client: httpx.AsyncClient) -> None:
    assert detail_of(await send(client, **form)).startswith(detail)


async def test_a_body_that_is_not_a_form_is_refused(client: httpx.AsyncClient) -> None:
    assert detail_of(await client.post("/ingest/file", json={"file": "x"})) == "file: Field required; index_name: Field required"
    assert "file: " in detail_of(await client.post("/ingest/file", data={"file": "x", "index_name": "default"}))
    broken = await client.post("/ingest/file", content=b"--x\r\nnonsense", headers={"content-type": "multipart/form-data"})
    assert detail_of(broken) == "Missing boundary in multipart."


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/uploads"), ("PUT", "/ingest/file"), ("POST", "/documents"), ("GET", "/uploads/form")]
)
async def test_a_wrong_method_is_a_problem(method: str, path: str, client: httpx.AsyncClient) -> None:
    assert detail_of(await client.request(method, path), 405) == "Method Not Allowed"


# --- signed uploads ----------------------------------------------------------------------------


async def ask_for_upload(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    reply = await client.post("/uploads", json={"file_name": "tower.txt", "size": 31} | changes)
    assert reply.status_code == 201, reply.text
    target: dict[str, Any] = reply.json()
    assert (set(target), target["url"], set(target["fields"])) == (
        {"url", "fields", "doc_id"},
        "/uploads/form",
        {"key", "policy", "x-amz-signature"},
    )
    return target


async def post_form(client: httpx.AsyncClient, target: dict[str, Any], data: bytes = TEXT, **fields: Any) -> httpx.Response:
    """`fields` override those of the form."""
    return await client.post(target["url"], data=target["fields"] | fields, files={"file": ("any.name", data)})


async def document_of(client: httpx.AsyncClient, target: dict[str, Any]) -> dict[str, Any]:
    return (await client.get(f"/documents/{target['doc_id']}")).json()


async def test_a_signed_form_brings_the_file_under_the_promised_id(core: Core, client: httpx.AsyncClient) -> None:
    target = await ask_for_upload(client, index_name="harbour", permission_groups=["hr"])
    assert (await client.get(f"/documents/{target['doc_id']}")).status_code == 404
    assert (await post_form(client, target)).status_code == 204
    await work_all(core)
    document = await document_of(client, target)
    assert [document[name] for name in ("state", "file_name", "collection", "permission_groups")] == [
        "READY",
        "tower.txt",
        "harbour",
        ["hr"],
    ]
    again = await ask_for_upload(client, index_name="harbour", permission_groups=["hr"])
    assert again["doc_id"] == target["doc_id"]


async def test_the_same_form_twice_is_one_document(core: Core, client: httpx.AsyncClient) -> None:
    target = await ask_for_upload(client)
    assert [(await post_form(client, target)).status_code for _ in range(2)] == [204, 204]
    await work_all(core)
    assert len((await client.get("/documents")).json()["data"]) == 1


async def test_a_changed_policy_a_foreign_signature_or_none_is_a_403(client: httpx.AsyncClient) -> None:
    target = await ask_for_upload(client)
    policy = json.loads(base64.b64decode(target["fields"]["policy"]))
    assert policy["max_bytes"] == MB
    wider = base64.b64encode(json.dumps(policy | {"max_bytes": 100 * MB}).encode()).decode()
    changes: list[dict[str, Any]] = [{"policy": wider}, {"x-amz-signature": "0" * 64}, {"x-amz-signature": "ü"}, {"policy": "%%%"}]
    for fields in changes:
        assert detail_of(await post_form(client, target, **fields), 403).startswith("The upload form's signature is invalid.")
    del target["fields"]["x-amz-signature"]
    assert detail_of(await post_form(client, target)) == "x-amz-signature: Field required"
    assert (await client.get("/documents")).json()["data"] == []


async def test_a_form_is_good_for_15_minutes(client: httpx.AsyncClient, clock: HandClock) -> None:
    target = await ask_for_upload(client)
    clock.advance(900)
    assert (await post_form(client, target)).status_code == 204
    clock.advance(0.1)
    assert detail_of(await post_form(client, target), 403) == "The upload form has expired. Request a new one with `POST /uploads`."


async def test_a_form_takes_another_size_than_was_said_up_to_the_limit_and_no_more(client: httpx.AsyncClient) -> None:
    target = await ask_for_upload(client, size=5)
    assert detail_of(await post_form(client, target, b"x" * (MB + 1)), 413).startswith("The file is larger than 1 MB.")
    assert (await client.get("/documents")).json()["data"] == []
    assert (await post_form(client, target, b"grown since")).status_code == 204
    assert (await document_of(client, target))["size"] == 11


@pytest.mark.parametrize(
    ("changes", "status", "detail"),
    [
        ({"size": MB + 1}, 413, "The file has 1.0 MB; 1 MB are allowed."),
        ({"size": -1}, 422, "size: "),
        ({"size": "big"}, 422, "size: "),
        ({"file_name": ""}, 422, "file_name: "),
        ({"file_name": "x" * 1001}, 422, "file_name: "),
        ({"index_name": "a/b"}, 422, "An index name has"),
        ({"permission_groups": ["?"]}, 422, "A permission group has"),
    ],
)
async def test_a_file_that_could_not_be_ingested_gets_no_form(
    changes: dict[str, Any], status: int, detail: str, client: httpx.AsyncClient
) -> None:
    reply = await client.post("/uploads", json={"file_name": "a.txt", "size": 1} | changes)
    assert detail_of(reply, status).startswith(detail)


async def test_an_upload_without_groups_is_private_unless_there_is_only_one_user(core: Core, open_client: OpenClient) -> None:
    async def groups_of(caller: Caller) -> list[str]:
        client = await open_client(as_caller(caller, create_app))
        return (await send(client, permission_groups=[" "])).json()["permission_groups"]

    assert await groups_of(LOCAL) == ["*"]
    assert await groups_of(Caller("ann", frozenset({"eng", "user:ann"}))) == ["user:ann"]


@pytest.mark.parametrize("by_form", [False, True])
async def test_a_document_names_its_owner_where_people_sign_in(core: Core, open_client: OpenClient, by_form: bool) -> None:
    async def add(caller: Caller, name: str) -> str:
        client = await open_client(as_caller(caller, create_app))
        if not by_form:
            return str((await send(client, name.encode(), name, permission_groups=["eng"])).json()["owner"])
        asked = {"file_name": name, "size": 5, "permission_groups": ["eng"]}
        form = (await client.post("/uploads", json=asked)).json()
        await client.post(form["url"], data=form["fields"], files={"file": (name, name.encode())})
        return str((await client.get(f"/documents/{form['doc_id']}")).json()["owner"])

    ann, ben = (Caller(name, frozenset({"eng", f"user:{name}"})) for name in ("ann", "ben"))
    assert [await add(LOCAL, "a.txt"), await add(ann, "b.txt"), await add(ben, "b.txt")] == ["", "ann", "ann"]


async def test_vectors_are_counted_with_the_document(core: Core, client: httpx.AsyncClient) -> None:
    core.embedder = FakeEmbedder()
    doc_id = (await send(client)).json()["doc_id"]
    await work_all(core)
    assert (await client.get(f"/documents/{doc_id}")).json()["vectors"] == {"done": 0, "total": 1}
    await core.ingestor.embed_some()
    assert (await client.get(f"/documents/{doc_id}")).json()["vectors"] == {"done": 1, "total": 1}


async def test_only_admins_see_the_number_of_vectors_of_all_documents(core: Core, open_client: OpenClient) -> None:
    core.embedder = FakeEmbedder()
    for role, vectors in (("user", None), ("admin", {"done": 0, "total": 1})):
        client = await open_client(as_caller(Caller("ann", frozenset({"user:ann"}), role=role), create_app))
        doc_id = (await send(client)).json()["doc_id"]
        await work_all(core)
        assert (await client.get(f"/documents/{doc_id}")).json()["vectors"] == vectors


async def test_health_and_readiness_answer_under_the_functions_name_too(client: httpx.AsyncClient) -> None:
    assert (await client.get("/ingest/health")).json() == {"status": "ok", "function": "ingest"}
    ready = (await client.get("/ingest/ready")).json()
    assert (ready["status"], ready["parts"], ready["outdated"]) == ("ready", {"store": "ok", "index": "ok"}, 0)


def test_importing_the_function_loads_no_adapter() -> None:
    assert heavy_imports("footnote_ingest.app") == []
