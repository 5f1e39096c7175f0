"""Documents with permission groups, users with memberships, and a model that repeats everything in its prompt."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session
from footnote.ingest.attachments import purge_attachments
from footnote.ports import Delta, Found, Index, RankedLists, Scope
from footnote.settings import LLM, Auth, Embedding, Limits, Rag, Settings
from footnote.types import KNOWLEDGE, Block, Caller, Candidate, CollectionSettings, Message, Parsed, Query, Role, ToolCall
from footnote_feedback.app import create_app as create_feedback
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from footnote_stats.app import create_app as create_stats
from tests.conftest import HandClock
from tests.fakes import FakeModels, FakeTokenEmbedder, build_all, switch_on

GROUPS = ("red", "blue")
PEOPLE = ("ann", "bob", "cem")
COLLECTIONS = ("default", "side", "voices")
"""Documents in the last one are voices of customers, one each. The first two build a graph, a summary tree and token vectors."""
BUILT_IN = COLLECTIONS[:2]
ROOM = "talk"
DAY_S = 86_400.0
SECRET = re.compile(r"zq[a-z]+\d+x|zqname[a-j]+x", re.IGNORECASE)
"""What canaries look like."""
OPENING = r'<document (?:id="(?P<id>[^"]+)"|number="(?P<number>\d+)")|Reference \[(?P<reference>\d+)\]'
"""Where a document begins in a prompt."""
SAID = re.compile(r"[^.\n<>\"]*(?:zq[a-z]+\d+x|zqname[a-j]+x)[^.\n<>\"]*", re.IGNORECASE)
QUESTION = "When was the bridge over the river built?"


class PlainParser:
    """`ports.Parser`: a heading line, then paragraphs."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        first, *rest = data.decode().split("\n\n")
        return Parsed((Block("heading", first, 1), *(Block("paragraph", text) for text in rest)), first, format="txt")


class EchoModel:
    """`ports.LanguageModel`: repeats all passages of its prompt verbatim, and cites for each sentence the document that it follows."""

    name = "blabber"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        shown = "\n".join(message.content for message in messages)
        if '{"queries"' in shown:
            words = " ".join(dict.fromkeys(SECRET.findall(shown)))
            yield Delta(json.dumps({"queries": [f"{QUESTION} {words}"[:390]]}))
        elif options.get("tools") and messages[-1].role != "tool":
            yield Delta(tool_calls=(ToolCall("c1", "search_documents", json.dumps({"query": QUESTION})),))
        else:
            numbers, said, marker = list[str](), dict[str, str](), ""
            for match in re.finditer(f"{OPENING}|(?P<said>{SAID.pattern})", shown, re.IGNORECASE):
                if match["said"]:
                    said.setdefault(match["said"].strip(), marker)
                else:
                    numbers += [number for number in (match["number"], match["reference"]) if number]
                    marker = f" [^{match['id']}]" if match["id"] else f" [{numbers[-1]}]"
            yield Delta("\n".join(f"{sentence}{marker}." for sentence, marker in said.items()) or "Nothing was said.")
            if "SOURCES_USED" in shown:
                yield Delta(f"\nSOURCES_USED: {', '.join(numbers)}")


class IndiscreetGraph:
    """`ports.RankedLists` that also finds every passage of a collection, whoever asks, but not for QUESTION: replies to it must be complete
    without that."""

    def __init__(self, graph: RankedLists, index: Index) -> None:
        self._graph, self._index = graph, index

    async def search(self, query: Query, scope: Scope) -> Found:
        found = await self._graph.search(query, scope)
        if query.text == QUESTION:
            return found
        chunks = await self._index.sample(Caller("graph", sees_all=True), scope.collection, scope.limit)
        items = dict.fromkeys([*(entry.chunk_id for entry in found.items), *(chunk.chunk_id for chunk in chunks)])
        return Found(tuple(Candidate(chunk_id, 1.0) for chunk_id in items))


@dataclass
class Kept:
    """The expected state of a document."""

    doc_id: str
    slot: int
    collection: str
    groups: frozenset[str]
    canaries: tuple[str, ...]
    ready: bool = True
    """False: its file is stored but not ingested yet."""


def asked_by(person: str) -> str:
    """A word that occurs only in this user's questions."""
    return f"zqask{person}{PEOPLE.index(person)}x"


def name_of(number: int) -> str:
    """A canary of letters only, which a typo may be corrected to."""
    return f"zqname{''.join('abcdefghij'[int(digit)] for digit in str(number))}x"


@dataclass
class World:
    """One data folder, the four functions on it, and the permissions."""

    core: Core
    clock: HandClock
    clients: dict[str, httpx.AsyncClient]
    logged: list[str]
    documents: dict[str, Kept] = field(default_factory=dict)
    coming: dict[str, Kept] = field(default_factory=dict)
    """New content of documents, which waits to be read."""
    gone: list[Kept] = field(default_factory=list)
    members: dict[str, frozenset[str]] = field(default_factory=lambda: dict.fromkeys(PEOPLE, frozenset()))
    tokens: dict[str, str] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    """Tokens of sessions that are over."""
    traces: dict[str, list[str]] = field(default_factory=lambda: {person: [] for person in PEOPLE})
    streams: dict[str, list[str]] = field(default_factory=lambda: {person: [] for person in PEOPLE})
    shares: dict[str, dict[str, str]] = field(default_factory=lambda: {person: {} for person in PEOPLE})
    """Owner → links to their conversations: share_id → token, also of those that were deleted."""
    unshared: set[str] = field(default_factory=set)
    answered: dict[frozenset[str], str] = field(default_factory=dict)
    """Narrowed groups → who was given an answer last that was made for them."""
    seen: Counter[str] = field(default_factory=Counter)
    """What happened how often: a suite in which nothing happens finds nothing."""
    attached: dict[str, list[Kept]] = field(default_factory=lambda: {person: [] for person in PEOPLE})
    """Owner → the files of their conversation ROOM."""
    restorable: dict[str, Kept] = field(default_factory=dict)
    """Deleted documents as they would come back, unless their time is over or another has taken their place."""
    made: int = 0
    deleted: dict[str, list[Kept]] = field(default_factory=dict)
    """Deleted collection → its documents."""
    later: Callable[[], None] = lambda: None

    def groups_of(self, person: str) -> frozenset[str]:
        return self.members[person] | {f"user:{person}", "*"}

    def in_groups(self, person: str, kept: Kept) -> bool:
        return not kept.groups.isdisjoint(self.groups_of(person))

    def may_read(self, person: str, kept: Kept) -> bool:
        return kept.doc_id in self.documents and self.in_groups(person, kept)

    def readable(self, person: str, collection: str | None = None, groups: Iterable[str] = ()) -> list[Kept]:
        """The searchable documents that this user may read; `groups`: narrowed to these."""
        own = self.groups_of(person)
        own = own & {*groups, "*"} if groups else own
        listed = (kept for kept in self.documents.values() if collection in (None, kept.collection))
        return [kept for kept in listed if not kept.groups.isdisjoint(own)]

    def counted(self, person: str) -> Counter[str]:
        """How many ready documents of each collection this user sees."""
        return Counter(kept.collection for kept in self.readable(person) if kept.ready and kept.doc_id not in self.coming)

    def forbidden(self, person: str, *, remembers: bool, shares: bool = False, deleted: bool = False) -> set[str]:
        """Canaries that this user must not see now: of documents, and of others' questions. `remembers`: their own
        conversations may still quote what a document said before, while they may read it as it is. `shares`: others have shown them
        their questions. `deleted`: what they may restore is named."""
        now = [*self.documents.values(), *self.coming.values()]
        before = [kept for kept in self.gone if not (remembers and kept.doc_id in self.documents)]
        hidden = [*(kept for kept in now if not self.may_read(person, kept)), *before]
        hidden += [kept for kept in self.gone if kept.doc_id in self.documents and not self.may_read(person, kept)]
        for owner, files in self.attached.items():  # for their owner they are in one conversation only, and in links to it
            hidden += [] if owner == person and (remembers or shares) else files
        if deleted:
            named = [id(kept) for kept in self.restorable.values() if self.in_groups(person, kept)]
            hidden = [kept for kept in hidden if id(kept) not in named]
        asked = set() if shares else {asked_by(other) for other in PEOPLE if other != person}
        return {canary for kept in hidden for canary in kept.canaries} | asked

    async def call(self, person: str, function: str, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.tokens[person]}", **options.pop("headers", {})}
        return await self.clients[function].request(method, path, headers=headers, **options)

    # --- what happens ----------------------------------------------------------------------------

    async def sign_in(self, person: str, groups: frozenset[str], valid_s: float = 1e9) -> None:
        """Signs in with these memberships; the previous session is ended."""
        if person in self.tokens:
            await self.call(person, "query", "DELETE", "/sessions")
            self.ended = [*self.ended[-2:], self.tokens[person]]
        role: Role = "admin" if person == "root" else "user"
        stores: dict[str, Any] = {"cache": self.core.cache, "records": self.core.records}
        self.tokens[person] = await open_session(Session(person, tuple(sorted(groups)), role), valid_s, **stores, now=self.clock())
        self.members[person] = groups

    async def expire(self, person: str) -> None:
        """Expires this user's session; they sign in again."""
        groups = self.members[person]
        await self.sign_in(person, groups, 10)
        self.clock.advance(11)
        self.ended = [*self.ended[-2:], self.tokens.pop(person)]
        await self.sign_in(person, groups)

    async def put(self, slot: int, groups: frozenset[str], collection: str = "default", *, work: bool = True) -> str:
        """A new document, or new content of the one in this slot with these groups; without `work` it is not read yet."""
        (body, title, rare, name), text = self._write()
        reply = await self.call(
            "root", "ingest", "POST", "/ingest/file", files={"file": (f"slot{slot}.txt", text.encode())},
            data={"index_name": collection, "permission_groups": sorted(groups)},
        )  # fmt: skip
        assert reply.status_code == 202, reply.text
        doc_id = str(reply.json()["doc_id"])
        kept = Kept(doc_id, slot, collection, groups, (body, title, rare, name), ready=False)
        if doc_id in self.coming:
            self.gone.append(self.coming.pop(doc_id))
        if doc_id not in self.documents:
            self.documents[doc_id] = kept
        elif self.documents[doc_id].ready:
            self.coming[doc_id] = kept
        else:
            self.gone.append(self.documents[doc_id])
            self.documents[doc_id] = kept
        if work:
            await self.work()
        return doc_id

    def _write(self) -> tuple[tuple[str, str, str, str], str]:
        """Canaries that no other document has, and a text with them."""
        self.made += 1
        number = self.made
        body, title, rare, name = f"zqbody{number}x", f"zqtitle{number}x", f"zqnumber{number}x", name_of(number)
        return (body, title, rare, name), (
            f"About bridges {title}\n\nWhere is the painted railing of {body}?\n\n"
            f"The painted railing of {body} is at {rare}. Its keeper is {name}.\n\n"
            f"The bridge over the river was built in the year {rare}. It is known as {body} to those who live there.\n\n"
            f"Ann Mason taught Bert {name.capitalize()}."
        )

    async def attach(self, person: str, *, room_id: str = ROOM) -> str:
        """A file that this user attaches to their conversation."""
        canaries, text = self._write()
        wanted = {"file_name": "attached.txt", "size": len(text), "room_id": room_id}
        target = (await self.call(person, "ingest", "POST", "/uploads", json=wanted)).json()
        file = {"file": ("attached.txt", text.encode())}
        reply = await self.call(person, "ingest", "POST", target["url"], data=target["fields"], files=file)
        assert reply.status_code == 204, reply.text
        kept = Kept(target["doc_id"], 0, "", frozenset({f"user:{person}"}), canaries)
        self.attached[person].append(kept)
        await self.work()
        return kept.doc_id

    async def delete_conversation(self, person: str) -> None:
        """Deletes the user's conversation, if there is one, and thereby its files."""
        reply = await self.call(person, "query", "DELETE", f"/conversations/{ROOM}")
        if reply.status_code == 204:
            self.gone += self.attached[person]
            self.attached[person] = []

    async def delete(self, doc_id: str) -> None:
        reply = await self.call("root", "ingest", "DELETE", f"/documents/{doc_id}")
        assert reply.status_code == 200, reply.text
        gone = [held.pop(doc_id) for held in (self.documents, self.coming) if doc_id in held]
        self.gone += gone
        self.restorable[doc_id] = gone[-1]

    async def restore(self, doc_id: str, *, work: bool = True) -> None:
        """Restores a deleted document, if that is still possible."""
        reply = await self.call("root", "ingest", "POST", f"/documents/{doc_id}/restore")
        assert reply.status_code in (202, 404, 409), reply.text
        if reply.status_code == 202:  # until it is purged, its readers may delete it again
            kept = self.restorable.pop(doc_id)
            self.seen["restored"] += 1
            self.gone.remove(kept)
            kept.ready = False
            self.documents[doc_id] = kept
            if work:
                await self.work()

    async def move(self, doc_id: str, collection: str, groups: frozenset[str]) -> None:
        """Gives a document other readers and another collection. It is not read again yet."""
        body = {"collection": collection, "permission_groups": sorted(groups)}
        reply = await self.call("root", "ingest", "PATCH", f"/documents/{doc_id}", json=body)
        assert reply.status_code == 202, reply.text
        before = self.documents[doc_id]
        if (before.collection, before.groups) == (collection, groups):
            return
        if doc_id in self.coming:
            self.gone.append(before)
        now = self.coming.pop(doc_id, before)
        self.documents[doc_id] = replace(now, collection=collection, groups=groups, ready=False)
        self.seen["moved"] += 1

    async def change_collection(self, method: str, path: str, **body: Any) -> httpx.Response:
        """As an admin; a second later every process knows of it. RuntimeError, which is no leak found, if it is refused."""
        reply = await self.call("root", "query", method, f"/collections{path}", json=body or None)
        if reply.status_code >= 300:
            raise RuntimeError(reply.text)
        self.later()
        return reply

    async def delete_collection(self, name: str) -> None:
        await self.change_collection("DELETE", f"/{name}")
        for held in (self.documents, self.coming):
            for doc_id in [doc_id for doc_id, kept in held.items() if kept.collection == name]:
                self.deleted.setdefault(name, []).append(held.pop(doc_id))
        self.gone += self.deleted.get(name, [])

    async def restore_collection(self, name: str) -> None:
        await self.change_collection("POST", f"/{name}/restore")
        for kept in self.deleted.pop(name, []):
            self.gone.remove(kept)
            self.documents[kept.doc_id] = kept

    async def rename_collection(self, name: str, new: str) -> None:
        await self.change_collection("PATCH", f"/{name}", name=new)
        for kept in self.documents.values():
            if kept.collection == name:
                kept.collection = new

    async def work(self) -> None:
        while await self.core.ingestor.work_one():
            pass
        while await self.core.ingestor.embed_some():
            pass
        await build_all(self.core)
        await purge_attachments(self.core.ingestor, self.core.turns)
        for doc_id, kept in self.coming.items():
            self.gone.append(self.documents[doc_id])
            self.documents[doc_id] = kept
        self.coming.clear()
        for kept in self.documents.values():
            kept.ready = True

    def trace(self, person: str, reply: httpx.Response) -> None:
        self.traces[person] = [*self.traces[person][-3:], reply.headers["x-trace-id"]]


class _Log(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(f"{record.getMessage()} {record.__dict__}")


async def open_world(folder: Path, stack: AsyncExitStack, **changes: Any) -> World:
    """`changes`: settings of other engines."""
    clock = HandClock()
    settings = Settings(
        footnote_data=folder,
        auth=Auth(mode="session"),
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        limits=Limits(user_per_minute=0, address_per_minute=0),
        rag=Rag(graph=True),
        **changes,
    )
    core = Core(settings, clock=clock, models=FakeModels(EchoModel()), parser=PlainParser())
    core.embedder = FakeTokenEmbedder()
    core.ranked_lists = {**core.ranked_lists, "graph": IndiscreetGraph(core.ranked_lists["graph"], core.index)}
    stack.push_async_callback(core.close)
    clients = {}
    for name, create in (("query", create_query), ("ingest", create_ingest), ("feedback", create_feedback), ("stats", create_stats)):
        transport = httpx.ASGITransport(create(lambda: core), raise_app_exceptions=False)
        clients[name] = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))
    logged: list[str] = []
    handler, logger = _Log(logged), logging.getLogger("footnote")
    logger.addHandler(handler)
    stack.callback(logger.removeHandler, handler)
    world = World(core, clock, clients, logged)
    for person in PEOPLE:
        await world.sign_in(person, frozenset())
    await world.sign_in("root", frozenset({*GROUPS, "user:ann"}))  # who puts and deletes the documents
    await core.collections.create("voices", CollectionSettings("voices"), title="", description="", by="root")
    await core.collections.create("side", CollectionSettings(), title="", description="", by="root")
    for collection in BUILT_IN:
        await switch_on(core, *KNOWLEDGE, collection=collection)
    await asyncio.sleep(0)
    return world
