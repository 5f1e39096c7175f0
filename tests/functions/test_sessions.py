"""Signing in: without a token nothing is accessible, with one only what its user may read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.audit import read_audit
from footnote.guard.identity import LOCAL, Session, open_session, session_id_of
from footnote.guard.limits import RateLimiter
from footnote.settings import LLM, Auth, Embedding, Settings
from footnote_feedback.app import create_app as feedback
from footnote_http.callers import METADATA
from footnote_ingest.app import create_app as ingest
from footnote_query.app import create_app as query
from footnote_stats.app import create_app as stats
from tests.conftest import HandClock
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, CreateApp, OpenClient, as_caller

SEARCH = {"index_name": "default", "query_text": "bridge built", "permission_groups": []}
OPEN = {"/health", "/ready", "/sessions", "/sign-in", METADATA, f"{METADATA}/mcp"}
"""What answers without a token."""


@pytest.fixture
async def core(tmp_path: Path, clock: Any) -> Any:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), auth=Auth(mode="session"))
    made = Core(settings, clock=clock)
    await put_document(made.generations, make_document("bridge", groups=["staff"]), BRIDGE)
    yield made
    await made.close()


async def token_of(core: Core, user_id: str = "ann", *groups: str) -> str:
    return await open_session(Session(user_id, groups), 3600, cache=core.cache, records=core.records, now=core.clock())


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(query)


@pytest.mark.parametrize("create_app", [query, ingest, feedback, stats], ids=["query", "ingest", "feedback", "stats"])
async def test_every_route_asks_for_a_token(create_app: CreateApp, core: Core, open_client: OpenClient) -> None:
    app = create_app(lambda: core)
    client = await open_client(create_app)
    asked = 0
    for path, methods in app.openapi()["paths"].items():
        for method in set(methods) - ({"post", "delete"} if path in ("/sessions", "/accounts") else set()):
            if path in OPEN:
                continue
            body = ASK if path.startswith(("/ask", "/retrieve")) else {}
            reply = await client.request(method, path.replace("{", "").replace("}", ""), json=None if method == "get" else body)
            assert reply.status_code in (401, 422), (method, path, reply.text)
            assert "bridge" not in reply.text.lower()
            asked += reply.status_code == 401
    assert asked


async def test_a_member_finds_documents_and_a_stranger_finds_none(core: Core, client: httpx.AsyncClient) -> None:
    for groups, found in (((), 0), (("guests",), 0), (("staff",), 2)):
        headers = {"authorization": f"Bearer {await token_of(core, 'ann', *groups)}"}
        reply = await client.post(
            "/retrieve-bm25", json={"index_name": "default", "query_text": "bridge built", "permission_groups": []}, headers=headers
        )
        assert (reply.status_code, reply.json()["hits"]["total"]["value"]) == (200, found)


async def test_the_page_signs_in_with_a_cookie_that_scripts_cannot_read(core: Core, client: httpx.AsyncClient) -> None:
    assert (await client.post("/sessions", json={"token": "wrong"})).status_code == 401
    token = await token_of(core, "ann", "staff")
    reply = await client.post("/sessions", json={"token": token}, headers={"x-forwarded-proto": "https"})
    assert reply.status_code == 204
    cookie = reply.headers["set-cookie"].lower()
    assert [part for part in ("httponly", "samesite=strict", "secure", "path=/") if part not in cookie] == []
    signed_in = httpx.Cookies({"footnote_session": token})
    client.cookies = signed_in
    assert (await client.post("/ask", json=ASK)).status_code == 200
    assert (await client.delete("/sessions")).status_code == 204
    client.cookies = signed_in
    assert (await client.post("/ask", json=ASK)).status_code == 401


async def test_an_uploader_must_be_in_the_groups_of_the_upload(core: Core, open_client: OpenClient) -> None:
    client = await open_client(ingest)
    headers = {"authorization": f"Bearer {await token_of(core, 'ann', 'staff')}"}

    async def add(*groups: str) -> httpx.Response:
        data = {"index_name": "default", "permission_groups": list(groups)}
        return await client.post("/ingest/file", files={"file": ("a.txt", b"text")}, data=data, headers=headers)

    assert (await add("board")).status_code == 403
    assert (await add("staff")).json()["permission_groups"] == ["staff"]
    assert (await add()).json()["permission_groups"] == ["user:ann"]


async def test_an_admin_sees_who_is_signed_in_and_ends_it(core: Core, client: httpx.AsyncClient) -> None:
    admin = await open_session(Session("root", (), "admin"), 60, cache=core.cache, records=core.records, now=core.clock())
    token = await token_of(core, "ann", "staff")
    as_root, as_ann = {"authorization": f"Bearer {admin}"}, {"authorization": f"Bearer {token}"}
    listed = (await client.get("/sessions", headers=as_root)).json()["data"]
    assert sorted((each["user_id"], each["role"], each["groups"]) for each in listed) == [("ann", "user", ["staff"]), ("root", "admin", [])]
    assert token not in str(listed)
    (ann,) = (each["session_id"] for each in listed if each["user_id"] == "ann")
    assert (await client.get("/sessions", headers=as_ann)).status_code == 403
    assert (await client.delete(f"/sessions/{ann}", headers=as_ann)).status_code == 403
    assert (await client.delete(f"/sessions/{ann}", headers=as_root)).status_code == 204
    assert (await client.get("/conversations", headers=as_ann)).status_code == 401
    assert (await client.delete(f"/sessions/{ann}", headers=as_root)).status_code == 404


async def root_of(core: Core, *groups: str) -> dict[str, str]:
    admin = Session("root", groups, "admin")
    return {"authorization": f"Bearer {await open_session(admin, 1e9, cache=core.cache, records=core.records, now=core.clock())}"}


async def test_an_admin_creates_a_session_whose_token_is_shown_once(core: Core, open_client: OpenClient) -> None:
    client, root = await open_client(query), await root_of(core, "staff", "crew")
    asked = {"user_id": " eva ", "groups": ["staff", "staff"], "hours": 2}
    reply = await client.post("/sessions/new", json=asked, headers=root)
    assert (reply.status_code, reply.headers["cache-control"]) == (201, "no-store")
    made = reply.json()
    assert (made["session_id"], made["expires_at"]) == (session_id_of(made["token"]), core.clock() + 7200)
    eva = {"authorization": f"Bearer {made['token']}"}
    assert (await client.post("/retrieve-bm25", json=SEARCH, headers=eva)).json()["hits"]["total"]["value"] == 2
    assert (await client.get("/sessions", headers=eva)).status_code == 403
    listed = await client.get("/sessions", headers=root)
    assert made["token"] not in listed.text
    (row,) = (each for each in listed.json()["data"] if each["user_id"] == "eva")
    assert (row["groups"], row["role"]) == (["staff"], "user")
    (entry,) = (await read_audit(core.records, 1)).data
    assert (entry.user_id, entry.action, entry.object_id, entry.facts) == (
        "root", "session.create", "eva", {"groups": ["staff"], "role": "user"},
    )  # fmt: skip
    core.clock.advance(7201)  # type: ignore[attr-defined]
    assert (await client.get("/conversations", headers=eva)).status_code == 401


async def test_an_admin_gives_no_group_that_they_are_not_in(core: Core, open_client: OpenClient) -> None:
    client, root = await open_client(query), await root_of(core, "staff")
    reply = await client.post("/sessions/new", json={"user_id": "eva", "groups": ["staff", "board"]}, headers=root)
    assert (reply.status_code, reply.json()["detail"]) == (403, "You are not in board. You can give only groups that you are in.")
    for wrong in (
        {"groups": ["user:ann"]},
        {"groups": ["role:admin"]},
        {"groups": ["*"]},
        {"user_id": " "},
        {"user_id": "a\nb"},
        {"hours": 0},
    ):
        assert (await client.post("/sessions/new", json={"user_id": "eva", **wrong}, headers=root)).status_code == 422, wrong
    assert [each for each in (await read_audit(core.records, 9)).data if each.action == "session.create"] == []


async def test_an_admin_opens_no_session_of_somebody_with_conversations_or_documents(core: Core, open_client: OpenClient) -> None:
    client, root = await open_client(query), await root_of(core)
    for user in ("ann", "bob", "eva"):
        created = await client.post("/sessions/new", json={"user_id": user}, headers=root)
        assert created.status_code == 201, "nobody has anything yet"
        if user == "ann":
            await client.post("/ask", json=ASK, headers={"authorization": f"Bearer {created.json()['token']}"})
        if user == "bob":
            uploads, headers = await open_client(ingest), {"authorization": f"Bearer {created.json()['token']}"}
            await uploads.post("/ingest/file", files={"file": ("a.txt", b"text")}, data={"index_name": "default"}, headers=headers)
    for user, status in (("ann", 409), ("bob", 409), ("eva", 201), ("root", 201)):
        reply = await client.post("/sessions/new", json={"user_id": user}, headers=root)
        assert reply.status_code == status, (user, reply.text)
        assert status == 201 or "`footnote session create`" in reply.json()["detail"]


@pytest.mark.parametrize("mode", ["none", "api_key", "jwt"])
async def test_there_are_no_sessions_where_people_sign_in_otherwise(core: Core, open_client: OpenClient, mode: Any) -> None:
    core.live.current = core.settings.model_copy(update={"auth": Auth(mode=mode)})
    client = await open_client(as_caller(LOCAL, query))
    reply = await client.post("/sessions/new", json={"user_id": "eva"})
    assert (reply.status_code, reply.json()["detail"]) == (409, f"Sign-in is by {mode}. Sessions are for AUTH__MODE=session.")


async def test_too_many_questions_get_a_time_to_wait(core: Core, client: httpx.AsyncClient) -> None:
    core.limiter = RateLimiter(core.cache, HandClock(1_700_000_120.0))
    headers = {"authorization": f"Bearer {await token_of(core, 'ann', 'staff')}"}
    most = core.settings.limits.user_per_minute
    replies = [await client.post("/retrieve-bm25", json=SEARCH, headers=headers) for _ in range(most + 1)]
    assert [reply.status_code for reply in replies] == [200] * most + [429]
    assert replies[-1].headers["retry-after"] == "40"
    assert replies[-1].headers["content-type"] == "application/problem+json"
    assert (await client.get("/conversations", headers=headers)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", "/conversations", lambda token: {"headers": {"api-key": token}}, 401),
        ("POST", "/sessions", lambda token: {"json": {"token": token}}, 401),
        ("DELETE", "/sessions", lambda token: {"headers": {"api-key": token}}, 204),
    ],
    ids=["any route", "sign in", "sign out"],
)
async def test_failed_sign_ins_are_rate_limited(
    method: str, path: str, given: Any, status: int, core: Core, client: httpx.AsyncClient
) -> None:
    most = core.settings.limits.address_per_minute
    statuses = [(await client.request(method, path, **given(f"guess{n}"))).status_code for n in range(most + 1)]
    assert statuses == [status] * most + [429]
    assert (await read_audit(core.records, 1)).data == ()


async def test_a_sign_out_is_in_the_audit(core: Core, client: httpx.AsyncClient) -> None:
    token = await token_of(core, "ann")
    assert (await client.delete("/sessions", headers={"authorization": f"Bearer {token}"})).status_code == 204
    (entry,) = (await read_audit(core.records, 2)).data
    assert (entry.user_id, entry.action, entry.object_id) == ("ann", "session.revoke", session_id_of(token))


async def test_an_unauthorized_request_is_told_how_to_sign_in(core: Core, client: httpx.AsyncClient) -> None:
    for headers in ({}, {"authorization": "Bearer guess"}):
        reply = await client.get("/conversations", headers=headers)
        assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")


async def test_the_body_of_an_unauthorized_request_is_not_read(core: Core, open_client: OpenClient) -> None:
    """Otherwise anyone could make the server store files before it checks the token."""
    read = []

    async def body() -> AsyncIterator[bytes]:
        for _ in range(3):
            read.append(1)
            yield b"{" * 1000

    for create, path, kind in ((ingest, "/ingest/file", "multipart/form-data; boundary=x"), (query, "/ask", "application/json")):
        client = await open_client(create)
        headers = {"content-type": kind}
        assert (await client.post(path, content=body(), headers=headers)).status_code == 401
        assert read == []
        headers["authorization"] = f"Bearer {await token_of(core, 'ann')}"
        assert (await client.post(path, content=body(), headers=headers)).status_code == 422
        assert read
        read.clear()
