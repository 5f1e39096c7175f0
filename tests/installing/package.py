"""The wheel of the project, and environments with it and what it declares: nothing is downloaded, the libraries are those of this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
LEFT_OUT = {line.split()[0] for line in (ROOT / "requirements/overrides.txt").read_text().splitlines() if line and line[0] != "#"}
"""Distributions that libraries declare and the locks leave out."""
WAIT_S = 60


def build_wheel(folder: Path) -> Path:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(wheel)


def declared(wheel: Path, extra: str = "") -> set[str]:
    """The distributions that the wheel needs, with its extra, and what those need in turn."""
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        found, todo = set[str](), [(message_from_string(archive.read(metadata).decode()).get_all("Requires-Dist", []), {extra})]
    while todo:
        lines, extras = todo.pop()
        for wanted in map(Requirement, lines):
            name = canonicalize_name(wanted.name)
            if name in LEFT_OUT or not any(wanted.marker is None or wanted.marker.evaluate({"extra": each}) for each in extras | {""}):
                continue
            if name not in found or wanted.extras:
                found.add(name)
                todo.append((distribution(name).requires or [], wanted.extras))
    return found


class Environment(NamedTuple):
    """A virtual environment with Footnote's wheel."""

    folder: Path

    @property
    def site(self) -> Path:
        return self.folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"

    def add(self, names: Iterable[str]) -> None:
        """The distributions, as they are installed here."""
        for known in map(distribution, sorted(names)):
            for top in {file.parts[0] for file in known.files or ()} - {"..", "__pycache__"}:
                if not (self.site / top).exists():
                    (self.site / top).symlink_to(known.locate_file(top))

    def run(self, *arguments: str | Path, data: Path) -> str:
        """The output of a `footnote` command."""
        command = [self.folder / "bin/footnote", *arguments]
        return subprocess.run(command, env=_variables(data), cwd=data.parent, capture_output=True, text=True, check=True).stdout

    @contextmanager
    def serving(self, data: Path, docs: Path, log: Path) -> Iterator[str]:
        """`footnote serve` → its address. `log`: what it says."""
        command = [self.folder / "bin/footnote", "serve", "--port", "0", "--json", "--workers", "1", "--data", data, "--ingest", docs]
        with log.open("w") as said:
            server = subprocess.Popen(command, env=_variables(data), cwd=data.parent, stdout=subprocess.PIPE, stderr=said, text=True)
        assert server.stdout is not None
        try:
            written = ""
            while not written.endswith("}\n"):
                line = server.stdout.readline()
                assert line, log.read_text()  # it has ended
                written += line
            yield json.loads(written)["url"]
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=WAIT_S)


def install(wheel: Path, folder: Path) -> Environment:
    """The wheel without its extras, as uv installs it, in a new environment."""
    venv.create(folder, symlinks=True)
    made = Environment(folder)
    made.add(declared(wheel))
    command = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", folder, wheel]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return made


def _variables(data: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(data.parent), "LLM__DISCOVER": "false"}
