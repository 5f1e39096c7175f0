"""What `sam build` made, ready for Lambda: `python -m footnote_local.artifacts .aws-sam/build`.

Takes out what never runs and what is there twice, compiles modules with the Python that they are for (/opt and /var/task are read-only,
so Lambda would compile them at every cold start), says so where that Python is not installed here, and fails where a function is too
large with its layer.
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
"""MiB of a function with its layer, unzipped. Lambda takes 250, the Web Adapter's layer has 5 of them."""

NEVER_RUN = ("**/__pycache__", "**/tests", "**/*.pyi", "**/*.dist-info/RECORD", "bin", "python/bin", ".lock", "python/.lock")
NO_BYTECODE = """
NOT COMPILED: these functions are for Python {version}, which is not installed here. They work, and start about half a second later each
time, because Lambda compiles what they import. To have them compiled, install it and run this again: uv python install {version}
"""
EXTENSION = re.compile(r"\.cpython-(\d)(\d+)-")


def finish(build: Path) -> dict[str, tuple[float, float]]:
    """Trims and compiles everything under `build` → function: (its own MiB, those with the layer)."""
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
    """Leaves to the layers what a function has in the same version."""
    for info in folder.glob("*.dist-info"):
        if any((layer / "python" / info.name).is_dir() for layer in layers):
            with (info / "RECORD").open(newline="") as record:
                for name, *_ in csv.reader(record):
                    if not name.startswith(".."):  # a package's commands: what has that name out there is not its own
                        (folder / name).unlink(missing_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def trim(folder: Path) -> None:
    for pattern in NEVER_RUN:
        for path in list(folder.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def target(layers: Sequence[Path]) -> str | None:
    """The Python that the libraries are for, such as 3.14, as their compiled parts say; None where there are none."""
    for layer in layers:
        for path in sorted(layer.rglob("*.so")):
            if found := EXTENSION.search(path.name):
                return f"{found[1]}.{found[2]}"
    return None


def find_python(version: str) -> str | None:
    """This Python, one on the PATH, or one that uv or pyenv has installed; bytecode is the same on every machine."""
    for candidate in _candidates(version):
        asked = [candidate, "-c", "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"]
        try:
            told = _run(asked, {**os.environ, "PYENV_VERSION": version}, check=True).split()
        except (OSError, subprocess.CalledProcessError):
            continue
        if told[-1] == version:
            return " ".join(told[:-1])
    return None


def _candidates(version: str) -> Iterator[str]:
    yield sys.executable
    for folder in os.get_exec_path():
        yield str(Path(folder) / f"python{version}")
    if uv := shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent)):
        asked = [uv, "python", "find", "--managed-python", "--no-project", "--offline", version]
        yield _run(asked).strip()


def compile_modules(python: str, folder: Path, where: str) -> None:
    """`where`: the folder's place on Lambda, for tracebacks. Packing changes the files' times, so nothing is compared with them."""
    options = ["-qq", "-s", str(folder), "-p", where, "--invalidation-mode", "unchecked-hash"]
    _run([python, "-m", "compileall", *options, str(folder)])  # whatever it says: a library's template may be no Python


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None, *, check: bool = False) -> str:
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=check).stdout  # noqa: S603 (our own words)


def size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m footnote_local.artifacts FOLDER, where `sam build` puts what it made: .aws-sam/build", file=sys.stderr)
        return 2
    sizes = finish(Path(arguments[0]))
    print(f"{'function':20}{'MiB':>8}{'with layer':>12}   of {LIMIT_MB}")
    for name, (own, together) in sizes.items():
        print(f"{name:20}{own:8.1f}{together:12.1f}{'   too large' if together > LIMIT_MB else ''}")
    return int(not sizes or any(together > LIMIT_MB for _, together in sizes.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
