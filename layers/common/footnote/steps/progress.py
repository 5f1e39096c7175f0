"""The state of a running turn, how it is stopped, and the queue of its events."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from footnote.errors import FootnoteError
from footnote.events import Event
from footnote.steps.rows import Row, Switch, steps_of
from footnote.types import Turn

QUEUE_SIZE = 256
"""Number of events buffered for a slow reader before the turn waits for it."""


@dataclass(slots=True)
class Progress:
    """The state of a running turn. `task`: runs it; None for a branch of a `Parallel`, which ends with its turn."""

    turn: Turn
    deps: Any
    sent: list[str] = field(default_factory=list)
    error: FootnoteError | None = None
    first_token_ms: float | None = None
    ran_always: set[str] = field(default_factory=set)
    task: asyncio.Task[None] | None = None
    row: Row | None = None
    """The step or the branches that run now."""
    stopped: bool = False
    _is_cancelled: bool = False

    def stop(self) -> None:
        """Ends what costs money: a running step that may call a model is cancelled, and none follows. A turn without an answer ends. Rows
        with `always` run as usual, as do the checks of an answer that is complete."""
        if self.stopped:
            return
        self.stopped = True
        if self.task is not None and self.row is not None and _is_paid(self.row):
            self._is_cancelled = self.task.cancel()

    def release(self, _: asyncio.Task[None]) -> None:
        """Forgets the task, which has ended. Its context holds this object: in a cycle, each turn would wait for the garbage collector."""
        self.task = None

    def take_cancellation(self) -> bool:
        """Whether `stop` cancelled the running step, which has now ended; the task itself continues."""
        taken, self._is_cancelled = self._is_cancelled, False
        task = asyncio.current_task()
        return taken and task is not None and task.uncancel() == 0

    def is_settled(self, row: Row) -> bool:
        """Whether this row is left out because the turn has ended."""
        if row.always:
            return False
        answer = self.turn.answer
        ends = self.stopped and (answer is None or answer.cut == "stopped" or _is_paid(row))
        return ends or self.error is not None or self.turn.outcome is not None

    @property
    def has_no_end(self) -> bool:
        """The turn was stopped before anything else ended it."""
        return self.stopped and self.error is None and self.turn.outcome is None and self.turn.answer is None


def _is_paid(row: Row) -> bool:
    """Whether the row itself may call a model. The rows of a switch are checked one by one."""
    return not row.always and not isinstance(row, Switch) and any(step.paid for step in steps_of([row]))


_running: ContextVar[Progress | None] = ContextVar("progress", default=None)


def set_running(progress: Progress) -> None:
    """Makes this the turn of the current task and of those that it starts."""
    _running.set(progress)


def was_stopped() -> bool:
    """Whether the running turn was stopped: a step cancelled for this reason may return its partial result, if it does so at once."""
    progress = _running.get()
    return progress is not None and progress.stopped


class Outbox:
    """A bounded queue. After `close`, events are dropped and the writer no longer waits."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Event] = asyncio.Queue(QUEUE_SIZE)
        self._closed = False

    async def put(self, event: Event) -> None:
        """Adds an event, after waiting for space if there is none."""
        if not self._closed:
            await self.queue.put(event)

    def close(self) -> None:
        """The reader has left."""
        self._closed = True
        while not self.queue.empty():  # wakes a writer that waits for space
            self.queue.get_nowait()
