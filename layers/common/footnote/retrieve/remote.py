"""Searches connected systems: the search tool of an MCP server, and a knowledge base.

A caller who may use such a search may see all its results. An MCP server of an organisation serves callers in the group
of that name; the knowledge base serves callers in the groups that its settings name. The results are untrusted like any
passage, and are not in the index.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Iterator, Sequence
from typing import Any

from footnote.errors import Unavailable
from footnote.ports import KnowledgeBase, Tools
from footnote.ports.tool_arguments import filled, find_search, scope_of, session_arguments
from footnote.settings import KDB, MCP
from footnote.steps import known_early
from footnote.text.surrogates import repair
from footnote.types import Chunk, Hit, Turn
from footnote.types.copies import replace

KEPT = ("file_name", "class", "paragraph_type")
"""The metadata that is kept of a result. External links are not exposed."""
SETTINGS = {"mcp": "MCP__SEARCH_TOOL", "kdb": "KDB__URL"}
PERSONAL = ("user_id", "room_id")
"""Arguments that are not sent to a knowledge base."""


@known_early
def may_search_remotely(turn: Turn) -> bool:
    """The request names an organisation whose tools may be used."""
    return bool(turn.request.tool_scope)


async def search_remotely(turn: Turn, *, tools: Tools | None, mcp: MCP) -> Turn:
    """Sets `turn.evidence.hits` to the results of the MCP server's search, best first.

    The turn is unchanged if there is no such search or it finds nothing. Unavailable if the server is down or its reply
    cannot be read."""
    if tools is None or not mcp.mcp_enabled:
        return turn
    scope = scope_of(turn.request, turn.caller)
    search = find_search(await tools.list(scope), mcp.search_tool, scope)
    if search is None:
        return turn
    given = session_arguments(turn.request, turn.plan, turn.caller.user_id, turn.room_id)
    calls = [filled(search, given, {"query": query.text}) for query in turn.answered]
    return await _found(turn, "mcp", [tools.call(search.name, arguments, timeout_s=mcp.limit_s) for arguments in calls])


def may_ask_kdb(turn: Turn) -> bool:
    """The API uses the knowledge base, and nothing has been found before."""
    return turn.request.ask_kdb and not turn.evidence.hits


async def search_kdb(turn: Turn, *, knowledge_base: KnowledgeBase | None, kdb: KDB) -> Turn:
    """Like `search_remotely`, with the knowledge base. If it has no such collection, its empty result is final (`evidence.closed`)."""
    if knowledge_base is None or not (turn.caller.sees_all or turn.caller.may_read(frozenset(kdb.groups))):
        return turn
    session = session_arguments(turn.request, turn.plan, turn.caller.user_id, turn.room_id)
    given = {name: value for name, value in session.items() if name not in PERSONAL}
    return await _found(turn, "kdb", [knowledge_base.search({"query": query.text, **given}) for query in turn.answered])


async def _found(turn: Turn, source: str, searches: Sequence[Awaitable[str | None]]) -> Turn:
    """A passage that several queries find is kept once, with its best score. A reply None: there is no such collection."""
    best: dict[str, Hit] = {}
    replies = [reply for reply in await asyncio.gather(*searches) if reply is not None]
    for hit in (hit for reply in replies for hit in _read(reply, source, turn)):
        earlier = best.setdefault(hit.chunk.chunk_id, hit)
        if earlier.score < hit.score:
            best[hit.chunk.chunk_id] = hit
    hits = tuple(sorted(best.values(), key=lambda hit: -hit.score)[: turn.plan.limit])
    return replace(turn, evidence=replace(turn.evidence, hits=hits, closed=not replies))


def _read(reply: str, source: str, turn: Turn) -> Iterator[Hit]:
    try:
        for place, result in enumerate(_results(reply)):
            yield _hit(result, place, source, turn)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as exc:
        raise Unavailable(f"The connected search replied in an unknown format. Check {SETTINGS[source]}.") from exc


def _results(reply: str) -> Iterator[dict[str, Any]]:
    """Reads one list, a list under `result` or `results`, or concatenated results: servers differ in how they send a list."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(reply):
        value, at = decoder.raw_decode(reply, at)
        at += len(reply[at:]) - len(reply[at:].lstrip())
        if isinstance(value, dict) and "context" not in value:
            value = value["result"] if "result" in value else value["results"]
        yield from value if isinstance(value, list) else [value]


def _hit(result: dict[str, Any], place: int, source: str, turn: Turn) -> Hit:
    """The chunk id has two parts (`mcp|…`), so that it cannot equal a chunk id of the index, which has three. The chunk has no
    permission groups: it cannot be read again later."""
    metadata = result.get("metadatas") or {}
    p_id, text = repair(str(result["p_id"])), repair(str(result["context"]))
    name = repair(str(metadata.get("file_name") or p_id))
    page = metadata.get("page")
    chunk = Chunk(
        chunk_id=f"{source}|{hashlib.sha256(p_id.encode()).hexdigest()[:32]}",
        doc_id=f"{source}:{name}",
        generation=0,
        ordinal=place,
        level=2,
        title=name,
        text=text,
        lang=turn.lang,
        collection=turn.request.collection,
        page=page if isinstance(page, int) else None,
        metadata={"p_id": p_id} | {key: repair(str(metadata[key])) for key in KEPT if key in metadata},
    )
    return Hit(chunk, min(1.0, max(0.0, float(result["score"]))))
