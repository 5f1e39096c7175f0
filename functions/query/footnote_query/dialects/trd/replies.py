"""Encodes a turn for `/ask`: whole, or event by event; with `answer_format: json`, the answer as claims with their documents."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from footnote.errors import FootnoteError
from footnote.events import Done, Event, Failed, Quoted, StepFinished, StepStarted, Think, Token
from footnote.turn_records.make import make_record
from footnote.types import Turn, TurnRecord
from footnote_query.replies import AskResponse, Claim, ClaimedAnswer, make_reply, make_usage
from footnote_query.steps import make_step, make_steps

if TYPE_CHECKING:
    from footnote.settings import LLM
    from footnote.steps.explain import Explanation

END_MARK = re.compile(r"\s*([.!?。]*)[,;:、]*(?=\s|$)")
"""Punctuation after a marker, which belongs to the sentence before it."""


def reply(turn: Turn, llm: LLM, *, explained: Explanation | None = None, answer_format: str = "markdown") -> AskResponse:
    """The response for a finished turn. `explained`: added as `debug`."""
    texts = {hit.chunk.chunk_id: hit.chunk.text for hit in turn.evidence.sources if hit.chunk.text}  # a withdrawn passage has none
    record = _record(turn)
    made = make_reply(record, texts, llm, persisted=turn.trace.persisted)
    if explained is not None:
        made.debug = _debug(turn, record, explained, llm)
    return _claimed(made) if answer_format == "json" else made


def encode(
    event: Event, llm: LLM, explain: Callable[[Turn], Explanation] | None = None, answer_format: str = "markdown"
) -> Iterable[Mapping[str, Any]]:
    """The messages for one event. A step's id is its name, so that a client can match start and end. `explain`: set if the
    request asks for `debug`."""
    match event:
        case StepStarted(name, stage):
            yield {"type": "step", "id": name, "content": name, "stage": stage}
        case StepFinished(name, ms, status, detail, stage=stage):
            yield {"type": "node", **make_step(name, ms, status, detail, stage, llm).model_dump(exclude_none=True)}
        case Quoted(turn):
            yield _quote(reply(turn, llm))
        case Think(text):
            yield {"type": "think", "id": str(uuid.uuid4()), "content": text}
        case Token(text):
            yield {"type": "token", "content": text}
        case Done(turn):
            yield _done(reply(turn, llm, explained=explain(turn) if explain else None, answer_format=answer_format))
        case Failed(error, turn, text):
            yield _failed(error, _record(turn), text)


def encode_stored(record: TurnRecord, texts: Mapping[str, str], llm: LLM, answer_format: str = "markdown") -> Mapping[str, Any]:
    """The last message of a stored turn. Error details are not stored, so an error is generic here."""
    ended_well = not record["is_error"] or record["outcome"] == "blocked"
    if not ended_well:
        return _failed(FootnoteError(), record, record["result"]["final_response"])
    made = make_reply(record, texts, llm)
    return _done(_claimed(made) if answer_format == "json" else made)


def _quote(made: AskResponse) -> Mapping[str, Any]:
    cited = {citation.chunk_id for citation in made.citations}
    shown = made.model_copy(update={"hits": [hit for hit in made.hits if hit.chunk_id in cited]})
    return {"type": "quote", "content": made.answer, **shown.model_dump(include={"tier", "citations", "hits"})}


def _done(made: AskResponse) -> Mapping[str, Any]:
    return {"type": "done", **made.model_dump(exclude={"debug"} if made.debug is None else set())}


def _failed(error: FootnoteError, record: TurnRecord, text: str) -> Mapping[str, Any]:
    return {
        "type": "error",
        "problem": error.type,
        "content": error.title,
        "detail": f"{error.detail} (trace {record['trace_id']})",
        "final_response": text,
        "usage": make_usage(record).model_dump(),
        "trace_id": record["trace_id"],
    }


def _record(turn: Turn) -> TurnRecord:
    return make_record(turn, "done" if turn.answer else "error", now=turn.trace.started_at)


def _debug(turn: Turn, record: TurnRecord, explained: Explanation, llm: LLM) -> dict[str, Any]:
    return {
        "language": turn.lang,
        "retriever": turn.plan.retriever,
        "latency_map": {span.name: round(span.ms, 2) for span in turn.trace.spans} | turn.trace.notes.get("latency_map", {}),
        "lists_missing": turn.trace.notes.get("lists_missing", []),
        "steps": [step.model_dump(exclude_none=True) for step in make_steps(record, llm)],
        "plan": explained.as_json(),
    }


def _claimed(reply: AskResponse) -> AskResponse:
    """The response with its answer split into claims: the text before each marker, with the punctuation after it and the
    documents of that marker, or of several adjacent ones. A text that does not answer claims nothing."""
    text = str(reply.answer)
    if reply.tier != "answer":
        return reply.model_copy(update={"answer": ClaimedAnswer(answer=text, claims=[])})
    claims: list[Claim] = []
    at = 0
    for start, end, doc_id in sorted((*span, citation.doc_id) for citation in reply.citations for span in citation.spans):
        before = text[at:start].strip()
        if before or not claims:
            claims.append(Claim(text=before, doc_ids=[doc_id]))
        elif doc_id not in claims[-1].doc_ids:
            claims[-1].doc_ids.append(doc_id)
        at = end
        if mark := END_MARK.match(text, end):
            claims[-1].text += mark[1]
            at = mark.end()
    return reply.model_copy(update={"answer": ClaimedAnswer(answer=text, claims=claims)})
