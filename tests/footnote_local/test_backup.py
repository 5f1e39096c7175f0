"""The commands of docs/backup.md, verbatim, while a server ingests files: the restored folder answers and is consistent."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "backup.md"


def commands(name: str) -> str:
    (block,) = re.findall(rf"<!-- tested: {name} -->\n```sh\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return block


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working directory of the commands; `.venv/bin` holds the installed commands."""
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "python").symlink_to(sys.executable)
    script = scripts / "footnote"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m footnote_local "$@"\n')
    script.chmod(0o755)
    return tmp_path


@contextmanager
def serving(folder: Path, environment: dict[str, str], data: str) -> Iterator[str]:
    """The address of a server that works on this data folder."""
    command = [sys.executable, "-m", "footnote_local", "serve", "--workers", "1", "--port", "0", "--json", "--data", data]
    process = subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["url"]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def add(url: str, number: int) -> None:
    text = f"# Drawer {number}\n\nDrawer {number} of the cabinet holds {number * 7} brass keys.\n"
    sent = httpx.post(f"{url}/ingest/file", data={"index_name": "default"}, files={"file": (f"drawer-{number}.md", text)})
    assert sent.status_code in (200, 201, 202), sent.text


def states(url: str) -> Sequence[str]:
    """States of the newest documents."""
    return [document["state"] for document in httpx.get(f"{url}/documents").json()["data"]]


def run(folder: Path, environment: dict[str, str], script: str) -> str:
    done = subprocess.run(["sh", "-e", "-c", script], cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for(found: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not found():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.nightly
def test_a_backup_of_a_server_at_work_is_restored_whole(folder: Path, environment: dict[str, str]) -> None:
    asked = {"query_text": "How many brass keys are in drawer 1 of the cabinet?", "index_name": "default", "permission_groups": []}
    with serving(folder, environment, "data") as url:
        add(url, 1)
        wait_for(lambda: httpx.post(f"{url}/ask", json=asked | {"room_id": "cabinet"}).json()["outcome"] == "answered")
        done = threading.Event()
        adding = threading.Thread(target=lambda: [add(url, number) for number in range(2, 1000) if not done.is_set()])
        adding.start()
        try:
            wait_for(lambda: len(states(url)) >= 5)
            run(folder, environment, commands("back up").replace("$(date +%F)", "today"))
        finally:
            done.set()
            adding.join()

    copy, repair, _ = commands("restore").replace("$BACKUP", "backup-today").splitlines()
    run(folder, environment, copy)
    assert not list((folder / "restored").glob("vectors-*"))
    run(folder, environment, repair)
    with serving(folder, environment, "restored") as url:
        assert len(states(url)) >= 5
        wait_for(lambda: set(states(url)) == {"READY"})
        assert "7 brass keys" in httpx.post(f"{url}/ask", json=asked).json()["answer"]
        assert "cabinet" in [room["room_id"] for room in httpx.get(f"{url}/conversations").json()["data"]]
    run(folder, environment, ".venv/bin/footnote verify --data restored")  # nothing is left to repair
