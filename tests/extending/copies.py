"""Copies of the project, and the changes made to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent
GENERATE = """import runpy
for name in ("settings_page", "openapi", "turn_drawing", "package_drawing"):
    runpy.run_module(f"footnote_local.{name}", run_name="__main__")"""
"""Generates all generated files in one process."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy with its own git repository, which reports the changes."""

    folder: Path

    def lay_over(self, case: str) -> frozenset[str]:
        """The names of the added or changed files, including generated ones, without tests."""
        shutil.copytree(CASES / case / "new", self.folder, dirs_exist_ok=True)
        for edit in tomllib.loads((CASES / case / "edits.toml").read_text("utf-8"))["edit"]:
            _replace(self.folder / edit["file"], edit["old"], edit["new"])
        self.python("-c", GENERATE)
        self.git("add", "--all")
        changed = self.git("diff", "--cached", "--name-only").split("\n")
        self.git("commit", "--quiet", "--message", case)
        return frozenset(name for name in changed if name and not name.startswith("tests/"))

    def python(self, *arguments: str) -> str:
        """The output of the command. Modules of the copy take precedence over the project's. Its tests run whole, and as by day."""
        paths = os.pathsep.join(map(str, (self.folder, self.folder / "layers/common", *self.folder.glob("functions/*/"))))
        return self._run(sys.executable, *arguments, PYTHONPATH=paths, FOOTNOTE_DEEP="", FOOTNOTE_SHARD="1/1")

    def git(self, *arguments: str) -> str:
        return self._run("git", "-c", "user.name=test", "-c", "user.email=test@localhost", *arguments)

    def _run(self, *command: str, **environment: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=os.environ | environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def make_copy(folder: Path) -> Copy:
    """Copies every tracked or untracked file that git does not ignore, and the type checker's cache if there is one."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (source := ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name)
    if (cache := ROOT / ".mypy_cache").is_dir():
        shutil.copytree(cache, folder / ".mypy_cache")
    copy = Copy(folder)
    copy.git("init", "--quiet")
    copy.git("add", "--all")
    copy.git("commit", "--quiet", "--message", "as it is")
    return copy


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file.name}: update the case."
    file.write_text(text.replace(old, new), "utf-8")
