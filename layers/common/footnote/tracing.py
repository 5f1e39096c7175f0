"""Trace ids, and logs that hold ids, sizes and times, never a user's or a document's text."""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time

FIELDS = (
    "trace_id", "step", "doc_id", "user_id", "collection", "count", "ms", "size", "state", "reason", "message_id",
    "outcome", "degraded", "retriever", "hits", "citations", "llm", "prompt_tokens", "completion_tokens", "first_token_ms", "steps",
    "error", "event", "failures", "prompt", "seconds", "setting", "tool", "tries",
)  # fmt: skip
"""What a log record may carry beside its fixed message."""


def new_trace_id() -> str:
    """32 hex digits; the first eight count seconds, so that ids sort by time."""
    return f"{int(time.time()):08x}{secrets.token_hex(12)}"


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
