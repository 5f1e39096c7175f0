"""What the processes of one test run share: engines, and what is built while other tests run.

pytest-xdist runs the tests in several processes. The first one that needs an engine or a build starts it, the others wait
for it; the process that started the run ends it. The run's folder is in `FOOTNOTE_TEST_RUN`. In it `alive` is a FIFO that
the first process keeps open for writing: whatever reads from it sees its end when that process is gone, however it went.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = "FOOTNOTE_TEST_RUN"
STOP_S = 15
ALIVE = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="footnote-tests-"))
    os.mkfifo(folder / "alive")
    config.stash[ALIVE] = os.open(folder / "alive", os.O_RDWR)
    os.environ[RUN] = str(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    if ALIVE not in config.stash:
        return
    folder = run_folder()
    del os.environ[RUN]
    os.close(config.stash[ALIVE])
    for build in folder.glob("*.build"):
        if not build.with_suffix(".done").exists():
            with suppress(ProcessLookupError):
                os.killpg(int(build.read_text()), signal.SIGTERM)
    for engine in folder.glob("*.engine"):
        _await_end(int(engine.read_text().split()[0]))
    shutil.rmtree(folder, ignore_errors=True)


def _await_end(pid: int) -> None:
    """Engines end by themselves; one that does not is killed."""
    deadline = time.monotonic() + STOP_S
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # it may be ours, and then it stays until somebody has waited for it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def run_folder() -> Path:
    return Path(os.environ[RUN])


@contextmanager
def locked(name: str) -> Iterator[None]:
    """One process of the run at a time."""
    with (run_folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(name: str, make: Callable[[], str]) -> str:
    """What `make` returned in the process of this run that asked first."""
    with locked(name):
        made = run_folder() / name
        if not made.exists():
            made.write_text(make())
        return made.read_text()


def start_build(name: str, command: Sequence[str]) -> None:
    """Once in a run, in a session of its own, so that all it starts ends with it."""
    # Without what a `make` around the tests tells its children: the build may run a `make` of its own.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}

    def build() -> str:
        process = subprocess.Popen(
            ["sh", "-c", '"$@" >/dev/null 2>"$0.errors"; touch "$0.done"', str(run_folder() / name), "nice", "-n", "5", *command],
            cwd=ROOT, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        process.returncode = 0  # nobody waits for it here: `.done` says when it ended
        return str(process.pid)

    once(f"{name}.build", build)


def await_build(name: str) -> str:
    """Waits for it → the end of what it wrote to stderr; "" where nothing was built."""
    begun = run_folder() / name
    if not begun.with_suffix(".build").exists():
        return ""
    while not begun.with_suffix(".done").exists():
        time.sleep(0.1)
    return begun.with_suffix(".errors").read_text(errors="replace").strip()[-2000:]


def in_ci() -> bool:
    """There, what cannot be built or started fails the run."""
    return os.environ.get("CI") == "true"
