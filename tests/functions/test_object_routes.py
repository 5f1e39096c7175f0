"""Every route with a resource id, called by all callers without access.

The routes come from the functions' OpenAPI: a route that is missing from the tables here fails. A resource of another
user looks like one that does not exist: the same status and the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from footnote_http.callers import METADATA
from tests.fakes import work_all
from tests.functions.people import KNOWN, NOTHING, UNKNOWN, Known, World, content_of, everybody, operations

pytestmark = pytest.mark.asyncio(loop_scope="module")

Body = Mapping[str, Any] | None


@dataclass(frozen=True)
class Rule:
    """Callers with access (2xx). `denied`: the status for other signed-in callers. `body`: of the request."""

    allowed: frozenset[str]
    denied: int = 404
    body: Body = None


READERS = frozenset({"member", "owner", "admin"})
OWNER = frozenset({"owner"})
ADMIN = frozenset({"admin"})

ROUTES: dict[tuple[str, str], Rule] = {
    ("GET", "/documents/{doc_id}"): Rule(READERS),
    ("GET", "/documents/{doc_id}/content"): Rule(READERS),
    ("POST", "/documents/{doc_id}/retry"): Rule(READERS),
    ("GET", "/ingest/jobs/{job_id}"): Rule(READERS),
    ("DELETE", "/documents/{doc_id}"): Rule(READERS),
    ("POST", "/documents/{deleted_doc_id}/restore"): Rule(READERS),
    ("PATCH", "/documents/{doc_id}"): Rule(ADMIN, 403, {"permission_groups": ["staff"]}),
    ("GET", "/conversations/{room_id}"): Rule(OWNER),
    ("PATCH", "/conversations/{room_id}"): Rule(OWNER, body={"pinned": True}),
    ("DELETE", "/conversations/{room_id}"): Rule(OWNER),
    ("DELETE", "/shares/{share_id}"): Rule(OWNER),
    ("GET", "/turns/{trace_id}"): Rule(OWNER),
    ("POST", "/turns/{trace_id}/replay"): Rule(OWNER, body={}),
    ("GET", "/traces/{trace_id}"): Rule(OWNER),
    ("DELETE", "/ask/stream/{trace_id}"): Rule(OWNER),
    ("GET", "/v1/models/{model}"): Rule(frozenset(KNOWN)),  # the default collection is open to everyone
    ("GET", "/feedback/{rated_trace_id}"): Rule(OWNER),
    ("DELETE", "/feedback/{rated_trace_id}"): Rule(OWNER),
    ("DELETE", "/sessions/{session_id}"): Rule(ADMIN, 403),
    ("DELETE", "/accounts/{account}"): Rule(ADMIN, 403),
    ("GET", "/prompts/{name}"): Rule(ADMIN, 403),
    ("PUT", "/prompts/{name}"): Rule(ADMIN, 403, {"lang": "en", "template": "Answer."}),
    ("DELETE", "/prompts/{name}"): Rule(ADMIN, 403),
    ("POST", "/prompts/{name}/preview"): Rule(ADMIN, 403, {"lang": "en", "template": "Answer.", "query_text": "Why?"}),
    ("PUT", "/settings/{key}"): Rule(ADMIN, 403, {"value": 0.4}),
    ("GET", "/settings/{key}/history"): Rule(ADMIN, 403),
    ("POST", "/settings/{key}/undo"): Rule(ADMIN, 403),
    ("PUT", "/forbidden-terms/{term}"): Rule(ADMIN, 403, {}),
    ("DELETE", "/forbidden-terms/{term}"): Rule(ADMIN, 403),
    ("DELETE", "/golden/{case_id}"): Rule(ADMIN, 403),
    ("GET", "/collections/{collection}"): Rule(ADMIN, 403),
    ("PATCH", "/collections/{collection}"): Rule(ADMIN, 403, {"title": "Changed"}),
    ("DELETE", "/collections/{collection}"): Rule(ADMIN, 403),
    ("PUT", "/collections/{collection}/aliases/{alias}"): Rule(ADMIN, 403),
    ("DELETE", "/collections/{collection}/aliases/{alias}"): Rule(ADMIN, 403),
    ("POST", "/collections/{deleted_collection}/restore"): Rule(ADMIN, 403),
    ("GET", "/collections/{collection}/knowledge"): Rule(ADMIN, 403),
    ("POST", "/collections/{collection}/knowledge"): Rule(ADMIN, 403, {}),
    ("DELETE", "/collections/{collection}/knowledge"): Rule(ADMIN, 403),
    ("GET", "/collections/{collection}/graph"): Rule(frozenset(KNOWN)),  # what is shown depends on the passages
    ("GET", "/experiments/{experiment}"): Rule(ADMIN, 403),
    ("POST", "/experiments/{experiment}/replay"): Rule(ADMIN, 403, {}),
    ("POST", "/experiments/{experiment}/start"): Rule(ADMIN, 403),
    ("POST", "/experiments/{experiment}/stop"): Rule(ADMIN, 403),
    ("DELETE", "/experiments/{experiment}"): Rule(ADMIN, 403),
}
"""Routes whose path names a thing."""

QUERIES = {
    ("DELETE", "/collections/{collection}/knowledge"): {"kinds": "graph"},
    ("DELETE", "/prompts/{name}"): {"lang": "en"},
    ("GET", "/collections/{collection}/graph"): {"passage": "none#000"},
}

BODIES: dict[tuple[str, str], tuple[Mapping[str, str], Rule]] = {
    ("POST", "/feedback"): ({"trace_id": "{trace_id}", "rating": "up"}, Rule(OWNER)),
    ("POST", "/shares"): ({"room_id": "{room_id}"}, Rule(OWNER)),
    ("POST", "/shares/open"): ({"token": "{share_token}"}, Rule(frozenset(KNOWN))),  # the token is the permission
}
"""Routes whose body names a thing that has to be there."""

MARKS: dict[str, tuple[str, frozenset[str], int]] = {
    "/documents?limit=200": ("{doc_id}", READERS, 200),
    "/documents?deleted=true&limit=200": ("{deleted_doc_id}", READERS, 200),
    "/collections": ('"ledgers"', READERS, 200),
    "/collections?all=true": ("{deleted_collection}", ADMIN, 403),
    "/v1/models": ("footnote/ledgers", READERS, 200),
    "/conversations?limit=200": ("{room_id}", OWNER, 200),
    "/shares": ("{share_id}", OWNER, 200),
    "/me/data": ("{trace_id}", OWNER, 200),
    "/me/preferences": ("owners-choice", OWNER, 200),
    "/me/usage": ('"cost":null', OWNER, 200),
    "/stats?by=room": ("{room_id}", OWNER | ADMIN, 200),
    "/ingest/status": ('"waiting"', ADMIN, 403),
    "/feedback?limit=200": ("{rated_trace_id}", ADMIN, 403),
    "/feedback/weights": ('"is_on"', ADMIN, 403),
    "/feedback/metrics": ('"outdated"', OWNER | ADMIN, 200),
    "/sessions?limit=200": ("{session_id}", ADMIN, 403),
    "/accounts?limit=200": ("{account}", ADMIN, 403),
    "/prompts": ('"answer_numbered"', ADMIN, 403),
    "/settings": ('"rag.alpha"', ADMIN, 403),
    "/admin/health": ('"terms"', ADMIN, 403),
    "/sources": ('"data"', ADMIN, 403),
    "/audit": ("term.set", ADMIN, 403),
    "/golden?limit=200": ("{case_id}", ADMIN, 403),
    "/forbidden-terms": ("{term}", ADMIN, 403),
    "/experiments": ("{experiment}", ADMIN, 403),
}
"""Lists → what is in them of the owner's or the admin's, who sees it, and what those get who do not."""

CURSORS: dict[str, str] = {"/documents": "doc_id", "/conversations": "room_id"}
"""Lists of one's own → what `after` names there."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def known(world: World) -> Known:
    """The resources that all callers try to access. None of them may change."""
    things = await world.make_resources()
    await world.ask("owner", "PUT", "/me/preferences", json={"model_id": "owners-choice"})
    return things


async def test_every_route_with_a_resource_id_is_in_the_table() -> None:
    assert {(method, path) for _, method, path, *_ in operations() if "{" in path} == set(ROUTES)


async def test_every_list_is_in_the_table() -> None:
    lists = {path for _, method, path, *_ in operations() if method == "GET" and "{" not in path}
    others = {
        "/health",
        "/ready",
        "/ask/stream",
        "/v2/rag/tokens",
        "/voc/counts",
        "/voc/themes",
        "/model",
        "/model/endpoint",
        "/sign-in",
        METADATA,
        f"{METADATA}/mcp",
    }
    assert lists - others == {path.partition("?")[0] for path in MARKS}


CALLS = [
    call
    for number, ((method, path), rule) in enumerate(ROUTES.items())
    for call in everybody(number, method, path, allowed=rule.allowed, name=f"{method} {path}")
]


@pytest.mark.parametrize(("method", "route", "person"), CALLS)
async def test_a_resource_is_accessible_only_with_permission(method: str, route: str, person: str, world: World, known: Known) -> None:
    rule = ROUTES[method, route]
    if person in rule.allowed and method != "GET":
        known = await world.make_resources()  # other tests of this module use the shared ones
    options: dict[str, Any] = {"params": QUERIES.get((method, route), {})} | ({} if rule.body is None else {"json": rule.body})
    reply = await world.ask(person, method, route.format(**known), route, **options)
    if person in UNKNOWN:
        assert reply.status_code == 401
    elif person in rule.allowed:
        assert reply.status_code in (200, 202, 204), reply.text
        return
    else:
        assert reply.status_code == rule.denied, reply.text
    missing = await world.ask(person, method, route.format(**dict.fromkeys(known, NOTHING)), route, **options)
    assert content_of(missing) == content_of(reply)
    await is_untouched(known, world)


NAMED = [
    call
    for number, ((method, path), (_, rule)) in enumerate(BODIES.items())
    for call in everybody(number, method, path, allowed=rule.allowed, name=path)
]


@pytest.mark.parametrize(("method", "route", "person"), NAMED)
async def test_a_resource_named_in_a_body_is_accessible_only_with_permission(method: str, route: str, person: str, world: World) -> None:
    (body, rule), known = BODIES[method, route], await world.make_resources()

    async def send(names: Known) -> Any:
        return await world.ask(person, method, route, json={field: value.format(**names) for field, value in body.items()})

    reply = await send(known)
    if person in UNKNOWN:
        assert reply.status_code == 401
    elif person in rule.allowed:
        assert reply.status_code in (200, 201)
    else:
        assert reply.status_code == rule.denied
        assert content_of(await send(dict.fromkeys(known, NOTHING))) == content_of(reply)
    stored = (await world.ask("owner", "GET", f"/turns/{known['trace_id']}", "/turns/{trace_id}")).json()
    assert stored["feedback"] == ("up" if route == "/feedback" and person in rule.allowed else None)
    links = [link["room_id"] for link in (await world.ask("owner", "GET", "/shares")).json()["data"]]
    assert links.count(known["room_id"]) == (2 if route == "/shares" and person in rule.allowed else 1)


LISTS = [
    call
    for number, (address, (_, seen_by, _)) in enumerate(MARKS.items())
    for call in everybody(number, address, allowed=seen_by, name=address)
]


@pytest.mark.parametrize(("address", "person"), LISTS)
async def test_a_list_holds_what_its_caller_may_see(address: str, person: str, world: World, known: Known) -> None:
    mark, seen_by, denied = MARKS[address]
    reply = await world.ask(person, "GET", address, address.partition("?")[0])
    if person in UNKNOWN:
        assert reply.status_code == 401
    else:
        assert reply.status_code == (200 if person in seen_by else denied)
    assert (mark.format(**known) in reply.text) == (person in seen_by)


@pytest.mark.parametrize("path", CURSORS)
async def test_a_list_accepts_only_cursors_of_its_caller(path: str, world: World, known: Known) -> None:
    theirs, none = [await world.ask("outsider", "GET", path, params={"after": name}) for name in (known[CURSORS[path]], NOTHING)]
    assert content_of(theirs) == content_of(none)
    assert theirs.status_code == 404
    assert (await world.ask("owner", "GET", path, params={"after": known[CURSORS[path]]})).status_code == 200


async def test_a_conversation_accepts_only_cursors_of_its_caller(world: World, known: Known) -> None:
    room, route = f"/conversations/{known['room_id']}", "/conversations/{room_id}"
    asked = {"query_text": "Mine?", "index_name": "ledgers", "permission_groups": [], "room_id": known["room_id"]}
    await world.ask("member", "POST", "/ask", json=asked)
    theirs, none = [await world.ask("member", "GET", room, route, params={"after": name}) for name in (known["trace_id"], NOTHING)]
    assert (theirs.status_code, content_of(theirs)) == (404, content_of(none))
    await world.ask("member", "DELETE", room, route)
    await is_untouched(known, world)


@pytest.mark.parametrize("person", KNOWN)
async def test_a_passage_is_shown_only_with_its_own_document(person: str, world: World, known: Known) -> None:
    """Otherwise a reader of one document could request the passages of another."""
    file = {"file": (f"open-{person}.txt", f"Ferries cross the river every hour. They are for {person}.".encode())}
    doc_id = (await world.ask(person, "POST", "/ingest/file", files=file, data={"index_name": "ledgers"})).json()["doc_id"]
    await work_all(world.core)
    path, route = f"/documents/{doc_id}/content", "/documents/{doc_id}/content"
    foreign, none = [
        await world.ask(person, "GET", path, route, params={"as": "marks", "chunk_id": chunk_id})
        for chunk_id in (known["chunk_id"], f"{NOTHING}#000")
    ]
    assert (foreign.status_code, content_of(foreign)) == (404, content_of(none))


async def is_untouched(known: Known, world: World) -> None:
    """Asserts that the owner and the admin still have everything."""
    for route in ("/documents/{doc_id}", "/turns/{trace_id}"):
        assert (await world.ask("owner", "GET", route.format(**known), route)).status_code == 200
    assert known["deleted_doc_id"] in (await world.ask("owner", "GET", "/documents?deleted=true&limit=200", "/documents")).text
    room = await world.ask("owner", "GET", f"/conversations/{known['room_id']}", "/conversations/{room_id}")
    assert [turn["trace_id"] for turn in room.json()["data"]] == [known["trace_id"]]
    lists = {"/sessions": "session_id", "/accounts": "account", "/forbidden-terms": "term"}
    lists |= {"/collections": "collection", "/experiments": "experiment"}
    for path, name in lists.items():
        assert known[name] in (await world.ask("admin", "GET", path, params={"limit": 200, "all": True})).text
    assert known["rated_trace_id"] in (await world.ask("admin", "GET", "/feedback", params={"limit": 200})).text
    assert known["case_id"] in (await world.ask("admin", "GET", "/golden", params={"limit": 200})).text
    prompt = await world.ask("admin", "GET", f"/prompts/{known['name']}", "/prompts/{name}")
    assert prompt.json()["template"] != "Answer."
