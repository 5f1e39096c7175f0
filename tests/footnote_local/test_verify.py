"""`footnote verify`: findings, repairs and exit codes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from footnote.guard.identity import LOCAL
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.verify import Finding, Kind, Report
from footnote.ports import NewFile
from footnote_local.terminal import Exit
from footnote_local.verify_command import SAID, sentences
from footnote_local.worker import Lock
from tests.footnote_local.conftest import Footnote, open_core


@pytest.fixture
def one_lost(footnote: Footnote, docs: Path, tmp_path: Path) -> str:
    """Two documents, of which the text of one is gone → its id."""
    rows = json.loads(footnote("ingest", docs, "--json").stdout)["documents"]
    (tmp_path / "data" / "files" / parsed_key(rows[0]["doc_id"], 1)).unlink()
    return str(rows[0]["doc_id"])


def test_where_all_is_well_it_says_so(footnote: Footnote, docs: Path) -> None:
    footnote("ingest", docs)
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
        document, _ = await core.ledger.accept(LOCAL, file)
        await core.close()
        return document.doc_id

    doc_id = asyncio.run(die_half_way())
    assert footnote("verify").stdout == f"abandoned    wrong    {doc_id}\n"
    result = footnote("verify", "--repair")
    assert (result.exit_code, result.stdout) == (Exit.OK, f"abandoned    repaired {doc_id}\n")
    assert footnote("verify").stderr == "1 document; everything is consistent.\n"


@pytest.mark.parametrize("kind", SAID)
def test_every_finding_has_a_sentence(kind: Kind) -> None:
    for count in (1, 3):
        for repaired in (True, False):
            findings = tuple(Finding(kind, str(number), repaired) for number in range(count))
            sentence = next(sentences(Report(9, findings), repair=repaired))
            assert sentence.startswith(f"{count} {SAID[kind][count > 1]}")
            assert sentence.endswith(".")
