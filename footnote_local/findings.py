"""The findings of `footnote doctor`, and those about the models that judge passages and claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from footnote.bootstrap import Core
from footnote.errors import FootnoteError
from footnote.ports import Statement

State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of one part, and what to do about it."""

    part: str
    state: State
    found: str
    remedy: str = ""


async def find_reranker(core: Core) -> list[Finding]:
    """Whether it scores two texts."""
    settings = core.settings.rerank
    if core.reranker is None:
        unmet = Finding("reranker", "missing", "RERANK__MODEL is set, but no server", "Set RERANK__BASE_URL, or RERANK__SHAPE to bedrock.")
        return [unmet] if settings.model else []
    place = "Amazon Bedrock" if settings.shape == "bedrock" else settings.base_url
    try:
        await core.reranker.rerank("test", ["test", "other"])
    except FootnoteError as exc:
        return [Finding("reranker", "broken", f"{place}: {exc.detail}", "Until then passages stay in the order of the search.")]
    return [Finding("reranker", "ok", f"{settings.model or 'its only model'} at {place}")]


async def find_verifier(core: Core) -> list[Finding]:
    """Whether it judges a claim."""
    settings = core.settings.verifier
    if core.verifier is None:
        return (
            [Finding("verifier", "missing", "VERIFIER__MODEL is set, but no server", "Set VERIFIER__BASE_URL.")] if settings.model else []
        )
    try:
        await core.verifier.verify("test", "test", [Statement("test", 0, 4, ("test",))])
    except FootnoteError as exc:
        return [Finding("verifier", "broken", f"{settings.base_url}: {exc.detail}", "Until then the built-in check decides alone.")]
    return [Finding("verifier", "ok", f"{settings.model_at_server or 'its only model'} at {settings.base_url}")]
