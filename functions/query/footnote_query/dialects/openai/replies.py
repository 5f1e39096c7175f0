"""Encodes turns as chat completions, chunks and errors of OpenAI's API. Chunks also carry Open WebUI's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError

from footnote.answer.links import source_url
from footnote.errors import NotFound, TooManyRequests, Unauthorized
from footnote.events import Done, Event, Failed, LanguageKnown, PassagesRead, Searching, Think, Token
from footnote.types import Citation, Turn, tier_of
from footnote_query.citations import answer_text, make_citations, source_name
from footnote_query.replies import FinishReason, finish_reason, tokens_used

SEARCHING = {"en": "Searching the documents", "de": "Die Dokumente werden durchsucht", "ko": "문서를 검색하는 중"}
FOUND = {"en": "Passages found: {}", "de": "Gefundene Textstellen: {}", "ko": "찾은 구절: {}개"}

ANNOTATIONS = "response.output_text.annotation.added"
"""Type of the chunk with annotations. Open WebUI takes it for an event of the Responses API and ignores the annotations; otherwise
it would add each as a second source. Other clients, such as the AI SDK, read them from `choices`."""
PAGE = {"en": "{}, p. {}", "de": "{}, S. {}", "ko": "{}, {}쪽"}

Json = dict[str, Any]


class UnknownModel(NotFound):
    """The request names a model that is not a collection of the caller."""

    title = "There is no such model"


def completion(turn: Turn, model: str, origin: str) -> Json:
    """The ChatCompletion for a finished turn."""
    text = answer_text(turn)
    return {
        **_head(turn, "chat.completion", model),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None, "annotations": make_annotations(turn, origin)},
                "logprobs": None,
                "finish_reason": _finish_reason(turn),
            }
        ],
        "usage": tokens_used(turn.trace.usage),
        **_about(turn, origin),
    }


class Chunks:
    """Encodes a turn's events as chunks. `usage`: add a final chunk with token counts."""

    def __init__(self, turn: Turn, model: str, origin: str, *, usage: bool) -> None:
        self._head = _head(turn, "chat.completion.chunk", model)
        self._origin, self._usage = origin, usage
        self._lang = "en"
        self._begun = self._spoken = False

    def encode(self, event: Event) -> Iterator[Mapping[str, Any]]:
        """The chunks for one event; some events have none."""
        if not self._begun:
            self._begun = True
            yield self._chunk({"role": "assistant", "content": ""})
        match event:
            case LanguageKnown(lang):
                self._lang = lang
            case Searching("index"):
                yield self._status(SEARCHING, done=False)
            case PassagesRead(count):
                yield self._status(FOUND, count, done=True)
            case Think(text):
                yield self._chunk({"reasoning_content": text})
            case Token(text):
                self._spoken = True
                yield self._chunk({"content": text})
            case Done(turn):
                yield from self._end(turn)
            case Failed(error, turn):
                yield {"error": error_detail(f"{error.detail} (trace {turn.trace_id})", error.status, error)}

    def _end(self, turn: Turn) -> Iterator[Json]:
        if not self._spoken:
            yield self._chunk({"content": answer_text(turn)})
        for citation in turn.answer.citations if turn.answer else ():
            yield self._chunk({}, event={"type": "source", "data": _source(citation, self._origin, turn.lang)})
        if annotations := make_annotations(turn, self._origin):
            yield self._chunk({"annotations": annotations}, type=ANNOTATIONS)
        used = tokens_used(turn.trace.usage)
        last = {"usage": None if self._usage else used, **_about(turn, self._origin)}
        yield self._chunk({}, _finish_reason(turn), **last)
        if self._usage:
            yield {**self._head, "choices": [], "usage": used}

    def _status(self, text: Mapping[str, str], *values: object, done: bool) -> Json:
        description = text.get(self._lang, text["en"]).format(*values)
        return self._chunk({}, event={"type": "status", "data": {"description": description, "done": done}})

    def _chunk(self, delta: Json, finish_reason: str | None = None, **more: Any) -> Json:
        """A chunk with one choice. All chunks but that of usage have one, because many clients read `choices[0]` unchecked."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head, "choices": [choice], **({"usage": None} if self._usage else {}), **more}


def _about(turn: Turn, origin: str) -> Json:
    """What Footnote says of an answer, beside OpenAI's fields."""
    return {
        "citations": make_citations(turn, origin),
        "tier": tier_of(turn.outcome),
        "warnings": list(turn.answer.warnings) if turn.answer else [],
        "metadata": make_metadata(turn),
        "trace_id": turn.trace_id,
    }


def make_metadata(turn: Turn) -> dict[str, str]:
    """OpenAI's `metadata`, whose values are texts, so that its own clients show the warnings."""
    return {"warnings": ",".join(turn.answer.warnings if turn.answer else ())}


def _finish_reason(turn: Turn) -> FinishReason:
    return finish_reason(turn.answer.cut if turn.answer else None)


def make_annotations(turn: Turn, origin: str) -> list[Json]:
    """One annotation per citation marker, in text order; indexes are in code points."""
    markers = sorted((span, citation) for citation in (turn.answer.citations if turn.answer else ()) for span in citation.spans)
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": start,
                "end_index": end,
                "title": citation.hit.chunk.shown_title,
                "url": source_url(origin, citation.hit.chunk, citation.page),
            },
        }
        for (start, end), citation in markers
    ]


def error_detail(text: str, status: int, exc: Exception | None = None) -> Json:
    """The fields of ErrorDetail. `exc` determines `param` and `code`."""
    param, code = None, None
    if isinstance(exc, UnknownModel):
        param, code = "model", "model_not_found"
    elif isinstance(exc, Unauthorized):
        code = "invalid_api_key"
    elif isinstance(exc, TooManyRequests):
        code = "rate_limit_exceeded"
    elif isinstance(exc, RequestValidationError):
        param = ".".join(str(part) for part in exc.errors()[0]["loc"] if part != "body") or None
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    return {"message": text, "type": kind, "param": param, "code": code}


def _head(turn: Turn, kind: str, model: str) -> Json:
    return {"id": f"chatcmpl-{turn.trace_id}", "object": kind, "created": int(turn.trace.started_at), "model": model}


def _source(citation: Citation, origin: str, lang: str) -> Json:
    """A source event of Open WebUI, which distinguishes sources by `source`, numbers them in order of arrival, and counts pages
    from 0. `external`: the URL has its own display name."""
    chunk = citation.hit.chunk
    url, name = source_url(origin, chunk, citation.page), source_name(chunk)
    metadata: Json = {"source": url, "name": name, "source_url": url, "external": True}
    if citation.page:
        name = PAGE.get(lang, PAGE["en"]).format(name, citation.page)
        metadata |= {"name": name, "page": citation.page - 1}
    return {
        "source": {"id": url, "name": name, "url": url},
        "document": [citation.snippet],
        "metadata": [metadata],
        "distances": [round(citation.hit.score, 4)],
    }
