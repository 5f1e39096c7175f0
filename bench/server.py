"""Starts, queries, measures and stops a `footnote serve`."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from bench.figures import ROOT, NotMeasured, environment

READY_S = 120
POLL_S = 0.05
STOP_S = 20


class Server:
    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self._process = process
        self.url = url

    def wait(self) -> None:
        """Waits until `/ready` is 200; NotMeasured if that takes too long."""
        until = time.monotonic() + READY_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                with urlopen(f"{self.url}/ready", timeout=5):
                    return
            except (HTTPError, URLError, TimeoutError):
                time.sleep(POLL_S)
        raise NotMeasured(f"footnote serve was not ready after {READY_S} s.")

    def ask(self, question: str) -> dict[str, Any]:
        body = {"query_text": question, "index_name": "default", "permission_groups": []}
        request = Request(f"{self.url}/ask", json.dumps(body).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=60) as response:
            reply: dict[str, Any] = json.load(response)
        return reply

    def peak_mb(self) -> float:
        """Peak memory of the process; NotMeasured without /proc."""
        return self._memory_mb("VmHWM:")

    def memory_mb(self) -> float:
        """Memory of the process now; NotMeasured without /proc."""
        return self._memory_mb("VmRSS:")

    def _memory_mb(self, field: str) -> float:
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            raise NotMeasured("Memory is read from /proc, which is Linux's.")
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) / 1024


@contextmanager
def serving(data: Path, workers: int = 1, /, *, ingest: Sequence[Path] = (), **settings: str) -> Iterator[Server]:
    """`settings`: environment variables, such as LLM__BASE_URL."""
    port = _free_port()
    command = [sys.executable, "-m", "footnote_local", "serve", "--port", str(port), "--data", str(data), "--workers", str(workers)]
    command += [argument for path in ingest for argument in ("--ingest", str(path))]
    process = subprocess.Popen(command, cwd=ROOT, env=environment() | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Server(process, f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
