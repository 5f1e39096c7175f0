"""The engines that other tests stand on are for this machine only, and none outlives the run that started it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from tests.engines import ENGINES
from tests.engines.build import NotBuilt, build, find, folder
from tests.engines.start import ROOT, NotStarted, start

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
QUICK = ("mongodb", "aws")
"""Those that start in a second: one that Java runs, and one that Python does."""


# --- as long as their owner, and for this machine only -------------------------------------------


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.nightly) for name in ENGINES])
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux' table of sockets")
def test_an_engine_is_reached_from_this_machine_only_and_ends_with_its_owner(name: str, request: pytest.FixtureRequest) -> None:
    if ENGINES[name].is_built and not find(name):
        request.getfixturevalue(f"{name}_url")  # builds it in CI, or skips
        if not find(name):
            pytest.skip(f"{name} is not built: another one was given.")
    command = [sys.executable, "-m", "tests.engines", "start", name]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as owner:
        address = urlsplit(owner.stdout.readline().strip())
        (engine,) = (int(pid) for pid in Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split())
        hosts, ports = zip(*listening(engine), strict=True)
        owner.send_signal(signal.SIGKILL)
    assert (address.hostname, set(hosts) - LOOPBACK) == ("127.0.0.1", set())
    assert address.port is not None
    assert address.port in ports
    deadline = time.monotonic() + 20
    while (runs(engine) or accepts(address.port)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (runs(engine), accepts(address.port)) == (False, False)


def listening(pid: int) -> list[tuple[str, int]]:
    """Address, as the kernel writes it, and port of every socket on which a process listens."""
    sockets = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    locals_ = [row[1].split(":") for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    return [(host, int(port, 16)) for host, port in locals_]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"  # which stays where no init collects it
    except (FileNotFoundError, ProcessLookupError):
        return False


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return False
    return True


# --- what goes wrong is said -----------------------------------------------------------------------


def test_an_engine_that_is_not_built_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(NotStarted, match=r"^OpenSearch 2\.19\.1 is not built: run `make engines`\.$"):
        start("opensearch")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotBuilt, match=r"^DynamoDB Local is built with a JDK \(17 or newer\) and Maven; not here: java, javac, mvn\.$"):
        build("dynamodb")
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_breaks_off_shows_the_end_of_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (folder() / "mongodb").mkdir(parents=True)
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho no memory\nexit 3\n")
    java.chmod(0o755)
    with pytest.raises(NotStarted, match=r"^mongo-java-server 1\.47\.0 did not start: it ended with 3\.\nno memory$"):
        start("mongodb")


# --- Docker --------------------------------------------------------------------------------------


def test_compose_has_the_same_versions_and_is_reached_from_this_machine_only() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert {name: service["image"] for name, service in services.items() if name != "footnote"} == {
        "opensearch": f"opensearchproject/opensearch:{ENGINES['opensearch'].version}",
        "mongodb": "mongo:8.0",
        "dynamodb": f"amazon/dynamodb-local:{ENGINES['dynamodb'].version}",
        "aws": f"motoserver/moto:{ENGINES['aws'].version}",
    }
    assert [port for service in services.values() for port in service["ports"] if not port.startswith("127.0.0.1:")] == []
