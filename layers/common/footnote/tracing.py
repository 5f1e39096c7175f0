"""Trace ids, the model calls of a step, and logs. Logs hold ids, sizes and times, never text of users or documents."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from time import perf_counter

from footnote.types import ModelCall, Turn, Usage, usage_by_model, usage_of

FIELDS = (
    "trace_id", "step", "doc_id", "user_id", "collection", "count", "ms", "size", "state", "reason", "message_id",
    "outcome", "degraded", "retriever", "hits", "citations", "llm", "prompt_tokens", "completion_tokens", "first_token_ms", "steps",
    "error", "event", "experiment", "failures", "page_id", "prompt", "seconds", "setting", "tool", "tries",
)  # fmt: skip
"""The extra fields that a log record may have; the message itself is a constant."""


def new_trace_id() -> str:
    """A new id of 32 hex digits. The first eight are seconds since the epoch, so ids sort by time."""
    return f"{int(time.time()):08x}{secrets.token_hex(12)}"


@dataclass(slots=True)
class CallCollector:
    """A context that collects the language model calls made inside it, those of one step, and the ids that are sent to a gateway with
    them: `prompt_id` for the turn, a completion id for each call. `outer`: the collector of the step that runs this step's turn as a part
    of its own; every call is reported to it, too, as a call of its step."""

    step: str
    trace_id: str
    user_id: str
    ticket: str | None = field(default=None, repr=False)
    timer: Callable[[], float] = perf_counter
    outer: CallCollector | None = None
    calls: list[ModelCall] = field(default_factory=list)
    completion_ids: list[str] = field(default_factory=list)
    _token: Token[CallCollector | None] | None = field(default=None, init=False, repr=False)

    def __enter__(self) -> CallCollector:
        self._token = _collector.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _collector.reset(self._token)

    @property
    def prompt_id(self) -> str:
        """The turn's trace id as a UUID."""
        return _as_uuid(self.trace_id)

    def new_completion_id(self) -> str:
        """A new id for the next call."""
        self.completion_ids.append(str(uuid.uuid4()))
        return self.completion_ids[-1]

    def written(self) -> dict[str, object]:
        """The tokens that models wrote, and by model what they read and wrote, for the step's span; {} = none was called."""
        if not self.calls:
            return {}
        used = [
            {"model": usage.model, "prompt_tokens": usage.usage.prompt_tokens, "completion_tokens": usage.usage.completion_tokens}
            for usage in usage_by_model(self.calls)
        ]
        return {"tokens": usage_of(self.calls).completion_tokens, "used": used}

    def sent_ids(self) -> dict[str, object]:
        """The ids that were sent to a gateway, for the step's span; {} = none were."""
        return {"prompt_msg_id": self.prompt_id, "completion_msg_ids": list(self.completion_ids)} if self.completion_ids else {}

    def add(self, model: str, usage: Usage, ms: float) -> None:
        """Records a finished call."""
        self.calls.append(ModelCall(self.step, model, usage, ms))
        if self.outer is not None:
            self.outer.add(model, usage, ms)


_collector: ContextVar[CallCollector | None] = ContextVar("call_collector", default=None)


def collect_calls(step: str, turn: Turn, timer: Callable[[], float] = perf_counter) -> CallCollector:
    """A collector for a step of the turn. `timer` returns seconds."""
    return CallCollector(step, turn.trace_id, turn.caller.user_id, turn.caller.ticket, timer, outer=_collector.get())


def current_collector() -> CallCollector | None:
    """The collector of the running step; None outside a step."""
    return _collector.get()


def _as_uuid(trace_id: str) -> str:
    try:
        return str(uuid.UUID(trace_id))
    except ValueError:  # not a trace id made here, such as one of a test
        return str(uuid.uuid5(uuid.NAMESPACE_OID, trace_id))


class JsonLines(logging.Formatter):
    """Formats log records as JSON, one object per line. Tracebacks appear only here."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        line = {"time": round(record.created, 3), "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line |= {name: record.__dict__[name] for name in FIELDS if name in record.__dict__}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr() -> None:
    """Writes the warnings and errors of Footnote to stderr, one JSON object per line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("footnote")
    logger.handlers[:] = [handler]
    logger.setLevel(logging.WARNING)
    logger.propagate = False
