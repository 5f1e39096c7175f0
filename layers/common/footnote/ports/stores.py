"""Stores of values, vectors, files and jobs, and the event bus."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

VECTORS_KEPT_S = 180 * 24 * 3600.0
"""How long a vector is kept whose text is in no document any more and that was not deleted, as a process died in between."""


class Amount(NamedTuple):
    """What is added to a counter, as in `Cache.add`."""

    key: str
    amount: int
    ttl_s: float


class Cache(Protocol):
    """JSON values with an expiry that is checked on read."""

    async def get(self, key: str) -> Any | None:
        """The value; None if there is none or it has expired."""

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        """Stores a value for `ttl_s` seconds."""

    async def put_later(self, key: str, value: Any, ttl_s: float) -> None:
        """Like `put`, for a value that can be made again: it may be stored a second after this returns, or never. This process sees it
        at once."""

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        """Stores a value only if the key is free, that is without a value or with an expired one. True for the one caller
        that succeeds."""

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        """Adds to a counter atomically → its sum, this amount included. The counter expires `ttl_s` after its first amount.
        Only for keys of counters; `get` reads them."""

    async def add_all(self, amounts: Sequence[Amount]) -> None:
        """Like `add` for several counters, one after the other: whoever sees a later sum sees the earlier ones. All or none of them
        where the store has transactions."""

    async def delete(self, key: str) -> None:
        """Missing keys are ignored."""


class Files(Protocol):
    """The bytes of source files. Keys are generated, never taken from a file name."""

    async def put(self, key: str, data: bytes) -> None:
        """Stores a file, replacing one with the same key. It is durable when this returns."""

    async def get(self, key: str) -> bytes:
        """NotFound if there is none."""

    async def delete(self, key: str) -> None:
        """Missing keys are ignored."""

    def keys(self, prefix: str) -> AsyncIterator[str]:
        """All keys that begin with `prefix`, in byte order."""

    async def link(self, key: str, valid_s: float, *, content_type: str, disposition: str) -> str | None:
        """A URL from which a browser can download the file, valid for `valid_s` seconds, with these headers; None if the
        store has no URLs."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A file in a bucket. `version` changes with every write of the file."""

    key: str
    version: str
    size: int


class Drops(Protocol):
    """Files that others put into a bucket. Reads see the last write."""

    async def get(self, bucket: str, key: str) -> tuple[bytes, str]:
        """(bytes, version); NotFound if it does not exist (any more)."""

    async def head(self, bucket: str, key: str) -> Dropped | None:
        """Its version and size; None if it does not exist (any more)."""

    async def delete(self, bucket: str, key: str) -> None:
        """Missing keys are ignored."""

    def list(self, bucket: str) -> AsyncIterator[Dropped]:
        """All files of the bucket, in byte order of their keys."""


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A form with which a browser uploads a file: POST `fields`, then the file as `file`, as multipart/form-data."""

    url: str
    fields: Mapping[str, str]


class Uploads(Protocol):
    """Signed forms for uploads that go directly to a bucket."""

    async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm:
        """A form for one file of at most `max_bytes`, valid for `valid_s` seconds."""


class Bus(Protocol):
    """The event bus."""

    async def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Publishes an event. Raises Unavailable, and TooLarge above 256 KB; callers must not let an answer wait for it or
        fail because of it."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job that was taken. `attempt` counts from 1."""

    job_id: str
    body: Mapping[str, Any]
    attempt: int
    owner: str = ""
    """Stays the same each time the job is taken, even if `job_id` does not; "" = `job_id`."""


class Queue(Protocol):
    """Jobs that survive a restart. A job that was taken but not finished in time is delivered again."""

    async def put(self, body: Mapping[str, Any]) -> str:
        """Adds a job → its id."""

    async def take(self, lease_s: float) -> Job | None:
        """The oldest job that is due, leased for `lease_s` seconds; None if there is none."""

    async def finish(self, job_id: str) -> None:
        """Removes a job that is done. Unknown ids are ignored."""

    async def retry(self, job_id: str, delay_s: float) -> None:
        """Makes a job due again after `delay_s` seconds. Unknown ids are ignored."""

    async def recall(self) -> None:
        """Makes all jobs due now, taken ones included, for a consumer that works alone and follows one that died. SQS cannot: there,
        they are due when their leases end."""

    async def size(self) -> int:
        """Number of jobs that are not finished, taken ones included."""


class VectorCache(Protocol):
    """Vectors by a digest of their text. What is lost is embedded again. Entries expire VECTORS_KEPT_S after they were put."""

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Key → vector, for those that this embedder made."""

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        """Stores vectors. It may drop others, to stay within its size, and those of other embedders under these keys."""

    async def delete(self, keys: Sequence[bytes]) -> None:
        """Deletes the vectors that any embedder made. Unknown keys are ignored."""

    async def close(self) -> None:
        """Closes connections and files."""
