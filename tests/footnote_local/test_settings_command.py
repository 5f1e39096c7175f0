"""`footnote settings`: the history of a setting, and undo."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import Settings
from footnote_query.setting_changes import change


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    async def run() -> None:
        core = Core(Settings(footnote_data=tmp_path))
        for value in (0.7, 0.9):
            await change(core, LOCAL, "rag.alpha", value)
        await core.close()

    asyncio.run(run())
    return tmp_path


def test_it_shows_from_what_to_what_a_setting_was_changed_and_reverts_it(changed: Path, footnote: Any) -> None:
    undone = footnote("settings", "undo", "rag.alpha", "--data", str(changed))
    assert "rag.alpha is 0.7 again (runtime)." in undone.stderr
    lines = footnote("settings", "history", "rag.alpha", "--data", str(changed)).stdout.splitlines()
    assert [line.split("local")[1].strip() for line in lines] == ["0.9 → 0.7  undoes 2", "0.7 → 0.9", "configured value → 0.7"]
    shown = json.loads(footnote("settings", "history", "rag.alpha", "--limit", "1", "--json", "--data", str(changed)).stdout)
    assert [(each["from"], each["to"], each["undoes"]) for each in shown["changes"]] == [(0.9, 0.7, 2)]


def test_without_a_change_it_says_so(tmp_path: Path, footnote: Any) -> None:
    assert "has not been changed at runtime" in footnote("settings", "history", "rag.alpha", "--data", str(tmp_path)).stderr
    assert "There is no change of this setting to undo." in footnote("settings", "undo", "rag.alpha", "--data", str(tmp_path)).stderr
