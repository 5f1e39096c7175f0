"""`footnote doctor`: what answers, what is missing and how to get it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from footnote.errors import ModelUnavailable
from footnote_local.doctor import Finding, examine
from tests.fakes import FakeEmbedder, FakeModel, FakeModels
from tests.footnote_local.conftest import Footnote, open_core


async def findings(folder: Path, embedder: Any = None, models: Any = None) -> dict[str, Finding]:
    core = open_core(folder, models=models or FakeModels())
    core.embedder = embedder
    return {finding.part: finding for finding in await examine(core)}


async def test_what_is_missing_is_told_with_its_remedy(tmp_path: Path) -> None:
    found = await findings(tmp_path)
    assert {part: finding.state for part, finding in found.items()} == {
        "python": "ok",
        "store": "ok",
        "index": "ok",
        "documents": "missing",
        "embedder": "missing",
        "language model": "missing",
    }
    assert found["index"].found == str(tmp_path)
    for part in ("documents", "embedder", "language model"):
        assert found[part].remedy


async def test_what_answers_is_told_by_name(tmp_path: Path) -> None:
    found = await findings(tmp_path, FakeEmbedder(), FakeModels(FakeModel([])))
    assert (found["embedder"].state, found["embedder"].found) == ("ok", "fake-embedder for en; 0 of 0 passages have vectors")
    assert (found["language model"].state, found["language model"].found) == ("ok", "fake")


async def test_what_is_configured_and_does_not_answer_is_broken(tmp_path: Path) -> None:
    class Down(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise ModelUnavailable("No answer from the embedder.")

    found = await findings(tmp_path, Down(), FakeModels(ModelUnavailable("No such model.")))
    assert [found[part].state for part in ("embedder", "language model")] == ["broken", "broken"]
    assert (found["embedder"].found, found["language model"].found) == ("No answer from the embedder.", "No such model.")
    assert "EMBEDDING__BASE_URL" in found["embedder"].remedy
    assert "LLM__BASE_URL" in found["language model"].remedy


def test_names_of_other_systems_are_listed_and_their_values_are_not(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_PASSWORD", "open sesame")
    result = footnote("doctor")
    assert result.exit_code == 0
    assert "missing  REDIS_PASSWORD" in result.stdout
    assert "sesame" not in result.output


def test_a_broken_part_is_an_exit_code(footnote: Footnote, tmp_path: Path) -> None:
    assert footnote("doctor", "--json").exit_code == 0
    (tmp_path / "data" / "store.db").write_bytes(b"no database at all" * 100)
    for left in ("store.db-wal", "store.db-shm"):
        (tmp_path / "data" / left).unlink(missing_ok=True)
    result = footnote("doctor", "--json")
    states = {finding["part"]: finding["state"] for finding in json.loads(result.stdout)}
    assert (result.exit_code, states["store"], states["index"]) == (1, "broken", "ok")
    assert "documents" not in states
