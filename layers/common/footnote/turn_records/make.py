"""Converts a turn to its stored form."""

from __future__ import annotations

from datetime import UTC, datetime

from footnote.errors import ModelUnavailable
from footnote.types import (
    FLAWS,
    NO_MODEL,
    Answer,
    Citation,
    Hit,
    Message,
    ModelSource,
    QuotedWords,
    Status,
    StoredClaim,
    StoredHit,
    StoredMessage,
    StoredModelSource,
    StoredPlan,
    StoredQuote,
    StoredReference,
    StoredToolCall,
    StoredUsage,
    StoredVerdict,
    Trace,
    Turn,
    TurnRecord,
    Verdict,
    usage_by_model,
)


def make_record(turn: Turn, status: Status, *, now: float) -> TurnRecord:
    """The record of a turn in its state at `now`: question, reply and trace."""
    answer, request, trace = turn.answer, turn.request, turn.trace
    messages = [_message(Message("user", request.question), trace.started_at)]
    if turn.conversation.keeps_system and turn.conversation.system is not None:
        messages.insert(0, _message(Message("system", turn.conversation.system, name=turn.profile.prompt), trace.started_at))
    messages += [_message(message, now) for message in trace.tool_messages]
    if answer is not None:
        messages.append(_message(Message("assistant", answer.text), now))
    stored: TurnRecord = {
        "version": "v3",
        "status": status,
        "block_classes": sorted({value for values in request.filters.values() for value in values}),
        "search_type": request.search_type,
        "conversations": messages,
        "room_id": turn.room_id,
        "chat_id": turn.trace_id,
        "user_id": turn.caller.user_id,
        "is_tool_block": bool(trace.tool_messages),
        "is_error": status == "error",
        "result": {
            "type": "error" if status == "error" else "done",
            "final_response": answer.text if answer else _partial(turn),
            "references": [_reference(citation) for citation in answer.citations] if answer else [],
            "usage": _usage(trace),
            "search_decision": {"rewritten_query": list(turn.rewritten)},
        },
        "dialect": turn.profile.name,
        "trace_id": turn.trace_id,
        "collection": request.collection,
        "lang": turn.lang,
        "outcome": turn.outcome,
        "degraded": trace.degraded,
        "vectors_pending": turn.evidence.vectors_pending,
        "llm": answer.model if answer else None,
        "llm_failed": is_without_its_model(turn),
        "llm_address": trace.model_address if turn.caller.role == "admin" else None,  # a host's name is for administrators
        "extractive": answer.extractive if answer else False,
        "verdict": _verdict(answer.verdict) if answer and answer.verdict else None,
        "warnings": list(answer.warnings) if answer else [],
        "hits": [_hit(hit) for hit in turn.evidence.hits],
        "leans_on": [{"passage": passage, "doc_id": doc_id} for passage, doc_id in turn.conversation.quoted],
        "suggested_questions": list(trace.suggested_questions),
        "latency_ms": max(0, round((now - trace.started_at) * 1000)),
        "spans": [{"name": span.name, "ms": span.ms, "status": span.status, "detail": dict(span.detail)} for span in trace.spans],
        "created_at": iso_time(trace.started_at),
        "private": dict(trace.notes),
    }
    if answer is not None and answer.claims:
        stored["claims"] = stored_claims(answer)
    if status != "idle":
        stored["plan"] = _plan(turn)
    if (given := turn.plan.assignment) is not None:
        stored["experiment"] = {
            "id": given.experiment_id,
            "name": given.name,
            "arm": given.arm.name,
            "period": given.period,
            "shares": dict(given.shares),
        }
    if trace.model_source is not None and trace.model_source.state in NO_MODEL and turn.caller.role == "admin":
        stored["llm_source"] = _source(trace.model_source)
    if stored["llm_failed"] and trace.model_problem not in (None, ModelUnavailable.title) and turn.caller.role == "admin":
        stored["llm_problem"] = trace.model_problem
    return stored


def iso_time(at: float) -> str:
    """Seconds since the epoch as ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def is_without_its_model(turn: Turn) -> bool:
    """Whether a language model was to answer and sent nothing, so that the documents are quoted."""
    answer = turn.answer
    expected = turn.plan.model is not None or turn.trace.model_problem is not None
    return expected and answer is not None and answer.extractive and FLAWS.isdisjoint(answer.warnings)


def _partial(turn: Turn) -> str:
    """The text already sent of an answer that broke off. Empty for an agent: the hits of its answer are not kept, so the
    permissions of a later reader could not be checked."""
    return turn.trace.partial or "" if turn.request.mode != "pa" else ""


def _plan(turn: Turn) -> StoredPlan:
    plan, request = turn.plan, turn.request
    return {
        "live": turn.profile.live,
        "level": plan.level,
        "strategy": plan.strategy,
        "options": sorted(name for name, choice in plan.choices.items() if choice.is_on),
        "retriever": plan.retriever,
        "limit": plan.limit,
        "asked": {
            "level": request.level,
            "options": dict(request.options),
            "model": request.model,
            "limit": request.limit,
        },
    }


def _message(message: Message, at: float) -> StoredMessage:
    calls: list[StoredToolCall] = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls
    ]
    return {
        "role": message.role,
        "content": message.content,
        "tool_calls": calls,
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        "created_at": iso_time(at),
    }


def _usage(trace: Trace) -> StoredUsage:
    usage = trace.usage
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "estimated": usage.estimated,
        "models": [
            {"model": used.model, "prompt_tokens": used.usage.prompt_tokens, "completion_tokens": used.usage.completion_tokens}
            for used in usage_by_model(trace.calls)
        ],
        "type": "usage",
    }


def _reference(citation: Citation) -> StoredReference:
    chunk = citation.hit.chunk
    stored: StoredReference = {
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
    if chunk.file_label:
        stored["file"] = chunk.file_label
    if citation.is_added:
        stored["added"] = True
    if citation.quotes:
        stored["quotes"] = [_quote(quote) if quote else None for quote in citation.quotes]
    return stored


def _quote(quote: QuotedWords) -> StoredQuote:
    return {"text": quote.text, "state": quote.state, "bounds": list(quote.bounds) if quote.bounds else None}


def stored_claims(answer: Answer) -> list[StoredClaim]:
    """The checked sentences of an answer."""
    numbers = {citation.hit.chunk.chunk_id: citation for citation in reversed(answer.citations)}
    stored: list[StoredClaim] = []
    for claim, following in answer.claims_and_ends():
        cited = numbers.get(claim.place.chunk.chunk_id) if claim.place else None
        marked = cited is not None and any(claim.start <= at < following for at, _ in cited.spans)
        stored.append(
            {
                "start": claim.start,
                "end": claim.end,
                "support": claim.support,
                "doubted": claim.is_doubted,
                "number": cited.number if cited else None,
                "bounds": [claim.place.start, claim.place.end] if claim.place and cited else None,
                "unmarked": not marked,
            }
        )
    return stored


def _source(source: ModelSource) -> StoredModelSource:
    return {
        "state": source.state,
        "server": source.server,
        "address": source.address,
        "looked_for": [list(server) for server in source.looked_for],
    }


def _verdict(verdict: Verdict) -> StoredVerdict:
    return {
        "tier": verdict.tier,
        "because": verdict.because,
        "score": verdict.score,
        "answer_from": verdict.answer_from,
        "related": verdict.related,
        "closest_from": verdict.closest_from,
        "missing": list(verdict.missing),
        "reasons": list(verdict.reasons),
    }


def _hit(hit: Hit) -> StoredHit:
    chunk = hit.chunk
    stored: StoredHit = {
        "passage": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.public_id,
        "title": chunk.title,
        "page": chunk.page,
        "unit": chunk.unit,
        "section": chunk.section_at(0),
        "headings": list(chunk.headings),
        "score": float(hit.score),
        "bm25": _score(hit, "bm25"),
        "cosine": _score(hit, "cosine"),
    }
    if chunk.file_label:
        stored["file"] = chunk.file_label
    if others := {name: float(score) for name, score in hit.scores.items() if name not in ("bm25", "cosine")}:
        stored["scores"] = others
    return stored


def _score(hit: Hit, name: str) -> float | None:
    return float(hit.scores[name]) if name in hit.scores else None
