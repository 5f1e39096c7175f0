"""No page of Confluence is seen by a person who may not read it there, whatever is restricted, and whenever."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from footnote.adapters.confluence import wiki as adapter
from footnote.adapters.confluence.wiki_replies import Page as PageReply
from footnote.bootstrap import Core
from footnote.errors import UnreadableFile
from footnote.guard.identity import Session, make_caller
from footnote.ingest import wiki, wiki_readers
from footnote.ingest.wiki import WikiPages
from footnote.settings import LLM, Embedding, Settings
from footnote.settings import Confluence as Mapping
from footnote.types import EVERYONE
from footnote_ingest.app import create_app
from footnote_query.app import create_app as create_query
from tests.confluence_server import TOKEN, Confluence, File, Page, serving
from tests.functions.conftest import as_caller
from tests.leaks.mutants import Change, Mutant, giving, seed

PEOPLE = {"ann": {"red"}, "bob": {"blue"}, "cem": {"red", "blue"}, "dan": set[str](), "root": set[str]()}
"""Person → their groups, which Confluence calls c-red and c-blue. root is an admin here and nobody there."""
SPACES = {"ALL": {"red", "blue"}, "RED": {"red"}}
MAPPING = Mapping(
    spaces={"ALL": ["red", "blue"], "RED": ["red"]},
    groups={"c-red": ["red"], "c-blue": ["blue"]},
)
SETS: Sequence[frozenset[str] | None] = (None, frozenset({"red"}), frozenset({"blue"}), frozenset({"red", "blue"}), frozenset({"green"}))
"""Restrictions; nobody here is in c-green."""


class Wiki:
    """Pages two below the topmost one, each with a restriction of each of the three, and canary words in all that it says."""

    def __init__(self, core: Core, confluence: Confluence, clients: dict[str, httpx.AsyncClient]) -> None:
        self.core, self.confluence, self.clients = core, confluence, clients
        self.rules: dict[str, tuple[str, list[frozenset[str] | None]]] = {}

    def put(self, number: int, space: str, levels: Sequence[frozenset[str] | None]) -> str:
        """A page below two others, restricted like this from the topmost to itself."""
        ids = [f"{number}{level}" for level in range(3)]
        for parent, page_id, groups in zip([None, *ids], ids, levels, strict=False):
            readers = None if groups is None else ([f"c-{group}" for group in sorted(groups)], [])
            self.confluence.pages[page_id] = Page("Above", "", space, parent=parent, readers=readers)
        word = self.canary(ids[2])
        page = replace(self.confluence.pages[ids[2]], title=f"Bridge {word}", body=f"<p>The bridge is {word}.</p>", labels=[f"l{word}"])
        page.files = {f"{number}9": File(f"{word}.txt", f"The bridge, attached: {word}.".encode(), "text/plain")}
        self.confluence.pages[ids[2]] = page
        self.rules[ids[2]] = (space, list(levels))
        return ids[2]

    @staticmethod
    def canary(page_id: str) -> str:
        return f"zq{page_id}x"

    def may_read(self, person: str, page_id: str) -> bool:
        """Whether Confluence shows the page."""
        space, levels = self.rules[page_id]
        return all(PEOPLE[person] & groups for groups in (SPACES[space], *levels) if groups is not None)

    def finds(self, person: str, page_id: str) -> bool:
        """Whether one group alone satisfies all restrictions, which is what can be expressed here."""
        space, levels = self.rules[page_id]
        return any(all(group in groups for groups in (SPACES[space], *levels) if groups is not None) for group in PEOPLE[person])

    async def add(self, person: str, page_id: str) -> None:
        body = {"base_url": self.confluence.url, "page_id": page_id, "index_name": "default"}
        reply = await self.clients[person].post("/ingest/confluence", json=body)
        assert reply.status_code in (202, 404), reply.text
        self.check(person, reply)

    async def work(self) -> None:
        while await self.core.ingestor.work_one():
            pass

    def check(self, person: str, reply: httpx.Response) -> None:
        seen = [page_id for page_id in self.rules if self.canary(page_id) in reply.text and not self.may_read(person, page_id)]
        assert not seen, f"{person} saw {[self.rules[page_id] for page_id in seen]} at {reply.request.url.path}"

    async def check_all(self, *, complete: bool, opens: bool = True) -> None:
        """Nobody sees what Confluence hides from them; `complete`: everybody finds what can be expressed; `opens`: and opens what is
        listed."""
        for person, client in self.clients.items():
            body = {"index_name": "default", "query_text": "What is the bridge?", "permission_groups": [], "num_result_doc": 100}
            found = await client.post("/retrieve-bm25", json=body)
            self.check(person, found)
            listed = await client.get("/documents", params={"limit": 200})
            self.check(person, listed)
            for document in listed.json()["data"] if opens else ():
                for form in ("original", "blocks"):
                    self.check(person, await client.get(f"/documents/{document['doc_id']}/content", params={"as": form}))
            missing = [page_id for page_id in self.rules if self.finds(person, page_id) and found.text.count(self.canary(page_id)) < 2]
            assert not (complete and missing), f"{person} did not find {[self.rules[page_id] for page_id in missing]}"


async def open_wiki(folder: Path, stack: AsyncExitStack) -> Wiki:
    confluence = await stack.enter_async_context(serving())
    settings = Settings(
        footnote_data=folder,
        embedding=Embedding(builtin=False),
        llm=LLM(discover=False),
        confluence=MAPPING.model_copy(update={"base_url": confluence.url, "token": SecretStr(TOKEN)}),
    )
    core = Core(settings)
    stack.push_async_callback(core.close)
    clients = {}
    for person, groups in PEOPLE.items():
        caller = make_caller(Session(person, tuple(groups), "admin" if person == "root" else "user"))
        app = as_caller(caller, create_app)(lambda: core)
        app.router.routes += as_caller(caller, create_query)(lambda: core).router.routes
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        clients[person] = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))
    return Wiki(core, confluence, clients)


async def restrict_in_every_way(folder: Path) -> None:
    """Adds pages with restrictions at each level, then changes all of them, and looks for leaks all the time."""
    async with AsyncExitStack() as stack:
        made = await open_wiki(folder, stack)
        red, blue, both, green = SETS[1:]
        before = [(None, None, None), (red, None, None), (None, blue, None), (None, None, red), (both, blue, None), (red, None, blue)]
        after = [(red, None, None), (None, None, None), (None, blue, red), (green, None, None), (both, None, blue), (blue, None, blue)]
        for rules in (before, after):
            for number, (space, levels) in enumerate(itertools.product(SPACES, rules), 1):
                page_id = made.put(number, space, levels)
                for person in ("dan", "root"):
                    await made.add(person, page_id)
            await made.check_all(complete=False)
            await made.work()
            await made.check_all(complete=True)


async def test_no_page_is_seen_by_more_people_than_in_confluence(tmp_path: Path) -> None:
    await restrict_in_every_way(tmp_path)


# --- mutants -------------------------------------------------------------------------------------


def _reading(change: Any) -> Change:
    """A page is read with a part of its reply missing."""
    return lambda check: lambda model, found: change(check(model, found)) if model is PageReply else check(model, found)


def _without_own(page: PageReply) -> PageReply:
    readers = page.restrictions.read.restrictions
    for names in (readers.user, readers.group):
        names.results, names.size = [], 0
    return page


def _open_if_unmapped(original: Any) -> Any:
    def readers(self: WikiPages, page: Any) -> tuple[frozenset[str], UnreadableFile | None]:
        found, refused = original(self, page)
        return (frozenset({EVERYONE}), None) if refused else (found, None)

    return readers


def _for_everyone(accept: Any) -> Any:
    def accepted(self: WikiPages, target: Any, part: str, *rest: Any) -> Any:
        return accept(self, target if part == "page" else replace(target, readers=frozenset({EVERYONE})), part, *rest)

    return accepted


MUTANTS: dict[str, Mutant] = {
    "restrictions of the pages above are ignored": ((adapter, "_check", _reading(lambda page: page.model_copy(update={"ancestors": []}))),),
    "only the topmost page above counts": (
        (adapter, "_check", _reading(lambda page: page.model_copy(update={"ancestors": page.ancestors[:1]}))),
    ),
    "a page's own restriction is ignored": ((adapter, "_check", _reading(_without_own)),),
    "one restriction suffices": ((wiki_readers, "_common", lambda _: lambda allowed: frozenset().union(*allowed)),),
    "the space does not count": ((wiki_readers, "_common", lambda common: lambda allowed: common(allowed[1:] or allowed)),),
    "what is not mapped is everyone's": ((WikiPages, "readers", _open_if_unmapped),),
    "admins read what is not mapped": ((WikiPages, "_store_page", lambda store: lambda self, target, refused: store(self, target, None)),),
    "documents stay when their page is restricted": ((WikiPages, "narrow", giving(None)),),
    "an attachment is everyone's": ((WikiPages, "_accept", _for_everyone),),
    "nothing is added for anybody": ((wiki, "readers_of", giving(frozenset({"nobody"}))),),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError, match=r" saw | did not find "):
        await restrict_in_every_way(tmp_path)
