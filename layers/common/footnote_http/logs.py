"""Logs in Lambda: powertools' JSON on standard output, in which nobody is quoted.

What an exception says may be what a user wrote: parsers quote their input, clients their requests. So of exceptions
there are types and places, and words only where they are ours; of what other libraries log there is the place alone.
Only imported in Lambda: powertools takes a tenth of a second.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from functools import partial
from traceback import extract_tb
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

from footnote.errors import BadRequest, FootnoteError, Forbidden, ModelUnavailable
from footnote.tracing import FIELDS

OURS = ("footnote", "footnote_http", "query", "ingest", "feedback", "stats")
PLAIN = ("uvicorn",)
"""Others whose messages are fixed sentences."""

PLACE = ("name", "levelno", "levelname", "pathname", "filename", "module", "lineno", "funcName", "created", "msecs")
OF_THE_REQUEST = (BadRequest, Forbidden, ModelUnavailable)
"""Errors of ours that may name something of the request: a group, a model."""

DEEPEST = 8
"""Causes of causes that are told."""


def log_json(function: str) -> Logger:
    """Sends every logger's lines to standard output. POWERTOOLS_LOG_LEVEL is ours alone: others say what is at least a warning."""
    # Escaped, so that no character of anybody's user or index name can break a line.
    logger = Logger(service=function, logger_formatter=Unquoting(json_serializer=partial(json.dumps, default=str, separators=(",", ":"))))
    logging.getLogger(function).propagate = False
    root = logging.getLogger()
    root.handlers[:] = [logger.logger_handler]
    root.setLevel(logging.WARNING)
    for name in {*OURS, *PLAIN} - {function}:
        other = logging.getLogger(name)
        other.handlers.clear()
        other.propagate = True
        other.setLevel(logger.log_level if name in OURS else logging.WARNING)
    logging.captureWarnings(True)
    return logger


class Unquoting(LambdaPowertoolsFormatter):
    def format(self, record: logging.LogRecord) -> str:
        known = record.__dict__
        told = {name: known[name] for name in (*PLACE, *FIELDS) if name in known}
        told |= {"logger": record.name, "msg": _message(record)}
        if record.exc_info and (exc := record.exc_info[1]):
            told |= {"exception_name": type(exc).__name__, "exception": list(describe(exc))}
        return super().format(logging.makeLogRecord(told))


def _message(record: logging.LogRecord) -> str:
    top = record.name.partition(".")[0]
    if top in OURS:
        return record.getMessage()
    return str(record.msg).strip().partition("\n")[0] if top in PLAIN else "(another library's words)"


def describe(exc: BaseException | None, depth: int = 0) -> Iterator[dict[str, Any]]:
    """An exception, then what it came from: `{type, detail, frames}`, the frames from the outermost call inwards."""
    if exc is None or depth == DEEPEST:
        return
    told: dict[str, Any] = {"type": f"{type(exc).__module__}.{type(exc).__qualname__}"}
    if isinstance(exc, FootnoteError) and not isinstance(exc, OF_THE_REQUEST):
        told["detail"] = exc.detail
    told["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(exc.__traceback__)]
    yield told
    for inner in exc.exceptions if isinstance(exc, BaseExceptionGroup) else ():
        yield from describe(inner, depth + 1)
    yield from describe(exc.__cause__ or (None if exc.__suppress_context__ else exc.__context__), depth + 1)
