"""`/v2/{rag,gpt,pa,vision}/query`: conversations over documents, without documents, with tools and about images, streamed as
server-sent events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from footnote.answer.small_talk import without_search
from footnote.errors import BadRequest, Forbidden
from footnote.ports import RequestKey
from footnote.types import Caller, Mode, Profile, Request, Turn
from footnote_http.callers import AskerOf, CallerOf, CoreOf, TraceId
from footnote_http.idempotency import IdempotencyKey, request_key
from footnote_http.openapi import problems, shaped, streamed
from footnote_http.routes import Router
from footnote_http.sse import stream_events
from footnote_query.dialects.chat_core.events import done, error_body
from footnote_query.dialects.chat_core.wire import QueryError, QueryEvent, QueryRequest, TokenCount, VisionRequest
from footnote_query.framing import Events

if TYPE_CHECKING:
    from footnote.bootstrap import Core

RAG = Profile(
    "chat_core",
    live=True,
    citation_style="references",
    prompt="system",
    question_prompt="answer_references",
    limit=100,
    temperature=0.2,
    context_tokens=1950,
    least_share=0.3,
    history=4,
    room_prompt=True,
    search_cache_s=900,
    options={"rewrite_always": True, "search_cache": True, "quotes": False},
)
"""Of the hundred passages that are searched for, a model reads a dozen at most (`python -m bench.prompts`)."""
CONVERSATION = 6000
"""Tokens of the conversation where no passages stand beside it."""
GPT = replace(RAG, citation_style="plain", question_prompt=None, history=20, context_tokens=CONVERSATION)
"""Without documents the model sees as much of the conversation as fits, not only the last few exchanges."""
PA = replace(
    RAG,
    prompt="agent",
    citation_style="numbered",
    question_prompt=None,
    context_tokens=CONVERSATION,
    options={**RAG.options, "rewrite_always": False},
)
"""The agent sees the conversation and phrases its own searches."""
VISION = replace(GPT, prompt="vision", history=4)
PROFILES: Mapping[Mode, Profile] = {"rag": RAG, "gpt": GPT, "pa": PA, "vision": VISION}
ROUTES: tuple[Mode, ...] = ("rag", "gpt", "pa")
PATHS: Mapping[Mode, str] = {mode: f"/v2/{mode}/query" for mode in PROFILES}

STREAM = shaped(
    QueryError,
    {
        403: "The request names another user",
        409: "A request with the same Idempotency-Key is being answered",
        422: "Invalid request",
        500: "The conversation cannot be read",
        504: "A step timed out",
    },
) | streamed(QueryEvent)
router = Router("Chat core", errors=dict.fromkeys(PATHS.values(), error_body), images=[PATHS["vision"]])


def _query(mode: Mode) -> Callable[..., Awaitable[Response]]:
    async def query(
        request: QueryRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Answers a question. Messages: `step`, `debug`, `think`, `token`, then `done` or `error`."""
        user = as_user(caller, request.user_id)
        asked, profile = without_search(make_request(request, mode), PROFILES[mode])
        turn = core.new_turn(asked, user, profile, trace_id=trace_id)
        return await _stream(turn, core, request_key(idempotency_key, turn, PATHS[mode], request))

    return query


for _mode in ROUTES:
    router.post(PATHS[_mode], name=f"{_mode}_query", response_class=StreamingResponse, responses=STREAM)(_query(_mode))


@router.get("/v2/rag/tokens", name="count_tokens", responses=problems({403: "The request names another user"}))
async def tokens(
    room_id: Annotated[str, Query(max_length=200)],
    caller: CallerOf,
    core: CoreOf,
    user_id: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
) -> TokenCount:
    """Tokens that a conversation has used."""
    return TokenCount(tokens=await core.turns.tokens(as_user(caller, user_id), room_id))


@router.post(PATHS["vision"], name="vision_query", response_class=StreamingResponse, responses=STREAM)
async def vision(
    request: VisionRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, idempotency_key: IdempotencyKey = None
) -> Response:
    """Answers a question about images. Messages: `step`, `debug`, `think`, `token`, then `done` or `error`."""
    user = as_user(caller, request.user_id)
    asked = replace(make_request(request, "vision"), images=tuple(request.images))
    turn = core.new_turn(asked, user, VISION, trace_id=trace_id)
    return await _stream(turn, core, request_key(idempotency_key, turn, PATHS["vision"], request))


async def _stream(turn: Turn, core: Core, key: RequestKey | None) -> Response:
    turn, events = await core.run_once(turn, key)
    return await stream_events(events, Events(turn, done).encode, turn.trace_id)


def as_user(caller: Caller, user_id: str | None) -> Caller:
    """The caller under the requested user id. Forbidden for another user's id, unless sign-in is off: then any id is accepted."""
    if user_id is None or user_id == caller.user_id:
        return caller
    if not caller.sees_all:
        raise Forbidden("user_id is not the signed-in user. Omit user_id.")
    return replace(caller, user_id=user_id)


def make_request(asked: QueryRequest, mode: Mode) -> Request:
    """The turn's request. BadRequest for contradictory fields."""
    if asked.search_type not in (None, mode):
        raise BadRequest(f"search_type is “{asked.search_type}”, but this route only accepts “{mode}”. Omit search_type.")
    if asked.metadata_filter_values and not asked.metadata_filter_key:
        raise BadRequest("metadata_filter_values requires metadata_filter_key, the field to filter by.")
    key, values = asked.metadata_filter_key, tuple(asked.metadata_filter_values)
    return Request(
        question=asked.query,
        collection=asked.collection_name or "",
        mode=mode,
        limit=asked.top_k,
        filters={key: values} if key and values else {},
        levels=(2,) if asked.use_paragraph else (0, 1, 2),
        temperature=asked.temperature,
        room_id=asked.room_id,
        is_test=asked.is_test,
        tool_scope=asked.mcp_org,
        ask_kdb=True,
    )
