"""Initialization of a function in Lambda: logging, secrets, configuration checks and metrics. Does nothing elsewhere.

It runs when the function's module is imported, so that Lambda reports an init error for a misconfigured function.
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
"""Set by the local Lambda emulation, whose functions use a data folder; never set in AWS."""


class EventFailed(Exception):
    """Replaces an event's error towards the runtime and the dead-letter queue, because its message may quote user data."""


def start(app: FastAPI, function: str) -> FastAPI:
    """Initializes the app in Lambda. Misconfigured if the function must not serve."""
    if not _in_lambda():
        return app
    app.state.in_lambda = True
    import footnote.bootstrap  # noqa: F401  # needed by the first request, which has less of a processor than the initialization

    # Imported objects live forever. Garbage-collecting them repeatedly costs 10 % of a cold start.
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
    """Wraps the handler: request ids in log records, a cold start metric, and errors logged without user data."""
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
        raise EventFailed("The event failed; see the log.")

    injected: Handler = Logger(service=function).inject_lambda_context(handle)
    return injected


def _in_lambda() -> bool:
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ
