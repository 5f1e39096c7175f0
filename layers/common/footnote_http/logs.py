"""Logging in Lambda: powertools' JSON on standard output, without user data.

An exception's message may quote a user: parsers quote their input, HTTP clients their requests. So exceptions are logged with
type and location, and with a message only if it is ours. Of other libraries' log records only the location is logged.
Imported only in Lambda, because importing powertools takes a tenth of a second.
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
"""Libraries whose messages are constant."""

LOCATION = ("name", "levelno", "levelname", "pathname", "filename", "module", "lineno", "funcName", "created", "msecs")
OF_THE_REQUEST = (BadRequest, Forbidden, ModelUnavailable)
"""Our errors whose detail may contain values of the request, such as a group or a model."""

DEEPEST = 8
"""Maximum depth of logged exception causes."""


def log_json(function: str) -> Logger:
    """Sends all loggers' records to standard output. POWERTOOLS_LOG_LEVEL applies to our loggers; others log warnings and above."""
    # JSON-escaped, so that no user or collection name can break a line.
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
    """Formats a record with known-safe fields only."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line of JSON."""
        known = record.__dict__
        fields = {name: known[name] for name in (*LOCATION, *FIELDS) if name in known}
        fields |= {"logger": record.name, "msg": _message(record)}
        if record.exc_info and (exc := record.exc_info[1]):
            fields |= {"exception_name": type(exc).__name__, "exception": list(describe(exc))}
        return super().format(logging.makeLogRecord(fields))


def _message(record: logging.LogRecord) -> str:
    top = record.name.partition(".")[0]
    if top in OURS:
        return record.getMessage()
    return str(record.msg).strip().partition("\n")[0] if top in PLAIN else "(message of another library omitted)"


def describe(exc: BaseException | None, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yields an exception and its causes as `{type, detail, frames}`, frames outermost first."""
    if exc is None or depth == DEEPEST:
        return
    described: dict[str, Any] = {"type": f"{type(exc).__module__}.{type(exc).__qualname__}"}
    if isinstance(exc, FootnoteError) and not isinstance(exc, OF_THE_REQUEST):
        described["detail"] = exc.detail
    described["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(exc.__traceback__)]
    yield described
    for inner in exc.exceptions if isinstance(exc, BaseExceptionGroup) else ():
        yield from describe(inner, depth + 1)
    yield from describe(exc.__cause__ or (None if exc.__suppress_context__ else exc.__context__), depth + 1)
