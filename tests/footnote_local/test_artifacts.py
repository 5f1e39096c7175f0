"""Post-processing of the folders that `sam build` writes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from footnote_local import artifacts

HERE = f"cpython-{sys.version_info.major}{sys.version_info.minor}"
MB = 2**20


def write(path: Path, content: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def install(folder: Path, name: str, version: str) -> None:
    write(folder / name / "__init__.py", "A = 1\n")
    write(folder / f"{name}-{version}.dist-info/METADATA", "Name: x\n")
    write(
        folder / f"{name}-{version}.dist-info/RECORD",
        f"{name}/__init__.py,,\n{name}-{version}.dist-info/METADATA,,\n{name}-{version}.dist-info/RECORD,,\n",
    )


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Two functions on a layer, for the Python that runs this test."""
    layer = tmp_path / "CommonLayer/python"
    install(layer, "shared", "1.0")
    write(layer / f"shared/_fast.{HERE}-x86_64-linux-gnu.so", "x" * MB)
    install(tmp_path / "QueryFunction", "shared", "1.0")
    install(tmp_path / "QueryFunction", "own", "2.0")
    install(tmp_path / "StatsFunction", "shared", "1.1")
    write(tmp_path / "template.yaml")
    return tmp_path


def test_files_outside_of_a_function_are_not_touched(build: Path) -> None:
    with (build / "QueryFunction/shared-1.0.dist-info/RECORD").open("a") as record:
        record.write("../bin/tool,,\n")
    write(build / "bin/tool", "mine")
    artifacts.share(build / "QueryFunction", [build / "CommonLayer"])
    assert (build / "bin/tool").read_text() == "mine"
    assert not (build / "QueryFunction/shared").exists()


def test_packages_of_the_same_version_in_the_layer_are_removed_from_a_function(build: Path) -> None:
    artifacts.finish(build)
    assert sorted(path.name for path in (build / "QueryFunction").iterdir()) == ["own", "own-2.0.dist-info"]
    assert (build / "StatsFunction/shared/__init__.py").exists()
    assert (build / "CommonLayer/python/shared/__init__.py").exists()


def test_files_that_never_run_are_removed_and_version_metadata_stays(build: Path) -> None:
    own = build / "QueryFunction/own"
    for path in (own / "tests/test_own.py", own / "own.pyi", own / "__pycache__/old.cpython-39.pyc", build / "QueryFunction/bin/own"):
        write(path)
    artifacts.finish(build)
    assert sorted(str(path.relative_to(own)) for path in own.rglob("*") if path.is_file()) == [
        "__init__.py",
        f"__pycache__/__init__.{HERE}.pyc",
    ]
    assert not (build / "QueryFunction/bin").exists()
    assert [path.name for path in (build / "QueryFunction/own-2.0.dist-info").iterdir()] == ["METADATA"]


def test_modules_are_compiled_for_their_final_path_and_any_modification_time(build: Path) -> None:
    artifacts.finish(build)
    in_layer = (build / f"CommonLayer/python/shared/__pycache__/__init__.{HERE}.pyc").read_bytes()
    in_function = (build / f"QueryFunction/own/__pycache__/__init__.{HERE}.pyc").read_bytes()
    assert b"/opt/python/shared/__init__.py" in in_layer
    assert b"/var/task/own/__init__.py" in in_function
    assert in_function[4] == 1  # PEP 552: by hash, and the hash is not checked


def build_for(build: Path, tag: str) -> None:
    shared = build / "CommonLayer/python/shared"
    (shared / f"_fast.{HERE}-x86_64-linux-gnu.so").rename(shared / f"_fast.{tag}-x86_64-linux-gnu.so")


def test_modules_for_another_python_are_compiled_by_it(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    other = next((each for each in ("3.12", "3.13", "3.14") if each != here and artifacts.find_python(each)), None)
    if other is None:
        pytest.skip("No other Python is installed here")
    tag = f"cpython-{other.replace('.', '')}"
    build_for(build, tag)
    assert artifacts.main([str(build)]) == 0
    assert {path.name for path in build.rglob("*.pyc")} == {f"__init__.{tag}.pyc"}
    assert "NOT COMPILED" not in capsys.readouterr().err


def test_a_python_of_that_name_that_is_another_one_does_not_compile(
    build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """pyenv has a shim for every version that was ever installed; the shim fails. A link may point anywhere."""
    build_for(build, "cpython-39")
    for name, does in [("3.9", f'exec {sys.executable} "$@"'), ("3.8", "exit 127")]:
        shim = write(tmp_path / f"bin/python{name}", f"#!/bin/sh\n{does}\n")
        shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    assert [artifacts.find_python(version) for version in ("3.8", "3.9")] == [None, None]
    assert artifacts.main([str(build)]) == 0
    assert list(build.rglob("*.pyc")) == []
    output = capsys.readouterr().err
    assert "NOT COMPILED: these functions need Python 3.9, which is not installed here." in output
    assert "uv python install 3.9" in output


def test_sizes_are_printed_with_the_layer(build: Path) -> None:
    sizes = artifacts.finish(build)
    assert list(sizes) == ["QueryFunction", "StatsFunction"]
    own, together = sizes["QueryFunction"]
    assert own < 0.01
    assert together == pytest.approx(1, abs=0.01)


def test_a_function_over_the_limit_fails_the_build(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert artifacts.main([str(build)]) == 0
    with (build / "StatsFunction/large.bin").open("wb") as file:
        file.truncate(artifacts.LIMIT_MB * MB)
    assert artifacts.main([str(build)]) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if "too large" in line] == ["StatsFunction"]


@pytest.mark.parametrize("arguments", [[], ["no-such-folder"], ["."] * 2])
def test_without_a_folder_the_error_names_the_missing_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert artifacts.main(arguments) == 2
    assert ".aws-sam/build" in capsys.readouterr().err


def test_a_folder_without_functions_is_refused(tmp_path: Path) -> None:
    assert artifacts.main([str(tmp_path)]) == 1
