"""A space of Confluence changes at random and syncs are killed at random: after each sync that ends, the documents are as the space,
for those who may read its pages."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse

from footnote.ingest.integrity import verify
from footnote.ingest.keys import source_key
from footnote.ports import read_all
from footnote.types import ADMINS, SYSTEM
from tests.confluence_server import API, CONTEXT, TOKEN, Confluence, File, Page, serving
from tests.faults.test_sync import written
from tests.footnote_local.conftest import open_core

OPERATIONS = 100
MOST_BETWEEN = 8
MAPPING = {
    "CONFLUENCE__SPACES": '{"ENG": ["red", "blue"], "OTHER": ["red"]}',
    "CONFLUENCE__GROUPS": '{"c-red": ["red"], "c-blue": ["blue"]}',
    "CONFLUENCE_TOKEN": TOKEN,
    "EMBEDDING__BUILTIN": "false",
    "LLM__DISCOVER": "false",
}
ALL = frozenset({"red", "blue"})


@dataclass
class Wiki:
    """The space, and what may happen to its pages."""

    confluence: Confluence
    chance: random.Random
    made: int = 100
    bin: list[tuple[str, Page]] = field(default_factory=list)

    @property
    def pages(self) -> dict[str, Page]:
        return self.confluence.pages

    def number(self) -> str:
        self.made += 1
        return str(self.made)

    def pick(self) -> str:
        return self.chance.choice(list(self.pages))

    def pick_file(self) -> tuple[Page, str] | None:
        held = [(page, file_id) for page in self.pages.values() for file_id in page.files]
        return self.chance.choice(held) if held else None

    def text(self) -> str:
        return f"<p>Tower number{self.number()} was built by mason{self.chance.randrange(10**6)}.</p>"

    def create(self) -> None:
        kind = self.chance.choice(["page", "page", "blogpost"])
        above = [page_id for page_id, page in self.pages.items() if (page.kind, page.space) == ("page", "ENG")]
        parent = self.chance.choice([None, *above]) if kind == "page" else None
        self.pages[number] = Page(f"Tower {(number := self.number())}", self.text(), kind=kind, parent=parent)

    def change(self) -> None:
        page = self.pages[self.pick()]
        page.body, page.version = self.text(), page.version + 1

    def rename(self) -> None:
        page = self.pages[self.pick()]
        page.title, page.version = f"Renamed {self.number()}", page.version + 1

    def label(self) -> None:
        self.pages[self.pick()].labels = [f"label{self.chance.randrange(4)}"]

    def restrict(self) -> None:
        groups = self.chance.choice([["c-red"], ["c-blue"], ["c-red", "c-blue"], ["c-unknown"]])
        self.pages[self.pick()].readers = (groups, [])

    def lift(self) -> None:
        self.pages[self.pick()].readers = None

    def above(self, page_id: str) -> list[str]:
        parent = self.pages[page_id].parent
        return [] if parent is None else [parent, *self.above(parent)]

    def move(self) -> None:
        page_id, other = self.pick(), self.pick()
        kinds = {self.pages[each].kind for each in (page_id, other)}
        if page_id != other and page_id not in self.above(other) and kinds == {"page"}:
            self.pages[page_id].parent = other

    def delete(self) -> None:
        page_id = self.pick()
        for page in self.pages.values():
            page.parent = self.pages[page_id].parent if page.parent == page_id else page.parent
        self.bin.append((page_id, self.pages.pop(page_id)))
        if not self.pages:
            self.create()

    def restore(self) -> None:
        if self.bin:
            page_id, page = self.bin.pop(self.chance.randrange(len(self.bin)))
            page.parent = None
            self.pages[page_id] = page

    def change_space(self) -> None:
        page = self.pages[self.pick()]
        page.space = "OTHER" if page.space == "ENG" else "ENG"

    def attach(self) -> None:
        number = self.number()
        self.pages[self.pick()].files[number] = File(f"file{number}.txt", f"Bridge number{number}.".encode(), "text/plain")

    def change_file(self) -> None:
        if found := self.pick_file():
            page, file_id = found
            old = page.files[file_id]
            page.files[file_id] = File(old.name, f"Bridge number{self.number()}.".encode(), "text/plain", old.version + 1)

    def detach(self) -> None:
        if found := self.pick_file():
            del found[0].files[found[1]]

    def fail(self) -> None:
        """A page or a file is not delivered during the next run."""
        found = self.pick_file()
        if found and self.chance.random() < 0.5:
            page_id = next(page_id for page_id, page in self.pages.items() if page is found[0])
            path = f"{CONTEXT}/download/attachments/{page_id}/{found[1]}"
        else:
            path = f"{API}/{self.pick()}"
        self.confluence.replies[path] = [JSONResponse({}, 500, {"retry-after": "0"})] * 8

    def busy(self) -> None:
        self.confluence.replies[API] = [JSONResponse({}, 429, {"retry-after": "0"})] * 2

    def happen(self) -> None:
        often = [self.create, self.change, self.restrict, self.lift, self.attach] * 2
        rare = [
            self.rename, self.label, self.move, self.delete, self.restore, self.change_space, self.change_file, self.detach, self.fail,
            self.busy,
        ]  # fmt: skip
        self.chance.choice(often + rare)()

    def readers(self, page_id: str) -> frozenset[str]:
        """As the mapping above says; admins alone if there are none."""
        found = ALL
        for each in (page_id, *self.above(page_id)):
            if (restricted := self.pages[each].readers) is not None:
                found &= frozenset(name.removeprefix("c-") for name in restricted[0])
        return found or frozenset({ADMINS})

    def expected(self) -> dict[str, tuple[str, frozenset[str], bytes]]:
        """Part of an origin → the document's file name, readers and a part of its stored file."""
        found = {}
        for page_id, page in self.pages.items():
            if page.space != "ENG":
                continue
            readers = self.readers(page_id)
            if readers == {ADMINS}:
                found[f"{page_id}/default/page"] = (f"confluence-{page_id}.xml", readers, b"")
                continue
            found[f"{page_id}/default/page"] = (f"{page.title}.xml", readers, page.body.encode())
            found |= {f"{page_id}/default/att{each}": (file.name, readers, file.data) for each, file in page.files.items()}
        return found


async def start(place: Path, confluence: Confluence) -> asyncio.subprocess.Process:
    command = ["-m", "footnote_local", "sync", "confluence:ENG", "--data", str(place / "data"), "--yes", "--json"]
    environment = {**os.environ, **MAPPING, "CONFLUENCE_BASE_URL": confluence.url, "PYTHONPATH": os.pathsep.join(sys.path)}
    return await asyncio.create_subprocess_exec(
        sys.executable, *command, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


async def finish(place: Path, confluence: Confluence) -> Any:
    """The report of a sync that is not killed."""
    process = await start(place, confluence)
    out, told = await process.communicate()
    assert process.returncode in (0, 1), told.decode()
    return json.loads(out)


async def kill_in_the_middle(place: Path, confluence: Confluence, chance: random.Random) -> bool:
    """Kills a sync some time after its first request; False if it ended before."""
    before, process = len(confluence.requests), await start(place, confluence)
    while process.returncode is None and len(confluence.requests) == before:
        await asyncio.sleep(0.005)
    await asyncio.sleep(chance.uniform(0, 0.6))
    ended = process.returncode is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()
    return not ended


async def check(place: Path, expected: Mapping[str, tuple[str, frozenset[str], bytes]], confluence: Confluence) -> dict[str, str]:
    """Origin's part → the document's id."""
    core = open_core(place / "data")
    prefix, ids = f"confluence:{confluence.url}/", {}
    held = await core.origins.under(prefix)
    assert {origin.removeprefix(prefix) for origin in held} == expected.keys()
    for part, (name, readers, text) in expected.items():
        doc_id = ids[part] = held[prefix + part].doc_id
        document = await core.ledger.get(SYSTEM, doc_id)
        assert (document.file_name, document.permission_groups) == (name, readers), part
        assert document.state == ("FAILED" if readers == {ADMINS} else "READY"), (part, document.reason)
        assert text in await core.files.get(source_key(doc_id, document.generation)), part
    documents = await read_all(lambda after: core.ledger.list(SYSTEM, limit=200, after=after))
    assert {document.doc_id for document in documents} == set(ids.values())
    report = await verify(core.bucket, [], None, repair=False, abandoned_s=0)
    assert report.findings == ()
    await core.close()
    return ids


@pytest.mark.nightly
@pytest.mark.timeout(3000)
async def test_documents_are_as_the_space_whatever_happens(tmp_path: Path, seed: str) -> None:
    chance = random.Random(seed)
    async with serving() as confluence:
        wiki = Wiki(confluence, chance)
        for _ in range(8):
            wiki.create()
        for page in wiki.pages.values():
            page.files[wiki.number()] = File("same name.txt", wiki.text().encode(), "text/plain")
        operations = kills = syncs = kept = 0
        before: tuple[dict[str, tuple[str, frozenset[str], bytes]], dict[str, str]] | None = None
        while operations < OPERATIONS:
            for _ in range(min(chance.randint(1, MOST_BETWEEN), OPERATIONS - operations)):
                wiki.happen()
                operations += 1
            if operations < OPERATIONS and chance.random() < 0.4:
                kills += await kill_in_the_middle(tmp_path, confluence, chance)
                confluence.replies.clear()
                before = None
                continue
            await finish(tmp_path, confluence)
            if confluence.replies:
                confluence.replies.clear()
                await finish(tmp_path, confluence)
            syncs += 1
            expected = wiki.expected()
            now = await check(tmp_path, expected, confluence)
            if before is not None:
                same = {part for part, (_, readers, _) in expected.items() if part in before[0] and before[0][part][1] == readers}
                assert all(now[part] == before[1][part] for part in same)
                kept += len(same)
            before = expected, now
        held = written(tmp_path)
        again = await finish(tmp_path, confluence)
        assert (again["added"], again["changed"], again["removed"], again["skipped"]) == ([], [], [], [])
        assert written(tmp_path) == held
    print(f"{operations} operations, {kills} kills, {syncs} syncs, {kept} ids kept")
