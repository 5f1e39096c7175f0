"""The app of the query function: questions, cited answers and the web page.

In AWS it runs under the Lambda Web Adapter, which streams; locally under uvicorn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.staticfiles import StaticFiles

from footnote_http.app import make_app
from footnote_http.health import add_health
from footnote_http.start import start
from footnote_http.streams import Streams
from footnote_query import (
    admin,
    admin_health,
    check_grounding,
    collection_changes,
    collections,
    conversations,
    experiment_replay,
    experiments,
    forbidden_terms,
    golden,
    model,
    my_data,
    page,
    preferences,
    prompt_preview,
    replay,
    resource,
    sessions,
    setting_changes,
    shares,
    sources,
    traces,
    usage,
    voc,
)
from footnote_query.dialects import chat_service, dify, pipeline, vexora
from footnote_query.dialects.chat_core import routes as chat_core
from footnote_query.dialects.mcp import route as mcp
from footnote_query.dialects.openai import routes as openai
from footnote_query.dialects.trd import ask, search

if TYPE_CHECKING:
    from footnote.bootstrap import Core

MODULES = (
    page,
    model,
    collections,
    ask,
    chat_core,
    traces,
    sessions,
    resource,
    conversations,
    replay,
    shares,
    my_data,
    preferences,
    usage,
    admin,
    admin_health,
    prompt_preview,
    sources,
    setting_changes,
    collection_changes,
    experiments,
    experiment_replay,
    forbidden_terms,
    golden,
    voc,
    openai,
    dify,
    mcp,
    search,
    check_grounding,
    chat_service,
    pipeline,
    vexora,
)
"""Modules with routes, in the order of the OpenAPI document."""


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: query", core)
    app.state.renders_prompts = True
    app.state.streams = Streams()
    add_health(app, "query")
    for module in MODULES:
        module.router.add_to(app)
    app.mount("/web", GZipMiddleware(StaticFiles(directory=page.WEB), minimum_size=500, compresslevel=6), name="web")
    return app


app = start(create_app(), "query")
