"""`/experiments`, for admins: variants of the plan are tried on a share of the users, and compared by their ratings."""

from __future__ import annotations

from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Literal

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest, Conflict
from footnote.guard.audit import audit
from footnote.learn.experiment_results import Results, measure, turns_of
from footnote.learn.experiments import (
    MOST_ARMS,
    TAKEN,
    Experiment,
    Kind,
    check_experiment,
    create_experiment,
    dump_arm,
    even_shares,
    get_experiment,
    list_experiments,
    put_experiment,
)
from footnote.types import Arm, Caller, IntelligenceLevel, OptionName, Retriever, Strategy
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS, CHANGED, MISSING, page_of
from footnote_query.known_collections import check_collection

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Administration", responses=ADMINS)


class ArmBody(BaseModel):
    """What an arm changes in a turn's plan; an arm with only a name is a control."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=40, description="Lower-case letters, digits and hyphens.")
    level: IntelligenceLevel | None = None
    options: dict[OptionName, bool] = Field({}, description="Optional parts of a turn to switch, such as `rerank`.")
    retriever: Retriever | None = None
    strategy: Strategy | None = Field(None, description="How it is searched, in place of what the router would choose.")
    alpha: float | None = Field(None, ge=0, le=1, description="Weight of the dense list; BM25 has the rest.")
    prompts: dict[str, int] = Field(
        {}, max_length=20, description="`<name>.<language>` → version of the saved prompt to use; 0 = the packaged one."
    )
    share: float | None = Field(None, gt=0, lt=1, description="Share of the users; null for all arms = equal shares.")


class NewExperiment(BaseModel):
    """An experiment to create."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=40, description="Lower-case letters, digits and hyphens.")
    arms: list[ArmBody] = Field(min_length=2, max_length=MOST_ARMS, description="The first one is the control.")
    assignment: Kind = Field("cohort", description="cohort: fixed shares; bandit: shares that follow the ratings, once a day.")
    traffic: float = Field(1.0, gt=0, le=1, description="Share of the users who take part.")
    collection: str | None = Field(None, max_length=100, description="Only questions about this collection; null = all.")
    start: bool = Field(False, description="Start it at once.")


class RateBody(BaseModel):
    """The positive rate of the ratings that count, with an interval that holds at all times (95 %)."""

    ratings: int
    positive: int
    rate: float | None
    low: float
    high: float


class ArmResultBody(BaseModel):
    """What an arm has shown so far."""

    arm: str
    share: float = Field(description="The current share of the users.")
    turns: int
    users: int
    ups: int = Field(description="All thumbs up, also those that do not count.")
    downs: int
    rate: RateBody


class ExperimentVerdict(BaseModel):
    """The arm that is better than every other one, if there is one. It holds however often it is read."""

    winner: str | None = Field(description="null = undecided.")
    p_value: float = Field(description="Always valid.")


class ExperimentBody(BaseModel):
    """An experiment."""

    name: str
    experiment_id: str
    state: Literal["DRAFT", "RUNNING", "STOPPED"]
    assignment: Kind
    traffic: float
    collection: str | None
    arms: list[ArmBody]
    period: int = Field(description="Number of times that a bandit's shares have followed the ratings.")
    created_at: float
    created_by: str
    started_at: float | None
    stopped_at: float | None


class ExperimentDetails(ExperimentBody):
    """An experiment with its results."""

    results: list[ArmResultBody]
    verdict: ExperimentVerdict


class ExperimentPage(PageBody):
    """A page of experiments."""

    data: list[ExperimentBody]


@router.get("/experiments", name="list_experiments")
async def experiments(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> ExperimentPage:
    """Lists the experiments by name."""
    page = page_of(await list_experiments(core.records), lambda each: each.name, limit, after)
    return ExperimentPage.of(page, lambda each: ExperimentBody.model_validate(_fields(each)))


@router.post("/experiments", name="create_experiment", status_code=201, responses=problems({409: "The name is taken"}))
async def post_experiment(body: NewExperiment, admin: AdminOf, core: CoreOf) -> ExperimentDetails:
    """Creates an experiment. Each arm is checked against what is configured here."""
    return await create(core, admin, body)


@router.get("/experiments/{experiment}", name="get_experiment", responses=MISSING)
async def one_experiment(experiment: str, admin: AdminOf, core: CoreOf) -> ExperimentDetails:
    """Describes an experiment, with its results so far."""
    return await describe(core, admin, experiment)


@router.post("/experiments/{experiment}/start", name="start_experiment", responses=CHANGED)
async def start_experiment(experiment: str, admin: AdminOf, core: CoreOf) -> ExperimentDetails:
    """Starts an experiment, or goes on with a stopped one. Other processes follow within seconds."""
    return await start(core, admin, experiment)


@router.post("/experiments/{experiment}/stop", name="stop_experiment", responses=CHANGED)
async def stop_experiment(experiment: str, admin: AdminOf, core: CoreOf) -> ExperimentDetails:
    """Stops an experiment: turns get no arm any more. Its results are kept."""
    return await stop(core, admin, experiment)


@router.delete("/experiments/{experiment}", name="delete_experiment", status_code=204, responses=MISSING)
async def delete_experiment(experiment: str, admin: AdminOf, core: CoreOf) -> Response:
    """Deletes an experiment with its results. The turns and their ratings stay."""
    await remove(core, admin, experiment)
    return Response(status_code=204)


async def create(core: Core, admin: Caller, wanted: NewExperiment) -> ExperimentDetails:
    """Creates an experiment. BadRequest with all that is wrong; Conflict if its name is taken."""
    now = core.clock()
    arms = tuple(Arm(**each.model_dump(exclude={"share"})) for each in wanted.arms)
    made = Experiment(
        wanted.name,
        token_hex(8),
        arms,
        _shares(wanted, arms),
        kind=wanted.assignment,
        traffic=wanted.traffic,
        collection=wanted.collection,
        state="RUNNING" if wanted.start else "DRAFT",
        shares_at=now,
        created_at=now,
        created_by=admin.user_id,
        started_at=now if wanted.start else None,
    )
    await check_experiment(made, settings=core.settings, embedder=core.embedder, records=core.records)
    if wanted.collection is not None:
        await check_collection(core, wanted.collection)
    if await core.records.get("experiment", made.name) is not None:
        raise Conflict(TAKEN)
    facts = {"assignment": made.kind, "arms": [arm.name for arm in arms], "traffic": made.traffic, "started": wanted.start}
    await audit(core.records, admin, "experiment.create", made.name, now=now, **facts)
    await create_experiment(made, core.records)
    return await _changed(core, admin, made.name)


async def describe(core: Core, admin: Caller, name: str) -> ExperimentDetails:
    """An experiment with its results. NotFound."""
    return await _details(core, admin, await get_experiment(name, core.records))


async def start(core: Core, admin: Caller, name: str) -> ExperimentDetails:
    """Starts an experiment. NotFound; BadRequest if an arm is not possible any more; Conflict if it was changed meanwhile.
    Starting a running one changes nothing."""
    found = await get_experiment(name, core.records)
    if found.state == "RUNNING":
        return await _details(core, admin, found)
    await check_experiment(found, settings=core.settings, embedder=core.embedder, records=core.records)
    now = core.clock()
    await audit(core.records, admin, "experiment.start", name, now=now)
    started = replace(found, state="RUNNING", started_at=found.started_at or now, stopped_at=None, shares_at=now)
    await put_experiment(started, core.records, by=admin.user_id)
    return await _changed(core, admin, name)


async def stop(core: Core, admin: Caller, name: str) -> ExperimentDetails:
    """Stops an experiment. NotFound; Conflict if it was changed meanwhile. Stopping one that does not run changes nothing."""
    found = await get_experiment(name, core.records)
    if found.state != "RUNNING":
        return await _details(core, admin, found)
    now = core.clock()
    await audit(core.records, admin, "experiment.stop", name, now=now)
    await put_experiment(replace(found, state="STOPPED", stopped_at=now), core.records, by=admin.user_id)
    return await _changed(core, admin, name)


async def remove(core: Core, admin: Caller, name: str) -> None:
    """Deletes an experiment. NotFound."""
    await get_experiment(name, core.records)
    await audit(core.records, admin, "experiment.delete", name, now=core.clock())
    await core.records.delete("experiment", name)
    await core.load_changes()


async def _changed(core: Core, admin: Caller, name: str) -> ExperimentDetails:
    await core.load_changes()
    return await describe(core, admin, name)


async def _details(core: Core, admin: Caller, experiment: Experiment) -> ExperimentDetails:
    results: Results = measure(experiment, await turns_of(experiment, admin, core.statistics, core.clock()))
    return ExperimentDetails.model_validate(
        _fields(experiment) | {"results": list(results.arms), "verdict": results.verdict}, from_attributes=True
    )


def _fields(experiment: Experiment) -> dict[str, object]:
    names = ("name", "experiment_id", "state", "traffic", "collection", "period", "created_at", "created_by", "started_at", "stopped_at")
    arms = [dump_arm(arm) | {"share": share} for arm, share in zip(experiment.arms, experiment.shares, strict=True)]
    return {name: getattr(experiment, name) for name in names} | {"assignment": experiment.kind, "arms": arms}


def _shares(wanted: NewExperiment, arms: tuple[Arm, ...]) -> tuple[float, ...]:
    given = [each.share for each in wanted.arms if each.share is not None]
    if not given:
        return even_shares(arms)
    if wanted.assignment == "bandit":
        raise BadRequest("A bandit chooses the shares of its arms. Leave out `share`.")
    if len(given) != len(arms):
        raise BadRequest("Give every arm a share, or none.")
    return tuple(given)
