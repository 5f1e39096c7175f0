"""The engines that the adapters are tested against, on this machine and without Docker.

`python -m tests.engines` builds what is missing, `python -m tests.engines start opensearch` runs one; docs/engines.md has the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import Literal

Kind = Literal["the real engine", "the vendor's emulator", "a reimplementation"]


@dataclass(frozen=True, slots=True)
class Described:
    title: str
    version: str
    kind: Kind
    java: tuple[str, ...] = ()  # the JVM's options and the main class; empty: Python runs it
    scheme: str = "http"


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
}  # fmt: skip
