"""The checkpoint of a running turn: the entries to replay and the new entries to store; and the first and the last step of such a turn."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from typing import Any, Literal
from uuid import uuid4

from footnote.errors import Conflict, Unavailable
from footnote.ports import Checkpoint, Checkpoints, RequestKey
from footnote.types import ModelCall, Turn, Usage
from footnote.types.copies import replace

log = logging.getLogger(__name__)

LEASE_S = 10.0
"""Duration of a lease, after which a process that has stopped renewing it counts as dead."""
RENEW_S = LEASE_S / 3

Kind = Literal["begun", "reply", "rerank", "search"]
"""begun: a model call was started; its reply may be missing."""


def digest(*values: object) -> str:
    """The key of an entry: a SHA-256 of the values."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:32]


async def take_checkpoint(store: Checkpoints, request: RequestKey, turn: Turn) -> TurnCheckpoint:
    """Takes or creates the checkpoint of the request. BadRequest and StillRunning as in `Checkpoints.take`."""
    owner = uuid4().hex
    kept = await store.take(request, turn.trace_id, turn.request.room_id or turn.trace_id, owner, LEASE_S)
    return TurnCheckpoint(store, request, owner, kept)


class TurnCheckpoint:
    """The checkpoint of a turn as seen by its owner. Each entry is replayed once: two equal calls of a turn have two entries."""

    def __init__(self, store: Checkpoints, request: RequestKey, owner: str, kept: Checkpoint) -> None:
        self.kept = kept
        self._store, self._request, self._owner = store, request, owner
        self._replays: defaultdict[tuple[str, str], deque[Mapping[str, Any]]] = defaultdict(deque)
        for entry in kept.entries:
            self._replays[entry["kind"], entry["digest"]].append(entry)
        self._waiting: list[Mapping[str, Any]] = []
        self._renewing: asyncio.Task[None] | None = None

    @property
    def replays_replies(self) -> bool:
        """Whether the checkpoint contains replies of models."""
        return any(entry["kind"] == "reply" for entry in self.kept.entries)

    def cut_off(self) -> tuple[ModelCall, ...]:
        """Calls that a process began but did not finish. Only their prompt tokens are known and counted."""
        replied = Counter(entry["digest"] for entry in self.kept.entries if entry["kind"] == "reply")
        lost: list[Mapping[str, Any]] = []
        for entry in reversed(self.kept.entries):  # of equal calls, the interrupted ones came first
            if entry["kind"] == "begun" and replied[entry["digest"]] > 0:
                replied[entry["digest"]] -= 1
            elif entry["kind"] == "begun":
                lost.append(entry)
        return tuple(ModelCall(entry["step"], entry["model"], Usage(entry["prompt_tokens"], 0, estimated=True), 0.0) for entry in lost)

    def replay(self, kind: Kind, key: str) -> Mapping[str, Any] | None:
        """Takes the next entry of that kind and digest; None = there is none."""
        entries = self._replays[kind, key]
        return entries.popleft() if entries else None

    def keep_later(self, kind: Kind, key: str, **values: Any) -> None:
        """Queues an entry that cost nothing; it is written with the next call of `keep`."""
        self._waiting.append({"kind": kind, "digest": key, **values})

    async def keep(self, kind: Kind, key: str, **values: Any) -> None:
        """Writes an entry and the queued ones. Conflict if another owner runs the turn now."""
        entries = [*self._waiting, {"kind": kind, "digest": key, **values}]
        self._waiting.clear()
        try:
            await self._store.append(self._request, self._owner, entries)
        except BaseException:
            self._waiting[:0] = entries[:-1]  # for the next call
            raise

    async def mark(self, name: str, value: Any) -> Any | None:
        """Sets a mark and returns its previous value. Conflict if another owner runs the turn now."""
        return await self._store.mark(self._request, self._owner, name, value)

    def hold(self) -> None:
        """Starts renewing the lease, until `release`."""
        self._renewing = asyncio.create_task(self._renew())

    async def release(self, *, finished: bool) -> None:
        """Gives the lease back. `finished`: repeating the request must not run the turn again."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        await self._store.release(self._request, self._owner, finished=finished)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                await self._store.renew(self._request, self._owner, LEASE_S)
            except Conflict:  # another owner has taken over; further writes of this one are rejected
                log.warning("request taken over", extra={"trace_id": self.kept.trace_id})
                return
            except Unavailable as exc:
                log.warning("lease not renewed", extra={"trace_id": self.kept.trace_id, "error": type(exc).__name__})


async def resume(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Holds the lease and records the calls that were interrupted when a process died. A turn that replays replies does not read
    the answer cache: it may have stored the answer there itself, and its tokens would not be counted."""
    if checkpoint is None:
        return turn
    checkpoint.hold()
    turn = replace(turn, trace=replace(turn.trace, calls=(*turn.trace.calls, *checkpoint.cut_off())))
    if not checkpoint.replays_replies:
        return turn
    return replace(turn, plan=turn.plan.without("answer_cache", "the request goes on where it was cut off"))


async def release(turn: Turn, *, checkpoint: TurnCheckpoint | None) -> Turn:
    """Finishes the request. If the turn failed, was stopped or could not be stored, repeating the request resumes it."""
    if checkpoint is not None:
        await checkpoint.release(finished=turn.trace.persisted and not turn.broke_off)
    return turn
