"""Ids in a body, a query or a header give no access to the rooms, users, streams, forms and groups of others.

The fields come from the functions' OpenAPI: a field that is missing from the tables here fails.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.fakes import work_all
from tests.functions.people import COLLECTION, KNOWN, NOTHING, PEOPLE, QUESTION, UNKNOWN, Known, World, content_of, operations

pytestmark = pytest.mark.asyncio(loop_scope="module")

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()
ASK = {"index_name": COLLECTION, "permission_groups": []}
GET_ASK = {"index_name": COLLECTION}
ROOM = "a room of everybody's"

Fields = Mapping[str, Any]

ROOMS: dict[tuple[str, str], tuple[str, str, Fields]] = {
    ("POST", "/ask"): ("room_id", "query_text", ASK),
    ("POST", "/ask/stream"): ("room_id", "query_text", ASK),
    ("GET", "/ask/stream"): ("room_id", "query_text", GET_ASK),
    ("POST", "/chat"): ("session_id", "query", {}),
    ("POST", "/v1/chat"): ("session_id", "message", {}),
    ("POST", "/v2/rag/query"): ("room_id", "query", {}),
    ("POST", "/v2/gpt/query"): ("room_id", "query", {}),
    ("POST", "/v2/pa/query"): ("room_id", "query", {}),
    ("POST", "/v2/vision/query"): ("room_id", "query", {"images": [PNG]}),
}
"""Routes that name a conversation → how they do, how they call the question, and what else they need."""

USERS: dict[tuple[str, str], Fields] = {
    ("POST", "/v2/rag/query"): {"query": QUESTION},
    ("POST", "/v2/gpt/query"): {"query": QUESTION},
    ("POST", "/v2/pa/query"): {"query": QUESTION},
    ("POST", "/v2/vision/query"): {"query": QUESTION, "images": [PNG]},
    ("GET", "/v2/rag/tokens"): {"room_id": "talk"},
}
"""Routes that name a user → what else they need."""

SEARCH = {"index_name": COLLECTION, "query_text": QUESTION}
SEARCHES: dict[tuple[str, str], Fields] = {
    ("POST", "/ask"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/ask/stream"): SEARCH | {"permission_groups": ["staff"]},
    ("GET", "/ask/stream"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/retrieve-rrf"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/retrieve-bm25"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/retrieve-knn"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/retrieve-cc"): SEARCH | {"permission_groups": ["staff"]},
    ("POST", "/chat"): {"query": QUESTION},
    ("POST", "/v2/rag/query"): {"query": QUESTION, "collection_name": COLLECTION},
    ("POST", "/v2/pa/query"): {"query": QUESTION, "collection_name": COLLECTION},
    ("POST", "/v1/chat/completions"): {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]},
    ("POST", "/api/chat"): {"messages": [{"role": "user", "content": QUESTION}], "rag": {"enabled": True}},
    ("POST", "/retrieval"): {"knowledge_id": COLLECTION, "query": QUESTION},
}
"""Routes that search → a question that the owner's document answers, in its groups where one can say so."""

UNSEARCHED = {
    ("POST", "/v2/gpt/query"),
    ("POST", "/v2/vision/query"),
    ("POST", "/voc/search"),
    ("POST", "/prompts/{name}/preview"),
    ("POST", "/forbidden-terms/try"),
}
"""They answer from no document, are for admins (`test_object_routes.py`), or have tests of their own (`tests/leaks/test_voc.py`)."""

SEEN_ELSEWHERE = {
    ("trace_id", "POST", "/feedback"),
    ("room_id", "POST", "/shares"),
    ("chunk_id", "GET", "/documents/{doc_id}/content"),
    ("trace_id", "GET", "/feedback"),
    ("trace_id", "GET", "/golden"),
    ("trace_id", "POST", "/golden"),
    ("permission_groups", "POST", "/golden"),
    ("permission_groups", "PATCH", "/documents/{doc_id}"),
    ("user_id", "GET", "/audit"),
    ("user_id", "POST", "/sessions/new"),
}
"""In the tests of routes that name a thing, of feedback, of golden cases, of the audit and of sessions."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def known(world: World) -> Known:
    return await world.make_resources()


def fields_of(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        if parameter["in"] != "path":
            yield parameter["name"].lower()
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = schemas[content["schema"]["$ref"].rpartition("/")[2]] if "$ref" in content["schema"] else content["schema"]
        yield from schema.get("properties", {})


async def test_every_field_with_a_resource_id_is_in_a_table() -> None:
    named = {"room_id", "session_id", "user_id", "trace_id", "doc_id", "chunk_id", "last-event-id", "policy", "permission_groups"}
    found = {
        (field, method, path)
        for _, method, path, operation, schemas in operations()
        for field in fields_of(operation, schemas)
        if field in named
    }
    rooms = {(name, method, path) for (method, path), (name, _, _) in ROOMS.items()} | {("room_id", "GET", "/v2/rag/tokens")}
    users = {("user_id", method, path) for method, path in USERS}
    groups = {("permission_groups", method, path) for (method, path), body in SEARCHES.items() if "permission_groups" in body}
    streams = {("last-event-id", method, "/ask/stream") for method in ("GET", "POST")}
    files = {("permission_groups", "POST", "/uploads"), ("permission_groups", "POST", "/ingest/file"), ("policy", "POST", "/uploads/form")}
    files |= {("room_id", "POST", "/uploads"), ("room_id", "GET", "/documents")}
    assert found == rooms | users | groups | streams | files | SEEN_ELSEWHERE


async def test_every_route_that_asks_is_in_a_table() -> None:
    asking = {
        (method, path)
        for _, method, path, operation, schemas in operations()
        if {"query", "query_text", "messages"} & set(fields_of(operation, schemas))
    }
    assert asking == set(SEARCHES) | UNSEARCHED


def sent(method: str, fields: Fields) -> dict[str, Any]:
    return {"params": fields} if method == "GET" else {"json": fields}


async def questions(person: str, room_id: str, world: World) -> list[str]:
    reply = await world.ask(person, "GET", f"/conversations/{room_id}", "/conversations/{room_id}")
    return [turn["question"] for turn in reply.json().get("data", ())]


@pytest.mark.sample
@pytest.mark.parametrize("person", ["outsider", "member", "admin"])
@pytest.mark.parametrize(("method", "path"), ROOMS, ids=[f"{method} {path}" for method, path in ROOMS])
async def test_a_room_is_private_to_its_user_whatever_its_name(method: str, path: str, person: str, world: World) -> None:
    """Turns of others in a room of the same name are neither in the user's room nor in a prompt."""
    (room_field, question_field, fields), room_id = ROOMS[method, path], f"{ROOM} {method} {path.replace('/', '-')} {person}"

    async def ask(who: str, question: str) -> httpx.Response:
        world.model.prompts.clear()
        return await world.ask(who, method, path, **sent(method, {**fields, room_field: room_id, question_field: question}))

    assert (await ask("owner", "When was the heron bridge built?")).status_code == 200
    assert (await ask(person, "And when was it painted?")).status_code == 200
    assert not any("heron" in heard for heard in world.model.prompts)
    assert await questions("owner", room_id, world) == ["When was the heron bridge built?"]
    assert await questions(person, room_id, world) == ["And when was it painted?"]
    assert (await ask("owner", "And when was it painted?")).status_code == 200
    assert any("heron" in heard for heard in world.model.prompts)


async def test_tokens_of_a_room_are_those_of_its_user(world: World) -> None:
    await world.ask("owner", "POST", "/v2/gpt/query", json={"query": "Who built it?", "room_id": "counted"})
    counted = [(await world.ask(who, "GET", "/v2/rag/tokens", params={"room_id": "counted"})).json()["tokens"] for who in KNOWN]
    assert [bool(tokens) for tokens in counted] == [False, False, True, False]


@pytest.mark.sample
@pytest.mark.parametrize("user_id", ["owner", "nobody that there is"])
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("method", "path"), USERS, ids=[f"{method} {path}" for method, path in USERS])
async def test_a_user_cannot_ask_in_the_name_of_another(method: str, path: str, person: str, user_id: str, world: World) -> None:
    reply = await world.ask(person, method, path, **sent(method, {**USERS[method, path], "user_id": user_id}))
    own = 200 if user_id == person else 403
    assert reply.status_code == (401 if person in UNKNOWN else own)


@pytest.mark.sample
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "stored"])
@pytest.mark.parametrize("number", [0, 3, 999_999_998])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_user_cannot_follow_the_stream_of_another(
    method: str, number: int, kept: bool, person: str, world: World, known: Known
) -> None:
    fields = SEARCH | {"permission_groups": []} if method == "POST" else SEARCH
    trace_id = known["trace_id"]
    if kept:
        trace_id = (await world.ask("owner", method, "/ask/stream", **sent(method, fields))).headers["x-trace-id"]

    async def follow(trace_id: str) -> httpx.Response:
        return await world.ask(person, method, "/ask/stream", headers={"last-event-id": f"{trace_id}.{number}"}, **sent(method, fields))

    reply = await follow(trace_id)
    if person == "owner":
        assert reply.status_code in (200, 204)
    else:
        assert reply.status_code == (401 if person in UNKNOWN else 404)
        assert content_of(reply) == content_of(await follow(NOTHING))


@pytest.mark.sample
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("method", "path"), SEARCHES, ids=[f"{method} {path}" for method, path in SEARCHES])
async def test_a_question_finds_only_documents_readable_by_its_caller(
    method: str, path: str, person: str, world: World, known: Known
) -> None:
    """A group in a request gives no access."""
    reply = await world.ask(person, method, path, **sent(method, SEARCHES[method, path]))
    found = re.search(rf"{known['doc_id']}|\b1894\b|bridge-0\.txt", reply.text) is not None
    if person in UNKNOWN:
        assert (reply.status_code, found) == (401, False)
    elif path == "/retrieval" and person == "outsider":
        assert (reply.status_code, found) == (200, False)
    else:
        assert reply.status_code == 200
        assert found == (person != "outsider")


@pytest.mark.sample
@pytest.mark.parametrize("groups", [[], ["*"], ["staff"]])
@pytest.mark.parametrize("person", [person for person in PEOPLE if person != "owner"])
async def test_a_signed_form_works_only_for_the_user_who_requested_it(person: str, groups: list[str], world: World) -> None:
    asked = {"file_name": f"form-{person}-{len(groups)}.txt", "size": 9, "index_name": COLLECTION, "permission_groups": groups}
    form = (await world.ask("owner", "POST", "/uploads", json=asked)).json()

    async def send(who: str) -> httpx.Response:
        return await world.ask(who, "POST", "/uploads/form", data=form["fields"], files={"file": ("a.txt", b"Of mine.")})

    assert (await send(person)).status_code == (401 if person in UNKNOWN else 403)
    assert (await send("owner")).status_code == 204


@pytest.mark.parametrize("person", [person for person in PEOPLE if person != "owner"])
async def test_files_are_attached_to_ones_own_room_whatever_its_name(person: str, world: World) -> None:
    room_id = f"{ROOM} with files {person}"

    async def attach(who: str) -> httpx.Response:
        reply = await world.ask(who, "POST", "/uploads", json={"file_name": f"{who}.txt", "size": 9, "room_id": room_id})
        if reply.status_code == 201:
            file = {"file": ("a.txt", b"The heron bridge was built in 1894.")}
            await world.ask(who, "POST", "/uploads/form", data=reply.json()["fields"], files=file)
        return reply

    async def listed(who: str) -> list[str]:
        reply = await world.ask(who, "GET", "/documents", params={"room_id": room_id})
        return [document["file_name"] for document in reply.json().get("data", ())]

    assert (await attach("owner")).status_code == 201
    assert await listed(person) == []
    assert (await attach(person)).status_code == (401 if person in UNKNOWN else 201)
    assert (await listed("owner"), await listed(person)) == (["owner.txt"], [] if person in UNKNOWN else [f"{person}.txt"])


@pytest.mark.parametrize("person", ["outsider", "member", "admin"])
async def test_uploading_the_name_of_anothers_file_creates_a_separate_document(person: str, world: World) -> None:
    """Otherwise anyone who guesses a name could overwrite a document that they cannot see."""
    data = {"index_name": COLLECTION}

    async def put(who: str) -> str:
        file = {"file": (f"mine-{person}.txt", f"Written by {who}.".encode())}
        return (await world.ask(who, "POST", "/ingest/file", files=file, data=data)).json()["doc_id"]

    theirs, mine = await put(person), await put("owner")
    assert mine != theirs
    await work_all(world.core)
    reply = await world.ask("owner", "GET", f"/documents/{mine}/content", "/documents/{doc_id}/content")
    assert reply.text == "Written by owner."


@pytest.mark.parametrize("person", UNKNOWN)
async def test_the_tools_are_for_those_who_have_signed_in(person: str, world: World) -> None:
    """Their route is not in the OpenAPI, which cannot describe it."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    reply = await world.ask(person, "POST", "/mcp", "/ask", json=asked, headers={"accept": "application/json, text/event-stream"})
    assert reply.status_code == 401
    assert json.loads(reply.text)["title"] == "Not signed in"
