"""kill -9 in the middle of ratings: of each turn the last rating that was acknowledged is there, or a later one that was sent."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

KILLS = 20
TURNS = 4


def serve(data: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "footnote_local", "serve", "--workers", "1", "--port", "0", "--data", str(data), "--json"]
    quiet = {"PATH": "/usr/bin:/bin", "HOME": str(data), "LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    server = subprocess.Popen(command, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    assert server.stdout is not None
    said = ""
    while "}" not in said:
        said += server.stdout.readline()
    return server, str(json.loads(said)["url"])


@pytest.mark.nightly
def test_acknowledged_ratings_survive_and_the_last_one_counts(tmp_path: Path, seed: str) -> None:
    chance = random.Random(seed)
    server, url = serve(tmp_path)
    asked = {"query_text": "Why?", "index_name": "default", "permission_groups": []}
    traces = [httpx.post(f"{url}/ask", json=asked, timeout=30).json()["trace_id"] for _ in range(TURNS)]
    sent: dict[str, int] = dict.fromkeys(traces, 0)
    kept: dict[str, int] = dict.fromkeys(traces, 0)
    number = 0
    for _ in range(KILLS):
        killer = threading.Timer(chance.uniform(0.2, 1.0), server.send_signal, [signal.SIGKILL])
        killer.start()
        try:
            with httpx.Client(base_url=url, timeout=10) as client:
                while True:
                    number += 1
                    trace_id = chance.choice(traces)
                    sent[trace_id] = number
                    body = {"trace_id": trace_id, "rating": "down", "reason": "wrong", "comment": f"number {number}"}
                    assert client.post("/feedback", json=body).status_code == 200
                    kept[trace_id] = number
        except httpx.TransportError:
            server.communicate(timeout=10)
        killer.join()
        server, url = serve(tmp_path)
        rows: list[dict[str, Any]] = httpx.get(f"{url}/feedback", timeout=30).json()["data"]
        found = {row["trace_id"]: int(row["comment"].removeprefix("number ")) for row in rows}
        assert len(rows) == len(found)
        for trace_id in traces:
            assert found.get(trace_id, 0) in {kept[trace_id], sent[trace_id]}
            sent[trace_id] = kept[trace_id] = found.get(trace_id, 0)
    server.kill()
    server.communicate(timeout=10)
    assert number > TURNS * KILLS
