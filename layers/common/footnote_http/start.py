"""What a function does in Lambda before its first event: logs, secrets, refusals, figures. Elsewhere nothing of it.

It runs while the function's module is imported: a function that must not serve fails there, and Lambda says so.
"""

from __future__ import annotations

import gc
import logging
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from footnote_http.lambda_handler import Handler

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)

LOCAL = "FOOTNOTE_LOCAL"
"""Set by the stand-in for Lambda, whose functions work on a folder; nothing sets it in AWS."""


class EventFailed(Exception):
    """What the runtime, and whoever gets failed events, are told in place of an error that may quote."""


def start(app: FastAPI, function: str) -> FastAPI:
    """Misconfigured where the function must not serve."""
    if not _in_lambda():
        return app
    app.state.in_lambda = True
    # What was imported stays: looking through it for rubbish, again and again, is a tenth of a cold start.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    from footnote_http.logs import log_json
    from footnote_http.production import check_production
    from footnote_http.secrets import load_settings

    log_json(function)
    settings = load_settings()
    if os.environ.get(LOCAL) != "1":
        check_production(settings, function)

    @cache
    def core() -> Core:
        from footnote.bootstrap import Core
        from footnote_http.metrics import CloudWatchMeter

        made = Core(settings)
        made.meter = CloudWatchMeter(function)
        return made

    app.state.core = core
    return app


def observed(handler: Handler, function: str) -> Handler:
    """The handler with the request's id in its log lines, a metric for a cold start, and errors that are logged unquoted."""
    if not _in_lambda():
        return handler
    from aws_lambda_powertools.logging import Logger

    from footnote_http.metrics import count_cold_start

    def handle(event: dict[str, Any], context: Any) -> Any:
        count_cold_start(function, context)
        try:
            return handler(event, context)
        except Exception as exc:
            log.error("event failed", exc_info=exc)
        raise EventFailed("The event failed; the log says where.")

    injected: Handler = Logger(service=function).inject_lambda_context(handle)
    return injected


def _in_lambda() -> bool:
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ
