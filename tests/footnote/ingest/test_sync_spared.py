"""What a sync leaves alone, and what it must not take for unchanged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from footnote.adapters.local.source import FolderSource
from footnote.bootstrap import Core
from footnote.ingest.sync import Sync
from footnote.ports import Entry, Unlisted
from footnote.types import SYSTEM
from tests.footnote.ingest.test_ingestor import work
from tests.footnote.ingest.test_sync import EVERYONE, documents, sync, write


async def test_documents_that_are_spared_are_not_going_to_be_deleted(core: Core, folder: Path) -> None:
    write(folder, "a.md", "b.md", "c.md")
    await sync(core, folder)
    held = await documents(core, folder)
    (folder / "a.md").unlink()
    (folder / "b.md").unlink()
    run = Sync(FolderSource(folder), core.ingestor, EVERYONE)
    plan = await run.plan()
    assert (sorted(plan.removed), plan.ending) == (["a.md", "b.md"], frozenset(held[name].doc_id for name in ("a.md", "b.md")))
    run.spare(plan)
    assert (plan.removed, plan.ending) == ([], frozenset())
    await run.apply(plan)
    assert [(await core.ledger.get(SYSTEM, held[name].doc_id)).state for name in ("a.md", "b.md", "c.md")] == ["READY"] * 3


async def test_a_file_of_another_size_has_changed_whatever_its_fingerprint_says(core: Core, folder: Path) -> None:
    class Coarse(FolderSource):
        async def entries(self) -> AsyncIterator[Entry | Unlisted]:
            async for entry in super().entries():
                assert isinstance(entry, Entry)
                yield replace(entry, fingerprint="today")

        async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
            entry, data = await super().read(key, max_bytes)
            return replace(entry, fingerprint="today"), data

    write(folder, "a", "b")
    run = Sync(Coarse(folder), core.ingestor, EVERYONE)
    await run.apply(await run.plan())
    await work(core)
    (folder / "a").write_text("The tower a was built by masons of that name, and by their sons.")
    plan = await run.plan()
    assert (plan.changed, plan.unchanged) == (["a"], 1)
