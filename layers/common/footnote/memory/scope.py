"""The scope of cache keys: everything, besides the question, that changes search results or answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from footnote.ports import View
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.types import Turn

UNTIL_ANSWERED = ("quotes_first", "first_token_s")
"""Fields of a profile that say what happens until the answer comes, not what it is."""


def search_scope(turn: Turn, view: View, settings: Settings) -> dict[str, Any]:
    """The scope of search results. Callers with the same view of the collection share it. Queries are standalone, so the
    conversation is not part of it."""
    return {
        "readers": "all" if turn.caller.sees_all else sorted(view.groups),
        "collection": view.stored or turn.request.collection,
        "version": view.version,
        "attached": [*view.attached, view.attached_version],
        "lang": turn.lang,
        "dialect": turn.profile.name,
        "embedder": turn.embedder,
        "retriever": turn.plan.retriever,
        "filters": sorted((name, sorted(values)) for name, values in turn.request.filters.items()),
        "conditions": asdict(turn.request.conditions),
        "levels": sorted(turn.plan.levels),
        "alpha": turn.request.alpha,
        "threshold": turn.request.threshold,
        "settings": settings.fingerprints.search,
        "plan": turn.plan.fingerprint("search"),
        "arm": [given.experiment_id, given.arm.name] if (given := turn.plan.assignment) else None,
    }


def answer_scope(turn: Turn, view: View, settings: Settings, prompts: Prompts, weights: int = 0) -> dict[str, Any]:
    """The scope of an answer. An answer within a conversation is valid only at its place there. If external systems are searched,
    all groups of the caller count, because the results may depend on any of them. `weights`: number of changes of what feedback has
    taught, if the turn uses it."""
    return {
        **search_scope(turn, view, settings),
        "settings": settings.fingerprints.answer,
        "plan": turn.plan.fingerprint("search", "answer"),
        "outside": sorted(turn.caller.groups) if turn.request.tool_scope or turn.request.ask_kdb else None,
        "mode": turn.request.mode,
        "day": turn.began.date().isoformat(),
        "limit": turn.plan.limit,
        "expansion": asdict(turn.request.expansion),
        "first": turn.request.first_number,
        "profile": {name: value for name, value in asdict(turn.profile).items() if name not in UNTIL_ANSWERED},
        "model": turn.plan.model,
        "asked": [turn.request.temperature, turn.request.max_tokens],
        "prompts": sorted((name, saved.version) for name, saved in prompts.saved.items()),
        "tools": turn.request.tool_scope,
        "links": turn.request.link_origin,
        "weights": weights,
        "conversation": [
            turn.caller.user_id,
            turn.request.room_id,
            turn.conversation.trace_ids,
            [asdict(e) for e in turn.conversation.exchanges],
        ]
        if turn.conversation.exchanges
        else None,
    }


def digest(parts: Mapping[str, Any]) -> str:
    """A hash of the scope, for a cache key."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
