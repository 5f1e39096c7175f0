"""Encodes a turn's events and errors as `/v2` messages."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from footnote.answer.toolbox import SEARCH
from footnote.errors import StoreUnavailable
from footnote.events import Answering, Done, Event, Failed, LanguageKnown, Rewritten, Searching, Think, Token, ToolCalled
from footnote.guard.input_guard import clean_question
from footnote.types import Citation, Hit, Turn, Usage
from footnote_http.openapi import Problem
from query.citations import answer_text
from query.replies import tier_of, tokens_used, verdict_of

Json = dict[str, Any]

NEAREST = 3
"""Passages shown when a model says that none of them answers the question."""
SNIPPET = 200
"""Characters shown of each of these passages."""

UNDERSTANDING = {
    "en": "Understanding the intent of the user's question…",
    "de": "Die Absicht der Frage wird ermittelt…",
    "ko": "사용자 질문의 의도를 파악하는 중…",
}
SEARCHING = {"en": "Searching for relevant documents…", "de": "Passende Dokumente werden gesucht…", "ko": "관련 문서를 검색하는 중…"}
ANSWERING = {"en": "Generating an answer…", "de": "Eine Antwort wird geschrieben…", "ko": "답변을 생성하는 중…"}
CALLING = {"en": "Calling a tool: {}…", "de": "Ein Werkzeug wird aufgerufen: {}…", "ko": "도구를 호출하는 중: {}…"}


class Events:
    """Encodes one turn's events as messages. Step texts follow the question's language."""

    def __init__(self, turn: Turn) -> None:
        self._lang = "en"
        self._question = turn.request.question
        self._queries: tuple[str, ...] = ()
        self._searching = self._spoken = False

    def encode(self, event: Event) -> Iterator[Json]:
        """Returns the messages for one event; some events have none."""
        match event:
            case LanguageKnown(lang):
                self._lang = lang
                yield self._step(UNDERSTANDING)
            case Rewritten(queries):
                self._queries = queries
            case Searching() if not self._searching:
                self._searching = True
                queries = self._queries or (clean_question(self._question),)
                yield _progress("debug", "Query rewriting complete: " + ", ".join(f'"{query}"' for query in queries))
                yield self._step(SEARCHING)
            case Answering():
                yield self._step(ANSWERING)
            case ToolCalled(name):
                yield self._step(SEARCHING) if name == SEARCH else self._step(CALLING, name)
            case Think(text):
                yield _progress("think", text)
            case Token(text):
                self._spoken = True
                yield {"type": "token", "content": text}
            case Done(turn):
                if not self._spoken:
                    yield {"type": "token", "content": answer_text(turn)}
                yield done(turn)
            case Failed(error, turn, text):
                yield failed(f"An error occurred: {error.title}", error.detail, turn.trace_id, text, turn.record.usage)

    def _step(self, text: Mapping[str, str], *values: str) -> Json:
        return _progress("step", text.get(self._lang, text["en"]).format(*values))


def _progress(kind: str, text: str) -> Json:
    return {"type": kind, "id": str(uuid.uuid4()), "content": text}


def done(turn: Turn) -> Json:
    """The last message of a turn that succeeded: a `QueryDone`."""
    cited = turn.answer.citations if turn.answer else ()
    closest = turn.outcome == "closest"
    return {
        "type": "done",
        "search_type": turn.request.mode,
        "final_response": answer_text(turn),
        "tier": tier_of(turn.outcome),
        "verdict": verdict.model_dump() if (verdict := verdict_of(turn)) else None,
        "usage": tokens_used(turn.record.usage),
        "references": [_reference(citation) for citation in (() if closest else cited)],
        "nearest": [_reference(citation) for citation in (cited if closest else _nearest(turn))],
        "warnings": list(turn.answer.warnings) if turn.answer else [],
        "trace_id": turn.trace_id,
        "degraded": turn.record.degraded,
        "vectors_pending": turn.evidence.vectors_pending,
        "persisted": turn.record.persisted,
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
    known = {"file_name": chunk.title, "class": None, "paragraph_type": "normal", **chunk.metadata}
    return {
        "index": citation.number,
        "p_id": known.pop("p_id", chunk.public_id),
        "file_name": known["file_name"],
        "page": citation.page,
        "score": round(citation.hit.score, 4),
        "context": citation.snippet,
        "metadatas": known,
    }


def failed(content: str, detail: str, trace_id: str, text: str, usage: Usage) -> Json:
    """An error message: a `QueryError`. `text`: the part of the answer that was already sent."""
    return {
        "type": "error",
        "content": content,
        "detail": f"{detail} (trace {trace_id})",
        "final_response": text,
        "usage": tokens_used(usage),
    }


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, Json]:
    """The shape of `/v2` errors. An unreadable conversation is a 500, as in the API that this one follows."""
    status = 500 if isinstance(exc, StoreUnavailable) else problem.status
    content = f"A server error occurred: {problem.title}" if status >= 500 else problem.title
    return status, failed(content, problem.detail, problem.trace_id, "", Usage())
