"""`footnote verify`: findings, repairs and exit codes."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from footnote.guard.identity import LOCAL
from footnote.ingest.integrity import Finding, Kind, Report
from footnote.ingest.keys import parsed_key, source_key
from footnote.library.worker import Lock
from footnote.ports import ChunkVectors, NewFile
from footnote_local.terminal import Exit
from footnote_local.verify_command import SAID, sentences
from tests.footnote_local.conftest import Footnote, open_core


@pytest.fixture
def one_lost(footnote: Footnote, docs: Path, tmp_path: Path) -> str:
    """Two documents, of which the text of one is gone → its id."""
    rows = json.loads(footnote("ingest", docs, "--json").stdout)["documents"]
    (tmp_path / "data" / "files" / parsed_key(rows[0]["doc_id"], 1)).unlink()
    return str(rows[0]["doc_id"])


@pytest.mark.usefixtures("ingested")
def test_where_all_is_well_it_says_so(footnote: Footnote) -> None:
    result = footnote("verify")
    assert (result.exit_code, result.stdout, result.stderr) == (Exit.OK, "", "2 documents; everything is consistent.\n")
    assert json.loads(footnote("verify", "--json").stdout) == {"documents": 2, "found": {}, "wrong": 0, "findings": []}


def test_findings_are_listed_and_repaired_only_on_request(footnote: Footnote, one_lost: str) -> None:
    for _ in range(2):
        result = footnote("verify")
        assert (result.exit_code, result.stdout) == (Exit.BAD, f"no_text      wrong    {one_lost}\n")
        assert result.stderr == ("1 document has lost its extracted text.\nTo repair what can be repaired: footnote verify --repair\n")


def test_a_requeued_document_is_ingested_at_once(footnote: Footnote, one_lost: str, tmp_path: Path) -> None:
    report = json.loads(footnote("verify", "--repair", "--json").stdout)
    assert report["findings"] == [{"kind": "no_text", "id": one_lost, "repaired": True}]
    assert (report["found"], report["wrong"]) == ({"no_text": 1}, 0)
    assert (tmp_path / "data" / "files" / parsed_key(one_lost, 1)).exists()
    assert footnote("verify").exit_code == Exit.OK


def test_a_finding_that_cannot_be_repaired_says_what_to_do(footnote: Footnote, one_lost: str, tmp_path: Path) -> None:
    (tmp_path / "data" / "files" / source_key(one_lost, 1)).unlink()
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stdout) == (Exit.BAD, f"no_file      wrong    {one_lost}\n")
    assert result.stderr == "1 document is searchable but its file is lost. Delete these documents and add the files again.\n"


def test_while_a_server_uses_the_folder_the_server_does_the_work(footnote: Footnote, one_lost: str, tmp_path: Path) -> None:
    server = Lock(tmp_path / "data")
    server.take()
    result = footnote("verify", "--repair")
    server.release()
    assert result.exit_code == Exit.OK
    assert result.stderr == (
        "A Footnote server is using this data folder and will process what is queued again.\n"
        "1 document has lost its extracted text; queued again.\n"
    )
    assert not (tmp_path / "data" / "files" / parsed_key(one_lost, 1)).exists()


def test_work_left_by_a_crash_is_resumed_without_waiting(footnote: Footnote, tmp_path: Path) -> None:
    async def die_half_way() -> str:
        core = open_core(tmp_path / "data")
        file = NewFile(file_name="a.txt", collection="default", permission_groups=frozenset("*"), content_hash="0", size=1)
        document, _ = await core.lifecycle.accept(LOCAL, file)
        await core.close()
        return document.doc_id

    doc_id = asyncio.run(die_half_way())
    assert footnote("verify").stdout == f"abandoned    wrong    {doc_id}\n"
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stdout) == (Exit.OK, f"abandoned    repaired {doc_id}\n")
    assert footnote("verify").stderr == "1 document; everything is consistent.\n"


def test_a_wrong_file_of_vectors_is_made_again(footnote: Footnote, docs: Path, tmp_path: Path) -> None:
    async def put_vector() -> None:
        core = open_core(tmp_path / "data")
        (chunk, *_) = await core.index.sample(LOCAL, "default", 1)
        await core.vectors.put_vectors("e", [ChunkVectors(chunk.chunk_id, np.ones(4, np.float32))])
        await core.close()

    footnote("ingest", docs)
    asyncio.run(put_vector())
    (file,) = (tmp_path / "data").glob("vectors-*.f32")
    file.write_bytes(bytes(16))
    result = footnote("verify")
    assert (result.exit_code, result.stdout) == (Exit.BAD, f"bad_copy     wrong    {file.name}\n")
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stdout) == (Exit.OK, f"bad_copy     repaired {file.name}\n")
    assert result.stderr.endswith("1 file of vectors is lost or wrong; made again from the index.\n")
    assert footnote("verify").stderr == "2 documents; everything is consistent.\n"


@pytest.mark.usefixtures("ingested")
def test_a_damaged_database_is_told_before_anything_is_compared(footnote: Footnote, tmp_path: Path) -> None:
    index = tmp_path / "data" / "index.db"
    data = index.read_bytes()
    index.write_bytes(data[: len(data) // 2])
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stdout) == (Exit.UNAVAILABLE, "")
    assert result.stderr == (
        "footnote: The database index.db cannot be used (database disk image is malformed)."
        " It is damaged. Stop Footnote, move it and its -wal and -shm files away, and run `footnote verify --repair`.\n"
    )
    index.unlink()
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stderr) == (Exit.OK, "2 documents are missing from the index; queued again.\n")
    assert footnote("verify").stderr == "2 documents; everything is consistent.\n"


@pytest.mark.usefixtures("ingested")
def test_a_damaged_page_that_nothing_else_reads_is_found(footnote: Footnote, tmp_path: Path) -> None:
    store = tmp_path / "data" / "store.db"
    with closing(sqlite3.connect(store)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'feedback_by_time'").fetchone()
    data = store.read_bytes()
    store.write_bytes(data[: (page - 1) * 4096] + b"\xaa" * 4096 + data[page * 4096 :])
    result = footnote("verify")
    assert result.exit_code == Exit.UNAVAILABLE
    assert "It is damaged. Stop Footnote, and restore a backup as docs/backup.md says." in result.stderr


@pytest.mark.parametrize("kind", SAID)
def test_every_finding_has_a_sentence(kind: Kind) -> None:
    for count in (1, 3):
        for repaired in (True, False):
            findings = tuple(Finding(kind, str(number), repaired) for number in range(count))
            sentence = next(sentences(Report(9, findings), repair=repaired))
            assert sentence.startswith(f"{count} {SAID[kind][count > 1]}")
            assert sentence.endswith(".")
