"""Trace ids, calls of models that a step makes, and logs that hold ids, sizes and times, never a user's or a document's text."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter

from footnote.types import ModelCall, Turn, Usage

FIELDS = (
    "trace_id", "step", "doc_id", "user_id", "collection", "count", "ms", "size", "state", "reason", "message_id",
    "outcome", "degraded", "retriever", "hits", "citations", "llm", "prompt_tokens", "completion_tokens", "first_token_ms", "steps",
    "error", "event", "failures", "prompt", "seconds", "setting", "tool", "tries",
)  # fmt: skip
"""What a log record may carry beside its fixed message."""


def new_trace_id() -> str:
    """32 hex digits; the first eight count seconds, so that ids sort by time."""
    return f"{int(time.time()):08x}{secrets.token_hex(12)}"


@dataclass(slots=True)
class CallCollector:
    """Collects the calls of language models that one step makes, and holds what a gateway is sent with them: `prompt_id` is the
    turn's `trace_id` as a UUID, and each call has an id of its own. `outer`: the collector of the step that runs this step's turn
    as a part of its own; it gets every call, too, as one of its step."""

    step: str
    trace_id: str
    user_id: str
    ticket: str | None = field(default=None, repr=False)
    timer: Callable[[], float] = perf_counter
    outer: CallCollector | None = None
    calls: list[ModelCall] = field(default_factory=list)
    completion_ids: list[str] = field(default_factory=list)

    @property
    def prompt_id(self) -> str:
        """The turn's trace id as a UUID."""
        return _as_uuid(self.trace_id)

    def new_completion_id(self) -> str:
        """The id of a call that is about to be sent."""
        self.completion_ids.append(str(uuid.uuid4()))
        return self.completion_ids[-1]

    def sent_ids(self) -> dict[str, object]:
        """Ids of the calls that were sent with some, for the step's span."""
        return {"prompt_msg_id": self.prompt_id, "completion_msg_ids": list(self.completion_ids)} if self.completion_ids else {}

    def add(self, model: str, usage: Usage, ms: float) -> None:
        """Keeps a call that has ended."""
        self.calls.append(ModelCall(self.step, model, usage, ms))
        if self.outer is not None:
            self.outer.add(model, usage, ms)


_collector: ContextVar[CallCollector | None] = ContextVar("call_collector", default=None)


@contextmanager
def collect_calls(step: str, turn: Turn, timer: Callable[[], float] = perf_counter) -> Iterator[CallCollector]:
    """Collects the calls that are made until this ends. `timer` counts seconds."""
    collector = CallCollector(step, turn.trace_id, turn.caller.user_id, turn.caller.ticket, timer, outer=_collector.get())
    token = _collector.set(collector)
    try:
        yield collector
    finally:
        _collector.reset(token)


def current_collector() -> CallCollector | None:
    """The collector of the step that runs now; None outside of a step."""
    return _collector.get()


def _as_uuid(trace_id: str) -> str:
    try:
        return str(uuid.UUID(trace_id))
    except ValueError:  # no turn of a client's
        return str(uuid.uuid5(uuid.NAMESPACE_OID, trace_id))


class JsonLines(logging.Formatter):
    """One JSON object a line, for machines; exceptions keep their traceback here and nowhere else."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"time": round(record.created, 3), "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line |= {name: record.__dict__[name] for name in FIELDS if name in record.__dict__}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Sends the log of Footnote to stderr, one JSON object a line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("footnote")
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False
