"""Trace ids, calls of models that a step makes, and logs that hold ids, sizes and times, never a user's or a document's text."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from footnote.types import Turn, Usage

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
class ModelCalls:
    """What models are told of whom they work for, and the ids under which one step called them: `prompt_id` is the turn's
    `trace_id` as a UUID, each call has an id of its own. Ids only of calls that were sent with them."""

    trace_id: str
    user_id: str
    ticket: str | None = field(default=None, repr=False)
    completion_ids: list[str] = field(default_factory=list)
    cut_off: Usage = field(default_factory=Usage)
    """What calls used that were not left to come to their end."""

    @property
    def prompt_id(self) -> str:
        return _as_uuid(self.trace_id)

    def begin(self) -> str:
        """The id of a call that is about to be made."""
        self.completion_ids.append(str(uuid.uuid4()))
        return self.completion_ids[-1]

    def told(self) -> dict[str, object]:
        """For the step's span."""
        return {"prompt_msg_id": self.prompt_id, "completion_msg_ids": list(self.completion_ids)} if self.completion_ids else {}


_calls: ContextVar[ModelCalls | None] = ContextVar("model_calls", default=None)


@contextmanager
def model_calls(turn: Turn) -> Iterator[ModelCalls]:
    """The calls that are made until this ends are the turn's."""
    calls = ModelCalls(turn.trace_id, turn.caller.user_id, turn.caller.ticket)
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)


def calls_now() -> ModelCalls | None:
    """Of the step that runs now; None outside of one."""
    return _calls.get()


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
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("footnote")
    logger.handlers[:] = [handler]
    logger.setLevel(level)
    logger.propagate = False
