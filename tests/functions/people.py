"""All kinds of callers, and one resource of each kind that belongs to its owner. Many tests share this world."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session, revoke_session, session_id_of
from footnote.ports import Delta, Tool
from footnote.settings import LLM, Auth, Embedding, Limits, Settings
from footnote.types import Block, Message, Parsed, ToolCall
from footnote_feedback.app import create_app as create_feedback
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from footnote_stats.app import create_app as create_stats
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, FakeModels, embed_all, work_all
from tests.nightly import in_gate

CREATE = {"query": create_query, "ingest": create_ingest, "feedback": create_feedback, "stats": create_stats}
NOTHING = "0" * 32
"""The name of no thing at all."""
COLLECTION = "ledgers"
QUESTION = "When was the bridge built?"
UNKNOWN = ("anonymous", "stranger", "expired", "revoked")
"""Without a token, with a wrong one, with one that is over, with one that was ended."""
KNOWN = ("outsider", "member", "owner", "admin")
"""Signed in: without the group, with it, the one whose thing it is, an admin."""
PEOPLE = UNKNOWN + KNOWN

Known = Mapping[str, str]


def everybody(number: int, *values: object, allowed: Collection[str], name: str) -> list[Any]:
    """The values with each of PEOPLE. The gate takes one who is allowed, one who is not and one who is not signed in: by the number,
    others for the next values."""
    groups = [person for person in KNOWN if person in allowed], [person for person in KNOWN if person not in allowed], UNKNOWN
    kept = {group[number % len(group)] for group in groups if group}
    return [pytest.param(*values, person, id=f"{name}-{person}", marks=in_gate(person in kept)) for person in PEOPLE]


class PlainParser:
    async def parse(self, data: bytes, file_name: str) -> Parsed:
        return Parsed((Block("paragraph", data.decode()),), file_name, format="txt")


@dataclass(slots=True)
class RecordingModel:
    """`ports.LanguageModel` that searches if it has tools, always replies the same, and records its prompts."""

    name: str = "listener"
    prompts: list[str] = field(default_factory=list)

    async def stream(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), **options: Any) -> AsyncIterator[Delta]:
        self.prompts.append(str(messages))
        if tools and messages[-1].role != "tool":
            yield Delta(tool_calls=(ToolCall("c1", "search_documents", json.dumps({"query": QUESTION})),))
        else:
            yield Delta("The bridge has a number [1].\nSOURCES_USED: 1")


class World:
    """The functions in mode `session`, on one Core."""

    def __init__(self, folder: Path) -> None:
        self.clock = HandClock()
        settings = Settings(
            footnote_data=folder,
            index_name=COLLECTION,
            embedding=Embedding(builtin=False),
            llm=LLM(discover=False),
            auth=Auth(mode="session"),
            limits=Limits(user_per_minute=0, address_per_minute=0),
        )
        self.model = RecordingModel()
        self.core = Core(settings, clock=self.clock, models=FakeModels(self.model), parser=PlainParser())
        self.core.embedder = FakeEmbedder(dimension=256)  # in few dimensions a term is near to anything
        self.tokens = {"stranger": "x" * 43}
        self._numbers = count()
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._served = {(method.upper(), path): name for name, method, path, *_ in operations()}

    async def open(self) -> None:
        owner = Session("owner", ("staff",))
        sessions = {
            "outsider": Session("outsider"), "member": Session("member", ("staff",)), "owner": owner,
            "admin": Session("admin", ("staff",), "admin"), "expired": owner, "revoked": owner,
        }  # fmt: skip
        for person, session in sessions.items():
            self.tokens[person] = await self._sign_in(session, 1 if person == "expired" else 1e6)
        await revoke_session(session_id_of(self.tokens["revoked"]), cache=self.core.cache, records=self.core.records)
        self.clock.advance(2)
        for name, create in CREATE.items():
            transport = httpx.ASGITransport(create(lambda: self.core), raise_app_exceptions=False)
            self._clients[name] = httpx.AsyncClient(transport=transport, base_url="http://footnote.test")

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        await self.core.close()

    async def ask(self, person: str, method: str, path: str, route: str | None = None, **options: Any) -> httpx.Response:
        """`route`: the path template of the OpenAPI, for paths with a resource id."""
        headers = {"authorization": f"Bearer {self.tokens[person]}"} if person in self.tokens else {}
        headers |= options.pop("headers", {})
        return await self._clients[self._served[method, route or path]].request(method, path, headers=headers, **options)

    async def make_resources(self) -> dict[str, str]:
        """Creates resources of the owner, and of the admin where only admins have them: path parameter → id."""
        number = next(self._numbers)
        room_id, term = f"talk-{number}", f"salary-{number}"
        file = {"file": (f"bridge-{number}.txt", f"The bridge was built in 1894. Its number is {number}.".encode())}
        reply = await self.ask("owner", "POST", "/ingest/file", files=file, data={"index_name": COLLECTION, "permission_groups": ["staff"]})
        await work_all(self.core)
        await embed_all(self.core)
        asked = {"query_text": QUESTION, "index_name": COLLECTION, "permission_groups": [], "room_id": room_id}
        turn = json.loads((await self.ask("owner", "POST", "/ask/stream", json=asked)).text.rpartition("data:")[2])  # the stream's last
        rated = (await self.ask("owner", "POST", "/ask", json=asked | {"room_id": None})).json()["trace_id"]
        await self.ask("owner", "POST", "/feedback", json={"trace_id": rated, "rating": "down", "reason": "outdated"})
        await self.ask("admin", "PUT", f"/forbidden-terms/{term}", "/forbidden-terms/{term}", json={})
        await self.ask("admin", "PUT", "/settings/rag.alpha", "/settings/{key}", json={"value": 0.6})
        for collection in (f"rules-{number}", f"old-rules-{number}"):
            await self.ask("admin", "POST", "/collections", json={"name": collection})
        alias = f"/collections/rules-{number}/aliases/laws-{number}"
        await self.ask("admin", "PUT", alias, "/collections/{collection}/aliases/{alias}")
        await self.ask("admin", "DELETE", f"/collections/old-rules-{number}", "/collections/{collection}")
        arms = [{"name": "plain"}, {"name": "basic", "level": "basic"}]
        await self.ask("admin", "POST", "/experiments", json={"name": f"levels-{number}", "arms": arms})
        written = {"question": f"Question {number}?", "index_name": COLLECTION, "facts": ["1894"]}
        case_id = (await self.ask("admin", "POST", "/golden", json=written)).json()["case_id"]
        shared = (await self.ask("owner", "POST", "/shares", json={"room_id": room_id})).json()
        file = {"file": (f"old-{number}.txt", f"The bridge before that had the number {number}.".encode())}
        deleted = await self.ask(
            "owner", "POST", "/ingest/file", files=file, data={"index_name": COLLECTION, "permission_groups": ["staff"]}
        )
        deleted_doc_id = deleted.json()["doc_id"]
        await self.ask("owner", "DELETE", f"/documents/{deleted_doc_id}", "/documents/{doc_id}")
        self.clock.advance(1)
        return {
            "deleted_doc_id": deleted_doc_id,
            "doc_id": reply.json()["doc_id"], "job_id": reply.json()["doc_id"], "chunk_id": turn["hits"][0]["chunk_id"],
            "room_id": room_id, "trace_id": turn["trace_id"], "rated_trace_id": rated, "case_id": case_id,
            "session_id": session_id_of(await self._sign_in(Session("victim"), 1e6)),
            "account": await self._invite(f"invited-{number}"),
            "name": "system" if number else "answer_numbered", "key": "rag.alpha", "term": term, "model": f"footnote/{COLLECTION}",
            "collection": f"rules-{number}", "alias": f"laws-{number}", "deleted_collection": f"old-rules-{number}",
            "experiment": f"levels-{number}", "share_id": shared["share_id"], "share_token": shared["token"],
        }  # fmt: skip

    async def _invite(self, name: str) -> str:
        await self.core.accounts.invite(Session(name), 1e6, by="admin")
        return name

    async def _sign_in(self, session: Session, valid_s: float) -> str:
        return await open_session(session, valid_s, cache=self.core.cache, records=self.core.records, now=self.clock())


@cache
def operations() -> list[tuple[str, str, str, dict[str, Any], dict[str, Any]]]:
    """(function, method, path, operation, schemas) of every operation in the OpenAPI documents of all functions."""
    return [
        (name, method.upper(), path, operation, schema["components"]["schemas"])
        for name, schema in ((name, create().openapi()) for name, create in CREATE.items())
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def content_of(reply: httpx.Response) -> tuple[int, dict[str, Any]]:
    """Status and body of a reply, without its trace id."""
    return reply.status_code, {name: value for name, value in reply.json().items() if name != "trace_id"}
