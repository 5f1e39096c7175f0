"""Prepares the output of `sam build` for Lambda: `python -m footnote_local.artifacts .aws-sam/build`.

Removes unused and duplicate files and compiles modules to bytecode with the target Python, because /opt and /var/task are
read-only and Lambda would otherwise compile them at every cold start. Warns if that Python is not installed. Fails if a
function with its layer is too large.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LIMIT_MB = 200
"""Maximum MiB of a function with its layer, unzipped. Lambda's limit is 250, of which the Web Adapter's layer uses 5."""

NEVER_RUN = ("**/__pycache__", "**/tests", "**/*.pyi", "**/*.dist-info/RECORD", "bin", "python/bin", ".lock", "python/.lock")
NO_BYTECODE = """
NOT COMPILED: these functions need Python {version}, which is not installed here. They work, but each cold start takes about half a
second longer, because Lambda compiles what they import. To compile them, run `uv python install {version}`, then this command again.
"""
EXTENSION = re.compile(r"\.cpython-(\d)(\d+)-")


def finish(build: Path) -> dict[str, tuple[float, float]]:
    """Trims and compiles everything under `build`. → function: (its own MiB, MiB with the layer)."""
    folders = sorted(path for path in build.iterdir() if path.is_dir())
    layers = [folder for folder in folders if (folder / "python").is_dir()]
    version = target(layers)
    python = find_python(version) if version else None
    for folder in folders:
        if folder not in layers:
            share(folder, layers)
        trim(folder)
        if python:
            compile_modules(python, folder, "/opt" if folder in layers else "/var/task")
    if version and not python:
        print(NO_BYTECODE.format(version=version), file=sys.stderr)
    shared = sum(size_mb(layer) for layer in layers)
    return {folder.name: (own := size_mb(folder), own + shared) for folder in folders if folder not in layers}


def share(folder: Path, layers: Sequence[Path]) -> None:
    """Removes packages from a function that a layer has in the same version."""
    for info in folder.glob("*.dist-info"):
        if any((layer / "python" / info.name).is_dir() for layer in layers):
            with (info / "RECORD").open(newline="") as record:
                for name, *_ in csv.reader(record):
                    if not name.startswith(".."):  # scripts outside of the folder
                        (folder / name).unlink(missing_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def trim(folder: Path) -> None:
    """Deletes files that are never used at runtime."""
    for pattern in NEVER_RUN:
        for path in list(folder.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def target(layers: Sequence[Path]) -> str | None:
    """The target Python version, such as 3.14, taken from compiled extensions; None if there are none."""
    for layer in layers:
        for path in sorted(layer.rglob("*.so")):
            if match := EXTENSION.search(path.name):
                return f"{match[1]}.{match[2]}"
    return None


def find_python(version: str) -> str | None:
    """Finds an interpreter of this version: this one, on the PATH, or from uv or pyenv. Bytecode is platform-independent."""
    for candidate in _candidates(version):
        command = [candidate, "-c", "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"]
        try:
            words = _run(command, {**os.environ, "PYENV_VERSION": version}, check=True).split()
        except (OSError, subprocess.CalledProcessError):
            continue
        if words[-1] == version:
            return " ".join(words[:-1])
    return None


def _candidates(version: str) -> Iterator[str]:
    yield sys.executable
    for folder in os.get_exec_path():
        yield str(Path(folder) / f"python{version}")
    if uv := shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent)):
        command = [uv, "python", "find", "--managed-python", "--no-project", "--offline", version]
        yield _run(command).strip()


def compile_modules(python: str, folder: Path, where: str) -> None:
    """`where`: the folder's path on Lambda, for tracebacks. Hash-based and unchecked, because packing changes modification times."""
    options = ["-qq", "-s", str(folder), "-p", where, "--invalidation-mode", "unchecked-hash"]
    _run([python, "-m", "compileall", *options, str(folder)])  # errors are ignored: a library's template file may not be valid Python


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None, *, check: bool = False) -> str:
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=check).stdout  # noqa: S603 (arguments are our own)


def size_mb(folder: Path) -> float:
    """Total size of the files in MiB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def main(arguments: Sequence[str]) -> int:
    """Entry point. → exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m footnote_local.artifacts FOLDER (the output of `sam build`: .aws-sam/build)", file=sys.stderr)
        return 2
    sizes = finish(Path(arguments[0]))
    print(f"{'function':20}{'MiB':>8}{'with layer':>12}   of {LIMIT_MB}")
    for name, (own, together) in sizes.items():
        print(f"{name:20}{own:8.1f}{together:12.1f}{'   too large' if together > LIMIT_MB else ''}")
    return int(not sizes or any(together > LIMIT_MB for _, together in sizes.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
