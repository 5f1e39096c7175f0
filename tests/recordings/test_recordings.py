"""Each scene is played again and compared with its recording."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from footnote.ports import Embedder
from tests.recordings.normalize import Normalizer, differences, lay_out
from tests.recordings.play import fill, play
from tests.recordings.scenes import SCENES

RECORDED = Path(__file__).parent / "recorded"
RECORDS = os.environ.get("FOOTNOTE_RECORD") == "1"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Embedder | None]:
    """A data folder with every document and its vectors, and the embedder that made them."""
    folder = tmp_path_factory.mktemp("filled")
    return folder, fill(folder)


@pytest.fixture(autouse=True)
def patient_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an error is a status or a message must not depend on how fast this machine is."""
    monkeypatch.setattr("footnote_http.sse.OPEN_S", 60.0)


@pytest.mark.parametrize("name", SCENES)
async def test_what_was_recorded_comes_again(name: str, filled: tuple[Path, Embedder | None], tmp_path: Path) -> None:
    folder, embedder = filled
    shutil.copytree(folder, tmp_path / "data")
    played = Normalizer()(await play(SCENES[name], tmp_path / "data", embedder))
    recording = RECORDED / f"{name}.json"
    if RECORDS:
        RECORDED.mkdir(exist_ok=True)
        recording.write_text(lay_out(played) + "\n", encoding="utf-8")
    assert list(differences(json.loads(recording.read_text(encoding="utf-8")), played)) == []


def test_every_recording_has_its_scene() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == set(SCENES)
