"""For whom, from what and how: what must be equal before anything is used again. Whatever changes an answer stands here."""

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


def search_scope(turn: Turn, view: View, settings: Settings) -> dict[str, Any]:
    """Of what a query finds. Those who see the same of the collection find the same. A query is standalone, so no
    conversation is in it."""
    return {
        "readers": "all" if turn.caller.sees_all else sorted(view.groups),
        "collection": turn.request.collection,
        "version": view.version,
        "lang": turn.lang,
        "dialect": turn.profile.name,
        "embedder": turn.embedder,
        "retriever": turn.request.retriever,
        "filters": sorted((name, sorted(values)) for name, values in turn.request.filters.items()),
        "conditions": asdict(turn.request.conditions),
        "levels": sorted(turn.request.levels),
        "settings": settings.fingerprints.search,
        "plan": turn.plan.fingerprint("search"),
    }


def answer_scope(turn: Turn, view: View, settings: Settings, prompts: Prompts) -> dict[str, Any]:
    """Of an answer. One that was given in a conversation belongs to its place there. Where other systems are searched first,
    what somebody finds there may hang on any of their groups."""
    return {
        **search_scope(turn, view, settings),
        "settings": settings.fingerprints.answer,
        "plan": turn.plan.fingerprint("search", "answer"),
        "outside": sorted(turn.caller.groups) if turn.request.tool_scope or turn.request.ask_kdb else None,
        "mode": turn.request.mode,
        "limit": turn.request.limit,
        "profile": asdict(turn.profile),
        "model": turn.plan.model,
        "asked": [turn.request.temperature, turn.request.max_tokens],
        "prompts": sorted((name, saved.version) for name, saved in prompts.saved.items()),
        "tools": turn.request.tool_scope,
        "links": turn.request.link_origin,
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
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
