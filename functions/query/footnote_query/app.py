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
from footnote_http.callers import METADATA
from footnote_http.health import add_health
from footnote_http.routes import Later, Router
from footnote_http.start import start
from footnote_http.streams import Streams
from footnote_query import page
from footnote_query.dialects import dify, pipeline
from footnote_query.dialects.chat_core import routes as chat_core
from footnote_query.dialects.openai import routes as openai
from footnote_query.dialects.trd import ask

if TYPE_CHECKING:
    from footnote.bootstrap import Core

MODULES: tuple[Router | Later, ...] = (
    page.router,
    Later("footnote_query.model", "/model"),
    Later("footnote_query.collections", "/collections"),
    ask.router,
    chat_core.router,
    Later("footnote_query.traces", "/traces"),
    Later("footnote_query.sessions", "/sessions"),
    Later("footnote_query.accounts", "/accounts", "/invitations", "/sign-in", "/me/password"),
    Later("footnote_query.resource", METADATA),
    Later("footnote_query.conversations", "/conversations", "/turns"),
    Later("footnote_query.replay", "/turns"),
    Later("footnote_query.shares", "/shares"),
    Later("footnote_query.my_data", "/me/data"),
    Later("footnote_query.preferences", "/me/preferences"),
    Later("footnote_query.usage", "/me/usage"),
    Later("footnote_query.admin", "/prompts", "/audit"),
    Later("footnote_query.admin_health", "/admin/health"),
    Later("footnote_query.prompt_preview", "/prompts"),
    Later("footnote_query.sources", "/sources"),
    Later("footnote_query.setting_changes", "/settings"),
    Later("footnote_query.collection_changes", "/collections"),
    Later("footnote_query.knowledge", "/collections"),
    Later("footnote_query.graph", "/collections"),
    Later("footnote_query.experiments", "/experiments"),
    Later("footnote_query.experiment_replay", "/experiments"),
    Later("footnote_query.forbidden_terms", "/forbidden-terms"),
    Later("footnote_query.golden", "/golden"),
    Later("footnote_query.voc", "/voc"),
    openai.router,
    dify.router,
    Later("footnote_query.dialects.mcp.route", "/mcp"),
    Later("footnote_query.dialects.trd.search", "/retrieve-bm25", "/retrieve-knn", "/retrieve-rrf", "/retrieve-cc"),
    Later("footnote_query.check_grounding", "/check-grounding"),
    Later("footnote_query.dialects.chat_service", "/chat"),
    pipeline.router,
    Later("footnote_query.dialects.vexora", "/api/chat"),
)
"""The routes of the modules, in the order of the OpenAPI document. A module is imported at the start if many deployments need it, or if
what it says about errors and images has to be known before a request is routed."""


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: query", core)
    app.state.renders_prompts = True
    app.state.streams = Streams()
    add_health(app, "query")
    for routes in MODULES:
        routes.add_to(app)
    app.mount("/web", GZipMiddleware(StaticFiles(directory=page.WEB), minimum_size=500, compresslevel=6), name="web")
    return app


app = start(create_app(), "query")
