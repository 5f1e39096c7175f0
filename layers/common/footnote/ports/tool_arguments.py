"""Arguments of tools on other servers: those that the request decides, whatever a model writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from footnote.ports.models import Tool
from footnote.types import Caller, Plan, Request

Arguments = Mapping[str, Any]
"""A tool's arguments by name."""


def scope_of(request: Request, caller: Caller) -> str:
    """The organisation whose tools this caller may use here: the requested one, where they belong to a group of that name; else
    "", which leaves the tools that everybody may use."""
    return request.tool_scope if caller.sees_all or request.tool_scope in caller.groups else ""


def find_search(tools: Sequence[Tool], name: str, scope: str) -> Tool | None:
    """The tool that searches documents: `name`, or `ORGANISATION__name`."""
    return next((tool for tool in tools if tool.name in (name, f"{scope}__{name}")), None)


def session_arguments(request: Request, plan: Plan, user_id: str, room_id: str) -> Arguments:
    """What the request decides, by the names of search services of this kind. One field can be filtered by."""
    key = next(iter(request.filters), "")
    return {
        "collection_name": request.collection,
        "metadata_filter_key": key,
        "match_values": list(request.filters.get(key, ())),
        "top_k": plan.limit,
        "use_paragraph": plan.levels == (2,),
        "user_id": user_id,
        "room_id": room_id,
    }


def as_shown(tool: Tool, given: Arguments) -> dict[str, Any]:
    """The schema of the tool's parameters without those that are `given`: a model does not see them."""
    known = _properties(tool)
    schema = {name: value for name, value in tool.parameters.items() if name not in ("properties", "required")}
    return schema | {
        "type": "object",
        "properties": {name: value for name, value in known.items() if name not in given},
        "required": [name for name in tool.parameters.get("required") or () if name not in given],
    }


def filled(tool: Tool, given: Arguments, arguments: Arguments) -> dict[str, Any]:
    """The arguments that are sent: a model's, and over them the `given` ones that the tool has."""
    known = _properties(tool)
    return {name: value for name, value in arguments.items() if name not in given} | {
        name: value for name, value in given.items() if name in known
    }


def _properties(tool: Tool) -> Mapping[str, Any]:
    known = tool.parameters.get("properties")
    return known if isinstance(known, Mapping) else {}
