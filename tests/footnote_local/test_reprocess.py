"""`footnote reprocess`: output, refusals and exit codes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from footnote.types import CollectionSettings
from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote, open_core


async def choose_tables(folder: Path) -> None:
    core = open_core(folder)
    await core.collections.create("default", CollectionSettings("table"), title="", description="", by="me")
    await core.close()


def test_documents_are_cut_again_once(footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "fees.csv").write_text("\n".join(["Room,Fee", *(f"Room {n},{n}" for n in range(30))]))
    footnote("ingest", tmp_path / "fees.csv")
    assert footnote("reprocess", "default").stderr == "0 cut again, 1 up to date, 0 failed.\n"
    asyncio.run(choose_tables(tmp_path / "data"))
    result = footnote("reprocess", "default", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (
        Exit.OK,
        {"collection": "default", "queued": 1, "current": 0, "failed": 0},
    )
    (shown,) = json.loads(footnote("documents", "list", "--json").stdout)["documents"]
    assert (shown["state"], shown["chunks"]) == ("READY", 3)
    assert footnote("reprocess", "default").stderr == "0 cut again, 1 up to date, 0 failed.\n"


def test_an_empty_collection_is_refused(footnote: Footnote) -> None:
    result = footnote("reprocess", "nowhere")
    assert (result.exit_code, result.stderr) == (Exit.USAGE, "footnote: There are no documents in “nowhere”.\n")
