"""Where might answers be? In what other systems' searches find, where they are connected.

Who may use such a search may see what it finds: an MCP server's that belongs to an organisation is for the callers in a
group of that name, a knowledge base for those in the groups that its settings name. What they find is material like any
passage; the index knows nothing of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from footnote.errors import Unavailable
from footnote.ports import KnowledgeBase, Tools
from footnote.ports.tool_arguments import filled, find_search, scope_of, session_arguments
from footnote.settings import KDB, MCP
from footnote.steps import known_early
from footnote.text.surrogates import repair
from footnote.types import Chunk, Hit, Turn

KEPT = ("file_name", "class", "paragraph_type")
"""Of a result's metadata. A link of theirs is none of ours."""
SETTINGS = {"mcp": "MCP__SEARCH_TOOL", "kdb": "KDB__URL"}
PERSONAL = ("user_id", "room_id")
"""What a knowledge base is not told."""


@known_early
def may_search_remotely(turn: Turn) -> bool:
    """The request names an organisation whose tools may be used."""
    return bool(turn.request.tool_scope)


async def search_remotely(turn: Turn, *, tools: Tools | None, mcp: MCP) -> Turn:
    """`turn.evidence.hits` from the MCP server's search, best first; the turn as it was where there is none or it finds nothing.
    Unavailable where it is down or cannot be understood."""
    if tools is None or not mcp.mcp_enabled:
        return turn
    scope = scope_of(turn)
    search = find_search(await tools.list(scope), mcp.search_tool, scope)
    if search is None:
        return turn
    asked = [filled(search, turn, {"query": query}) for query in turn.searched_for]
    return await _found(turn, "mcp", [tools.call(search.name, arguments, timeout_s=mcp.limit_s) for arguments in asked])


def may_ask_kdb(turn: Turn) -> bool:
    """The API asks other systems, and nothing was found before."""
    return turn.request.ask_kdb and not turn.evidence.hits


async def search_kdb(turn: Turn, *, knowledge_base: KnowledgeBase | None, kdb: KDB) -> Turn:
    """The same from the knowledge base."""
    if knowledge_base is None or not (turn.caller.sees_all or turn.caller.may_read(frozenset(kdb.groups))):
        return turn
    told = {name: value for name, value in session_arguments(turn).items() if name not in PERSONAL}
    return await _found(turn, "kdb", [knowledge_base.search({"query": query, **told}) for query in turn.searched_for])


async def _found(turn: Turn, source: str, searches: Sequence[Awaitable[str]]) -> Turn:
    """A passage that several queries find counts once, with its best score."""
    best: dict[str, Hit] = {}
    for hit in (hit for reply in await asyncio.gather(*searches) for hit in _read(reply, source, turn)):
        known = best.setdefault(hit.chunk.chunk_id, hit)
        if known.score < hit.score:
            best[hit.chunk.chunk_id] = hit
    hits = tuple(sorted(best.values(), key=lambda hit: -hit.score)[: turn.request.limit])
    return replace(turn, evidence=replace(turn.evidence, hits=hits))


def _read(reply: str, source: str, turn: Turn) -> Iterator[Hit]:
    try:
        for place, result in enumerate(_results(reply)):
            yield _hit(result, place, source, turn)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as exc:
        raise Unavailable(f"The connected search answers in a form that is not known here. Check {SETTINGS[source]}.") from exc


def _results(reply: str) -> Iterator[dict[str, Any]]:
    """One list, a list under `result` or `results`, or one result after the other: servers differ in how they send a list."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(reply):
        value, at = decoder.raw_decode(reply, at)
        at += len(reply[at:]) - len(reply[at:].lstrip())
        if isinstance(value, dict) and "context" not in value:
            value = value["result"] if "result" in value else value["results"]
        yield from value if isinstance(value, list) else [value]


def _hit(result: dict[str, Any], place: int, source: str, turn: Turn) -> Hit:
    """With an id of two parts, `mcp|…`, where the index's have three: no passage of the index is ever taken for it. Nobody's
    groups: it is read here and now, and by no way again."""
    told = result.get("metadatas") or {}
    p_id, text = repair(str(result["p_id"])), repair(str(result["context"]))
    name = repair(str(told.get("file_name") or p_id))
    page = told.get("page")
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
        metadata={"p_id": p_id} | {key: repair(str(told[key])) for key in KEPT if key in told},
    )
    return Hit(chunk, min(1.0, max(0.0, float(result["score"]))))
