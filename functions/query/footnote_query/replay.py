"""`POST /turns/{trace_id}/replay`: the question of a stored turn is asked again, and the two turns are compared. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest, NotFound
from footnote.memory.withdrawn import read_again
from footnote.plan import limit_of
from footnote.ports import FeedbackFilter
from footnote.steps import steps_of
from footnote.text.pii import mask_pii
from footnote.turn_records.compare import Side, hit_changes, step_changes, unmarked_text, word_changes
from footnote.turn_records.make import make_record
from footnote.turn_records.read import confidence_of, question_of, shown_title, standalone_of, started_at_of, step_usage_of
from footnote.turn_records.readable import needed_to_show, readable_documents
from footnote.types import (
    Caller,
    IntelligenceLevel,
    OptionName,
    Profile,
    Retriever,
    Stage,
    StoredHit,
    StoredSpan,
    Strategy,
    Tier,
    Turn,
    TurnRecord,
    Unit,
    usage_of,
)
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.openapi import NOT_FOUND, SLOW
from footnote_http.routes import Router
from footnote_query.dialects import chat_service, pipeline, vexora
from footnote_query.dialects.chat_core import routes as chat_core
from footnote_query.dialects.openai import turns as openai
from footnote_query.dialects.trd.ask import HELD, ask_turn
from footnote_query.dialects.trd.wire import AskRequest
from footnote_query.replies import TIER, WARNINGS, CitationBody, UsageBody, VerdictBody, make_reply

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.settings import LLM

router = Router("Conversations", responses=NOT_FOUND)

PROFILES: Mapping[str, Profile] = {
    each.name: each for each in (HELD, chat_core.RAG, chat_service.PROFILE, pipeline.CHAT, vexora.RAG, openai.PROFILE)
}
"""Of the APIs with a profile of their own. The others number their citations."""


class TurnReplayRequest(BaseModel):
    """What is to be different this time, by the fields of `/ask`; null = as it was asked."""

    model_config = ConfigDict(extra="forbid")

    level: IntelligenceLevel | None = Field(None, description="`intelligence_level` of `/ask`.")
    retriever: Retriever | None = None
    num_result_doc: Annotated[int, Field(ge=1, le=100)] | None = Field(None, description="Passages that the answer may use.")
    model: str | None = Field(None, description="A language model at the configured endpoint.")
    spelling: bool | None = Field(None, description="False: typos are not corrected.")


AS_IT_WAS = TurnReplayRequest()


class ReplayedPlan(BaseModel):
    """What a turn was going to do."""

    level: IntelligenceLevel
    strategy: Strategy | None = Field(description="How was searched; null = the question was not routed.")
    retriever: Retriever
    limit: int = Field(description="Passages that the answer may use.")
    options: list[OptionName] = Field(description="The optional parts that were on.")


class ReplayedTurn(BaseModel):
    """One of the two turns, by the fields of `/ask`'s reply."""

    answer: str
    citations: list[CitationBody]
    outcome: str
    tier: Tier = Field(description=TIER)
    verdict: VerdictBody | None
    confidence: float | None = Field(description="relevance × grounding, 0 to 1; null = it was not assessed.")
    extractive: bool
    model: str | None
    warnings: list[str] = Field(description=WARNINGS)
    latency_ms: float
    usage: UsageBody
    cost: float | None
    plan: ReplayedPlan | None = Field(description="null = it is not stored, or not for you.")


class WordRun(BaseModel):
    """Words of the answers, without the markers of citations."""

    side: Side = Field(description="Which answer has them.")
    text: str


class ReplayedHit(BaseModel):
    """A passage that one of the turns found."""

    chunk_id: str
    doc_id: str
    title: str
    page: int | None
    unit: Unit = Field("page", description="Unit of `page`.")
    section: str | None
    old: int | None = Field(description="Its rank in the stored turn; null = that one did not find it.")
    new: int | None = Field(description="Its rank now; null = it is not found any more.")


class ChangedOption(BaseModel):
    """An optional part that is on in one of the turns only."""

    name: OptionName
    is_on: bool = Field(description="Whether it is on now.")
    because: str = Field(description="What decided it now.")


class StepFigures(BaseModel):
    """What a step took."""

    ms: float
    status: str
    tokens: int = Field(description="Read and written by language models.")
    cost: float | None = Field(description="Of these tokens at current prices; null = a model has no price.")


class ReplayedStep(BaseModel):
    """A step that ran in one of the turns."""

    name: str
    stage: Stage
    old: StepFigures | None
    new: StepFigures | None


class TurnReplay(BaseModel):
    """A stored turn, and the same question asked again."""

    trace_id: str = Field(description="Of the stored turn.")
    question: str
    created_at: float = Field(description="When it was first asked.")
    old: ReplayedTurn
    new: ReplayedTurn
    words: list[WordRun] = Field(description="The difference of the answers, in the order of reading.")
    options: list[ChangedOption] = Field(description="What is on in one of the plans only; [] where the stored plan is null.")
    hits: list[ReplayedHit] = Field(description="Those found now, best first; then those that are gone.")
    steps: list[ReplayedStep]


@router.post("/turns/{trace_id}/replay", name="replay_turn", responses=SLOW)
async def replay_turn(
    trace_id: str, caller: AskerOf, core: CoreOf, new_trace_id: TraceId, body: TurnReplayRequest = AS_IT_WAS
) -> TurnReplay:
    """Asks the question of a stored turn again, in the conversation before it, and compares the answers. You need to be the one who asked,
    or an admin to whom `/feedback` shows the turn. It is searched with your permissions, and the rate limit and the budget are yours.
    Nothing is stored, counted, cached or announced."""
    return await replay(core, caller, trace_id, body, new_trace_id)


async def replay(core: Core, caller: Caller, trace_id: str, wanted: TurnReplayRequest, new_trace_id: str) -> TurnReplay:
    """Replays a turn. NotFound unless the caller may read it; BadRequest if it cannot be asked again."""
    stored = await _readable_turn(core, caller, trace_id)
    turn = await core.answer.finish(_ask_again(core, caller, stored, wanted, new_trace_id))
    readable = await read_again([stored], caller, index=core.index, ledger=core.ledger)  # after the answer, which may take long
    (old,), new = readable.records, _as_stored(turn, core.clock())
    llm = core.settings.llm
    question = question_of(stored)
    return TurnReplay(
        trace_id=trace_id,
        question=question if stored["user_id"] == caller.user_id else mask_pii(question),
        created_at=started_at_of(stored),
        old=_side(old, llm, _plan_of(old, caller)),
        new=_side(new, llm, _plan_of(new, caller)),
        words=[WordRun(side=side, text=text) for side, text in word_changes(unmarked_text(old), unmarked_text(new))],
        options=_changed_options(_plan_of(old, caller), turn),
        hits=[_hit(each.hit, each.old, each.new) for each in hit_changes(old, new)],
        steps=_steps(old, new, llm),
    )


async def _readable_turn(core: Core, caller: Caller, trace_id: str) -> TurnRecord:
    """The caller's own turn, or for an admin one that feedback shows them. NotFound, in the same words for all others."""
    try:
        return await core.turns.get(caller, trace_id)
    except NotFound:
        if caller.role != "admin":
            raise
        rated = await core.feedback.list(caller, FeedbackFilter(trace_id=trace_id), 1)
        if not rated.data:
            raise
        record = rated.data[0].record
        needed = needed_to_show(record, caller)
        if not needed <= await readable_documents(needed, caller, core.ledger):
            raise
        return record


def _ask_again(core: Core, caller: Caller, record: TurnRecord, wanted: TurnReplayRequest, trace_id: str) -> Turn:
    """The turn before its first step. Somebody else's is asked in a form that needs no conversation, which only its owner may read."""
    if record["search_type"] not in ("rag", "gpt") or record["block_classes"]:
        raise BadRequest("This turn cannot be replayed: tools, images or filters took part, which are not stored.")
    is_own = record["user_id"] == caller.user_id
    plan = record.get("plan")
    asked = plan["asked"] if plan else None
    profile = PROFILES.get(record["dialect"]) or Profile(record["dialect"], live=False, citation_style="numbered", prompt="answer_numbered")
    profile = replace(profile, live=plan["live"] if plan else False, options={**profile.options, **(asked["options"] if asked else {})})
    keeps_room = is_own and profile.history > 0  # else a client sent the conversation, which is not stored
    model = asked["model"] if asked and core.settings.llm.allows(asked["model"] or "") else None
    request = AskRequest(
        query_text=question_of(record) if keeps_room else standalone_of(record),
        index_name=record["collection"],
        permission_groups=[],
        retriever=wanted.retriever or (plan["retriever"] if plan and "experiment" not in record else None),  # an arm may have chosen it
        num_result_doc=wanted.num_result_doc or (asked["limit"] if asked else None) or limit_of(profile, core.settings),
        model=wanted.model or model,
        room_id=record["room_id"] if keeps_room and record["room_id"] != record["trace_id"] else None,
        mode="gpt" if record["search_type"] == "gpt" else "rag",
        intelligence_level=wanted.level or (asked["level"] if asked else None),
        spelling=(profile.options.get("spelling", True) if wanted.spelling is None else wanted.spelling),
    )
    turn = ask_turn(request, caller, profile, core, trace_id)
    return replace(turn, request=replace(turn.request, is_test=True, replays=record["trace_id"]))


def _as_stored(turn: Turn, now: float) -> TurnRecord:
    """The record that would have been stored: without the steps that come after that."""
    from footnote.pipeline import ANSWER  # the core is loaded by the first request, not with the app

    names = [step.name for step in steps_of(ANSWER)]
    late = names[names.index("save") :]
    spans = tuple(span for span in turn.trace.spans if span.name not in late)
    return make_record(replace(turn, trace=replace(turn.trace, spans=spans)), "done" if turn.answer else "error", now=now)


def _side(record: TurnRecord, llm: LLM, plan: ReplayedPlan | None) -> ReplayedTurn:
    found = confidence_of(record)
    shown = {name: value for name, value in make_reply(record, {}, llm) if name in ReplayedTurn.model_fields}
    return ReplayedTurn(**shown, confidence=found.score if found else None, plan=plan)


def _plan_of(record: TurnRecord, caller: Caller) -> ReplayedPlan | None:
    """Who knows the arm of their turn rates differently, so a plan that an arm changed is for admins."""
    plan = record.get("plan")
    if plan is None or ("experiment" in record and caller.role != "admin"):
        return None
    return ReplayedPlan(**{name: value for name, value in plan.items() if name in ReplayedPlan.model_fields})


def _changed_options(old: ReplayedPlan | None, turn: Turn) -> list[ChangedOption]:
    if old is None:
        return []
    choices = turn.plan.choices.items()
    return [
        ChangedOption(name=name, is_on=choice.is_on, because=choice.because)
        for name, choice in choices
        if choice.is_on != (name in old.options)
    ]


def _hit(hit: StoredHit, old: int | None, new: int | None) -> ReplayedHit:
    return ReplayedHit(**hit | {"title": shown_title(hit)}, old=old, new=new)


def _steps(old: TurnRecord, new: TurnRecord, llm: LLM) -> list[ReplayedStep]:
    from footnote.pipeline import STAGES  # the core is loaded by the first request, not with the app

    def figures(span: StoredSpan | None) -> StepFigures | None:
        if span is None:
            return None
        used = step_usage_of(span["detail"])
        tokens, cost = usage_of(used).total_tokens, llm.cost(used)
        return StepFigures(ms=round(span["ms"], 2), status=span["status"], tokens=tokens, cost=cost)

    return [
        ReplayedStep(name=each.name, stage=STAGES[each.name], old=figures(each.old), new=figures(each.new))
        for each in step_changes(old, new)
        if each.name in STAGES  # excludes parts, whose time is part of their step's
    ]
