"""Carries out a Dockerfile without a container engine: each stage is a folder, which is the root of what RUN runs.

The base image is this Python at /usr/local, with pip and the tools of requirements/build.txt, so that installing these downloads nothing,
beside the programs of this machine. A cache mount is uv's own cache, so that the libraries are downloaded only where it lacks them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from string import Template

from tests.installing.package import ROOT, UV

SCRIPT = Path(__file__).with_name("container.sh")
BASE = re.compile(r"python:(\d+\.\d+)\.\d+-slim-\w+@sha256:[0-9a-f]{64}")
VARIABLES = {
    "PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LD_LIBRARY_PATH": "/usr/local/lib",  # which the base image has in its cache of libraries
    "PIP_BREAK_SYSTEM_PACKAGES": "1",  # where this Python is the machine's own
}
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
CACHE = re.compile(r"--mount=type=cache,target=(\S+)")
FLAG = re.compile(r"--(?:from|chown)=\S+")


@dataclass
class Image:
    """A stage as it stands. `root`: its files."""

    root: Path
    variables: dict[str, str]
    workdir: str = "/"
    user: str = "0:0"
    volumes: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def wrap(
        self, command: Sequence[str], mounts: Mapping[str, Path], *, is_read_only: bool, namespaces: Sequence[str] = ()
    ) -> list[str | Path]:
        """The command that runs a command in a container. `mounts`: folder in it → folder of this machine."""
        places = [place for inside, outside in mounts.items() for place in (outside, inside)]
        access = "ro" if is_read_only else "rw"
        user = self.user.split(":")
        unshared = ["unshare", "--mount", *namespaces, "sh", SCRIPT, self.root, access, self.workdir, *user]
        return [*unshared, *places, "--", *command]


def parse(text: str) -> list[tuple[str, str]]:
    """(instruction, rest of its line)."""
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [(name.upper(), rest.strip()) for name, _, rest in (line.partition(" ") for line in lines.splitlines() if line.strip())]


class Builder:
    """Builds the stages in `folder`. `context`: what .dockerignore lets through."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._context = folder / "context"
        self._stages = dict[str, Image]()
        for path in context():
            (self._context / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, self._context / path)

    def build(self, dockerfile: str) -> Image:
        """The last stage. KeyError for an instruction that is not known here."""
        made: Image | None = None
        for number, (name, rest) in enumerate(parse(dockerfile)):
            if name == "FROM":
                base, _, alias = rest.partition(" AS ")
                made = self._start(base, self._folder / f"stage-{number}")
                self._stages[alias or "the last one"] = made
                continue
            assert made is not None
            if name in ("COPY", "RUN") and not made.root.exists():
                lay_out_python(made.root / "usr/local")
            match name:
                case "WORKDIR":
                    made.workdir = rest
                case "COPY":
                    self._copy(made, rest)
                case "RUN":
                    self._run(made, rest)
                case "ENV":
                    made.variables |= {
                        key: Template(value).substitute(made.variables) for key, value in (each.split("=", 1) for each in shlex.split(rest))
                    }
                case "USER":
                    made.user = rest
                case "VOLUME":
                    made.volumes = json.loads(rest)
                case "EXPOSE":
                    pass
                case "HEALTHCHECK":
                    made.healthcheck = json.loads(rest.partition("CMD ")[2])
                case "ENTRYPOINT":
                    made.entrypoint = json.loads(rest)
                case "CMD":
                    made.command = json.loads(rest)
                case _:
                    raise KeyError(name)
        assert made is not None
        return made

    def _start(self, base: str, root: Path) -> Image:
        assert base in self._stages or BASE.fullmatch(base), base
        return Image(root, dict(VARIABLES))

    def _copy(self, image: Image, rest: str) -> None:
        flags = dict(flag.removeprefix("--").split("=") for flag in FLAG.findall(rest))
        *sources, target = FLAG.sub("", rest).split()
        origin = self._stages[flags["from"]].root if "from" in flags else self._context
        copy = os.link if "from" in flags else shutil.copy2  # of a stage that is finished, without the space
        place = image.root / str(PurePosixPath(image.workdir) / target).lstrip("/")
        for source in sources:
            path = origin / source.lstrip("/")
            if path.is_dir():
                shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True, copy_function=copy)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, place)

    def _run(self, image: Image, rest: str) -> None:
        mounts = {target: uv_cache() for target in CACHE.findall(rest)}
        command = image.wrap(["sh", "-c", CACHE.sub("", rest)], mounts, is_read_only=False)
        passed = {name: value for name, value in os.environ.items() if name.startswith(("UV_DEFAULT", "UV_INDEX", "SSL_", "PIP_"))}
        for offline in ({"UV_OFFLINE": "1"}, {}):
            done = subprocess.run(command, env=passed | image.variables | offline, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
        raise AssertionError(f"RUN {rest}\n{done.stdout}{done.stderr}")


def context() -> list[Path]:
    """The project's files that .dockerignore does not leave out, relative to its folder."""
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return [path for name in listed.split("\0") if name and (ROOT / (path := Path(name))).is_file() and not is_ignored(path, rules)]


def is_ignored(path: Path, rules: Sequence[str]) -> bool:
    """Whether the last rule that the path or a folder above it fits leaves it out."""
    ignored = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        names = [str(each) for each in (path, *path.parents) if each.name]
        if any(fnmatch(name, pattern) or fnmatch(f"/{name}", pattern.replace("**/", "*/")) for name in names):
            ignored = not rule.startswith("!")
    return ignored


def uv_cache() -> Path:
    return Path(subprocess.run([UV, "cache", "dir"], capture_output=True, text=True, check=True).stdout.strip())


def lay_out_python(prefix: Path) -> None:
    """This Python and the tools, in the folder of an image that will be /usr/local."""
    (prefix / "bin").mkdir(parents=True)
    library = prefix / "lib" / PYTHON
    if Path(sys.base_prefix) == Path("/usr"):  # the machine's own, which is in /usr in the image, too
        (prefix / "bin" / PYTHON).symlink_to(f"/usr/bin/{PYTHON}")
        packages = library / "dist-packages"
    else:
        shutil.copy2(Path(sys.base_prefix) / "bin" / PYTHON, prefix / "bin")
        left_out = shutil.ignore_patterns("site-packages", "test", "tests", "__pycache__", "config-*")
        shutil.copytree(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}), library, symlinks=True, ignore=left_out)
        for shared in Path(sys.base_prefix, "lib").glob("libpython3*.so*"):
            shutil.copy2(shared, prefix / "lib", follow_symlinks=False)
        packages = library / "site-packages"
    for name in ("python", "python3"):
        (prefix / "bin" / name).symlink_to(PYTHON)
    tools = re.findall(r"^([\w-]+)==", (ROOT / "requirements/build.txt").read_text(), re.MULTILINE)
    for tool in map(distribution, ("pip", *tools)):
        for file in tool.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (packages / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file.locate(), packages / file)
        for entry in tool.entry_points.select(group="console_scripts"):
            script = prefix / "bin" / entry.name
            script.write_text(f"#!/usr/local/bin/python\nimport sys\nfrom {entry.module} import {entry.attr}\nsys.exit({entry.attr}())\n")
            script.chmod(0o755)
    shutil.copy2(UV, prefix / "bin")
