"""Values, files and work that outlast a process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Cache(Protocol):
    """Values with an expiry that is checked on read. JSON-serialisable values only."""

    async def get(self, key: str) -> Any | None: ...
    async def put(self, key: str, value: Any, ttl_s: float) -> None: ...
    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        """True for the one caller that finds the key free: without a value, or with one whose time is up."""
        ...

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        """The sum of what was added since the counter was free, this amount included; none is lost. Its time runs from
        the first. For keys that hold counters only; `get` reads them."""
        ...

    async def delete(self, key: str) -> None: ...


class Files(Protocol):
    """The bytes of source files, by key. Keys are made by us, never by a file's name."""

    async def put(self, key: str, data: bytes) -> None: ...
    async def get(self, key: str) -> bytes:
        """NotFound when there is none."""
        ...

    async def delete(self, key: str) -> None:
        """Missing keys are fine."""
        ...

    def keys(self, prefix: str) -> AsyncIterator[str]:
        """All keys that begin so, in the order of their bytes."""
        ...

    async def link(self, key: str, valid_s: float, *, content_type: str, disposition: str) -> str | None:
        """An address from which a browser may fetch the file for so long, with these headers; None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Dropped:
    """A file in a bucket. `version`: changes whenever the file does."""

    key: str
    version: str
    size: int


class Drops(Protocol):
    """Files that somebody put into a bucket. Reads see the last write."""

    async def get(self, bucket: str, key: str) -> tuple[bytes, str]:
        """(bytes, version); NotFound when there is none (any more)."""
        ...

    async def head(self, bucket: str, key: str) -> Dropped | None:
        """None when there is none (any more)."""
        ...

    async def delete(self, bucket: str, key: str) -> None:
        """Missing keys are fine."""
        ...

    def list(self, bucket: str) -> AsyncIterator[Dropped]:
        """Everything in the bucket, in the order of the keys' bytes."""
        ...


@dataclass(frozen=True, slots=True)
class UploadForm:
    """Where a browser posts a file to: `fields`, then the file as `file`, as multipart/form-data."""

    url: str
    fields: Mapping[str, str]


class Uploads(Protocol):
    """Signed forms, where uploads go to a bucket and not through us."""

    async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm: ...


class Bus(Protocol):
    """Tells others what happened."""

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Unavailable where it cannot be told; nobody's answer may wait for that or fail by it."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    job_id: str
    body: Mapping[str, Any]
    attempt: int
    owner: str = ""
    """The same each time that this job is taken, where `job_id` is not; "" = `job_id`."""


class Queue(Protocol):
    """Work that survives a restart. A job that was taken and neither finished nor failed comes back."""

    async def put(self, body: Mapping[str, Any]) -> str: ...
    async def take(self, lease_s: float) -> Job | None:
        """The oldest job that is due, leased; None when there is none. `attempt` counts from 1."""
        ...

    async def finish(self, job_id: str) -> None: ...
    async def retry(self, job_id: str, delay_s: float) -> None: ...
    async def size(self) -> int: ...
