"""Every route that names a thing, asked by everybody who should not get it.

The routes come from the functions' OpenAPI: one that is in no table here fails. A thing that is not the caller's looks
like one that does not exist: the same status and the same words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from feedback.app import create_app as create_feedback
from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session, revoke_session, session_id_of
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote.types import Block, Parsed
from ingest.app import create_app as create_ingest
from query.app import create_app as create_query
from stats.app import create_app as create_stats
from tests.conftest import HandClock
from tests.functions.conftest import OpenClient

CREATE = {"query": create_query, "ingest": create_ingest, "feedback": create_feedback, "stats": create_stats}
NOTHING = "0" * 32
"""The name of no thing at all."""
PEOPLE = ("nobody", "stranger", "expired", "revoked", "outsider", "member", "owner", "admin")
"""Without a token, with a wrong one, with one that is over, with one that was ended; signed in: without the groups, with
them, the one whose thing it is, an admin."""
KNOWN = ("outsider", "member", "owner", "admin")

Body = Mapping[str, Any] | None


@dataclass(frozen=True)
class Rule:
    """Who gets through (2xx); `denied`: what the others who are signed in get. `body`: what is sent along."""

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
    ("DELETE", "/documents/{doc_id}"): Rule(READERS),
    ("GET", "/conversations/{room_id}"): Rule(OWNER),
    ("DELETE", "/conversations/{room_id}"): Rule(OWNER),
    ("GET", "/turns/{trace_id}"): Rule(OWNER),
    ("GET", "/traces/{trace_id}"): Rule(OWNER),
    ("DELETE", "/sessions/{session_id}"): Rule(ADMIN, 403),
    ("GET", "/prompts/{name}"): Rule(ADMIN, 403),
    ("PUT", "/prompts/{name}"): Rule(ADMIN, 403, {"lang": "en", "template": "Answer."}),
    ("DELETE", "/prompts/{name}"): Rule(ADMIN, 403),
    ("PUT", "/settings/{key}"): Rule(ADMIN, 403, {"value": 0.4}),
    ("PUT", "/forbidden-terms/{term}"): Rule(ADMIN, 403, {}),
    ("DELETE", "/forbidden-terms/{term}"): Rule(ADMIN, 403),
}
"""Routes whose path names a thing."""

BODIES: dict[tuple[str, str], tuple[Body, Rule]] = {
    ("POST", "/feedback"): ({"trace_id": "{trace_id}", "rating": "up"}, Rule(OWNER)),
}
"""Routes whose body names one."""

LISTS = {
    "/documents", "/conversations", "/collections", "/me/data", "/me/preferences", "/stats", "/feedback/metrics", "/v1/models", "/sessions",
    "/prompts", "/settings", "/audit", "/forbidden-terms",
}  # fmt: skip
"""Routes that list: what is in them is the caller's. The leak suite looks through them."""

QUESTIONS = {
    "/ask", "/ask/stream", "/retrieve-rrf", "/retrieve-bm25", "/retrieve-knn", "/retrieve-cc", "/chat", "/v1/chat/completions",
    "/retrieval",
    "/v2/rag/query", "/v2/gpt/query", "/v2/pa/query", "/v2/vision/query", "/v2/rag/tokens",
}  # fmt: skip
"""Routes that ask on behalf of the caller, and name a room of the caller's own at the most."""

OTHERS = {"/health", "/ready", "/sessions", "/uploads", "/uploads/form", "/ingest/file"}


class PlainParser:
    async def parse(self, data: bytes, file_name: str) -> Parsed:
        return Parsed((Block("paragraph", data.decode()),), file_name, format="txt")


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> Any:
    settings = Settings(
        footnote_data=tmp_path,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        auth=Auth(mode="session"),
        limits=Limits(user_per_minute=0, address_per_minute=0),
    )
    made = Core(settings, clock=clock, parser=PlainParser())
    yield made
    await made.close()


Ask = Callable[..., Awaitable[httpx.Response]]


@pytest.fixture
async def ask(core: Core, clock: HandClock, open_client: OpenClient) -> Ask:
    """`ask(person, method, path, **options)`."""
    stores = {"cache": core.cache, "records": core.records}
    sessions = {
        "outsider": Session("outsider"), "member": Session("member", ("staff",)), "owner": Session("owner", ("staff",)),
        "admin": Session("admin", ("staff",), "admin"), "expired": Session("owner", ("staff",)), "revoked": Session("owner", ("staff",)),
    }  # fmt: skip
    tokens = {"stranger": "x" * 43}
    for person, session in sessions.items():
        tokens[person] = await open_session(session, 1 if person == "expired" else 1e6, **stores, now=clock())
    await revoke_session(session_id_of(tokens["revoked"]), **stores)
    clock.advance(2)
    clients = {name: await open_client(create) for name, create in CREATE.items()}
    served = {
        (method.upper(), path): name
        for name, create in CREATE.items()
        for path, methods in create().openapi()["paths"].items()
        for method in methods
    }

    async def send(person: str, method: str, path: str, route: str | None = None, **options: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {tokens[person]}"} if person in tokens else {}
        return await clients[served[method, route or path]].request(method, path, headers=headers, **options)

    return send


async def things(core: Core, ask: Ask) -> dict[str, str]:
    """One of each kind: path parameter → its name."""
    file = {"file": ("bridge.txt", b"The bridge was built in 1894.")}
    reply = await ask("owner", "POST", "/ingest/file", files=file, data={"index_name": "default", "permission_groups": ["staff"]})
    while await core.ingestor.work_one():
        pass
    asked = {"query_text": "When was the bridge built?", "index_name": "default", "permission_groups": [], "room_id": "talk"}
    trace_id = (await ask("owner", "POST", "/ask", json=asked)).json()["trace_id"]
    await ask("admin", "PUT", "/forbidden-terms/salary", "/forbidden-terms/{term}", json={})
    victim = await open_session(Session("victim"), 1e6, cache=core.cache, records=core.records, now=core.clock())
    return {
        "doc_id": reply.json()["doc_id"], "room_id": "talk", "trace_id": trace_id, "session_id": session_id_of(victim),
        "name": "answer_numbered", "key": "rag.alpha", "term": "salary",
    }  # fmt: skip


def routes_with_a_thing() -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for create in CREATE.values()
        for path, methods in create().openapi()["paths"].items()
        for method in methods
        if "{" in path
    }


def test_every_route_that_names_a_thing_is_in_the_table() -> None:
    assert routes_with_a_thing() == set(ROUTES)


def test_every_other_route_is_known() -> None:
    paths = {path for create in CREATE.values() for path in create().openapi()["paths"] if "{" not in path}
    assert paths - LISTS - QUESTIONS - OTHERS == {path for _, path in BODIES}


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("method", "route"), ROUTES, ids=[f"{method} {path}" for method, path in ROUTES])
async def test_a_thing_is_there_for_those_who_may_and_for_nobody_else(method: str, route: str, person: str, core: Core, ask: Ask) -> None:
    known, rule = await things(core, ask), ROUTES[method, route]
    options = {} if rule.body is None else {"json": rule.body}
    reply = await ask(person, method, route.format(**known), route, **options)
    if person not in KNOWN:
        assert reply.status_code == 401
    elif person in rule.allowed:
        assert reply.status_code in (200, 202, 204, 409), reply.text
    else:
        assert reply.status_code == rule.denied, reply.text
        missing = await ask(person, method, route.format(**dict.fromkeys(known, NOTHING)), route, **options)
        assert told(missing) == told(reply)
        await is_untouched(known, ask)


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(("method", "route"), BODIES, ids=[path for _, path in BODIES])
async def test_a_thing_that_a_body_names_is_there_for_those_who_may(method: str, route: str, person: str, core: Core, ask: Ask) -> None:
    known, (body, rule) = await things(core, ask), BODIES[method, route]
    assert body is not None

    def filled(names: Mapping[str, str]) -> dict[str, Any]:
        return {field: value.format(**names) for field, value in body.items()}

    reply = await ask(person, method, route, json=filled(known))
    if person not in KNOWN:
        assert reply.status_code == 401
    elif person in rule.allowed:
        assert reply.status_code == 200
    else:
        assert reply.status_code == rule.denied
        assert told(await ask(person, method, route, json=filled(dict.fromkeys(known, NOTHING)))) == told(reply)


def told(reply: httpx.Response) -> tuple[int, dict[str, Any]]:
    """All but the trace."""
    return reply.status_code, {name: value for name, value in reply.json().items() if name != "trace_id"}


async def is_untouched(known: Mapping[str, str], ask: Ask) -> None:
    """Whatever somebody tried, the owner still has everything."""
    for route in ("/documents/{doc_id}", "/conversations/{room_id}", "/turns/{trace_id}"):
        reply = await ask("owner", "GET", route.format(**known), route)
        assert reply.status_code == 200
    assert (await ask("owner", "GET", f"/documents/{known['doc_id']}", "/documents/{doc_id}")).json()["state"] == "READY"
