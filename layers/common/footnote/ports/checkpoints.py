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
    """The progress of a request. `entries`: in the order in which they were stored; `started_at`: time of the first request, in
    seconds since the epoch; `finished`: the reply is stored under `trace_id`."""

    trace_id: str
    started_at: float
    finished: bool = False
    entries: Sequence[Mapping[str, Any]] = field(default=())


class Checkpoints(Protocol):
    """Requests by user and key, stored for a day. One owner at a time runs a request and holds its lease. If the lease is not
    renewed, the process counts as dead and the next owner resumes. Writes of an owner without the lease raise Conflict.

    Entries and values of marks are JSON: replies of models, chunk ids, scores and sizes, but no document text, vectors or permissions."""

    async def take(self, request: RequestKey, trace_id: str, room_id: str, owner: str, lease_s: float) -> Checkpoint:
        """Gives `owner` the lease of the request; a new request gets this trace id. A finished request is returned without a lease.
        BadRequest if the key was used with another body; StillRunning while another owner holds the lease."""

    async def renew(self, request: RequestKey, owner: str, lease_s: float) -> None:
        """Extends the lease by `lease_s` seconds from now."""

    async def append(self, request: RequestKey, owner: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Stores entries after the existing ones."""

    async def mark(self, request: RequestKey, owner: str, name: str, value: Any) -> Any | None:
        """Sets a mark and returns its previous value; None = it was not set."""

    async def release(self, request: RequestKey, owner: str, *, finished: bool) -> None:
        """Ends the lease; not an error if it was lost before."""

    async def delete(self, user_id: str, room_id: str | None = None) -> None:
        """Deletes a user's requests, by default in all rooms. Requests that are still running can no longer write."""
