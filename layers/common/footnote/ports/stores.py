"""Values, files and work that outlast a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Cache(Protocol):
    """Values with an expiry that is checked on read. JSON-serialisable values only."""

    async def get(self, key: str) -> Any | None: ...
    async def put(self, key: str, value: Any, ttl_s: float) -> None: ...
    async def delete(self, key: str) -> None: ...


class Files(Protocol):
    """The bytes of source files, by key. Keys are made by us, never by a file's name."""

    async def put(self, key: str, data: bytes) -> None: ...
    async def get(self, key: str) -> bytes:
        """NotFound when there is none."""
        ...

    async def delete(self, key: str) -> None: ...


class Drops(Protocol):
    """Files that somebody put into a bucket."""

    async def get(self, bucket: str, key: str) -> bytes:
        """NotFound when there is none (any more)."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    job_id: str
    body: Mapping[str, Any]
    attempt: int


class Queue(Protocol):
    """Work that survives a restart. A job that was taken and neither finished nor failed comes back."""

    async def put(self, body: Mapping[str, Any]) -> str: ...
    async def take(self, lease_s: float) -> Job | None:
        """The oldest job that is due, leased; None when there is none. `attempt` counts from 1."""
        ...

    async def finish(self, job_id: str) -> None: ...
    async def retry(self, job_id: str, delay_s: float) -> None: ...
    async def size(self) -> int: ...
