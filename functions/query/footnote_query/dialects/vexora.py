"""`POST /api/chat`: a chat over the documents where `rag` asks for it, else with the model alone; whole, or streamed with the sources
first. A citation `[n]` is the n-th of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel

from footnote.errors import BadRequest
from footnote.events import Answering, Done, Event, Think, Token
from footnote.text.message_kinds import kind_of, needs_search
from footnote.types import HYBRID, Caller, ChunkLevel, Citation, Conversation, Hit, OptionName, Profile, Request, Tier, Turn, tier_of
from footnote.types.request import Expansion
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.openapi import EVENTS, SLOW, events_of, schema_of
from footnote_http.routes import Router
from footnote_http.sse import stream_events
from footnote_query.citations import answer_text
from footnote_query.exchanges import exchanges_of
from footnote_query.framing import Events, Json, ProgressEvent, StreamError
from footnote_query.replies import TIER, WARNINGS, TokenEvent, TokensUsed, tokens_used_body

if TYPE_CHECKING:
    from footnote.bootstrap import Core

RAG = Profile(
    "vexora",
    live=True,
    citation_style="numbered_by_place",
    prompt="answer_numbered",
    limit=5,
    routed=True,
    pool_size=20,
    context_tokens=6000,
    understood_by=3,
    options={"faq": False, "follow_up": False, "graph": True, "verify_passages": True},
)
PLAIN = replace(RAG, citation_style="plain", prompt="system")
GRAPH: OptionName = "graph"
SNIPPET = 200
"""Characters of a passage that are shown with a source."""


class _Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class VexoraMessage(BaseModel):
    """A message of the conversation. Those of user and assistant count."""

    role: str
    content: str


class RagOptions(_Camel):
    """How the documents are used."""

    enabled: bool | None = Field(None, description="false: the model alone answers. Default: as `mode` says.")
    mode: Literal["manual", "automatic", "always"] = Field(
        "manual",
        description="manual = `enabled` decides; automatic = everything is searched for but small talk and requests to translate, rewrite,"
        " calculate or write something new; always = everything.",
    )
    query: str | None = Field(None, description="The question. Default: the last message of the user.")
    search_limit: int = Field(5, ge=1, le=100, description="Passages that the answer may use.")
    search_threshold: float = Field(
        0.1, ge=0, le=1, description="The lowest relevance of a passage; below 0.5 it has little to do with the question."
    )
    hybrid_alpha: float = Field(0.3, ge=0, le=1, description="Weight of vectors; the rest is that of words.")


class VexoraRequest(_Camel):
    """A request to `/api/chat`."""

    messages: list[VexoraMessage] = Field(max_length=1000, description="The conversation; the last message of the user is the question.")
    model: str | None = Field(None, max_length=200, description="The language model. Default: the configured one.")
    stream: bool = False
    rag: RagOptions | None = Field(None, description="Without it the model alone answers.")
    level_filter: list[ChunkLevel] | None = Field(
        None, min_length=1, description="Levels of passages: 0 document, 1 section, 2 paragraph. Default: as the question asks for."
    )
    enable_document_expansion: bool = Field(True, description="Show the model further passages of the best documents.")
    max_documents_to_expand: int = Field(3, ge=0, le=20)
    max_chunks_per_document: int = Field(20, ge=0, le=100)
    expansion_threshold: float = Field(0.3, ge=0, le=1, description="The lowest score of a passage whose document is expanded.")


class RAGSource(_Camel):
    """A passage that the answer is written from."""

    document_id: str
    document_name: str
    chunk_id: str
    page_number: int | None
    snippet: str = Field(
        description="200 characters: of the sentences that support the answer where it cites the passage, else of the passage's beginning."
    )
    level: ChunkLevel
    score: float = Field(description="Of the reranker, if there is one, else of the search; 0 for passages added by expansion.")
    hybrid_score: float | None = Field(None, description="Of the search, if a reranker gave `score`.")


class SearchResult(RAGSource):
    """A passage that was found."""

    content: str


class SearchResults(_Camel):
    """What was found, best first."""

    query: str
    results: list[SearchResult]
    total_results: int


class VexoraResponse(_Camel):
    """An answer."""

    message: str
    sources: list[RAGSource] = Field(description="What the answer is written from; the first one is `[1]`.")
    search_results: SearchResults
    has_relevant_sources: bool = Field(description="False: no passage answers, or nothing was searched for.")
    tier: Tier = Field(description=TIER)
    graph_enriched: bool | None = Field(None, description="Whether a graph found some of the results. Absent: none was searched.")
    graph_context: str | None = Field(None, description="What the graph says of their connections, a line each. Absent: nothing.")
    warnings: list[str] = Field(description=WARNINGS)
    usage: TokensUsed
    trace_id: str = Field(alias="trace_id")
    degraded: bool = Field(description="True: a part failed and the turn continued without it.")
    persisted: bool


class SourcesEvent(BaseModel, defer_build=True):
    """The first message of a stream."""

    type: Literal["sources"]
    sources: list[RAGSource]


class VexoraDone(VexoraResponse, defer_build=True):
    """The last message of a turn that succeeded."""

    type: Literal["done"]


class VexoraEvent(RootModel[Any], defer_build=True):
    """A message of a streamed reply."""

    root: Annotated[SourcesEvent | ProgressEvent | TokenEvent | VexoraDone | StreamError, Field(discriminator="type")]


REPLY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; server-sent events with `stream`",
        "content": {"application/json": {"schema": schema_of(VexoraResponse)}, EVENTS: {"schema": events_of(VexoraEvent)}},
    }
}
router = Router("Asking")


@router.post("/api/chat", name="vexora_chat", response_model=None, responses=SLOW | REPLY)
async def chat(request: VexoraRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> Response:
    """Answers the last message, from documents where `rag` asks for it."""
    turn = make_turn(request, caller, core, trace_id)
    if request.stream:
        return await stream_events(core.answer.run(turn), SourcesFirst(turn).encode, trace_id)
    made = reply(await core.answer.finish(turn))
    return JSONResponse(made.model_dump(by_alias=True, exclude_none=True), headers={"x-trace-id": trace_id})


def make_turn(asked: VexoraRequest, caller: Caller, core: Core, trace_id: str) -> Turn:
    """The turn for a request. BadRequest without a question."""
    rag = asked.rag or RagOptions()
    said = [(message.role, message.content) for message in asked.messages if message.role in ("user", "assistant")]
    last = next((place for place in reversed(range(len(said))) if said[place][0] == "user"), None)
    question = rag.query or (said[last][1] if last is not None else None)
    if question is None:
        raise BadRequest("There is no message with role user.")
    earlier = exchanges_of(said[: last or 0])
    searches = rag.mode != "manual" if rag.enabled is None else rag.enabled
    chats = rag.mode == "automatic" and not needs_search(question) and kind_of(question, goes_on=bool(earlier)) != "about_answer"
    request = Request(question, model=asked.model, limit=RAG.limit)
    if not searches or chats:
        turn = core.new_turn(
            replace(request, mode="gpt", options={"greet": chats}), caller, replace(PLAIN, live=asked.stream), trace_id=trace_id
        )
        return replace(turn, conversation=Conversation(earlier))
    request = replace(
        request,
        limit=rag.search_limit,
        threshold=rag.search_threshold,
        alpha=rag.hybrid_alpha,
        levels=None if asked.level_filter is None else tuple(asked.level_filter),
        expansion=Expansion(asked.max_documents_to_expand, asked.max_chunks_per_document, asked.expansion_threshold),
        options={"expand_documents": asked.enable_document_expansion},
    )
    turn = core.new_turn(request, caller, replace(RAG, live=asked.stream), trace_id=trace_id)
    return replace(turn, conversation=Conversation(earlier))


class SourcesFirst:
    """Encodes one turn's events; the first message has the sources. Progress before it is left out: the search is short."""

    def __init__(self, turn: Turn) -> None:
        self._events = Events(turn, done)
        self._sent = False

    def encode(self, event: Event) -> Iterator[Json]:
        """Returns the messages for one event."""
        messages = list(self._events.encode(event))
        if isinstance(event, Answering | Think | Token | Done) and not self._sent:
            self._sent = True
            hits = event.hits if isinstance(event, Answering) else ()
            yield {"type": "sources", "sources": [_dumped(source) for source in sources_of(hits)]}
        if self._sent:
            yield from messages


def done(turn: Turn) -> Json:
    """The last message of a turn that succeeded: a `VexoraDone`."""
    return {"type": "done", **_dumped(reply(turn))}


def reply(turn: Turn) -> VexoraResponse:
    """The response for a finished turn."""
    hits, tier = turn.evidence.hits, tier_of(turn.outcome)
    citations = turn.answer.citations if turn.answer else ()
    blocked = turn.outcome in ("blocked", "forbidden")
    return VexoraResponse(
        message=answer_text(turn),
        sources=[] if blocked else sources_of(turn.evidence.citable, citations),
        search_results=SearchResults(
            query=turn.asked,
            results=[
                SearchResult(**source.model_dump(), content=hit.chunk.text)
                for hit, source in zip(hits, sources_of(hits, citations), strict=True)
            ],
            total_results=len(hits),
        ),
        has_relevant_sources=bool(hits) and tier == "answer",
        tier=tier,
        graph_enriched=any(GRAPH in hit.scores for hit in hits) if any(found.source == GRAPH for found in turn.evidence.lists) else None,
        graph_context="\n".join(fact.text for fact in turn.evidence.facts) or None,
        warnings=list(turn.answer.warnings) if turn.answer else [],
        usage=tokens_used_body(turn),
        trace_id=turn.trace_id,
        degraded=turn.trace.degraded,
        persisted=turn.trace.persisted,
    )


def sources_of(hits: Sequence[Hit], citations: Sequence[Citation] = ()) -> list[RAGSource]:
    """The passages as sources, in their order. `citations`: of the answer, once it is written."""
    evidence = {citation.hit.chunk.chunk_id: citation.snippet for citation in citations}
    return [
        RAGSource(
            document_id=hit.chunk.doc_id,
            document_name=str(hit.chunk.metadata.get("file_name", hit.chunk.shown_title)),
            chunk_id=hit.chunk.public_id,
            page_number=hit.chunk.page,
            snippet=evidence.get(hit.chunk.chunk_id, hit.chunk.text)[:SNIPPET],
            level=hit.chunk.level,
            score=round(hit.score, 4),
            hybrid_score=round(hit.scores[HYBRID], 4) if HYBRID in hit.scores else None,
        )
        for hit in hits
    ]


def _dumped(model: BaseModel) -> Json:
    return model.model_dump(by_alias=True, exclude_none=True)
