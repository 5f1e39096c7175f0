"""A turn as it is stored: the version 3 block, one JSON document that is the same in every backend.

A block holds all that a reply tells, but for the passages' texts: those are read again, through the
index's final gate, whenever somebody looks at the turn. `private` is for the turn's owner: no reply and
no list shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from footnote.types import Citation, Hit, Message, ModelUsage, Turn, Usage, usage_by_model, usage_of

Block = dict[str, Any]
Status = Literal["done", "error", "idle"]
"""idle: the turn has begun and not ended, or what ran it has died."""

TITLE_LENGTH = 120


def make_block(turn: Turn, status: Status, *, now: float) -> Block:
    """Conversation, result and trace of a turn. A turn without a room is a room of its own, named by its trace."""
    answer, request, record = turn.answer, turn.request, turn.record
    usage = record.usage
    conversations = [_message(Message("user", request.question), record.started_at)]
    conversations += [_message(said, now) for said in record.tool_messages]
    if answer is not None:
        conversations.append(_message(Message("assistant", answer.text), now))
    return {
        "version": "v3",
        "status": status,
        "block_classes": sorted({value for values in request.filters.values() for value in values}),
        "search_type": request.mode,
        "conversations": conversations,
        "room_id": room_of(turn),
        "chat_id": turn.trace_id,
        "user_id": turn.caller.user_id,
        "is_tool_block": bool(record.tool_messages),
        "is_error": status == "error",
        "result": {
            "type": "error" if status == "error" else "done",
            "final_response": answer.text if answer else _partial(turn),
            "references": [_reference(citation) for citation in answer.citations] if answer else [],
            "usage": {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "total_tokens": usage.total_tokens,
                "estimated": usage.estimated,
                "models": [
                    {"model": each.model, "prompt_tokens": each.usage.prompt_tokens, "completion_tokens": each.usage.completion_tokens}
                    for each in usage_by_model(record.calls)
                ],
                "type": "usage",
            },
            "search_decision": {"rewritten_query": list(turn.rewritten)},
        },
        "dialect": turn.profile.name,
        "trace_id": turn.trace_id,
        "collection": request.collection,
        "lang": turn.lang,
        "outcome": turn.outcome,
        "degraded": record.degraded,
        "vectors_pending": turn.evidence.vectors_pending,
        "llm": answer.model if answer else None,
        "llm_failed": bool(answer and answer.extractive and (turn.plan.model or record.model_problem)),
        "llm_address": record.model_address if turn.caller.role == "admin" else None,  # a host's name is for those who look after it
        "extractive": answer.extractive if answer else False,
        "warnings": list(answer.warnings) if answer else [],
        "hits": [_hit(hit) for hit in turn.evidence.hits],
        "leans_on": [{"passage": passage, "doc_id": doc_id} for passage, doc_id in turn.conversation.leans_on],
        "suggested_questions": list(record.suggested_questions),
        "latency_ms": max(0, round((now - record.started_at) * 1000)),
        "spans": [{"name": span.name, "ms": span.ms, "status": span.status, "detail": dict(span.detail)} for span in record.spans],
        "created_at": iso_time(record.started_at),
        "private": dict(record.notes),
    }


def _partial(turn: Turn) -> str:
    """What had been sent of an answer that broke off. Of an agent's nothing: what its searches found went with it, so nobody
    could tell later whether it may still be told."""
    return turn.record.partial or "" if turn.request.mode != "pa" else ""


def room_of(turn: Turn) -> str:
    return turn.request.room_id or turn.trace_id


def model_usage_of(block: Block) -> tuple[ModelUsage, ...]:
    """What each model used. Blocks of former versions do not say which model used what: that was the one that answered, as far as is
    known."""
    stored = block["result"]["usage"]
    named = [ModelUsage(part["model"], _tokens(part, stored["estimated"])) for part in stored.get("models", ())]
    total, known = _tokens(stored, stored["estimated"]), usage_of(named)
    rest = Usage(total.prompt_tokens - known.prompt_tokens, total.completion_tokens - known.completion_tokens, total.estimated)
    return usage_by_model([ModelUsage(block["llm"], rest), *named])


def _tokens(part: Mapping[str, Any], estimated: bool) -> Usage:
    return Usage(part["prompt_tokens"], part["completion_tokens"], estimated)


def question_of(block: Block) -> str:
    return str(block["conversations"][0]["content"])


def quoted_in(block: Block) -> list[dict[str, Any]]:
    """`passage` and `doc_id` of all that a turn was made from: what it found, and what the conversation before it quotes."""
    return [*block["hits"], *block.get("leans_on", ())]


def title_of(block: Block) -> str:
    """What a conversation that begins with this turn is called: its question on one line, cut to TITLE_LENGTH."""
    question = " ".join(question_of(block).split())
    return question if len(question) <= TITLE_LENGTH else question[: TITLE_LENGTH - 1].rstrip() + "…"


def trimmed(conversations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A block's messages without an agent's talk with its tools."""
    return [said for said in conversations if said["role"] != "tool" and not said["tool_calls"]]


def _message(said: Message, at: float) -> dict[str, Any]:
    calls = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in said.tool_calls
    ]
    return {
        "role": said.role,
        "content": said.content,
        "tool_calls": calls,
        "tool_call_id": said.tool_call_id,
        "name": said.name,
        "created_at": iso_time(at),
    }


def _reference(citation: Citation) -> dict[str, Any]:
    chunk = citation.hit.chunk
    return {
        "index": citation.number,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.public_id,
        "title": chunk.title,
        "page": citation.page,
        "unit": chunk.unit,
        "section": chunk.section_at(citation.bounds[0][0] if citation.bounds else 0),
        "score": float(citation.hit.score),
        "snippet": citation.snippet,
        "bounds": [list(bounds) for bounds in citation.bounds],
        "spans": [list(span) for span in citation.spans],
    }


def _hit(hit: Hit) -> dict[str, Any]:
    """`passage` is the index's own id, by which the text is read again: of this generation of the document only."""
    chunk = hit.chunk
    return {
        "passage": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.public_id,
        "title": chunk.title,
        "page": chunk.page,
        "unit": chunk.unit,
        "section": chunk.section_at(0),
        "headings": list(chunk.headings),
        "score": float(hit.score),
        **{name: None if name not in hit.scores else float(hit.scores[name]) for name in ("bm25", "cosine")},
    }


def iso_time(at: float) -> str:
    """Seconds since the epoch as ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
