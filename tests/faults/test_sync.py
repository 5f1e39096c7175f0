"""A folder changes at random and syncs are killed at random: after each sync that ends, ledger, index and files are as the folder."""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from footnote.ingest.ingestor import SYSTEM
from footnote.ingest.integrity import verify
from footnote.ingest.keys import source_key
from footnote.ingest.sync_plan import read_known
from footnote.ports import read_all
from footnote.types import make_chunk_id
from tests.footnote_local.conftest import open_core
from tests.nightly import DEEP

OPERATIONS = 100 if DEEP else 3
MOST_BETWEEN = 8 if DEEP else 3
"""Operations between two syncs."""
LIBC = ctypes.CDLL(None)
WITHOUT_MODELS = {"EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path


def give_up_reading_everything() -> None:
    """Makes file permissions count for root as well: drops CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH from what a new program may have."""
    for capability in (1, 2):
        LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def start(place: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "footnote_local", "sync", str(place / "tree"), "--data", str(place / "data"), "--yes", "--json"]
    return subprocess.Popen(
        command, env={**os.environ, **WITHOUT_MODELS, "PYTHONPATH": os.pathsep.join(sys.path)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=give_up_reading_everything if os.geteuid() == 0 else None,
    )  # fmt: skip


def finish(place: Path) -> Any:
    """The report of a sync that is not killed."""
    process = start(place)
    out, told = process.communicate()
    assert process.returncode in (0, 1), told
    return json.loads(out)


def kill_in_the_middle(place: Path, chance: random.Random) -> bool:
    """Kills a sync a moment after its first write; False if it ended before."""
    log = place / "data" / "store.db-wal"

    def state() -> tuple[int, int]:
        return (log.stat().st_size, log.stat().st_mtime_ns) if log.exists() else (0, 0)

    before, process = state(), start(place)
    while process.poll() is None and state() in (before, (0, 0)):
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.4))
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return not ended


@dataclass
class Tree:
    """The folder, and what may happen to its files."""

    folder: Path
    chance: random.Random
    made: int = 0
    bin: list[tuple[str, bytes, os.stat_result]] = field(default_factory=list)
    """Deleted files, to be restored."""
    history: dict[str, set[bytes]] = field(default_factory=dict)
    """Name → every content that was ever there."""

    def files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())

    def pick(self) -> Path:
        return self.chance.choice(self.files() or [self.create()])

    def text(self) -> bytes:
        self.made += 1
        return f"# Tower {self.made}\n\nTower number{self.made:04d} was built by mason{self.chance.randrange(10**6):06d}.\n".encode()

    def free_name(self) -> Path:
        while True:
            name = f"{self.chance.choice(['', 'a/', 'a/b/', 'é/'])}{self.chance.choice('Aa한ü')}{self.chance.randrange(99)}.md"
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(path):
                return path

    def create(self) -> Path:
        path = self.free_name()
        path.write_bytes(self.text())
        return path

    def change(self) -> None:
        self.pick().write_bytes(self.text() + b"It was painted.\n" * self.chance.randrange(3))

    def change_unnoticed(self) -> None:
        """With the same size and time of modification."""
        path = self.pick()
        before = path.stat()
        path.write_bytes(path.read_bytes()[:-8] + f"{self.chance.randrange(10**6):06d}.\n".encode())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def touch(self) -> None:
        os.utime(self.pick())

    def rename(self) -> None:
        self.pick().rename(self.free_name())

    def rename_over(self) -> None:
        self.pick().rename(self.pick())

    def rename_case(self) -> None:
        path = self.pick()
        if not os.path.lexists(other := path.with_name(path.name.swapcase())):
            path.rename(other)

    def swap(self) -> None:
        """Two or more files in a circle."""
        some = self.chance.sample(files := self.files(), min(len(files), self.chance.choice([2, 2, 3, 5])))
        held = [path.rename(path.with_name(f".{number}")) for number, path in enumerate(some)]
        for path, other in zip(some[1:] + some[:1], held, strict=True):
            other.rename(path)

    def copy(self) -> None:
        shutil.copyfile(self.pick(), self.free_name())

    def delete(self) -> None:
        path = self.pick()
        self.bin.append((str(path.relative_to(self.folder)), path.read_bytes(), path.stat()))
        path.unlink()

    def restore(self) -> None:
        """As a backup does: the same name, content and time of modification."""
        if self.bin:
            name, data, found = self.bin.pop(self.chance.randrange(len(self.bin)))
            path = self.folder / name
            if not path.is_symlink():
                path.write_bytes(data)
                os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))

    def forbid(self) -> None:
        self.pick().chmod(0o000)

    def allow(self) -> None:
        for path in self.files():
            path.chmod(0o644)

    def link(self) -> None:
        """A loop, a link out of the folder, one to a folder, one to a file within."""
        path = self.free_name()
        path.symlink_to(self.chance.choice([path, Path("/etc/hostname"), self.folder, path.parent / "nowhere", self.pick()]))

    def happen(self) -> None:
        often = [self.create, self.change, self.rename, self.delete] * 3
        rare = [
            self.change_unnoticed, self.touch, self.rename_over, self.rename_case, self.swap, self.swap, self.copy, self.restore,
            self.restore, self.forbid, self.allow, self.link,
        ]  # fmt: skip
        self.chance.choice(often + rare)()
        for name, data in self.contents().items():
            self.history.setdefault(name, set()).add(data)

    def contents(self) -> dict[str, bytes]:
        """Name → content of what counts as a file, readable or not."""
        found = {}
        for path in self.folder.rglob("*"):
            inside = not path.is_symlink() or (path.exists() and path.resolve().is_relative_to(self.folder.resolve()))
            if inside and path.is_file():
                found[path.relative_to(self.folder).as_posix()] = path.read_bytes()
        return found

    def forbidden(self) -> set[str]:
        return {name for name in self.contents() if not (self.folder / name).stat().st_mode & 0o444}


async def check(place: Path, tree: Tree) -> dict[bytes, str]:
    """Content that only one file has → its document's id."""
    core = open_core(place / "data")
    contents, forbidden = tree.contents(), tree.forbidden()
    known = await read_known(core.origins, (place / "tree").resolve().as_uri())
    assert contents.keys() - forbidden <= known.keys() <= contents.keys()
    for name, (doc_id, seen) in known.items():
        if name in forbidden and not seen.stored:
            continue  # a sync was killed before it stored the file, which cannot be read now
        document = await core.ledger.get(SYSTEM, doc_id)
        data = await core.files.get(source_key(doc_id, document.generation))
        assert data == contents[name] if name not in forbidden else data in tree.history[name], name
        digest = hashlib.sha256(data).hexdigest()
        assert (document.state, document.content_hash, seen.digest, seen.stored) == ("READY", digest, digest, True), name
        names = {other for other, held in known.items() if held.doc_id == doc_id}
        assert document.file_name in names, name
        assert document.active_generation == document.generation
        (outline,) = await core.index.read(SYSTEM, [make_chunk_id(doc_id, document.generation, 0)])
        assert outline.metadata["file_name"] == document.file_name
        chunks = await core.index.read(SYSTEM, [make_chunk_id(doc_id, document.generation, each) for each in range(document.chunks + 1)])
        assert data.decode().split("number")[1][:4] in "".join(chunk.text for chunk in chunks)
    documents = await read_all(lambda after: core.ledger.list(SYSTEM, limit=200, after=after))
    assert {document.doc_id for document in documents} == {held.doc_id for held in known.values()}
    report = await verify(core.bucket, [], None, repair=False, abandoned_s=0)
    assert report.findings == ()
    await core.close()
    held = list(contents.values())
    return {contents[name]: doc_id for name, (doc_id, _) in known.items() if name not in forbidden and held.count(contents[name]) == 1}


def written(place: Path) -> dict[str, bytes]:
    """The data, without locks and SQLite's own files."""
    paths = [path for path in (place / "data").rglob("*") if path.is_file() and path.suffix not in (".lock", ".db-wal", ".db-shm")]
    return {str(path): path.read_bytes() for path in paths if not path.name.endswith(("-wal", "-shm"))}


@pytest.mark.slow("random syncs, some of which are killed")
@pytest.mark.timeout(3000 if DEEP else 120)
def test_ledger_index_and_files_are_as_the_folder_whatever_happens(place: Path, seed: str) -> None:
    chance = random.Random(seed)
    tree = Tree(place / "tree", chance)
    ids: dict[bytes, str] = {}
    operations = kills = syncs = kept = 0
    while operations < OPERATIONS:
        for _ in range(min(chance.randint(1, MOST_BETWEEN), OPERATIONS - operations)):
            tree.happen()
            operations += 1
        if operations < OPERATIONS and chance.random() < 0.4:
            kills += kill_in_the_middle(place, chance)
            ids = {}  # a killed sync may have deleted what is restored by now
            continue
        quiet = not tree.forbidden()
        report = finish(place)
        syncs += 1
        assert report["failed"] == []
        assert {row["file"] for row in report["skipped"]} <= tree.forbidden()
        now = asyncio.run(check(place, tree))
        same = {data: doc_id for data, doc_id in ids.items() if data in now}
        assert same == {data: now[data] for data in same}
        kept += len(same)
        ids = now if quiet else {}
    before = written(place)
    again = finish(place)
    assert (again["added"], again["changed"], again["renamed"], again["removed"]) == ([], [], [], [])
    assert written(place) == before
    print(f"{operations} operations, {kills} kills, {syncs} syncs, {kept} ids kept")
