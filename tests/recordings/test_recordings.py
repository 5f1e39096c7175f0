"""Each scene is played again and compared with its recording."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from footnote import pipeline
from footnote.ports import Embedder
from footnote.steps import Row, Switch
from tests.recordings.normalize import Normalizer, differences, lay_out
from tests.recordings.play import play
from tests.recordings.scenes import SCENES

RECORDED = Path(__file__).parent / "recorded"
RECORDS = os.environ.get("FOOTNOTE_RECORD") == "1"


@pytest.mark.parametrize("name", SCENES)
async def test_every_scene_matches_its_recording(name: str, filled: tuple[Path, Embedder | None], tmp_path: Path) -> None:
    folder, embedder = filled
    shutil.copytree(folder, tmp_path / "data")
    played = Normalizer()(await play(SCENES[name], tmp_path / "data", embedder))
    recording = RECORDED / f"{name}.json"
    if RECORDS:
        RECORDED.mkdir(exist_ok=True)
        recording.write_text(lay_out(played) + "\n", encoding="utf-8")
    assert list(differences(json.loads(recording.read_text(encoding="utf-8")), played)) == []


EVERY_API = (
    "ask_debug", "ask_blocked", "ask_stream_pa", "retrieve_bm25", "rag_conversation", "pa", "vision", "chat_model",
    "completion_stream", "response_stream", "dify", "mcp_ask", "stored_conversation",
)  # fmt: skip


@pytest.mark.parametrize("name", EVERY_API)
async def test_no_api_depends_on_the_name_of_a_step(
    name: str, filled: tuple[Path, Embedder | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With renamed steps, everything else is as recorded."""
    tables = {"ANSWER": pipeline.ANSWER, "RETRIEVE": pipeline.RETRIEVE, "LOOK_UP": pipeline.LOOK_UP}
    for table, rows in tables.items():
        monkeypatch.setattr(f"footnote.bootstrap.{table}", renamed(rows))
    monkeypatch.setattr("footnote.pipeline.STAGES", {f"renamed_{step}": stage for step, stage in pipeline.STAGES.items()})
    folder, embedder = filled
    shutil.copytree(folder, tmp_path / "data")
    played = lay_out(Normalizer()(await play(SCENES[name], tmp_path / "data", embedder)))
    assert "renamed_" in played or name.startswith(("retrieve", "dify"))
    recorded = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    assert list(differences(recorded, json.loads(played.replace("renamed_", "")))) == []


def renamed(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(
        replace(row, tables={key: renamed(table) for key, table in row.tables.items()})
        if isinstance(row, Switch)
        else replace(row, name=f"renamed_{row.name}")
        for row in rows
    )


def test_every_recording_has_its_scene() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == set(SCENES)
