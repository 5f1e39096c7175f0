"""Fetches the engines and lays them out in the cache, each once: those that Java runs from Maven Central, others from PyPI."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines import ENGINES, Described

HERE = Path(__file__).parent
TOOLS = ("java", "javac", "mvn")
LIMIT_S = 600

# What OpenSearch's distribution has in modules/: main class, the module it extends, its files. Files of no module belong to the core.
MODULES = {
    "transport-netty4": ("org.opensearch.transport.Netty4Plugin", "", ("transport-netty4-client-*", "netty-*")),
    "lang-painless": (
        "org.opensearch.painless.PainlessPlugin", "", ("lang-painless-*", "opensearch-scripting-painless-spi-*", "antlr4-*", "asm-*"),
    ),
    "analysis-common": ("org.opensearch.analysis.common.CommonAnalysisPlugin", "lang-painless", ("analysis-common-*",)),
    "mapper-extras": ("org.opensearch.index.mapper.MapperExtrasPlugin", "", ("mapper-extras-client-*",)),
    "reindex": (
        "org.opensearch.index.reindex.ReindexPlugin", "",
        ("reindex-client-*", "opensearch-rest-client-*", "opensearch-ssl-config-*", "http*", "commons-codec-*", "commons-logging-*"),
    ),
}  # fmt: skip
PLUGINS = ("opensearch-knn", "neural-search")


class NotBuilt(Exception):
    """Says which engine, why, and what to do."""


def folder() -> Path:
    """The name contains a hash of the inputs, so nothing is built twice and no stale build is used."""
    laid_out = [path for pattern in ("*.java", "*.xml", "*.properties", "*.txt") for path in HERE.rglob(pattern)]
    sources = sorted([Path(__file__), HERE / "__init__.py", *laid_out])
    checksum = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "footnote" / f"engines-{checksum}"


def find(name: str) -> Path | None:
    """The folder of a built engine."""
    home = folder() / name
    return home if home.is_dir() else None


def build(name: str) -> Path:
    """Does nothing if the engine exists. Concurrent builds wait for each other, and the engine appears only when it is complete."""
    engine = ENGINES[name]
    if engine.java and (missing := [tool for tool in TOOLS if shutil.which(tool) is None]):
        raise NotBuilt(f"{engine.title} is built with a JDK (17 or newer) and Maven; not here: {', '.join(missing)}.")
    with _alone():
        if (home := find(name)) is None:
            started = time.monotonic()
            print(f"{engine.title} {engine.version}: fetching …", file=sys.stderr, flush=True)
            home = folder() / name
            for broken_off in folder().glob(f"{name}.*"):
                shutil.rmtree(broken_off, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=folder(), prefix=f"{name}.") as temporary:
                made = Path(temporary) / name
                _lay_out(name, engine, made)
                made.rename(home)
            print(f"{engine.title} {engine.version}: built in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return home


@contextmanager
def _alone() -> Iterator[None]:
    """Allows one build at a time, because Maven's cache supports only one. The lock ends with its process."""
    folder().mkdir(parents=True, exist_ok=True)
    with open(folder() / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lay_out(name: str, engine: Described, home: Path) -> None:
    if engine.packages is not None:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]
        _run(engine, [*install, "--only-binary", ":all:", "--require-hashes", "-r", str(engine.packages), "--target", str(home)])
        return
    lib, classes = home / "lib", home / "classes"
    fetch = ["mvn", "-B", "-q", "-ntp", "-f", str(HERE / name / "pom.xml"), f"-Dengine.version={engine.version}"]
    _run(engine, [*fetch, "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={lib}"])
    sources = [HERE / "Owner.java", *(HERE / name).glob("*.java")]
    _run(engine, ["javac", "--release", "17", "-nowarn", "-d", str(classes), "-cp", f"{lib}/*", *map(str, sources)])
    for properties in (HERE / name).glob("*.properties"):
        shutil.copy(properties, classes)
    if name == "opensearch":
        _sort_into_modules(home, engine.version)


def _sort_into_modules(home: Path, version: str) -> None:
    for name, (main, extends, patterns) in MODULES.items():
        module = home / "modules" / name
        module.mkdir(parents=True)
        for jar in [jar for pattern in patterns for jar in (home / "lib").glob(f"{pattern}.jar")]:
            jar.rename(module / jar.name)
        lines = [
            f"name={name}", f"description={name}", f"version={version}", f"classname={main}", f"extended.plugins={extends}",
            f"opensearch.version={version}", "java.version=11", "has.native.controller=false",
        ]  # fmt: skip
        (module / "plugin-descriptor.properties").write_text("\n".join(lines) + "\n")
    for name in PLUGINS:
        (archive,) = (home / "lib").glob(f"{name}-*.zip")
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(home / "plugins" / name)
        archive.unlink()
    (home / "config").mkdir()


def _run(engine: Described, command: list[str]) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise NotBuilt(f"{engine.title} {engine.version} was not built: {command[0]} took longer than {LIMIT_S} s.") from None
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-2000:]
        raise NotBuilt(f"{engine.title} {engine.version} was not built: {command[0]} ended with {done.returncode}.\n{said}")
