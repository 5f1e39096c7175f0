"""`/health` and `/ready`: whether the process is alive, and whether what it depends on works."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Literal

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from footnote_http.callers import CoreOf
from footnote_http.openapi import Responses, schema_of
from footnote_http.routes import Router


class Health(BaseModel):
    """The process is alive."""

    status: Literal["ok"]
    function: str


class Vectors(BaseModel, defer_build=True):
    """Whether passages are found by meaning, too."""

    embedder: str | None = Field(description="The default one; null = passages are found by their words only.")
    languages: int | None = Field(description="How many it knows; null = it does not say.")
    problem: str = Field(description="Why there is no embedder, and what to do.")
    done: int | None = Field(description="Passages with vectors; null where users sign in, and while the index is down.")
    pending: int | None = Field(description="Passages that wait for vectors, and are found by their words until then.")


class Readiness(BaseModel, defer_build=True):
    """Whether all dependencies work."""

    status: Literal["ready", "not ready"]
    parts: dict[str, str] = Field(description="Part → `ok`, or what is wrong.")
    vectors: Vectors | None = Field(None, description="Of a function that searches or ingests.")
    outdated: int | None = Field(
        None, description="Documents of an earlier version that are still to be made again; they answer meanwhile. Of the same functions."
    )


_READINESS = {"application/json": {"schema": schema_of(Readiness)}}
READY: Responses = {
    200: {"description": "All parts work", "content": _READINESS},
    503: {"description": "A part is down", "content": _READINESS},
}


PARTS = {
    "query": ("store", "index", "conversations", "cache"),
    "ingest": ("store", "index", "conversations", "cache", "files", "queue"),
    "feedback": ("store", "conversations", "cache"),
    "stats": ("store", "conversations", "cache"),
}
"""Function → the parts that it depends on and `/ready` checks."""


def add_health(app: FastAPI, function: str) -> None:
    """Adds `/health` (the process is alive) and `/ready` (checks each part), both also under `/<function>`."""
    _health_of(function).add_to(app)


@cache
def _health_of(function: str) -> Router:
    router = Router("Health")

    async def health() -> Health:
        """Reports that the process is alive."""
        return Health(status="ok", function=function)

    async def ready(core: CoreOf) -> JSONResponse:
        """Checks each part and reports what fails."""
        parts = await core.check(*PARTS[function])
        good = all(part == "ok" for part in parts.values())
        found: dict[str, object] = {"status": "ready" if good else "not ready", "parts": parts}
        if "index" in parts:
            from footnote.bootstrap.health import outdated
            from footnote.bootstrap.vectors import vector_state

            found |= {"vectors": asdict(await vector_state(core)), "outdated": await outdated(core)}
        return JSONResponse(found, 200 if good else 503)

    for path in ("/health", f"/{function}/health"):
        router.add_api_route(path, health, methods=["GET"], include_in_schema=path == "/health")
    for path in ("/ready", f"/{function}/ready"):
        router.add_api_route(path, ready, methods=["GET"], responses=READY, include_in_schema=path == "/ready")
    return router
