"""The initial data of every scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.ports import Embedder
from tests.recordings.play import fill


@pytest.fixture(scope="package")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Embedder | None]:
    """A data folder with every document and its vectors, and the embedder that made them."""
    folder = tmp_path_factory.mktemp("filled")
    return folder, fill(folder)


@pytest.fixture(autouse=True)
def patient_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an error is a status or a message must not depend on the speed of the machine."""
    monkeypatch.setattr("footnote_http.sse.OPEN_S", 60.0)
