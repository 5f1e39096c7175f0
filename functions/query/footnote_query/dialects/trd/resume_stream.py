"""Resumes an interrupted `/ask/stream` from `Last-Event-ID`, which EventSource sends when it reconnects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fastapi import Response

from footnote.errors import NotFound
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.turn_records.make import make_record
from footnote.types import Caller
from footnote_http.sse import stream_end, stream_events
from footnote_http.streams import LAST, Streams, read_event_id
from footnote_query.dialects.trd.replies import encode, encode_stored

if TYPE_CHECKING:
    from footnote.bootstrap import Core


async def resume(last_event_id: str, caller: Caller, core: Core, streams: Streams, answer_format: str) -> Response:
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
