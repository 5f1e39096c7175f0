"""Who may read what a sync adds: nothing stays readable by earlier readers, and nobody means everyone by mistake."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.adapters.local.source import FolderSource
from footnote.bootstrap import Core
from footnote.bootstrap.sources import open_source
from footnote.errors import BadRequest, UnreadableFile
from footnote.ingest.ingestor import SYSTEM
from footnote.ingest.sync import Sync
from footnote.ingest.sync_record import Wanted, choose_options, save_options
from footnote.ingest.sync_state import Options
from footnote.ports import Entry, Unlisted
from footnote.settings import Auth
from footnote.types import Caller, Document
from tests.footnote.ingest.test_ingestor import work
from tests.footnote.ingest.test_sync import EVERYONE, documents, sync, write


async def test_nothing_stays_readable_by_earlier_readers(core: Core, folder: Path) -> None:
    class Closed(FolderSource):
        async def entries(self) -> AsyncIterator[Entry | Unlisted]:
            async for entry in super().entries():
                if isinstance(entry, Entry) and not entry.key.startswith("hr/"):
                    yield entry
            yield Unlisted("hr/", "The folder cannot be listed (Permission denied).")

        async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
            if key == "unreadable.md":
                raise UnreadableFile("The file cannot be opened (Permission denied).", "Check its permissions.")
            return await super().read(key, max_bytes)

    write(folder, "a.md", "large.md", "unreadable.md", "hr/b.md")
    shutil.copyfile(folder / "hr" / "b.md", folder / "copy.md")
    await sync(core, folder)
    before = await documents(core, folder)
    (folder / "large.md").write_bytes(b"x" * (2**20 + 1))
    run = Sync(Closed(folder), core.ingestor, Options("default", ("hr",)))
    plan = await run.plan()
    assert (plan.changed, plan.removed) == (["a.md", "copy.md", "unreadable.md"], ["hr/b.md", "large.md"])
    assert (plan.documents, plan.lost, plan.is_drastic, plan.added, plan.renamed) == (4, 1, True, [], [])
    noted: list[str] = []

    async def note(document: Document) -> None:
        assert (await core.ledger.get(SYSTEM, document.doc_id)).permission_groups == {"*"}
        noted.append(document.doc_id)

    async def taken(key: str, document: Document) -> None:
        """Runs when the first file has been added anew."""
        assert await core.index.sample(Caller("visitor"), "default", 10) == []

    await run.apply(plan, taken, note=note)
    await work(core)
    assert sorted(noted) == sorted({document.doc_id for document in before.values()})
    assert await core.index.sample(Caller("visitor"), "default", 10) == []
    now = await documents(core, folder)
    assert (now.keys(), {each.permission_groups for each in now.values()}) == ({"a.md", "copy.md"}, {frozenset({"hr"})})
    assert run.skipped == {"unreadable.md": "The file cannot be opened (Permission denied)."}


@pytest.mark.parametrize("groups", [[], ["", " "]])
async def test_an_empty_list_of_groups_is_not_everyone(core: Core, folder: Path, groups: list[str]) -> None:
    with pytest.raises(BadRequest, match=r"names no group\. For everyone, use --groups '\*'"):
        await choose_options(core.records, core.origins, core.collections, FolderSource(folder), Wanted(groups=groups), core.settings)


async def test_where_users_sign_in_the_first_sync_names_the_readers(core: Core, folder: Path) -> None:
    settings, source = core.settings.model_copy(update={"auth": Auth(mode="session")}), FolderSource(folder)
    with pytest.raises(BadRequest, match="Say who may read"):
        await choose_options(core.records, core.origins, core.collections, source, Wanted(), settings)
    options = await choose_options(core.records, core.origins, core.collections, source, Wanted(groups=["*"]), settings)
    await save_options(core.records, source.address, options, by="me")
    assert await choose_options(core.records, core.origins, core.collections, source, Wanted(), settings) == EVERYONE


def test_the_address_of_a_folder_opens_it_as_well(tmp_path: Path) -> None:
    (folder := tmp_path / "a b#%41").mkdir()
    assert open_source(folder.as_uri(), None).address == open_source(str(folder), None).address == folder.as_uri()


async def test_deletions_can_be_left_out_and_all_else_is_done(core: Core, folder: Path) -> None:
    write(folder, "a.md", "b.md", "c.md", "d.md")
    await sync(core, folder)
    before = {key: document.doc_id for key, document in (await documents(core, folder)).items()}
    (folder / "a.md").unlink()
    (folder / "b.md").rename(folder / "e.md")
    (folder / "d.md").rename(folder / "c.md")  # the content of c.md is gone, and its name is taken
    write(folder, "f.md")
    run = Sync(FolderSource(folder), core.ingestor, EVERYONE)
    plan = await run.plan()
    assert (plan.removed, plan.is_drastic) == (["a.md", "c.md"], True)
    run.spare(plan)
    await run.apply(plan)
    await work(core)
    now = {key: document.doc_id for key, document in (await documents(core, folder)).items()}
    assert now == {"a.md": before["a.md"], "e.md": before["b.md"], "c.md": before["d.md"], "f.md": now["f.md"]}
    again = await run.plan()
    assert (again.added, again.changed, again.renames, again.removed) == ([], [], [], ["a.md"])
