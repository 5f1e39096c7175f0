"""kill -9, again and again, while a hundred files are ingested: in the end each is READY once, and nothing is left over."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import DEEP

FILES, KILLS = (100, 40) if DEEP else (10, 1)
LIVES_S = 0.3, 2.0


def footnote(*arguments: str, data: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "footnote_local", *arguments, "--data", str(data), "--json"]
    quiet = {**os.environ, "LLM__DISCOVER": "false"}
    return subprocess.Popen(
        command, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, start_new_session=True
    )


def kill(process: subprocess.Popen[str]) -> None:
    """Kills the process and its parser, as the OOM killer does."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def finish(*arguments: str, data: Path) -> Any:
    process = footnote(*arguments, data=data)
    out, _ = process.communicate()
    return process.returncode, json.loads(out)


@pytest.mark.slow("starts a process for each kill")
def test_killed_at_any_moment_every_file_is_ready_once(tmp_path: Path, seed: str) -> None:
    chance, folder, data = random.Random(seed), tmp_path / "files", tmp_path / "data"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:03d}.md").write_text(
            f"# Tower {number}\n\nTower number{number} was built in {1800 + number}. It still stands.\n"
        )
    killed = 0
    while killed < KILLS:
        process = footnote("ingest", str(folder), data=data)
        try:
            process.wait(chance.uniform(*LIVES_S))
        except subprocess.TimeoutExpired:
            kill(process)
            killed += 1
        else:  # all files are ingested: some of them change
            process.communicate()
            for number in chance.sample(range(FILES), FILES // 5):
                path = folder / f"{number:03d}.md"
                path.write_text(path.read_text() + f"\nIt was painted in year{chance.randint(1900, 2020)}.\n")
    code, report = finish("ingest", str(folder), data=data)
    assert (code, report["ready"], report["failed"]) == (0, FILES, 0)
    assert len({row["doc_id"] for row in report["documents"]}) == FILES
    code, report = finish("verify", data=data)
    assert (code, report["findings"]) == (0, [])
    stored = [path for path in (data / "files").rglob("*") if path.is_file()]
    assert len([path for path in stored if not path.name.startswith(".")]) == 2 * FILES
