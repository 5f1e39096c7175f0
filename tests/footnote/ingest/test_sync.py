"""Documents follow the files of a folder: what each change of the folder does to them, also if the sync dies in the middle."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.local.source import FolderSource
from footnote.bootstrap import Core
from footnote.errors import BadRequest, NotFound
from footnote.ingest.ingestor import SYSTEM
from footnote.ingest.integrity import verify
from footnote.ingest.sync import Sync
from footnote.ingest.sync_plan import SyncPlan, read_known
from footnote.ingest.sync_record import Wanted, choose_options, current_failures, find_failed, read_record, run_of, save_options, save_run
from footnote.ingest.sync_state import Options, key_of, origin_of
from footnote.ports import Entry, Unlisted
from footnote.types import Document, make_chunk_id
from tests.conftest import HandClock
from tests.contracts.backends_sources import make_sitemap
from tests.footnote.ingest.spies import Killed
from tests.footnote.ingest.test_ingestor import open_core, spy, work
from tests.nightly import DEEP

EVERYONE = Options("default", ("*",))
WRITES = {
    "ledger": {"delete"}, "lifecycle": {"accept", "update", "purge"}, "origins": {"redirect", "release"},
    "files": {"put", "delete"}, "queue": {"put"}, "generations": {"stage", "activate", "remove"},
}  # fmt: skip


def observe(core: Core, tell: Callable[[str, bool], Awaitable[None]]) -> None:
    """From now on `tell` is called before and after each call of a port."""
    spy(core, tell)
    core.__dict__.pop("ingestor")  # it is made again, with these ports


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"The tower {name} was built by masons of that name.")


async def sync(core: Core, folder: Path, options: Options = EVERYONE) -> SyncPlan:
    """One whole sync; returns its plan."""
    run = Sync(FolderSource(folder), core.ingestor, options)
    plan = await run.plan()
    await run.finish()
    if not plan.is_empty:
        await run.apply(plan)
    await work(core)
    assert run.skipped == {}
    return plan


async def documents(core: Core, folder: Path) -> dict[str, Document]:
    """Key → its document."""
    known = await read_known(core.origins, FolderSource(folder).address)
    return {key: await core.ledger.get(SYSTEM, each.doc_id) for key, each in known.items()}


async def ids(core: Core, folder: Path) -> dict[str, str]:
    return {key: document.doc_id for key, document in (await documents(core, folder)).items()}


async def check(core: Core, folder: Path) -> None:
    """Ledger, index and files are as the folder."""
    found = await documents(core, folder)
    contents = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert found.keys() == contents.keys()
    for key, document in found.items():
        assert document.state == "READY"
        (chunk,) = await core.index.read(SYSTEM, [make_chunk_id(document.doc_id, document.generation, 0)])
        assert chunk.text == contents[key]
        assert chunk.metadata["file_name"] == document.file_name
        assert document.file_name in {other for other, each in found.items() if each.doc_id == document.doc_id}
    listed = await core.ledger.list(SYSTEM, limit=1000)
    assert {document.doc_id for document in listed.data} == {document.doc_id for document in found.values()}
    assert (await verify(core.bucket, [], None, repair=False, abandoned_s=0)).findings == ()


async def test_files_become_documents_and_a_second_run_writes_nothing(core: Core, folder: Path, clock: HandClock) -> None:
    write(folder, "a.md", "hr/b.md")
    write(folder, ".hidden.md")
    plan = await sync(core, folder)
    assert (plan.added, plan.unchanged) == (["a.md", "hr/b.md"], 0)
    (folder / ".hidden.md").unlink()
    await check(core, folder)
    written: list[str] = []

    async def tell(call: str, _: bool) -> None:
        port, _, name = call.partition(".")
        if name in WRITES.get(port, ()):
            written.append(call)

    observe(core, tell)
    plan = await sync(core, folder)
    assert (plan.is_empty, plan.unchanged, written) == (True, 2, [])
    write(folder, "c.md")
    await sync(core, folder)
    assert set(written) > {"lifecycle.accept", "origins.redirect", "files.put", "queue.put", "generations.stage"}


async def test_a_changed_file_is_the_next_generation_of_its_document(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    before = (await documents(core, folder))["a.md"]
    (folder / "a.md").write_text("The tower was torn down.")
    assert (await sync(core, folder)).changed == ["a.md"]
    after = (await documents(core, folder))["a.md"]
    assert (after.doc_id, after.generation) == (before.doc_id, 2)
    await check(core, folder)


@pytest.mark.parametrize("new", ["b.md", "hr/a.md", "A.md", "가.md", "caf\udce9.md", "100%25.md"])
async def test_a_renamed_file_keeps_its_document(core: Core, folder: Path, new: str) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    before = await ids(core, folder)
    (folder / "a.md").rename(folder / new)
    plan = await sync(core, folder)
    assert (plan.renamed, plan.added, plan.removed, plan.lost) == ([("a.md", new)], [], [], 0)
    assert await ids(core, folder) == {new: before["a.md"]}
    if "\udce9" not in new:
        await check(core, folder)


@pytest.mark.parametrize(("many", "new"), [(2, 0), (3, 0), (20, 0), (25, 1)])
async def test_files_that_swap_names_keep_their_documents_but_one_of_too_long_a_circle(
    core: Core, folder: Path, many: int, new: int
) -> None:
    names = [f"{number:02d}.md" for number in range(many)]
    turned = dict(zip(names, names[1:] + names[:1], strict=True))
    write(folder, *names)
    await sync(core, folder)
    before = await ids(core, folder)
    held = [(folder / name).rename(folder / f".{name}") for name in names]
    for path, name in zip(held, turned.values(), strict=True):
        path.rename(folder / name)
    plan = await sync(core, folder)
    assert (len(plan.renamed), len(plan.added), plan.changed, len(plan.removed), plan.lost) == (many - new, new, [], new, new)
    after = await ids(core, folder)
    assert set(plan.renamed) == {(old, name) for old, name in turned.items() if after[name] == before[old]}
    await check(core, folder)


async def test_rotated_files_keep_their_documents_and_the_last_one_is_removed(core: Core, folder: Path) -> None:
    write(folder, "log.1.md", "log.2.md", "log.3.md")
    await sync(core, folder)
    before = await ids(core, folder)
    (folder / "log.2.md").rename(folder / "log.3.md")
    (folder / "log.1.md").rename(folder / "log.2.md")
    (folder / "log.1.md").write_text("A new day.")
    plan = await sync(core, folder)
    assert plan.renamed == [("log.2.md", "log.3.md"), ("log.1.md", "log.2.md")]
    assert (plan.added, plan.removed, plan.documents, plan.lost) == (["log.1.md"], ["log.3.md"], 3, 1)
    after = await ids(core, folder)
    assert (after["log.2.md"], after["log.3.md"]) == (before["log.1.md"], before["log.2.md"])
    assert after["log.1.md"] not in before.values()
    await check(core, folder)


async def test_copies_are_one_document_which_stays_until_the_last_is_removed(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    before = await ids(core, folder)
    shutil.copyfile(folder / "a.md", folder / "copy.md")
    assert (await sync(core, folder)).added == ["copy.md"]
    assert await ids(core, folder) == {"a.md": before["a.md"], "copy.md": before["a.md"]}
    (folder / "a.md").unlink()
    plan = await sync(core, folder)
    assert (plan.removed, plan.lost) == (["a.md"], 0)
    assert await ids(core, folder) == {"copy.md": before["a.md"]}
    await check(core, folder)
    (folder / "copy.md").unlink()
    assert (await sync(core, folder)).lost == 1
    await check(core, folder)


@pytest.mark.parametrize("first", ["a.md", "copy.md"])
async def test_a_document_is_shown_under_the_new_name_of_a_file_whose_copy_changed(core: Core, folder: Path, first: str) -> None:
    write(folder, first)
    await sync(core, folder)
    shutil.copyfile(folder / first, folder / ("copy.md" if first == "a.md" else "a.md"))
    await sync(core, folder)
    (folder / "copy.md").write_text("The tower of brick was built later.")
    (folder / "a.md").rename(folder / "moved.md")
    run = Sync(FolderSource(folder), core.ingestor, EVERYONE)
    plan = await run.plan()
    assert (plan.changed, plan.renamed, plan.removed) == (["copy.md"], [("a.md", "moved.md")], [])
    await run.apply(plan, lambda key, document: work(core))  # the worker is as fast as it can be
    await check(core, folder)


async def test_of_two_copies_the_changed_one_becomes_a_document_of_its_own(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    shutil.copyfile(folder / "a.md", folder / "b.md")
    await sync(core, folder)
    before = await ids(core, folder)
    (folder / "a.md").write_text("Something else.")
    await sync(core, folder)
    after = await ids(core, folder)
    assert after["b.md"] == before["b.md"] != after["a.md"]
    await check(core, folder)


async def test_a_touched_file_is_unchanged_and_compared_only_once(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    before = await documents(core, folder)
    os.utime(folder / "a.md", (1, 1))
    plan = await sync(core, folder)
    assert (list(plan.touched), plan.unchanged, plan.changed) == (["a.md"], 1, [])
    assert (await documents(core, folder)) == before
    assert (await sync(core, folder)).is_empty


async def test_other_content_of_the_same_size_and_time_is_noticed(core: Core, folder: Path) -> None:
    write(folder, "a.md", "b.md")
    for name in ("a.md", "b.md"):
        os.utime(folder / name, (1e9, 1e9))
    await sync(core, folder)
    (folder / "a.md").write_text((folder / "a.md").read_text().replace("masons", "nosams"))
    os.utime(folder / "a.md", (1e9, 1e9))
    assert (await sync(core, folder)).changed == ["a.md"]
    (folder / "a.md").rename(folder / ".x")
    (folder / "b.md").rename(folder / "a.md")
    (folder / ".x").rename(folder / "b.md")
    assert (await sync(core, folder)).renamed == [("a.md", "b.md"), ("b.md", "a.md")]
    await check(core, folder)


async def test_a_file_that_is_restored_after_its_removal_becomes_a_new_document(core: Core, folder: Path) -> None:
    write(folder, "a.md", "b.md")
    await sync(core, folder)
    before = await ids(core, folder)
    (folder / "a.md").unlink()
    await sync(core, folder)
    await check(core, folder)
    write(folder, "a.md")
    assert (await sync(core, folder)).added == ["a.md"]
    after = await ids(core, folder)
    assert after["a.md"] != before["a.md"]
    await check(core, folder)


async def test_a_document_that_a_user_deleted_returns_with_new_content_not_a_new_name(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    await core.ingestor.delete(SYSTEM, (await ids(core, folder))["a.md"])
    assert (await sync(core, folder)).unchanged == 1
    (folder / "a.md").rename(folder / "b.md")
    assert (await sync(core, folder)).renamed == [("a.md", "b.md")]
    assert (await sync(core, folder)).is_empty
    with pytest.raises(NotFound):
        await ids(core, folder)
    (folder / "b.md").write_text("Something else.")
    assert (await sync(core, folder)).changed == ["b.md"]
    await check(core, folder)


async def test_a_file_that_cannot_be_parsed_is_not_read_again_until_it_changes(core: Core, folder: Path) -> None:
    (folder / "a.pdf").write_bytes(b"%PDF-1.7 broken")
    await sync(core, folder)
    failed = (await documents(core, folder))["a.pdf"]
    assert (failed.state, failed.generation) == ("FAILED", 1)
    assert (await sync(core, folder)).is_empty


async def test_a_file_that_is_too_large_is_skipped_and_its_earlier_document_stays(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    before = await documents(core, folder)
    (folder / "a.md").write_bytes(b"x" * (2**20 + 1))
    plan = await sync(core, folder)
    assert plan.skipped == {"a.md": "The file has 1.0 MB; 1 MB are allowed."}
    assert (plan.is_empty, await documents(core, folder)) == (True, before)


async def test_a_folder_that_is_away_changes_nothing(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    await sync(core, folder)
    folder.rename(folder.with_name("away"))
    with pytest.raises(BadRequest, match=r"There is no folder .*docs"):
        await sync(core, folder)
    assert await ids(core, folder)


async def test_many_removed_documents_are_drastic_and_renamed_ones_are_not(core: Core, folder: Path) -> None:
    write(folder, *(f"{number}.md" for number in range(10)))
    await sync(core, folder)
    for number in range(8):
        (folder / f"{number}.md").rename(folder / f"hr/{number}.md")
    (folder / "8.md").unlink()
    plan = await Sync(FolderSource(folder), core.ingestor, EVERYONE).plan()
    assert (plan.documents, plan.lost, plan.is_drastic) == (10, 1, False)
    (folder / "9.md").unlink()
    plan = await Sync(FolderSource(folder), core.ingestor, EVERYONE).plan()
    assert (plan.lost, plan.is_drastic) == (2, True)


async def test_files_are_added_for_other_readers_as_soon_as_the_options_change(core: Core, folder: Path) -> None:
    write(folder, "a.md", "b.md")
    await sync(core, folder)
    before = await ids(core, folder)
    plan = await sync(core, folder, Options("default", ("hr",), {"class": "law"}))
    assert (plan.changed, plan.lost) == (["a.md", "b.md"], 0)
    after = await documents(core, folder)
    assert {document.permission_groups for document in after.values()} == {frozenset({"hr"})}
    assert not {document.doc_id for document in after.values()} & set(before.values())
    await check(core, folder)
    await sync(core, folder, Options("default", ("hr",)))
    assert {str(document.metadata) for document in (await documents(core, folder)).values()} == {"{}"}
    assert await ids(core, folder) == {key: document.doc_id for key, document in after.items()}


async def test_the_options_of_the_last_sync_count_unless_others_are_named(core: Core, folder: Path) -> None:
    write(folder, "a.md")
    source = FolderSource(folder)

    async def chosen(wanted: Wanted) -> Options:
        return await choose_options(core.records, core.origins, core.collections, source, wanted, core.settings)

    assert await chosen(Wanted()) == EVERYONE
    run = Sync(
        source,
        core.ingestor,
        await chosen(Wanted("law", ["hr"], {"x": 1})),
    )
    await save_options(core.records, source.address, run.options, by="me")
    (folder / "b.pdf").write_bytes(b"%PDF-1.7")
    plan = await run.plan()
    taken: dict[str, Document] = {}

    async def take(key: str, document: Document) -> None:
        taken[key] = document

    await run.apply(plan, take)
    await save_run(core.records, core.ledger, source.address, run_of(run, plan, taken, {}, "done", 5.0), by="me")
    assert await chosen(Wanted()) == Options("law", ("hr",), {"x": 1})
    assert await chosen(Wanted(groups=["it"])) == Options("law", ("it",), {"x": 1})
    record = await core.records.get("source", source.address)
    last = read_record(record.value).last_run
    assert (last.at, last.state, last.added, last.failed, last.pending.keys()) == (5.0, "done", 2, 0, {"a.md", "b.pdf"})
    await work(core)
    (failure,) = await current_failures(core.ledger, last)
    assert (failure.name, failure.doc_id) == ("b.pdf", taken["b.pdf"].doc_id)
    plan = await run.plan()
    idle = run_of(run, plan, {}, await find_failed(core.lifecycle, plan, {}), "done", 6.0)
    await save_run(core.records, core.ledger, source.address, idle, by="me")
    record = await core.records.get("source", source.address)
    now = read_record(record.value).last_run
    assert (now.at, [each.name for each in now.failures]) == (6.0, ["b.pdf"])
    for always, at in ((False, 6.0), (True, 7.0)):
        await save_run(core.records, core.ledger, source.address, replace(idle, at=7.0), by="me", always=always)
        record = await core.records.get("source", source.address)
        assert record.value["last_run"]["at"] == at
    await core.records.delete("source", source.address)
    with pytest.raises(BadRequest, match="Name both"):
        await chosen(Wanted("law"))


@pytest.mark.parametrize("key", ["a", "a b/ü#?.md", "100%", "%41", "\\xff", "\udcff", "\udcc3x\udca9", "한/글", "a#b", "//"])
def test_every_key_has_an_origin_of_its_own(key: str) -> None:
    origin = origin_of("file:///docs", key)
    assert key_of("file:///docs", origin) == key
    origin.encode()


async def test_a_page_that_moves_keeps_its_document_which_leads_to_its_new_address(core: Core, tmp_path: Path, clock: HandClock) -> None:
    async with make_sitemap(tmp_path, clock) as site:
        run = Sync(site.source, core.ingestor, EVERYONE)
        await site.put("tower.html", b"<p>The lighthouse was lit in 1874.</p>")
        await run.apply(await run.plan())
        await work(core)
        assert (await run.plan()).is_empty
        before = (await read_known(core.origins, site.source.address))["/tower.html"]
        await site.remove("tower.html")
        await site.put("turm", b"<p>The lighthouse was lit in 1874.</p>")
        plan = await run.plan()
        assert (plan.renamed, plan.added, plan.removed) == ([("/tower.html", "/turm")], [], [])
        await run.apply(plan)
        await work(core)
        assert (await run.plan()).is_empty
        document = await core.ledger.get(SYSTEM, before.doc_id)
        assert (document.state, document.file_name, document.metadata) == ("READY", "turm", {"url": "http://site.example/turm"})


async def test_files_without_a_fingerprint_are_compared_each_time_and_nothing_is_written(core: Core, folder: Path) -> None:
    class Undated(FolderSource):
        async def entries(self) -> AsyncIterator[Entry | Unlisted]:
            async for entry in super().entries():
                assert isinstance(entry, Entry)
                yield replace(entry, size=None, fingerprint="")

        async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
            entry, data = await super().read(key, max_bytes)
            return replace(entry, fingerprint=""), data

    write(folder, "a", "b")
    run = Sync(Undated(folder), core.ingestor, EVERYONE)
    await run.apply(await run.plan())
    await work(core)
    plan = await run.plan()
    assert (plan.is_empty, plan.unchanged) == (True, 2)
    (folder / "a").write_text("Something else.")
    (folder / "b").rename(folder / "c")
    plan = await run.plan()
    assert (plan.changed, plan.renamed, plan.unchanged) == (["a"], [("b", "c")], 0)


async def test_a_folder_that_cannot_be_listed_keeps_its_documents(core: Core, folder: Path) -> None:
    class Closed(FolderSource):
        async def entries(self) -> AsyncIterator[Entry | Unlisted]:
            async for entry in super().entries():
                if isinstance(entry, Entry) and not entry.key.startswith("hr/"):
                    yield entry
            yield Unlisted("hr/", "The folder cannot be listed (Permission denied).")

    write(folder, "a", "hr/b", "hr/c")
    await sync(core, folder)
    (folder / "a").unlink()
    plan = await Sync(Closed(folder), core.ingestor, EVERYONE).plan()
    assert (plan.removed, plan.lost) == (["a"], 1)
    assert plan.skipped == {"hr/": "The folder cannot be listed (Permission denied)."}


# --- a sync that dies --------------------------------------------------------------------------


async def prepare(core: Core, folder: Path) -> None:
    write(folder, *"abcdefgh")
    shutil.copyfile(folder / "h", folder / "i")
    await sync(core, folder)
    (folder / "a").unlink()
    (folder / "b").write_text("Something else.")
    (folder / "c").rename(folder / "hr" / "c")
    (folder / "d").rename(folder / ".x")
    (folder / "e").rename(folder / "d")
    (folder / ".x").rename(folder / "e")
    (folder / "f").rename(folder / "g")
    (folder / "h").unlink()
    write(folder, "z")


@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.nightly)])
async def test_a_sync_that_was_killed_at_any_call_is_completed_by_the_next(
    tmp_path: Path, clock: HandClock, after: bool, seed: str
) -> None:
    step = 1 if DEEP else 7
    call, ended = random.Random(f"{seed} {after}").randrange(step), False
    while not ended:
        place = tmp_path / str(call)
        (place / "docs" / "hr").mkdir(parents=True)
        core = open_core(place / "data", clock)
        await prepare(core, place / "docs")
        before = await ids(core, place / "docs")
        count = 0

        async def tell(name: str, has_effect: bool, last: int = call) -> None:
            nonlocal count
            count += has_effect == after
            if count == last + 1 and has_effect == after:
                raise Killed

        observe(core, tell)
        run: Any = Sync(FolderSource(place / "docs"), core.ingestor, EVERYONE)
        try:
            await run.apply(await run.plan())
            ended = True
        except Killed:
            pass
        await core.close()
        core = open_core(place / "data", clock)
        await work(core)
        await sync(core, place / "docs")
        await check(core, place / "docs")
        now = await ids(core, place / "docs")
        kept = {"b": "b", "hr/c": "c", "d": "e", "e": "d", "g": "f", "i": "i"}
        assert {new: now[new] for new in kept} == {new: before[old] for new, old in kept.items()}, call
        await core.close()
        call += step
    assert call > 30
