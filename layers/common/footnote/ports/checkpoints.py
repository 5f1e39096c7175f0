"""What was paid for and done for a request that carries an `Idempotency-Key`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

CHECKPOINTS_KEPT_S = 24 * 3600.0
"""After this time a key is free again."""
OTHER_BODY = "This Idempotency-Key was used for another request. Use a new key for each request."
TAKEN_OVER = "This request goes on elsewhere, or was deleted."


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Names one request of one user. `body`: a digest of its route and body, so that a key used for two requests is noticed."""

    user_id: str
    key: str
    body: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a request has come. `entries`: what was kept, in that order; `started_at`: when it was first asked, in seconds
    since the epoch; `finished`: its reply is stored under `trace_id`."""

    trace_id: str
    started_at: float
    finished: bool = False
    entries: Sequence[Mapping[str, Any]] = field(default=())


class Checkpoints(Protocol):
    """Requests by user and key, kept for a day. A request is run by one owner at a time, who holds a lease: when it is not renewed
    the process is taken for dead, and the next owner goes on. Everything that an owner without a lease writes raises Conflict.

    Entries and values of marks are JSON. They hold what models said, ids of chunks and sizes: no text of a document, no vector
    and no permission."""

    async def take(self, request: RequestKey, trace_id: str, room_id: str, owner: str, lease_s: float) -> Checkpoint:
        """Makes `owner` the one who runs the request, by this trace if it is new. A finished request is returned without a lease.
        BadRequest when the key was used with another body; StillRunning while somebody else holds the lease."""
        ...

    async def renew(self, request: RequestKey, owner: str, lease_s: float) -> None: ...

    async def append(self, request: RequestKey, owner: str, entries: Sequence[Mapping[str, Any]]) -> None: ...

    async def mark(self, request: RequestKey, owner: str, name: str, value: Any) -> Any | None:
        """Sets a mark and returns the value that it had; None = it was not set."""
        ...

    async def release(self, request: RequestKey, owner: str, *, finished: bool) -> None:
        """Ends the lease; not an error if it was lost before."""
        ...

    async def delete(self, user_id: str, room_id: str | None = None) -> None:
        """Forgets a user's requests, by default in all rooms. What still runs of them writes nothing from now on."""
        ...
