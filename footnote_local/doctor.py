"""`footnote doctor`: checks the configuration and every dependency, and says how to fix problems."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from footnote.answer.model_source import which_model, why_no_model
from footnote.bootstrap import Core
from footnote.bootstrap.embedders import is_builtin
from footnote.bootstrap.model_trial import TIMEOUT_S, first_word
from footnote.bootstrap.vectors import WORDS_ONLY, say_vectors, why_words_only
from footnote.collections.embedders import choices
from footnote.errors import FootnoteError, ModelTimeout, Unavailable
from footnote.ingest.convert import find_libreoffice
from footnote.ingest.migrating import find_outdated
from footnote.ingest.parser import DOCLING_REMEDY, NO_DOCLING, has_docling, lacks_docling
from footnote.plugins import EMBEDDERS, FORMATS, installed
from footnote.ports import Models
from footnote.settings import Settings
from footnote.settings.environment import foreign_names
from footnote.settings.misspelt import SETTINGS_PAGE, misspelt_names
from footnote_local.findings import Finding, State, find_reranker, find_verifier
from footnote_local.terminal import Exit, leave, show_json
from footnote_local.with_core import place_of

IGNORED = ("RAG_BASE_URL", "RETRIEVAL_URL", "REDIS_", "RABBITMQ_")
"""Prefixes of variables that similar systems use and Footnote does not."""
SLOW_S = 5.0
"""Time to a model's first token: the timeout, as in `/ask`, and the threshold for a remark."""

MODELS = ("language model", "fallback model")
GROUPS = {FORMATS: "format .", EMBEDDERS: "provider "}


async def examine(core: Core, timer: Callable[[], float] = time.monotonic) -> list[Finding]:
    """Checks every part, then closes the Core. Needs no part to work."""
    try:
        await core.refresh(prompts=False)  # applies settings changed at runtime
        return [
            Finding("python", "ok", platform.python_version()),
            *await _data(core),
            await _embedder(core),
            *await _other_embedders(core),
            *await find_reranker(core),
            *await find_verifier(core),
            *await _models(core, timer),
            await _sign_in(core),
            await _terms(core),
            _converter(),
            _ocr(core),
            *_plugins(),
            *_docling(core),
            *await _tools(core),
            *await _knowledge_base(core),
            *_ignored(),
            *_misspelt(),
            *_foreign(),
        ]
    finally:
        await core.close()


async def examine_models(core: Core) -> list[Finding]:
    """Checks the language models only, then closes the Core."""
    try:
        await core.refresh(prompts=False)
        return await _models(core, time.monotonic)
    finally:
        await core.close()


def show_findings(findings: Sequence[Finding], as_json: bool) -> NoReturn:
    """Prints them; the command ends as BAD if a part is broken."""
    if as_json:
        show_json([{"part": f.part, "state": f.state, "found": f.found, "remedy": f.remedy} for f in findings])
    else:
        for finding in findings:
            print(f"{finding.state:8} {finding.part:16} {finding.found}" + (f"\n{'':26}{finding.remedy}" if finding.remedy else ""))
    leave(Exit.BAD if any(finding.state == "broken" for finding in findings) else Exit.OK)


async def _models(core: Core, timer: Callable[[], float]) -> list[Finding]:
    return [await _model(part, models, timer) for part, models in zip(MODELS, core.endpoints, strict=False)]


async def _data(core: Core) -> list[Finding]:
    findings = []
    for part, what in (await core.check()).items():
        findings.append(Finding(part, "ok" if what == "ok" else "broken", place_of(part, core.settings) if what == "ok" else what))
    if all(finding.state == "ok" for finding in findings):
        try:
            await core.check_databases()
        except Unavailable as exc:
            return [*findings, Finding("databases", "broken", exc.detail)]
        said = [f"{count} {state}" for state, count in (await core.lifecycle.counts()).items() if count and state != "DELETED"]
        remedy = "" if said else "Add some: footnote ingest PATH, or drop a file on the page."
        if left := len(await find_outdated(core.ledger, core.generations)):
            said.append(f"{left} of an earlier version, made again while the server runs")
        findings.append(Finding("documents", "ok" if said else "missing", ", ".join(said) or "none yet", remedy))
    return findings


async def _embedder(core: Core) -> Finding:
    try:
        if core.embedder is not None:
            await core.embedder.embed(["test"], query=True)
    except FootnoteError as exc:
        place = {"openai": "EMBEDDING__BASE_URL", "bedrock": "the AWS region"}.get(core.settings.embedding.provider, "the package")
        remedy = "" if is_builtin(core.embedder) else f"Check {place}, EMBEDDING__MODEL and EMBEDDING__DIMENSION. "
        return Finding("embedder", "broken", exc.detail, f"{remedy}Until then documents are found by their words only.")
    try:
        said = await say_vectors(core)
    except Unavailable:  # the index's own finding says why
        said = core.embedder.name if core.embedder else WORDS_ONLY
    return Finding("embedder", "missing" if core.embedder is None else "ok", said, why_words_only(core))


async def _other_embedders(core: Core) -> list[Finding]:
    """The embedders that collections name."""
    try:
        directory = await core.collections.directory()
    except FootnoteError:  # the store's own finding says why
        return []
    findings = []
    for choice, users in choices(directory).items():
        names = ", ".join(users)
        embedder = core.embedders.of(choice)
        if embedder is None:
            why = f"is not configured: {names} {'is' if len(users) == 1 else 'are'} searched by words only"
            remedy = "Configure it with EMBEDDING__OTHERS, or run `footnote collections set NAME --embedder …` for another."
            findings.append(Finding(f"embedder {choice}", "broken", why, remedy))
            continue
        try:
            await embedder.embed(["test"], query=True)
            findings.append(Finding(f"embedder {choice}", "ok", f"{embedder.name}, used by {names}"))
        except FootnoteError as exc:
            findings.append(Finding(f"embedder {choice}", "broken", exc.detail, "Check it in EMBEDDING__OTHERS."))
    return findings


async def _model(part: str, models: Models, timer: Callable[[], float]) -> Finding:
    """Requests one word from the model, because a configured model may still not respond."""
    try:
        model = await models.pick(None)
        if model is None:
            model_line, remedy = why_no_model(models.source, "en")
            return Finding(part, "missing", model_line, remedy)
        seconds = await first_word(model, timer)
    except ModelTimeout as exc:
        remedy = "A local model may still be loading: try again. Otherwise use a smaller model or a faster machine."
        return Finding(part, "broken", f"{models.address}: {exc.detail} Waited {TIMEOUT_S:g} s.", remedy)
    except FootnoteError as exc:
        remedy = "Check LLM__BASE_URL, LLM__MODEL and LLM__API_KEY. Until then answers are quoted from the documents."
        return Finding(part, "broken", f"{models.address}: {exc.for_admins}", remedy)
    slow = "This is slow. Use a smaller model or a faster machine." if seconds > SLOW_S else ""
    model_line = which_model(models.source, model.name, models.address, "en")
    return Finding(part, "ok", f"{model_line}; first word after {seconds:.1f} s", slow)


async def _sign_in(core: Core) -> Finding:
    auth = core.settings.auth
    match auth.mode:
        case "none":
            return Finding("sign-in", "ok", "none: anyone who can reach the server has full access")
        case "session":
            return Finding("sign-in", "ok", "session: invite people with `footnote user add`")
        case "api_key":
            state: State = "ok" if auth.api_keys else "missing"
            return Finding(
                "sign-in", state, f"api_key: users with a key: {len(auth.api_keys)}", "" if auth.api_keys else "Set AUTH__API_KEYS."
            )
    remedy = "Set AUTH__ISSUER, AUTH__AUDIENCE and AUTH__JWKS_URL."
    if core.tokens is None:
        return Finding("sign-in", "broken", "jwt, but no identity provider is configured", remedy)
    try:
        keys = await core.tokens.count_keys()
    except FootnoteError as exc:
        return Finding("sign-in", "broken", f"jwt: {exc.detail}", remedy)
    if not keys:
        return Finding("sign-in", "broken", f"jwt: the issuer has no key for {auth.algorithm}", "Check AUTH__ALGORITHM.")
    admins = "" if auth.admin_group else "; there are no admins, because AUTH__ADMIN_GROUP is not set"
    return Finding("sign-in", "ok", f"jwt: the issuer's keys for {auth.algorithm}: {keys}{admins}")


async def _terms(core: Core) -> Finding:
    """Shows the number of terms only, because the terms themselves are confidential."""
    try:
        count = len((await core.terms.current()).terms)
    except FootnoteError as exc:
        return Finding("forbidden terms", "broken", exc.detail, "Until they can be checked, all questions are rejected.")
    if not count:
        return Finding("forbidden terms", "ok", "none")
    if not core.settings.rag.forbidden_check:
        return Finding("forbidden terms", "missing", f"{count}, but the check is off", "Set RAG__FORBIDDEN_CHECK to true.")
    return Finding("forbidden terms", "ok", str(count))


def _converter() -> Finding:
    if program := find_libreoffice():
        return Finding("old formats", "ok", f"{program} converts .doc, .ppt and other old files")
    return Finding("old formats", "ok", ".doc and .ppt are read; Word 6, Office 2003 XML and others only where LibreOffice is installed")


def _ocr(core: Core) -> Finding:
    if core.settings.ingest.ocr == "off":
        return Finding("OCR", "ok", "off: scans are not read")
    if core.ocr is not None:
        return Finding("OCR", "ok", f"Tesseract reads scans in {', '.join(core.ocr.languages)}")
    return Finding(
        "OCR",
        "missing",
        "no Tesseract: scans are refused",
        "Install it where the server runs: apt-get install tesseract-ocr tesseract-ocr-deu tesseract-ocr-kor, or"
        " brew install tesseract tesseract-lang.",
    )


def _plugins() -> list[Finding]:
    """The extensions of installed packages, each loaded as in use."""
    parts = ((f"{kind}{name}", plugin) for group, kind in GROUPS.items() for name, plugin in installed(group).items())
    return [Finding(part, "broken" if (why := plugin.problem()) else "ok", why or f"package {plugin.package}") for part, plugin in parts]


def _docling(core: Core) -> list[Finding]:
    if lacks_docling(enabled=core.settings.docling_enabled):
        return [Finding("docling", "missing", NO_DOCLING, DOCLING_REMEDY)]
    if has_docling(enabled=core.settings.docling_enabled):
        return [Finding("docling", "ok", "reads Word and PowerPoint files")]
    return []


async def _tools(core: Core) -> list[Finding]:
    if not core.settings.mcp.mcp_enabled:
        return [] if core.tools is None else [Finding("MCP server", "ok", "configured and off; MCP__MCP_ENABLED turns its tools on")]
    if core.tools is None:
        return [Finding("MCP server", "missing", "MCP__MCP_ENABLED is set, but no server is configured", "Set MCP__GATEWAY.")]
    try:
        count = len(await core.tools.list(""))
    except FootnoteError as exc:
        return [Finding("MCP server", "broken", exc.detail, "Until then answers are made without its tools.")]
    return [Finding("MCP server", "ok", f"tools available to every organisation: {count}")]


async def _knowledge_base(core: Core) -> list[Finding]:
    settings = core.settings
    if core.knowledge_base is None:
        return []
    try:
        await core.knowledge_base.search({"query": "?", "collection_name": settings.index_name, "top_k": 1})
    except FootnoteError as exc:
        return [Finding("knowledge base", "broken", exc.detail, "Until then only the index is searched.")]
    if settings.auth.mode != "none" and not settings.kdb.groups:
        return [Finding("knowledge base", "missing", "reachable, but no group may use it", "Set KDB__GROUPS.")]
    return [Finding("knowledge base", "ok", "reachable")]


def _ignored() -> list[Finding]:
    names = sorted(name for name in os.environ if name.startswith(IGNORED))
    return [Finding(name, "missing", "is set, but Footnote does not use it", "Unset it.") for name in names]


def _misspelt() -> list[Finding]:
    return [
        Finding(name, "missing", "is no setting, so it has no effect", f"Set {meant} instead." if meant else SETTINGS_PAGE)
        for name, meant in misspelt_names(Settings, os.environ).items()
    ]


def _foreign() -> list[Finding]:
    return [
        Finding(name, "ok", f"ignored: it belongs to another program; Footnote's variables begin with {name.upper()}__")
        for name in foreign_names(Settings, os.environ)
    ]
