"""What of a turn a tool on another server is told, whatever a model would rather have it told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from footnote.ports.models import Tool
from footnote.types import Turn


def scope_of(turn: Turn) -> str:
    """The organisation whose tools this caller may use here: the one that is asked for, where they belong to a group of that
    name; else "", and only what is everybody's is left."""
    return turn.request.tool_scope if turn.caller.sees_all or turn.request.tool_scope in turn.caller.groups else ""


def find_search(tools: Sequence[Tool], name: str, scope: str) -> Tool | None:
    """The tool that searches documents: `name`, or `ORGANISATION__name`."""
    return next((tool for tool in tools if tool.name in (name, f"{scope}__{name}")), None)


def session_arguments(turn: Turn) -> dict[str, Any]:
    """By the names that a search service of this kind knows them under. One field can be filtered by."""
    key = next(iter(turn.request.filters), "")
    return {
        "collection_name": turn.request.collection,
        "metadata_filter_key": key,
        "match_values": list(turn.request.filters.get(key, ())),
        "top_k": turn.request.limit,
        "use_paragraph": turn.request.levels == (2,),
        "user_id": turn.caller.user_id,
        "room_id": turn.request.room_id or turn.trace_id,
    }


def as_shown(tool: Tool, turn: Turn) -> dict[str, Any]:
    """The tool's parameters without those that the turn decides: a model is not told of them."""
    given = session_arguments(turn)
    known = _properties(tool)
    schema = {name: value for name, value in tool.parameters.items() if name not in ("properties", "required")}
    return schema | {
        "type": "object",
        "properties": {name: value for name, value in known.items() if name not in given},
        "required": [name for name in tool.parameters.get("required") or () if name not in given],
    }


def filled(tool: Tool, turn: Turn, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent: a model's arguments, and over them those of the turn that the tool knows."""
    given = session_arguments(turn)
    known = _properties(tool)
    return {name: value for name, value in arguments.items() if name not in given} | {
        name: value for name, value in given.items() if name in known
    }


def _properties(tool: Tool) -> Mapping[str, Any]:
    known = tool.parameters.get("properties")
    return known if isinstance(known, Mapping) else {}
