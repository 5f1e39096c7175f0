"""`/admin/health`, for admins: whether the backends that `/ready` does not check work, and what to do about those that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from footnote.answer.model_source import which_model, why_no_model
from footnote.collections.embedders import choices
from footnote.errors import FootnoteError
from footnote.ports import Models, Statement
from footnote.types import Message
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.routes import Router
from footnote_query.admin import ADMINS

if TYPE_CHECKING:
    from footnote.bootstrap import Core

TIMEOUT_S = 15.0
"""Time limit of each check, so that one backend that hangs does not hide the others."""
router = Router("Administration", responses=ADMINS)

State = Literal["ok", "missing", "incomplete", "broken"]
Part = Literal[
    "model", "fallback_model", "failed_documents", "embedder", "vectors", "reranker", "verifier", "tools", "knowledge_base", "terms"
]
Found = tuple[State, str, str]


class BackendBody(BaseModel):
    """A backend and its state."""

    part: Part
    state: State = Field(description="missing = it is not set up, which may be as wanted. incomplete = some documents lack it.")
    detail: str = Field(description="What was found.")
    remedy: str = Field(description='What to do; "" = nothing.')


class HealthBody(BaseModel):
    """The backends beside those of `/ready`, and documents that failed or lack vectors."""

    data: list[BackendBody]


@router.get("/admin/health", name="backend_health")
async def health(admin: AdminOf, core: CoreOf) -> HealthBody:
    """Checks models, embeddings, reranker, verifier, connected systems and forbidden terms, each with the smallest request that shows
    whether it answers: a model that is configured may still not respond. Also says how many documents failed, and how many passages have
    no vector."""
    checks: list[tuple[Part, Callable[[], Awaitable[Found | None]]]] = [
        ("model", lambda: _model(core.endpoints[0] if core.endpoints else core.models)),
        ("failed_documents", lambda: _failed(core)),
        ("embedder", lambda: _embedder(core)),
        *[("embedder", partial(_named_embedder, core, choice)) for choice in await _named(core)],
        ("vectors", lambda: _vectors(core)),
        ("reranker", lambda: _reranker(core)),
        ("verifier", lambda: _verifier(core)),
        ("tools", lambda: _tools(core)),
        ("knowledge_base", lambda: _knowledge_base(core)),
        ("terms", lambda: _terms(core)),
    ]
    if len(core.endpoints) > 1:
        checks.insert(1, ("fallback_model", lambda: _model(core.endpoints[1])))
    found = await asyncio.gather(*(_tried(check) for _, check in checks))
    rows = [(part, *each) for (part, _), each in zip(checks, found, strict=True) if each is not None]
    return HealthBody(data=[BackendBody(part=part, state=state, detail=detail, remedy=remedy) for part, state, detail, remedy in rows])


async def _tried(check: Callable[[], Awaitable[Found | None]]) -> Found | None:
    """What the check finds; None = there is no such backend here."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await check()
    except TimeoutError:
        return "broken", f"It does not answer within {TIMEOUT_S:g} seconds.", ""
    except FootnoteError as exc:
        return "broken", exc.for_admins, ""


async def _model(models: Models) -> Found:
    picked = await models.pick(None)
    if picked is None:
        return "missing", *why_no_model(models.source, "en")
    stream = picked.stream([Message("user", "Say OK.")], first_token_s=TIMEOUT_S, total_s=TIMEOUT_S)
    async with aclosing(stream) as reply:
        said = await anext(reply, None)
    name = which_model(models.source, picked.name, models.address, "en")
    return ("broken", f"{name}: empty answers", "Set another model in LLM__MODEL.") if said is None else ("ok", name, "")


async def _embedder(core: Core) -> Found:
    from footnote.bootstrap.vectors import say_vectors, why_words_only

    if core.embedder is not None:
        await core.embedder.embed(["test"], query=True)
    return "missing" if core.embedder is None else "ok", await say_vectors(core), why_words_only(core)


async def _failed(core: Core) -> Found | None:
    count = (await core.lifecycle.counts())["FAILED"]
    if not count:
        return None
    return "incomplete", f"{count:,} {'document' if count == 1 else 'documents'} could not be read.", "The list of documents says why."


async def _vectors(core: Core) -> Found | None:
    from footnote.bootstrap.vectors import vector_progress

    progress = await vector_progress(core)
    waiting = progress[1] - progress[0] if progress else 0
    if not waiting:
        return None
    detail = f"{waiting:,} {'passage has' if waiting == 1 else 'passages have'} no vector yet, so that only words are searched there."
    return "incomplete", detail, "Vectors are made in the background. If the number does not fall, check the embedder."


async def _named(core: Core) -> list[str]:
    """The embedders that collections name."""
    try:
        directory = await core.collections.directory()
    except FootnoteError:  # the store's own row says why
        return []
    return list(choices(directory))


async def _named_embedder(core: Core, choice: str) -> Found:
    embedder = core.embedders.of(choice)
    if embedder is None:
        return "broken", f"{choice}: not configured; its collections are searched by words only.", "Configure it with EMBEDDING__OTHERS."
    await embedder.embed(["test"], query=True)
    return "ok", f"{choice}: {embedder.name}", ""


async def _reranker(core: Core) -> Found | None:
    if core.reranker is None:
        return None
    await core.reranker.rerank("test", ["test", "other"])
    return "ok", core.settings.rerank.model or "", ""


async def _verifier(core: Core) -> Found | None:
    if core.verifier is None:
        return None
    await core.verifier.verify("test", "test", [Statement("test", 0, 4, ("test",))])
    return "ok", core.settings.verifier.model_at_server or "", ""


async def _tools(core: Core) -> Found | None:
    if core.tools is None:
        return None
    count = len(await core.tools.list(""))
    remedy = "" if core.settings.mcp.mcp_enabled else "They are off: set MCP__MCP_ENABLED to true."
    return "ok" if core.settings.mcp.mcp_enabled else "missing", f"Tools: {count}", remedy


async def _knowledge_base(core: Core) -> Found | None:
    if core.knowledge_base is None:
        return None
    await core.knowledge_base.search({"query": "?", "collection_name": core.settings.index_name, "top_k": 1})
    return "ok", "", ""


async def _terms(core: Core) -> Found:
    """The number only: terms are confidential in messages."""
    count = len((await core.terms.current()).terms)
    if count and not core.settings.rag.forbidden_check:
        return "missing", f"Terms: {count}", "The check is off: set rag.forbidden_check."
    return "ok", f"Terms: {count}", ""
