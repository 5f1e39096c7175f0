"""`POST /experiments/{experiment}/replay`: the arms of an experiment answer questions that were rated before, and are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import FootnoteError
from footnote.learn.experiment_replay import RatedQuestion, compare_arms, rated_question, scores_of
from footnote.learn.experiments import Experiment, check_experiment, get_experiment, with_arm
from footnote.ports import FeedbackFilter, RatedTurn
from footnote.turn_records.days import DAY_S
from footnote.turn_records.readable import needed_to_show, readable_documents
from footnote.types import EVERYONE, Arm, Assignment, Caller, Request
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import SLOW
from footnote_http.routes import Router
from footnote_query.admin import ADMINS, MISSING
from footnote_query.dialects.trd.ask import HELD

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Administration", responses=ADMINS)
DAYS, TURNS = 90, 50
MOST_TURNS = 1000
PAGE = 200
Progress = Callable[[str, int, int], None]


class ReplayRequest(BaseModel):
    """Which rated turns to replay."""

    model_config = ConfigDict(extra="forbid")

    days: int = Field(DAYS, ge=1, le=366, description="Feedback of so many days up to now.")
    turns: int = Field(TURNS, ge=1, le=100, description="At most so many, those rated last. Every arm answers each of them.")


class IntervalBody(BaseModel):
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


class MeasureBody(BaseModel):
    """A metric of an arm."""

    metric: str = Field(description="ndcg@10, recall@10, mrr@10, cited: of the citations of good answers; dropped: of bad ones.")
    questions: int
    value: IntervalBody
    change: IntervalBody | None = Field(description="Against the first arm on the same questions; null for the first arm.")


class ArmReplayBody(BaseModel):
    """What an arm did."""

    arm: str
    measures: list[MeasureBody]
    lost: list[str] = Field(description="Trace ids of at most 20 good answers of whose citations it finds fewer than the first arm.")


class ReplayBody(BaseModel):
    """A replay. Nothing of it is stored or counted."""

    name: str
    liked: int = Field(description="Replayed questions whose answer was rated as good.")
    disliked: int
    left_out: dict[str, int] = Field(
        description="Reason → rated turns that are not replayed. `unusable`: the rating says nothing of the citations, or filters or"
        " something else than documents took part; `repeated`: the same question again; `withheld`: you may not read all of its documents;"
        " `changed`: a cited passage has changed since; `failed`: an arm gave no answer."
    )
    arms: list[ArmReplayBody]


@dataclass
class _Chosen:
    """The questions to replay, each with the groups to ask with."""

    questions: list[tuple[RatedQuestion, frozenset[str]]] = field(default_factory=list)
    keys: set[object] = field(default_factory=set)
    left_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("unusable", "repeated", "withheld", "changed", "failed"), 0))


@router.post("/experiments/{experiment}/replay", name="replay_experiment", responses=MISSING | SLOW)
async def replay_experiment(experiment: str, body: ReplayRequest, admin: AdminOf, core: CoreOf) -> ReplayBody:
    """Has every arm of an experiment answer questions that were rated before, whether it runs or not, and compares what they find and cite
    with what was rated. If there is a language model, it writes every answer."""
    return await replay(core, admin, experiment, body.days, body.turns)


async def replay(core: Core, admin: Caller, name: str, days: int, most: int, progress: Progress | None = None) -> ReplayBody:
    """Replays an experiment. NotFound; BadRequest if an arm is not possible here.

    Each question is asked as `/ask` does, at temperature 0, without hints from feedback, with the groups of the passages that it found
    then, as far as the admin has them. Only turns whose documents the admin may read are replayed."""
    experiment = await get_experiment(name, core.records)
    await check_experiment(experiment, settings=core.settings, embedder=core.embedder, records=core.records)
    await core.prompts.keep({pin for arm in experiment.arms for pin in arm.prompts.items()}, core.records)
    chosen = await _choose(core, admin, experiment, core.clock() - days * DAY_S, most)
    replayed: list[RatedQuestion] = []
    scores: dict[str, list[dict[str, float]]] = {arm.name: [] for arm in experiment.arms}
    for number, (question, groups) in enumerate(chosen.questions, start=1):
        caller = admin.narrowed((EVERYONE, *sorted(groups)))
        try:
            told = [await _ask(core, caller, question, experiment, arm) for arm in experiment.arms]
        except FootnoteError:
            chosen.left_out["failed"] += 1
            continue
        finally:
            if progress is not None:
                progress("replaying", number, len(chosen.questions))
        replayed.append(question)
        for arm, each in zip(experiment.arms, told, strict=True):
            scores[arm.name].append(each)
    arms = [ArmReplayBody.model_validate(asdict(each)) for each in compare_arms(replayed, scores)]
    liked = sum(question.is_liked for question in replayed)
    return ReplayBody(name=name, liked=liked, disliked=len(replayed) - liked, left_out=chosen.left_out, arms=arms)


async def _ask(core: Core, caller: Caller, question: RatedQuestion, experiment: Experiment, arm: Arm) -> dict[str, float]:
    """The metrics of an arm's answer."""
    asked = Request(
        question.question, question.collection, temperature=0.0, is_test=True, options={"feedback_hints": False, "follow_up": False}
    )
    assignment = Assignment(experiment.experiment_id, experiment.name, arm, experiment.period, {})
    turn = with_arm(core.new_turn(asked, caller, HELD), assignment, f"replay of {experiment.name}, arm {arm.name}", core.settings)
    turn = await core.answer.finish(turn)
    citations = turn.answer.citations if turn.answer else ()
    cited = {citation.hit.chunk.chunk_id for citation in citations}
    return scores_of(question, [hit.chunk.chunk_id for hit in turn.evidence.hits], cited)


async def _choose(core: Core, admin: Caller, experiment: Experiment, since: float, most: int) -> _Chosen:
    """The questions of at most `most` rated turns, those rated last."""
    names = None if experiment.collection is None else await core.collections.names_of(experiment.collection)
    chosen, after = _Chosen(), None
    while len(chosen.questions) < most:
        page = await core.feedback.list(admin, FeedbackFilter(since, collections=names), PAGE, after)
        for rated in page.data:
            if len(chosen.questions) < most:
                await _consider(rated, chosen, core, admin)
        after = page.last_id
        if not page.has_more:
            break
    return chosen


async def _consider(rated: RatedTurn, chosen: _Chosen, core: Core, admin: Caller) -> None:
    """Adds the turn to the chosen ones, or counts why it is left out."""
    question = rated_question(rated)
    if question is None:
        chosen.left_out["unusable"] += 1
        return
    needed = needed_to_show(rated.record, admin)
    if not needed <= await readable_documents(needed, admin, core.ledger):
        chosen.left_out["withheld"] += 1
        return
    if question.key in chosen.keys:
        chosen.left_out["repeated"] += 1
        return
    chosen.keys.add(question.key)
    chunks = await core.index.read(admin, question.hits)
    if not question.passages <= {chunk.chunk_id for chunk in chunks}:
        chosen.left_out["changed"] += 1
        return
    chosen.questions.append((question, frozenset[str]().union(*(chunk.permission_groups for chunk in chunks))))
