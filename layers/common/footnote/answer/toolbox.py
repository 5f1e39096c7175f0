"""The tools of an agent: document search, search of customers' voices, and the tools of MCP servers.

A tool's output is untrusted data. It is fenced and shown to the model, never interpreted here. Collection, filters, limits, user
and room come from the turn; the model neither sees nor sets them.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from footnote.answer.voice_tool import VOICES, VoiceArguments, VoiceTool, attributes_of, voice_tool
from footnote.errors import FootnoteError, Rejected
from footnote.model_calls import describe, object_schema
from footnote.ports import Tool, Tools
from footnote.ports.tool_arguments import as_shown, filled, session_arguments
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import Conversation, Evidence, Hit, ToolCall, Turn
from footnote.types.copies import replace
from footnote.types.voices import VOICE

log = logging.getLogger(__name__)


SEARCH = "search_documents"
SHOWN, SHOWN_VOICES, MOST_SHOWN = 8, 16, 32
"""Passages shown per search, of voices, and per turn."""
LONGEST_RESULT = 20_000
"""Characters of a tool's result that the model sees."""
NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")

Search = Callable[[Turn], Awaitable[Turn]]
"""Runs the usual search steps on a turn; returns it with hits."""


class SearchArguments(BaseModel, defer_build=True):
    """Arguments of `search_documents`."""

    query: str = Field(description="What to look for, as a complete question or in words.")


@cache
def search_tool() -> Tool:
    """Definition of `search_documents`. Built on first use, because building the schema would slow down the import."""
    return Tool(SEARCH, "Searches the documents that the user may read. Gives numbered passages.", object_schema(SearchArguments))


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a tool call. `status`: ok; failed = the model has to call it differently; skipped = the tool was unavailable.
    `found`: the turn of a search. `summary`: what precedes its passages."""

    text: str
    status: str = "ok"
    found: Turn | None = None
    summary: str = ""


class Toolbox:
    """The tools of one turn by their names in the prompt; those of MCP servers begin with `mcp_`."""

    def __init__(
        self,
        turn: Turn,
        remote: Sequence[Tool],
        *,
        tools: Tools | None,
        search: Search,
        timeout_s: float,
        voices: VoiceTool | None = None,
        voices_in: str | None = None,
    ) -> None:
        """`voices_in`: the collection of voices that the caller may read; None = there is none."""
        self._voices, self._voices_in = voices, voices_in if voices is not None else None
        self._turn, self._tools, self._search, self._timeout_s = turn, tools, search, timeout_s
        self._remote = _named(remote)
        self._given = session_arguments(turn.request, turn.plan, turn.caller.user_id, turn.room_id)
        self.hits: list[Hit] = []
        """Passages shown to the model; the first has the number 1."""

    @property
    def offered(self) -> tuple[Tool, ...]:
        """Definitions of the search and the remote tools, as the model sees them."""
        remote = (replace(tool, name=name, parameters=as_shown(tool, self._given)) for name, tool in self._remote.items())
        voices = (voice_tool(),) if self._voices_in is not None else ()
        return search_tool(), *voices, *remote

    @property
    def searches(self) -> tuple[str, ...]:
        """The searches to use where the model cannot choose one."""
        return (SEARCH,) if self._voices_in is None else (SEARCH, VOICES)

    def knows(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        return name == SEARCH or name in self._remote or (name == VOICES and self._voices_in is not None)

    async def call(self, tool_call: ToolCall) -> ToolResult:
        """Executes a call. Errors are returned as results, so that the model can react to them."""
        if not self.knows(tool_call.name):
            return ToolResult(f"There is no such tool. Available tools: {', '.join(tool.name for tool in self.offered)}.", "failed")
        arguments = _arguments(tool_call.arguments)
        if arguments is None:
            return ToolResult("The arguments are not a JSON object. Call the tool again with one.", "failed")
        try:
            if self._voices is not None and self._voices_in is not None and tool_call.name == VOICES:
                return await self._ask_voices(self._voices, self._voices_in, arguments)
            if self._tools is None or tool_call.name == SEARCH:
                return await self._look_up(arguments)
            tool = self._remote[tool_call.name]
            return ToolResult(await self._tools.call(tool.name, filled(tool, self._given, arguments), timeout_s=self._timeout_s))
        except FootnoteError as exc:
            return ToolResult(f"{exc.title}. {exc.detail}", "failed" if isinstance(exc, Rejected) else "skipped")

    def show(self, tool_call: ToolCall, called: ToolResult) -> str:
        """Renders a result for the model. Assigns the passages' numbers, so results must be rendered in order."""
        if called.found is None or called.text:
            text = untrusted(called.text[:LONGEST_RESULT])
        else:
            text = "\n".join(self._numbered(called.found.evidence.hits)) or "Nothing was found."
            text = f"{called.summary}\n{text}" if called.summary else text
        name = tool_call.name if self.knows(tool_call.name) else "unknown"
        return f'<tool_output tool="{name}">\n{text}\n</tool_output>'

    async def _look_up(self, arguments: Mapping[str, Any]) -> ToolResult:
        try:
            query = SearchArguments.model_validate(arguments).query
        except ValidationError as exc:
            return ToolResult(f"The arguments cannot be used. {describe(exc)}", "failed")
        return _checked(await self._search(self._asking(query)))

    async def _ask_voices(self, voices: VoiceTool, collection: str, arguments: Mapping[str, Any]) -> ToolResult:
        try:
            query = VoiceArguments.model_validate(arguments)
        except ValidationError as exc:
            return ToolResult(f"The arguments cannot be used. {describe(exc)}", "failed")
        voices_found = await voices.find(self._asking(query.query), collection, query, self._search)
        return _checked(voices_found.found, voices_found.summary)

    def _asking(self, query: str) -> Turn:
        """The turn that searches for this."""
        trace = replace(self._turn.trace, calls=(), spans=())
        return replace(self._turn.ask(query), conversation=Conversation(), trace=trace)

    def _numbered(self, hits: Sequence[Hit]) -> list[str]:
        """The passages with their numbers. A passage that was shown before keeps its number and is not repeated."""
        shown = []
        numbers = {hit.chunk.chunk_id: number for number, hit in enumerate(self.hits, start=1)}
        for hit in hits[: SHOWN_VOICES if any(VOICE in hit.chunk.metadata for hit in hits) else SHOWN]:
            chunk = hit.chunk
            if chunk.chunk_id in numbers:
                shown.append(f'<document number="{numbers[chunk.chunk_id]}">as above</document>')
            elif len(self.hits) < MOST_SHOWN:
                self.hits.append(hit)
                page = f' page="{chunk.page}"' if chunk.page else ""
                opening = f'<document number="{len(self.hits)}" title="{untrusted_title(chunk.shown_title)}"{page}{attributes_of(chunk)}>'
                shown.append(f"{opening}\n{untrusted(chunk.text)}\n</document>")
        return shown


def _checked(turn: Turn, summary: str = "") -> ToolResult:
    match turn.outcome:
        case "forbidden":
            return ToolResult("This may not be searched for.", "failed", replace(turn, evidence=Evidence()))
        case "blocked":
            return ToolResult("It could not be checked whether this may be searched for.", "skipped")
    return ToolResult("", "ok", turn, summary)


def _named(tools: Sequence[Tool]) -> dict[str, Tool]:
    """Tools by names that every model accepts. Tools whose names would collide are all dropped as ambiguous."""
    named: dict[str, list[Tool]] = {}
    for tool in tools:
        named.setdefault(f"mcp_{NO_NAME.sub('_', tool.name)}"[:64], []).append(tool)
    for name, same in named.items():
        if len(same) > 1:
            log.warning("tools with colliding names are ignored", extra={"tool": name, "count": len(same)})
    return {name: same[0] for name, same in named.items() if len(same) == 1}


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None
