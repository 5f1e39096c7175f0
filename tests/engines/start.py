"""Starts an engine on a free port of the loopback address; it ends when its standard input does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.engines import ENGINES
from tests.engines.build import find

ROOT = Path(__file__).parents[2]
LIMIT_S = 180  # OpenSearch takes six on an idle machine, six times that on a busy one
STOP_S = 15
C1_ONLY = "-XX:TieredStopAtLevel=1"
"""Engines live for minutes: what the second compiler takes it does not give back."""


class NotStarted(Exception):
    """Says which engine, why, and the end of its log."""


@dataclass(slots=True)
class Engine:
    """The process of an engine, and the folder of its log and data."""

    name: str
    url: str
    process: subprocess.Popen[bytes]
    folder: Path

    def stop(self) -> None:
        _end(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)


def start(name: str, stdin: int = subprocess.PIPE, parent: Path | None = None) -> Engine:
    """Waits until the engine accepts requests. It ends with this process or when `stdin` is closed; its folder is created in `parent`."""
    described = ENGINES[name]
    home = find(name) if described.is_built else ROOT
    if home is None:
        raise NotStarted(f"{described.title} {described.version} is not built: run `make engines`.")
    if described.java and shutil.which("java") is None:
        raise NotStarted(f"{described.title} {described.version} runs on Java 17 or newer, which is not here.")
    folder = Path(tempfile.mkdtemp(prefix=f"footnote-{name}-", dir=parent))
    if described.java:
        *options, main = described.java
        command = ["java", C1_ONLY, *options, "-cp", "classes:lib/*", main, str(folder)]
    else:
        command = [sys.executable, "-m", f"tests.engines.{name}", str(folder), str(home)]
    log = folder / "log"
    # Its own session: Ctrl-C goes to the tests, which stop the engine when they are done.
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=home if described.java else ROOT, stdin=stdin, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    engine = Engine(name, "", process, folder)
    try:
        engine.url = f"{described.scheme}://127.0.0.1:{_port(process, log)}"
    except BaseException as exc:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        engine.stop()
        if isinstance(exc, NotStarted):
            raise NotStarted(f"{described.title} {described.version} did not start: {exc}\n{tail}") from None
        raise
    return engine


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if ready := re.search(r"^ready (\d+)$", log.read_text(errors="replace"), re.MULTILINE):
            return int(ready[1])
        if process.poll() is not None:
            raise NotStarted(f"it ended with {process.returncode}.")
        time.sleep(0.05)
    raise NotStarted(f"it was not ready after {LIMIT_S} s.")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is None:  # other processes may write to it
        process.kill()
    else:
        process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
