"""`/ask` and `/ask/stream`: answers with footnotes by document id. A stream that broke off is resumed from `Last-Event-ID`, which
EventSource sends when it reconnects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Header, Query, Response
from fastapi import Request as HttpRequest
from fastapi.responses import StreamingResponse

from footnote.errors import NotFound
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.steps import last_turn
from footnote.text.message_kinds import kind_of, needs_search
from footnote.turn_records.make import make_record
from footnote.types import Caller, OptionName, Profile, Request, Turn
from footnote_http.callers import AskerOf, CallerOf, CoreOf, TraceId
from footnote_http.idempotency import IdempotencyKey, request_key
from footnote_http.openapi import NOT_FOUND, ONCE, SLOW, streamed
from footnote_http.routes import Router
from footnote_http.sse import stream_end, stream_events
from footnote_http.streams import LAST, Streams, read_event_id
from footnote_query.dialects.trd.replies import encode, encode_stored, reply
from footnote_query.dialects.trd.wire import Answers, AskEvent, AskQuery, AskRequest, AskStreamRequest
from footnote_query.replies import AskResponse
from footnote_query.tools import ORGANISATION

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")

HELD = Profile(
    "trd",
    live=False,
    citation_style="footnote",
    prompt="answer_footnote",
    first_token_s=15,
    history=4,
    answer_cache_s=60,
    options={"answer_cache": True, "answer_without_search": True, "critique": True, "feedback_hints": True},
)
LIVE = replace(HELD, live=True)
QUOTING = replace(LIVE, quotes_first=True, first_token_s=None)

CONVERSES: Mapping[str, Any] = {"prompt": "system", "context_tokens": 6000}
BY_MODE: Mapping[Answers, Mapping[str, Any]] = {
    "rag": {},
    "gpt": {**CONVERSES, "citation_style": "plain", "history": 20},
    "pa": {**CONVERSES, "citation_style": "numbered", "options": {"answer_cache": True}},
}
"""Changes to the profile per mode."""
NUMBERED: Mapping[str, Any] = {"citation_style": "numbered", "prompt": "answer_numbered"}

STREAM = NOT_FOUND | SLOW | ONCE | streamed(AskEvent) | {204: {"description": "There is nothing after `Last-Event-ID`"}}


def _streams_of(request: HttpRequest) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


StreamsOf = Annotated[Streams, Depends(_streams_of)]
AskQueryOf = Annotated[AskQuery, Query()]
LastEventId = Annotated[str | None, Header(description="The last event `id` received: the stream resumes after it.")]


@router.post("/ask", name="ask", responses=SLOW | ONCE)
async def ask(
    request: AskRequest, response: Response, caller: AskerOf, core: CoreOf, trace_id: TraceId, idempotency_key: IdempotencyKey = None
) -> AskResponse:
    """Answers a question and cites documents by id (`[^DOC]`)."""
    turn = ask_turn(request, caller, HELD, core, trace_id)
    turn, events = await core.run_once(turn, request_key(idempotency_key, turn, "/ask", request))
    response.headers["x-trace-id"] = turn.trace_id
    turn = await last_turn(events)
    explained = core.explain_ended(turn) if request.debug else None
    return reply(turn, core.settings.llm, explained=explained, answer_format=request.answer_format)


@router.post("/ask/stream", name="ask_stream", response_class=StreamingResponse, responses=STREAM)
async def ask_stream(
    request: AskStreamRequest,
    caller: AskerOf,
    core: CoreOf,
    trace_id: TraceId,
    streams: StreamsOf,
    last_event_id: LastEventId = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """`POST /ask` as server-sent events: `step`, `node`, with `quote: true` one `quote`, `think`, `token`, then `done` or
    `error`."""
    if last_event_id:
        return await _resume(last_event_id, caller, core, streams, request.answer_format)
    turn = ask_turn(request, caller, QUOTING if request.quote else LIVE, core, trace_id)
    turn, events = await core.run_once(turn, request_key(idempotency_key, turn, "/ask/stream", request))
    stream = streams.start(turn.trace_id, caller.user_id, events, lambda: core.answer.stop(turn.trace_id))
    explain = core.explain_ended if request.debug else None
    encoded = partial(encode, llm=core.settings.llm, explain=explain, answer_format=request.answer_format)
    return await stream_events(stream.after(-1), encoded, turn.trace_id, first=0)


@router.get("/ask/stream", name="ask_stream_get", response_class=StreamingResponse, responses=STREAM)
async def ask_stream_get(
    request: AskQueryOf, caller: AskerOf, core: CoreOf, trace_id: TraceId, streams: StreamsOf, last_event_id: LastEventId = None
) -> Response:
    """`POST /ask/stream` for clients that can only send GET, such as EventSource."""
    return await ask_stream(request, caller, core, trace_id, streams, last_event_id)


@router.delete("/ask/stream/{trace_id}", name="stop_stream", status_code=204, responses=NOT_FOUND)
async def stop_stream(trace_id: str, caller: CallerOf, core: CoreOf, streams: StreamsOf) -> None:
    """Stops the answer of a stream: the language model's call ends, and the turn is stored as far as it came."""
    if streams.find(trace_id, caller.user_id) is None:
        raise NotFound("There is no such stream.")
    core.answer.stop(trace_id)


def ask_turn(request: AskRequest, caller: Caller, profile: Profile, core: Core, trace_id: str) -> Turn:
    """The turn to run: its caller narrowed to the requested groups, its profile adapted to the mode. What needs no
    document is not searched for, and left to the model unless it is about the last answer of a conversation."""
    chats = request.mode == "rag" and request.search == "automatic" and not needs_search(request.query_text)
    goes_on = kind_of(request.query_text, goes_on=request.room_id is not None) == "about_answer"
    mode: Answers = "gpt" if chats and not goes_on else request.mode
    options: dict[OptionName, bool] = {"greet": True} if chats else {}
    if not request.spelling:
        options["spelling"] = False
    asked = Request(
        question=request.query_text,
        collection=request.index_name,
        mode=mode,
        asked_mode=request.mode,
        retriever=None if request.any_retriever else request.retriever,
        limit=request.num_result_doc,
        model=request.model,
        room_id=request.room_id,
        level=request.intelligence_level,
        tool_scope=ORGANISATION if request.mode == "pa" else "",
        options=options,
    )
    narrowed = caller.narrowed(tuple(request.permission_groups))
    numbered = NUMBERED if mode == "rag" and request.citation_style == "numbered" else {}
    profile = replace(profile, retriever=request.retriever or core.settings.retriever, **BY_MODE[mode], **numbered)
    return core.new_turn(asked, narrowed, profile, trace_id=trace_id)


async def _resume(last_event_id: str, caller: Caller, core: Core, streams: Streams, answer_format: str) -> Response:
    """Streams what follows that event: from the running turn, after its `quote`, if there was one; else the stored turn's last message;
    204 if there is nothing more.
    NotFound if the turn is unknown or another user's, or if that event was never sent."""
    trace_id, number = read_event_id(last_event_id)
    stream = streams.find(trace_id, caller.user_id)
    if number == LAST or (stream is not None and stream.ends_with(number)):
        return Response(status_code=204)
    if stream is not None and number >= len(stream):  # never sent, and it may never come
        raise NotFound("There is no such stream. Send the question again.")
    if stream is not None and stream.ended is not None:  # documents may have been withdrawn since it was sent
        shown = [turn for turn in (stream.ended, stream.ended.quoted) if turn is not None]
        records = [make_record(turn, "done", now=core.clock()) for turn in shown]
        readable = await read_again(records, caller, index=core.index, ledger=core.ledger)
        if any(record["outcome"] == WITHDRAWN for record in readable.records):
            return stream_end(encode_stored(readable.records[0], readable.texts, core.settings.llm, answer_format), trace_id)
    if stream is not None:
        encoded = partial(encode, llm=core.settings.llm, answer_format=answer_format)
        return await stream_events(stream.after(number), encoded, trace_id, first=number + 1, again=stream.quoted_until(number))
    try:
        record = await core.turns.get(caller, trace_id)
    except NotFound as exc:
        raise NotFound("There is no such stream. Send the question again.") from exc
    if record["user_id"] != caller.user_id or record["status"] == "idle":  # running in another process, or interrupted
        raise NotFound("There is no such stream. Send the question again.")
    readable = await read_again([record], caller, index=core.index, ledger=core.ledger)
    return stream_end(encode_stored(readable.records[0], readable.texts, core.settings.llm, answer_format), trace_id)
