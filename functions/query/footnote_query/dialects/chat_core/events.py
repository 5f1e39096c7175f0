"""The last messages of a `/v2` stream, and its errors."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.errors import StoreUnavailable
from footnote.types import Citation, Hit, Turn, Usage, tier_of
from footnote_http.openapi import Problem
from footnote_query.citations import answer_text
from footnote_query.framing import Json, failed
from footnote_query.replies import tokens_used, verdict_of

NEAREST = 3
"""Passages shown when a model says that none of them answers the question."""
SNIPPET = 200
"""Characters shown of each of these passages."""


def done(turn: Turn) -> Json:
    """The last message of a turn that succeeded: a `QueryDone`."""
    cited = turn.answer.citations if turn.answer else ()
    closest = turn.outcome == "closest"
    return {
        "type": "done",
        "search_type": turn.request.search_type,
        "final_response": answer_text(turn),
        "tier": tier_of(turn.outcome),
        "verdict": verdict.model_dump() if (verdict := verdict_of(turn)) else None,
        "usage": tokens_used(turn.trace.usage),
        "references": [_reference(citation) for citation in (() if closest else cited)],
        "nearest": [_reference(citation) for citation in (cited if closest else _nearest(turn))],
        "warnings": list(turn.answer.warnings) if turn.answer else [],
        "trace_id": turn.trace_id,
        "degraded": turn.trace.degraded,
        "vectors_pending": turn.evidence.vectors_pending,
        "persisted": turn.trace.persisted,
    }


def _nearest(turn: Turn) -> Sequence[Citation]:
    """The best passages of a question of which a model said that they do not answer it."""
    if turn.request.mode != "rag" or turn.outcome != "refused" or turn.answer is None or turn.answer.extractive:
        return ()
    return [_opening(number, hit) for number, hit in enumerate(turn.evidence.hits[:NEAREST], start=1)]


def _opening(number: int, hit: Hit) -> Citation:
    """A citation of a passage whose snippet is its beginning."""
    text = " ".join(hit.chunk.text.split())
    return Citation(number, hit, text if len(text) <= SNIPPET else text[: SNIPPET - 1].rstrip() + "…", hit.chunk.page)


def _reference(citation: Citation) -> Json:
    chunk = citation.hit.chunk
    known = {"file_name": chunk.shown_title, "class": None, **chunk.metadata, "paragraph_type": chunk.paragraph_type}
    known.pop("additional_field", None)  # repeats the other fields, and would be stored with every turn
    return {
        "index": citation.number,
        "p_id": known.pop("p_id", chunk.public_id),
        "file_name": known["file_name"],
        "page": citation.page,
        "score": round(citation.hit.score, 4),
        "context": citation.snippet,
        "metadatas": known,
    }


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, Json]:
    """The shape of `/v2` errors. An unreadable conversation is a 500, as in the API that this one follows."""
    status = 500 if isinstance(exc, StoreUnavailable) else problem.status
    content = f"A server error occurred: {problem.title}" if status >= 500 else problem.title
    return status, failed(content, problem.detail, problem.trace_id, "", Usage())
