"""The engines that the adapters are tested against, on this machine and without Docker.

`python -m tests.engines` builds what is missing, `python -m tests.engines start opensearch` runs one; docs/engines.md has the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

Kind = Literal["the real engine", "the vendor's emulator", "a reimplementation"]


@dataclass(frozen=True, slots=True)
class Described:
    title: str
    version: str
    kind: Kind
    java: tuple[str, ...] = ()  # the JVM's options and the main class; empty: Python runs it
    scheme: str = "http"
    packages: Path | None = None
    """The lock file of the Python packages that it is, which are no libraries of the tests."""

    @property
    def is_built(self) -> bool:
        """Whether it is laid out before it can start."""
        return bool(self.java) or self.packages is not None


def _pinned(packages: Path, name: str) -> str:
    """The version of a package in a lock file."""
    return re.findall(rf"^{name}==(\S+)", packages.read_text(), re.MULTILINE)[0]


LLAMA = Path(__file__).parent / "llama" / "requirements.txt"
ENGINES = {
    "opensearch": Described(
        "OpenSearch", "2.19.1", "the real engine",
        ("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-Dopensearch.networkaddress.cache.ttl=60", "-Dlog4j.shutdownHookEnabled=false",
         "-Dlog4j2.disable.jmx=true", "-Dio.netty.noUnsafe=true", "OpenSearchMain"),
    ),
    "dynamodb": Described(
        "DynamoDB Local", "2.6.1", "the vendor's emulator",
        ("-Xmx256m", "-XX:+UseSerialGC", "-Dsqlite4java.library.path=lib", "DynamoMain"),
    ),
    "mongodb": Described(
        "mongo-java-server", "1.47.0", "a reimplementation", ("-Xmx128m", "-XX:+UseSerialGC", "MongoMain"), "mongodb",
    ),
    "aws": Described("moto", metadata.version("moto"), "a reimplementation"),
    "llama": Described("llama.cpp", _pinned(LLAMA, "xllamacpp"), "the real engine", packages=LLAMA),
}  # fmt: skip
