"""`/v2/{rag,gpt,pa}/query`: a conversation over documents, without them, or with tools, as server-sent events."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import FastAPI, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, RootModel

from footnote.answer.messages import message
from footnote.errors import BadRequest, Forbidden, StoreUnavailable
from footnote.events import Done, Event, Failed, Rewritten, StepFinished, StepStarted, Think, Token
from footnote.guard.input_guard import clean_question
from footnote.types import Caller, Citation, Hit, Mode, Profile, Turn, Usage
from footnote_http.app import shape_errors
from footnote_http.callers import AskerOf, CallerOf, CoreOf, TraceId
from footnote_http.openapi import Problem, problems, shaped, streamed
from footnote_http.sse import stream_events
from query.citations import answer_text, source_name

if TYPE_CHECKING:
    from footnote.bootstrap import Core

Json = dict[str, Any]

RAG = Profile(
    "chat_core",
    live=True,
    citation_style="references",
    prompt="system",
    question_prompt="answer_references",
    limit=100,
    temperature=0.2,
    context_tokens=6000,
    history=4,
    history_in_prompt=True,
    rewrite_always=True,
    search_cache_s=900,
    quotes_instead=False,
)
GPT = replace(RAG, citation_style="plain", question_prompt=None, history=20, search_cache_s=0)
"""Of a conversation without documents as much as fits is shown, not only what a question is understood by."""
PA = replace(RAG, citation_style="numbered", question_prompt=None, rewrite_always=False)
"""The agent sees the conversation, and words its searches itself."""
NEAREST = 3
"""Passages that are shown where none answers."""
SNIPPET = 200
"""Characters of each."""
ORGANISATION = "GO_RAG"
"""Whose tools may be used where a request names nobody's."""
VISION = replace(GPT, prompt="vision", history=4)
PROFILES: Mapping[Mode, Profile] = {"rag": RAG, "gpt": GPT, "pa": PA, "vision": VISION}
ROUTES: tuple[Mode, ...] = ("rag", "gpt", "pa")

UNDERSTANDING = {
    "en": "Understanding the intent of the user's question…",
    "de": "Die Absicht der Frage wird ermittelt…",
    "ko": "사용자 질문의 의도를 파악하는 중…",
}
SEARCHING = {"en": "Searching for relevant documents…", "de": "Passende Dokumente werden gesucht…", "ko": "관련 문서를 검색하는 중…"}
ANSWERING = {"en": "Generating an answer…", "de": "Eine Antwort wird geschrieben…", "ko": "답변을 생성하는 중…"}
CALLING = {"en": "Calling a tool: {}…", "de": "Ein Werkzeug wird aufgerufen: {}…", "ko": "도구를 호출하는 중: {}…"}


class QueryRequest(BaseModel):
    collection_name: str | None = Field(None, min_length=1, description="The collection; by default the configured one.")
    query: str = Field(description="The question.")
    room_id: str | None = Field(None, max_length=200, description="The conversation. Without one the question stands alone.")
    user_id: str | None = Field(
        None, min_length=1, max_length=200, description="Who asks; where there is a sign-in, nobody else than them."
    )
    search_type: Mode | None = Field(None, description="The route's own; anything else is refused.")
    mcp_org: str = Field(ORGANISATION, max_length=200, description="The organisation whose tools may be used.")
    use_paragraph: bool = Field(True, description="Search paragraphs; false: openings of sections and outlines of documents, too.")
    metadata_filter_key: str | None = Field(None, max_length=200, description="A field of the documents' metadata …")
    metadata_filter_values: list[str] = Field([], max_length=100, description="… and the values that it may have; [] = any.")
    top_k: int = Field(100, ge=1, le=1000, description="Passages that are looked at; those that fit are shown to the model.")
    temperature: float | None = Field(None, ge=0, le=2, description="Spread of the wording; by default 0.2.")
    is_test: bool = Field(False, description="True: nothing is stored, nothing counted.")


class TokenCount(BaseModel):
    tokens: int


class Told(BaseModel, defer_build=True):
    """What is going on: a step, a note for those who look for faults, or what the model thinks aloud."""

    type: Literal["step", "debug", "think"]
    id: str
    content: str


class TokenEvent(BaseModel, defer_build=True):
    """A piece of the answer."""

    type: Literal["token"]
    content: str


class TokensUsed(BaseModel, defer_build=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Reference(BaseModel, defer_build=True):
    index: int = Field(description="The number by which the answer's source was named, from 1.")
    p_id: str
    file_name: str
    page: int | None
    score: float
    context: str
    metadatas: dict[str, Any]


class QueryDone(BaseModel, defer_build=True):
    type: Literal["done"]
    search_type: Mode
    final_response: str
    usage: TokensUsed
    references: list[Reference]
    nearest: list[Reference] = Field(description="Where no passage answers: those that came nearest.")
    warnings: list[str] = Field(description="What the checks of the answer found, such as `unsupported`; [] = nothing.")
    trace_id: str
    degraded: bool
    vectors_pending: bool = Field(description="True: vectors of passages that you may read are still being made.")
    persisted: bool


class QueryError(BaseModel, defer_build=True):
    """The last message of a turn that failed, and the body where it failed before anything was sent."""

    type: Literal["error"]
    content: str
    detail: str
    final_response: str
    usage: TokensUsed


class QueryEvent(RootModel[Any], defer_build=True):
    """A message of a `/v2` stream."""

    root: Annotated[Told | TokenEvent | QueryDone | QueryError, Field(discriminator="type")]


ERRORS = shaped(
    QueryError,
    {
        401: "Nobody has signed in, or their time is over",
        403: "The body names another user",
        413: "The body is too long",
        422: "The request cannot be used",
        429: "Too many requests",
        500: "The conversation cannot be read",
        503: "A part is down",
        504: "A step took too long",
    },
)
STREAM = streamed(QueryEvent)


def add_chat_core(app: FastAPI) -> None:
    for search_type in ROUTES:
        path = f"/v2/{search_type}/query"
        shape_errors(app, path, error_body)
        route = app.post(path, name=f"{search_type}_query", tags=["Chat core"], response_class=StreamingResponse, responses=ERRORS | STREAM)
        route(_query(search_type))

    @app.get("/v2/rag/tokens", name="count_tokens", tags=["Chat core"], responses=problems({403: "The request names another user"}))
    async def tokens(
        room_id: Annotated[str, Query(max_length=200)],
        caller: CallerOf,
        core: CoreOf,
        user_id: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
    ) -> TokenCount:
        """What a conversation has used."""
        return TokenCount(tokens=await core.turns.tokens(as_user(caller, user_id), room_id))


def _query(search_type: Mode) -> Callable[..., Awaitable[Response]]:
    async def query(request: QueryRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> Response:
        """Answers a question: `step`, `debug`, `think`, `token`, `done` or `error`."""
        turn = query_turn(request, search_type, as_user(caller, request.user_id), core, trace_id)
        return await stream_events(core.answer.run(turn), Events(turn).encode, trace_id)

    return query


def as_user(caller: Caller, user_id: str | None) -> Caller:
    """Without a sign-in people are who they say they are; Forbidden for somebody else's name elsewhere."""
    if user_id is None or user_id == caller.user_id:
        return caller
    if not caller.sees_all:
        raise Forbidden("The request names another user than the one who has signed in. Leave user_id out.")
    return replace(caller, user_id=user_id)


def query_turn(request: QueryRequest, search_type: Mode, caller: Caller, core: Core, trace_id: str) -> Turn:
    if request.search_type not in (None, search_type):
        raise BadRequest(f"search_type is “{request.search_type}”, but this route answers “{search_type}”. Leave it out.")
    if request.metadata_filter_values and not request.metadata_filter_key:
        raise BadRequest("metadata_filter_values needs metadata_filter_key: the field that has one of them.")
    key, values = request.metadata_filter_key, tuple(request.metadata_filter_values)
    return Turn(
        trace_id=trace_id,
        caller=caller,
        profile=PROFILES[search_type],
        question=request.query,
        collection=request.collection_name or core.settings.index_name,
        mode=search_type,
        limit=request.top_k,
        filters={key: values} if key and values else {},
        levels=(2,) if request.use_paragraph else (0, 1, 2),
        temperature=request.temperature,
        room_id=request.room_id,
        is_test=request.is_test,
        tool_scope=request.mcp_org if core.settings.mcp.mcp_enabled else "",
        ask_kdb=core.settings.kdb.url is not None,
        started_at=core.clock(),
    )


class Events:
    """A turn's events as this API's objects. What a step is called follows the question's language."""

    def __init__(self, turn: Turn) -> None:
        self._lang = "en"
        self._question = turn.question
        self._queries: tuple[str, ...] = ()
        self._searching = self._spoken = False

    def encode(self, event: Event) -> Iterator[Json]:
        match event:
            case StepFinished("language", detail=detail):
                self._lang = str(detail.get("language", "en"))
                yield self._step(UNDERSTANDING)
            case Rewritten(queries):
                self._queries = queries
            case StepStarted("embed" | "remote" | "kdb" | "search") if not self._searching:
                self._searching = True
                queries = self._queries or (clean_question(self._question),)
                yield _told("debug", "Query rewriting complete: " + ", ".join(f'"{query}"' for query in queries))
                yield self._step(SEARCHING)
            case StepStarted("answer" | "extract"):
                yield self._step(ANSWERING)
            case StepStarted(name) if name.startswith(("round", "tool:")):
                yield self._agent_step(name.partition("#")[0])
            case Think(text):
                yield _told("think", text)
            case Token(text):
                self._spoken = True
                yield {"type": "token", "content": text}
            case Done(turn):
                if not self._spoken:
                    yield {"type": "token", "content": answer_text(turn)}
                if told := _nearest_told(turn):
                    yield {"type": "token", "content": told}
                yield done(turn)
            case Failed(error, turn, text):
                yield failed(f"An error occurred: {error.title}", error.detail, turn.trace_id, text, turn.usage)

    def _agent_step(self, name: str) -> Json:
        if name == "round":
            return self._step(ANSWERING)
        tool = name.removeprefix("tool:")
        return self._step(SEARCHING) if tool == "search_documents" else self._step(CALLING, tool)

    def _step(self, text: Mapping[str, str], *values: str) -> Json:
        return _told("step", text.get(self._lang, text["en"]).format(*values))


def _told(kind: str, text: str) -> Json:
    return {"type": kind, "id": str(uuid.uuid4()), "content": text}


def done(turn: Turn) -> Json:
    return {
        "type": "done",
        "search_type": turn.mode,
        "final_response": answer_text(turn) + _nearest_told(turn),
        "usage": _usage(turn.usage),
        "references": [_reference(citation) for citation in (turn.answer.citations if turn.answer else ())],
        "nearest": [_reference(_opening(number, hit)) for number, hit in enumerate(_nearest(turn), start=1)],
        "warnings": list(turn.answer.warnings) if turn.answer else [],
        "trace_id": turn.trace_id,
        "degraded": turn.degraded,
        "vectors_pending": turn.vectors_pending,
        "persisted": turn.persisted,
    }


def _nearest(turn: Turn) -> Sequence[Hit]:
    """The passages that were found, where none of them answers the question."""
    return turn.hits[:NEAREST] if turn.mode == "rag" and turn.outcome == "refused" else ()


def _nearest_told(turn: Turn) -> str:
    """How to rephrase, and the nearest passages, below a refusal of ours. A model words its own."""
    hits = _nearest(turn) if turn.answer and turn.answer.extractive else ()
    if not hits:
        return ""
    lines = [f"- {source_name(hit.chunk)}: {_opening(0, hit).snippet}" for hit in hits]
    return "\n\n".join(("", message("nearest", turn.lang), "\n".join(lines)))


def _opening(number: int, hit: Hit) -> Citation:
    """A passage by its first words."""
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
    return {"type": "error", "content": content, "detail": f"{detail} (trace {trace_id})", "final_response": text, "usage": _usage(usage)}


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, Json]:
    """A conversation that cannot be read is a 500 here, as in the API that this one follows."""
    status = 500 if isinstance(exc, StoreUnavailable) else problem.status
    said = f"A server error occurred: {problem.title}" if status >= 500 else problem.title
    return status, failed(said, problem.detail, problem.trace_id, "", Usage())


def _usage(usage: Usage) -> Json:
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "total_tokens": usage.total_tokens}
