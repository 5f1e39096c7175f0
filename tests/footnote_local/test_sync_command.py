"""`footnote sync`: plans, what is refused, what is shown, and a folder that is watched."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.local.source import FolderSource
from footnote.collections import RESTORABLE_S
from footnote.errors import BadRequest, Conflict, SearchUnavailable
from footnote.ingest.ingestor import SYSTEM
from footnote.ingest.purge import purge_deleted
from footnote.ingest.sync import Sync
from footnote.ingest.sync_record import Wanted, choose_options, read_record, save_options
from footnote.library.worker import Lock
from footnote.types import CollectionSettings
from footnote_local import sync_run
from footnote_local.sync_run import Outcome, run_sync
from footnote_local.terminal import Exit
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.footnote_local.conftest import Footnote, open_core


def report(footnote: Footnote, *args: str | Path) -> Any:
    found = footnote("sync", *args, "--json")
    assert found.exit_code in (Exit.OK, Exit.BAD, Exit.REFUSED), found.output
    return json.loads(found.stdout)


def test_a_dry_run_shows_the_plan_and_does_nothing(footnote: Footnote, docs: Path) -> None:
    for _ in range(2):
        found = footnote("sync", docs, "--dry-run")
        assert found.exit_code == Exit.OK
        assert found.stdout.splitlines() == ["added    sub/ferry.txt", "added    tower.md"]
        assert found.stderr == "Nothing was changed. Planned: 2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged.\n"
    assert json.loads(footnote("documents", "list", "--json").stdout) == {"documents": []}


def test_a_sync_shows_its_changes_and_its_documents_answer(footnote: Footnote, docs: Path) -> None:
    found = footnote("sync", docs, "--collection", "towns", "--groups", "hr, it", "--metadata", "class=law")
    assert (found.exit_code, found.stderr) == (Exit.OK, "2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged.\n")
    (docs / "tower.md").rename(docs / "turm.md")
    (docs / "new.md").write_text("A bridge was built in 1900.")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7")
    found = footnote("sync", docs)
    assert found.exit_code == Exit.BAD
    *rest, failed = found.stdout.splitlines()
    assert rest == ["added    broken.pdf", "added    new.md", "renamed  tower.md → turm.md"]
    assert failed.startswith("FAILED   broken.pdf  ")
    assert found.stderr == "2 added, 0 changed, 1 renamed, 0 removed, 1 unchanged, 1 failed.\n"
    listed = json.loads(footnote("documents", "list", "--json").stdout)["documents"]
    assert {(each["collection"], tuple(each["permission_groups"]), each["metadata"]["class"]) for each in listed} == {
        ("towns", ("hr", "it"), "law")
    }
    assert "turm.md" in footnote("search", "lighthouse", "--collection", "towns", "--json").stdout


async def test_a_sync_names_what_failed_although_the_run_that_added_it_was_killed(tmp_path: Path, docs: Path) -> None:
    for number in range(3):
        (docs / f"broken{number}.pdf").write_bytes(f"%PDF-1.7 {number}".encode())
    core = open_core(tmp_path / "data")
    source = FolderSource(docs)
    options = await choose_options(core.records, core.origins, core.collections, source, Wanted(), core.settings)
    await save_options(core.records, source.address, options, by="me")
    killed = Sync(source, core.ingestor, options)
    await killed.apply(await killed.plan())
    await work_all(core)
    shown: list[Outcome] = []
    outcome = await run_sync(core, str(docs), Wanted(), dry_run=False, yes=False, watch=False, show=shown.append)
    assert sorted(outcome.failed) == ["broken0.pdf", "broken1.pdf", "broken2.pdf"]
    core = open_core(tmp_path / "data")
    record = await core.records.get("source", source.address)
    last = read_record(record.value).last_run
    assert (last.failed, sorted(each.name for each in last.failures)) == (3, ["broken0.pdf", "broken1.pdf", "broken2.pdf"])
    await core.close()


def test_every_sync_reports_failed_documents_until_fixed(footnote: Footnote, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7")
    for counts in ("3 added, 0 changed, 0 renamed, 0 removed, 0", "0 added, 0 changed, 0 renamed, 0 removed, 3"):
        found = footnote("sync", docs)
        assert (found.exit_code, found.stderr) == (Exit.BAD, f"{counts} unchanged, 1 failed.\n")
        assert found.stdout.splitlines()[-1].startswith("FAILED   broken.pdf  ")
    (docs / "broken.pdf").rename(docs / "bridge.txt")
    (docs / "bridge.txt").write_text("A bridge was built in 1900.")
    assert footnote("sync", docs, "--yes").exit_code == Exit.OK


def test_an_empty_list_of_groups_is_an_error(footnote: Footnote, docs: Path) -> None:
    found = footnote("sync", docs, "--groups", "")
    assert (found.exit_code, found.stdout) == (Exit.USAGE, "")
    assert "--groups names no group. For everyone, use --groups '*'." in found.stderr


def test_deletions_of_a_sync_are_in_the_audit(footnote: Footnote, docs: Path) -> None:
    def listed() -> dict[str, str]:
        return {each["file_name"]: each["doc_id"] for each in json.loads(footnote("documents", "list", "--json").stdout)["documents"]}

    def audited() -> set[tuple[str, str]]:
        return {(each["action"], each["object_id"]) for each in json.loads(footnote("audit", "--json").stdout)["entries"]}

    report(footnote, docs)
    first = listed()
    (docs / "tower.md").unlink()
    report(footnote, docs, "--yes")
    assert audited() == {("document.delete", first["tower.md"])}
    report(footnote, docs, "--groups", "hr")
    second = listed()
    assert audited() == {("document.delete", doc_id) for doc_id in first.values()}
    report(footnote, docs, "--collection", "towns")
    assert audited() == {("document.delete", doc_id) for doc_id in (*first.values(), *second.values())}


def test_without_a_terminal_many_deletions_need_yes(footnote: Footnote, docs: Path) -> None:
    report(footnote, docs)
    (docs / "tower.md").unlink()
    (docs / "new.md").write_text("A bridge was built in 1900.")
    found = footnote("sync", docs)
    assert found.exit_code == Exit.REFUSED
    assert found.stderr.startswith(
        "footnote: 1 of the source's 2 documents would be deleted, more than 10%. If that is right, run the command with --yes.\n"
    )
    refused = report(footnote, docs)
    assert (refused["done"], refused["added"], refused["removed"]) == (False, ["new.md"], ["tower.md"])
    assert len(json.loads(footnote("documents", "list", "--json").stdout)["documents"]) == 2
    done = report(footnote, docs, "--yes")
    assert (done["done"], done["added"], done["removed"]) == (True, ["new.md"], ["tower.md"])
    names = [each["file_name"] for each in json.loads(footnote("documents", "list", "--json").stdout)["documents"]]
    assert sorted(names) == ["new.md", "sub/ferry.txt"]


@pytest.mark.slow("starts processes, for a terminal of their own")
def test_at_a_terminal_many_deletions_are_asked_about(footnote: Footnote, docs: Path, environment: dict[str, str]) -> None:
    report(footnote, docs)
    (docs / "tower.md").unlink()
    for answer, code in ((b"n\n", Exit.REFUSED), (b"y\n", Exit.OK)):
        ours, theirs = pty.openpty()
        os.write(ours, answer)
        command = [sys.executable, "-m", "footnote_local", "sync", str(docs)]
        ended = subprocess.run(command, env=environment, stdin=theirs, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout.lstrip()) == (code, "removed  tower.md\n")
        assert "remove   tower.md\n1 of the source's 2 documents would be deleted, more than 10%.\nGo on? [y/N]:" in ended.stderr
        os.close(ours)
        os.close(theirs)


@pytest.mark.nightly
def test_a_question_that_is_not_answered_can_be_stopped(footnote: Footnote, docs: Path, environment: dict[str, str]) -> None:
    report(footnote, docs)
    (docs / "tower.md").unlink()
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "footnote_local", "sync", str(docs)]
    with subprocess.Popen(command, env=environment, stdin=theirs, stderr=subprocess.PIPE) as asking:
        assert asking.stderr is not None
        told = b""
        while not told.endswith(b"[y/N]: "):
            told += asking.stderr.read(1)
        asking.send_signal(signal.SIGINT)
        try:
            assert asking.wait(20) == Exit.STOPPED
        finally:
            asking.kill()
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("nowhere", "There is no folder"), ("nowhere.zip", "There is no file"), ("s3://", "Name a bucket"),
        ("ftp://example.com/a", "ftp:// is not a known kind of source"), ("http://127.0.0.1/sitemap.xml", "could not be fetched"),
    ],
)  # fmt: skip
def test_a_place_that_is_no_source_is_an_error(footnote: Footnote, tmp_path: Path, place: str, told: str) -> None:
    found = footnote("sync", place if "://" in place else tmp_path / place)
    assert (found.exit_code, found.stdout) == (Exit.USAGE, "")
    assert told in found.stderr


async def test_a_second_sync_of_a_source_is_refused_and_one_of_another_is_not(tmp_path: Path, docs: Path) -> None:
    shown: list[Outcome] = []
    first = asyncio.create_task(
        run_sync(open_core(tmp_path / "data"), str(docs), Wanted(), dry_run=False, yes=False, watch=True, show=shown.append)
    )
    async with asyncio.timeout(60):
        while not shown:
            await asyncio.sleep(0.05)
        with pytest.raises(Conflict, match="Another sync of this source"):
            await run_sync(open_core(tmp_path / "data"), str(docs), Wanted(), dry_run=False, yes=False, watch=False, show=print)
        outcome = await run_sync(
            open_core(tmp_path / "data"), str(docs / "sub"), Wanted(), dry_run=False, yes=False, watch=False, show=shown.append
        )
    assert (outcome.done, outcome.plan.added, outcome.failed) == (True, ["ferry.txt"], {})
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_sync_processes_its_files_when_the_process_that_did_so_has_ended(tmp_path: Path, docs: Path) -> None:
    server, core, shown = Lock(tmp_path / "data"), open_core(tmp_path / "data"), list[Outcome]()
    server.take()
    running = asyncio.create_task(run_sync(core, str(docs), Wanted(), dry_run=False, yes=False, watch=False, show=shown.append))
    async with asyncio.timeout(60):
        while (await core.lifecycle.counts())["RECEIVED"] < 2:
            await asyncio.sleep(0.05)
        server.release()
        assert (await running).done
    core = open_core(tmp_path / "data")
    assert (await core.lifecycle.counts())["READY"] == 2
    await core.close()


@pytest.mark.parametrize("served", [False, True])
async def test_a_deletion_that_failed_is_finished_by_the_next_sync(tmp_path: Path, docs: Path, served: bool) -> None:
    async def run() -> Outcome:
        core = open_core(tmp_path / "data")
        return await run_sync(core, str(docs), Wanted(), dry_run=False, yes=True, watch=False, show=lambda outcome: None)

    await run()
    (docs / "tower.md").unlink()
    core = open_core(tmp_path / "data")
    with sqlite3.connect(core.settings.data / "index.db") as index:
        index.execute("CREATE TRIGGER full BEFORE DELETE ON chunks BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    with pytest.raises(SearchUnavailable, match="the disk is full"):
        await run_sync(core, str(docs), Wanted(), dry_run=False, yes=True, watch=False, show=print)
    with sqlite3.connect(core.settings.data / "index.db") as index:
        index.execute("DROP TRIGGER full")
    server = Lock(tmp_path / "data")
    if served:
        server.take()
    assert (await run()).plan.is_empty
    server.release()
    core = open_core(tmp_path / "data")
    assert [chunk.metadata["file_name"] for chunk in await core.index.sample(SYSTEM, "default", 10)] == ["sub/ferry.txt"]
    assert await core.lifecycle.of_kind("unburied") == []
    await core.close()


async def test_a_watched_folder_is_synced_whenever_it_changes(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_run, "WATCH_S", 0.05)
    shown: asyncio.Queue[Outcome] = asyncio.Queue()
    core = open_core(tmp_path / "data")
    watching = asyncio.create_task(
        run_sync(core, str(docs), Wanted(), dry_run=False, yes=False, watch=True, show=shown.put_nowait)
    )  # fmt: skip
    async with asyncio.timeout(60):
        assert (await shown.get()).plan.added == ["sub/ferry.txt", "tower.md"]
        (docs / "tower.md").write_text("The tower fell.")
        assert (await shown.get()).plan.changed == ["tower.md"]
        docs.rename(docs.with_name("away"))
        await asyncio.sleep(0.3)
        docs.with_name("away").rename(docs)
        (docs / "tower.md").rename(docs / "turm.md")
        assert (await shown.get()).plan.renamed == [("tower.md", "turm.md")]
        (docs / "turm.md").unlink()
        assert (await shown.get()).refused
        (docs / "turm.md").write_text("The tower fell.")
        assert not (await shown.get()).plan.removed
    assert shown.empty()
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching


async def test_a_watched_folder_adds_nothing_to_a_deleted_collection(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_run, "WATCH_S", 0.05)
    told: asyncio.Queue[str] = asyncio.Queue()
    monkeypatch.setattr(sync_run, "say", told.put_nowait)
    shown, clock = asyncio.Queue[Outcome](), HandClock()
    other = open_core(tmp_path / "data", clock=clock)
    watching = asyncio.create_task(
        run_sync(
            open_core(tmp_path / "data", clock=clock), str(docs), Wanted("side", ["hr"]),
            dry_run=False, yes=True, watch=True, show=shown.put_nowait,
        )
    )  # fmt: skip
    async with asyncio.timeout(60):
        assert (await shown.get()).plan.added == ["sub/ferry.txt", "tower.md"]
        await other.collections.delete("side", by="ann")
        (docs / "bridge.md").write_text("The bridge is closed.")
        assert (await told.get()).startswith("footnote: This collection was deleted.")
        await other.collections.restore("side", by="ann")
        assert (await shown.get()).plan.added == ["bridge.md"]
        await other.collections.delete("side", by="ann")
        clock.advance(RESTORABLE_S)
        assert await purge_deleted(other.ingestor, other.records) == ["side"]
        (docs / "gate.md").write_text("The gate is open.")
        assert (await told.get()).startswith("footnote: The collection of this source was deleted and cannot be restored any more.")
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert await other.ledger.collections(SYSTEM) == {}
    assert (shown.empty(), (await other.collections.load()).collections) == (True, {})
    await other.close()


async def test_after_a_purge_a_source_names_another_collection_and_keeps_its_readers(tmp_path: Path, docs: Path) -> None:
    clock = HandClock()

    async def sync(wanted: Wanted) -> Outcome:
        core = open_core(tmp_path / "data", clock=clock)
        return await run_sync(core, str(docs), wanted, dry_run=False, yes=True, watch=False, show=lambda outcome: None)

    core = open_core(tmp_path / "data", clock=clock)
    for _ in range(2):  # the second one is stored under another name than its own
        await core.collections.create("side", CollectionSettings(), title="", description="", by="ann")
        await core.collections.delete("side", by="ann")
    await core.collections.create("side", CollectionSettings(), title="", description="", by="ann")
    await sync(Wanted("side", ["hr"]))
    await core.collections.delete("side", by="ann")
    with pytest.raises(Conflict, match="An admin can restore it"):
        await sync(Wanted())
    clock.advance(RESTORABLE_S)
    assert await purge_deleted(core.ingestor, core.records) == ["side", "side", "side"]
    with pytest.raises(Conflict, match="Name another one with --collection"):
        await sync(Wanted())
    assert (await sync(Wanted("side"))).plan.added == ["sub/ferry.txt", "tower.md"]
    (docs / "bridge.md").write_text("The bridge is closed.")
    assert (await sync(Wanted())).plan.added == ["bridge.md"]
    found = (await core.ledger.list(SYSTEM)).data
    assert {(each.collection, each.permission_groups) for each in found} == {("side", frozenset({"hr"}))}
    assert len(found) == 3
    await core.close()


async def test_only_files_of_this_machine_can_be_watched(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="on a schedule"):
        await run_sync(open_core(tmp_path), "s3://b/p", Wanted(), dry_run=False, yes=False, watch=True, show=print)


def test_a_source_is_noted_for_the_schedule_and_forgotten(footnote: Footnote, docs: Path) -> None:
    noted = footnote("sync", "s3://bucket/handbooks", "--groups", "hr", "--register")
    assert (noted.exit_code, noted.stderr) == (Exit.OK, "s3://bucket/handbooks/ is synced on the schedule.\n")
    assert "--watch" in footnote("sync", docs, "--register").stderr
    gone = footnote("sync", "s3://bucket/handbooks", "--forget")
    assert (gone.exit_code, gone.stderr) == (Exit.OK, "s3://bucket/handbooks/ is not synced any more; its documents stay.\n")
    assert "not known" in footnote("sync", "s3://bucket/handbooks", "--forget").stderr
