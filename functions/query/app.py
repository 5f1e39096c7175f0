"""The query function: questions in, cited answers out, and the page. Routes only.

In AWS this app runs under the Lambda Web Adapter, which streams; locally under uvicorn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Header, Query, Response
from fastapi.responses import FileResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from footnote_http.app import add_health, make_app
from footnote_http.callers import AskerOf, CallerOf, CoreOf, TraceId
from footnote_http.openapi import problems, streamed
from footnote_http.sse import stream_events
from footnote_http.start import start
from footnote_http.streams import Streams
from query.admin import add_admin
from query.collections import CollectionList
from query.conversations import NOT_FOUND, add_conversations
from query.dialects import chat_service, trd
from query.dialects.chat_core import add_chat_core
from query.dialects.dify import add_dify
from query.dialects.openai import add_openai
from query.dialects.vision import add_vision
from query.forbidden_terms import add_forbidden_terms
from query.mcp_route import add_mcp
from query.my_data import add_my_data
from query.preferences import add_preferences
from query.replies import AskResponse
from query.resource import add_resource
from query.resume import resume
from query.retrieval import find_hits
from query.sessions import add_sessions
from query.traces import add_traces

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.types import Retriever

LastEventId = Annotated[str | None, Header(description="The last `id` that was read: the stream goes on after it.")]

SLOW = problems({504: "A step took too long"})
STREAM = NOT_FOUND | SLOW | streamed(trd.AskEvent) | {204: {"description": "Nothing follows the `Last-Event-ID`"}}

WEB = Path(__file__).parent / "web"
OPENAPI = Path(__file__).parent / "openapi.json"


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    app = make_app("Footnote: query", core)
    app.state.renders_prompts = True
    add_health(app, "query")

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(WEB / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    async def reference() -> FileResponse:
        return FileResponse(WEB / "reference.html", headers={"cache-control": "no-cache"})

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> FileResponse:
        """Of all functions, as they are reached at one address: `footnote_local.openapi` writes it."""
        return FileResponse(OPENAPI, headers={"cache-control": "no-cache"})

    app.mount("/web", StaticFiles(directory=WEB), name="web")

    @app.get("/collections", name="list_collections", tags=["Asking"])
    async def collections(caller: CallerOf, core: CoreOf) -> CollectionList:
        """What may be asked: the indexes with something in them, and three questions on each."""
        return CollectionList.model_validate({"data": await core.collections(caller)})

    @app.post("/ask", name="ask", tags=["Asking"], responses=SLOW)
    async def ask(request: trd.AskRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> AskResponse:
        """Answers a question, cited by document id (`[^DOC]`)."""
        turn = trd.ask_turn(request, caller, trd.HELD, core, trace_id)
        turn = await core.answer.finish(turn)
        return trd.reply(turn, core.settings.llm, debug=request.debug, answer_format=request.answer_format)

    streams = app.state.streams = Streams()

    @app.post("/ask/stream", name="ask_stream", tags=["Asking"], response_class=StreamingResponse, responses=STREAM)
    async def ask_stream(
        request: trd.AskRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, last_event_id: LastEventId = None
    ) -> Response:
        """The same as server-sent events: `step`, `node`, `think`, `token`, `done` or `error`."""
        if last_event_id:
            return await resume(last_event_id, caller, core, streams)
        turn = trd.ask_turn(request, caller, trd.LIVE, core, trace_id)
        stream = streams.start(trace_id, caller.user_id, core.answer.run(turn))
        return await stream_events(stream.after(-1), partial(trd.encode, llm=core.settings.llm), trace_id, first=0)

    @app.get("/ask/stream", name="ask_stream_get", tags=["Asking"], response_class=StreamingResponse, responses=STREAM)
    async def ask_stream_get(
        request: Annotated[trd.AskQuery, Query()], caller: AskerOf, core: CoreOf, trace_id: TraceId, last_event_id: LastEventId = None
    ) -> Response:
        """The same for clients that can only GET, such as EventSource."""
        return await ask_stream(request, caller, core, trace_id, last_event_id)

    add_chat_core(app)
    add_vision(app)
    add_traces(app)
    add_sessions(app)
    add_resource(app)
    add_conversations(app)
    add_my_data(app)
    add_preferences(app)
    add_admin(app)
    add_forbidden_terms(app)
    add_openai(app)
    add_dify(app)
    add_mcp(app)

    def retrieve(retriever: Retriever) -> Callable[..., Any]:
        async def search(request: trd.RetrieveRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> dict[str, Any]:
            """The passages that a question finds, in the shape of an Elasticsearch search response."""
            turn = await find_hits(trd.retrieve_turn(request, caller, trace_id, retriever, core.clock()), core)
            return trd.search_reply(turn, request.fields_exclude)

        return search

    for retriever in ("rrf", "bm25", "knn", "cc"):
        app.post(
            f"/retrieve-{retriever}", name=f"retrieve_{retriever}", tags=["Searching"], response_model=trd.SearchResponse, responses=SLOW
        )(retrieve(retriever))

    @app.post("/chat", name="chat", tags=["Asking"], responses=SLOW)
    async def chat(request: chat_service.ChatRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> chat_service.ChatResponse:
        """Answers a question with numbered citations."""
        turn = chat_service.chat_turn(request, caller, core, trace_id)
        return chat_service.reply(await core.answer.finish(turn))

    return app


app = start(create_app(), "query")
