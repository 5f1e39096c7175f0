"""`footnote doctor`: what is configured, what answers, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, cast

from footnote.bootstrap import Core
from footnote.errors import FootnoteError, ModelTimeout
from footnote.ports import Models, embedded_languages
from footnote.settings import Settings
from footnote.settings.environment import foreign_names
from footnote.types import Message
from footnote_local.with_core import place_of

IGNORED = ("RAG_BASE_URL", "RETRIEVAL_URL", "REDIS_", "RABBITMQ_")
"""Names that other systems use and Footnote has no use for."""
PATIENCE_S, SLOW_S = 15.0, 5.0
"""How long a model may take to its first word, as `/ask` waits, and from when on that is worth a remark."""

MODELS = ("language model", "fallback model")
State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    state: State
    found: str
    remedy: str = ""


async def examine(core: Core, timer: Callable[[], float] = time.monotonic) -> list[Finding]:
    try:
        await core.refresh(prompts=False)  # what admins changed counts here too
        return [
            Finding("python", "ok", platform.python_version()),
            *await _data(core),
            await _embedder(core),
            *[await _model(part, models, timer) for part, models in zip(MODELS, core.endpoints, strict=False)],
            await _sign_in(core),
            await _terms(core),
            *await _tools(core),
            *await _knowledge_base(core),
            *_ignored(),
            *_foreign(),
        ]
    finally:
        await core.close()


async def _data(core: Core) -> list[Finding]:
    found = []
    for part, what in (await core.check()).items():
        found.append(Finding(part, "ok" if what == "ok" else "broken", place_of(part, core.settings) if what == "ok" else what))
    if all(finding.state == "ok" for finding in found):
        counts = {state: count for state, count in (await core.ledger.counts()).items() if count and state != "DELETED"}
        told = ", ".join(f"{count} {state}" for state, count in counts.items())
        remedy = "" if counts else "Add some: footnote ingest PATH, or drop a file on the page."
        found.append(Finding("documents", "ok" if counts else "missing", told or "none yet", remedy))
    return found


async def _embedder(core: Core) -> Finding:
    if core.embedder is None:
        return Finding(
            "embedder",
            "missing",
            "documents are found by their words only",
            "Run `make setup`, or set EMBEDDING__BASE_URL and EMBEDDING__MODEL.",
        )
    try:
        await core.embedder.embed(["test"], query=True)
        done, total = await core.index.progress(core.embedder.name, embedded_languages(core.embedder))
    except FootnoteError as exc:
        place = "the AWS region" if core.settings.embedding.provider == "bedrock" else "EMBEDDING__BASE_URL"
        return Finding("embedder", "broken", exc.detail, f"Check {place}, EMBEDDING__MODEL and EMBEDDING__DIMENSION.")
    spoken = "every language" if core.embedder.languages is None else ", ".join(sorted(core.embedder.languages))
    return Finding("embedder", "ok", f"{core.embedder.name} for {spoken}; {done} of {total} passages have vectors")


async def _model(part: str, models: Models, timer: Callable[[], float]) -> Finding:
    """Asks for one word, as an answer would be asked for: a name in the settings is no model that answers."""
    started = timer()
    try:
        model = await models.pick(None)
        if model is None:
            remedy = "Start Ollama, or set LLM__BASE_URL and LLM__MODEL (or OPENAI_API_KEY)."
            return Finding(part, "missing", "none: answers are quoted from the documents", remedy)
        stream = model.stream([Message("user", "Say OK.")], first_token_s=PATIENCE_S, total_s=PATIENCE_S)
        async with aclosing(cast(Any, stream)) as reply:
            if await anext(reply, None) is None:
                return Finding(part, "broken", f"{model.name} at {models.address} sends empty answers", "Choose another in LLM__MODEL.")
    except ModelTimeout as exc:
        remedy = "A local model may still be loading: try again. Else choose a smaller one, or a faster machine."
        return Finding(part, "broken", f"{models.address}: {exc.detail} Waited {PATIENCE_S:g} s.", remedy)
    except FootnoteError as exc:
        remedy = "Check LLM__BASE_URL, LLM__MODEL and LLM__API_KEY. Until it answers, the documents are quoted."
        return Finding(part, "broken", f"{models.address}: {exc.detail}", remedy)
    seconds = timer() - started
    slow = "It is slow: a smaller model or a faster machine answers sooner." if seconds > SLOW_S else ""
    return Finding(part, "ok", f"{model.name} at {models.address}; first word after {seconds:.1f} s", slow)


async def _sign_in(core: Core) -> Finding:
    auth = core.settings.auth
    match auth.mode:
        case "none":
            return Finding("sign-in", "ok", "none: whoever reaches the server is the one local user")
        case "session":
            return Finding("sign-in", "ok", "session: tokens made by `footnote session create`")
        case "api_key":
            state: State = "ok" if auth.api_keys else "missing"
            return Finding("sign-in", state, f"api_key: who has one: {len(auth.api_keys)}", "" if auth.api_keys else "Set AUTH__API_KEYS.")
    told = "Set AUTH__ISSUER, AUTH__AUDIENCE and AUTH__JWKS_URL."
    if core.tokens is None:
        return Finding("sign-in", "broken", "jwt, and it is not said whose tokens count", told)
    try:
        keys = await core.tokens.count_keys()
    except FootnoteError as exc:
        return Finding("sign-in", "broken", f"jwt: {exc.detail}", told)
    if not keys:
        return Finding("sign-in", "broken", f"jwt: none of the issuer's keys is for {auth.algorithm}", "Check AUTH__ALGORITHM.")
    admins = "" if auth.admin_group else "; nobody is an admin, as AUTH__ADMIN_GROUP is not set"
    return Finding("sign-in", "ok", f"jwt: the issuer's keys for {auth.algorithm}: {keys}{admins}")


async def _terms(core: Core) -> Finding:
    """How many; the terms themselves are nobody's business."""
    try:
        count = len((await core.terms.current()).terms)
    except FootnoteError as exc:
        return Finding("forbidden terms", "broken", exc.detail, "Questions are refused while they cannot be checked.")
    if not count:
        return Finding("forbidden terms", "ok", "none: every question is allowed")
    if not core.settings.rag.forbidden_check_enabled:
        return Finding("forbidden terms", "missing", f"{count}, and nothing is checked", "Set RAG__FORBIDDEN_CHECK_ENABLED to true.")
    return Finding("forbidden terms", "ok", str(count))


async def _tools(core: Core) -> list[Finding]:
    mcp = core.settings.mcp
    if core.tools is None:
        unmet = Finding("MCP server", "missing", "MCP__MCP_ENABLED is set, and there are no tools", "Set MCP__GATEWAY.")
        return [unmet] if mcp.mcp_enabled else []
    try:
        count = len(await core.tools.list(""))
    except FootnoteError as exc:
        return [Finding("MCP server", "broken", exc.detail, "Answers do without its tools.")]
    told = f"tools, besides those of single organisations: {count}"
    if not mcp.mcp_enabled:
        return [Finding("MCP server", "missing", f"{told}; none is called", "Set MCP__MCP_ENABLED to true.")]
    return [Finding("MCP server", "ok", told)]


async def _knowledge_base(core: Core) -> list[Finding]:
    settings = core.settings
    if core.knowledge_base is None:
        return []
    try:
        await core.knowledge_base.search({"query": "?", "collection_name": settings.index_name, "top_k": 1})
    except FootnoteError as exc:
        return [Finding("knowledge base", "broken", exc.detail, "The index is searched instead.")]
    if settings.auth.mode != "none" and not settings.kdb.groups:
        return [Finding("knowledge base", "missing", "it answers, and nobody may use it", "Set KDB__GROUPS.")]
    return [Finding("knowledge base", "ok", "it answers")]


def _ignored() -> list[Finding]:
    names = sorted(name for name in os.environ if name.startswith(IGNORED))
    return [Finding(name, "missing", "is set, and has no use here", "Footnote searches by itself; unset it.") for name in names]


def _foreign() -> list[Finding]:
    return [
        Finding(name, "ok", f"is ignored: another program's; ours begin with {name.upper()}__")
        for name in foreign_names(Settings, os.environ)
    ]
