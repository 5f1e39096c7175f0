"""What is built while other tests run: whoever needs it waits for it, and nothing of it outlives the run."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILDS = pytest.StashKey["dict[str, subprocess.Popen[str]]"]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[BUILDS] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    for build in session.config.stash[BUILDS].values():
        if build.stderr is not None and not build.stderr.closed:  # nobody waited for it
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGTERM)
            build.communicate()


def start_build(config: pytest.Config, name: str, command: Sequence[str]) -> None:
    """Once for each name, in a session of its own: what it starts ends with it. What `make` told us is not for another `make`."""
    if name not in config.stash[BUILDS]:
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        config.stash[BUILDS][name] = subprocess.Popen(
            ["nice", "-n", "5", *command], cwd=ROOT, env=environment, start_new_session=True, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip


def await_build(config: pytest.Config, name: str) -> str:
    """What it said last; "" where nothing was built."""
    build = config.stash[BUILDS].get(name)
    return build.communicate()[1].strip()[-2000:] if build is not None else ""


def in_ci() -> bool:
    """There, what cannot be built or started fails the run."""
    return os.environ.get("CI") == "true"
