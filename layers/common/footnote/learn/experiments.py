"""Experiments: which arm a turn gets.

Record: "experiment" `<name>`. A process keeps a copy of the running ones, so that a turn asks no store. Arms are drawn by a hash of
the experiment's id, the period of its shares and the user's id: a user keeps an arm for the whole experiment (`cohort`), or until
the shares follow the ratings again, once a day (`bandit`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from footnote.collections import Collections, Directory
from footnote.errors import BadRequest, Conflict, NotFound
from footnote.plan import change_plan
from footnote.ports import Clock, Embedder, Record, Records, read_all
from footnote.prompts import LANGUAGES, Prompts, prompt_names
from footnote.settings import Settings
from footnote.settings.marks import settings_by_key
from footnote.types import OPTIONS, Arm, Assignment, Request, Turn
from footnote.types.copies import replace
from footnote.types.experiments import State

Kind = Literal["cohort", "bandit"]
MOST_ARMS = 5
TAKEN = "There is an experiment with this name already. Choose another name, or delete it."
COPY_S = 30.0
"""Age from which the copy is not used: the store is down, or the process was suspended. Turns then have no experiment."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment. `arms`: the first one is the control. `traffic`: share of users, 0..1. `collection`: its name; None = all. `shares`:
    of the arms, in their order."""

    name: str
    experiment_id: str
    arms: tuple[Arm, ...]
    shares: tuple[float, ...]
    kind: Kind = "cohort"
    traffic: float = 1.0
    collection: str | None = None
    state: State = "DRAFT"
    period: int = 0
    shares_at: float = 0.0
    """When the period began."""
    created_at: float = 0.0
    created_by: str = ""
    started_at: float | None = None
    stopped_at: float | None = None
    version: int = field(default=0, compare=False)
    """Of its record."""

    @property
    def changes(self) -> frozenset[str]:
        """The changes of its arms: names of options and of the fields of `Arm`."""
        fields = {name for arm in self.arms for name in ("level", "retriever", "strategy", "alpha") if getattr(arm, name) is not None}
        return frozenset(fields.union(*(arm.options for arm in self.arms)))

    def admits(self, user_id: str) -> bool:
        """Whether the user is in the share of traffic."""
        return _uniform(self.experiment_id, "traffic", user_id) < self.traffic

    def draw(self, user_id: str) -> Assignment:
        """The user's arm in this period."""
        drawn, reached = _uniform(self.experiment_id, str(self.period), user_id), 0.0
        chosen = self.arms[-1]
        for arm, share in zip(self.arms, self.shares, strict=True):
            reached += share
            if drawn < reached:
                chosen = arm
                break
        shares = {arm.name: share for arm, share in zip(self.arms, self.shares, strict=True)}
        return Assignment(self.experiment_id, self.name, chosen, self.period, shares)


class Experiments:
    """The running experiments, as copied from the store."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: tuple[tuple[Experiment, frozenset[str]], ...] = ()
        """Each with the names of its collection; no names = all."""
        self._changes = (-1, -1)
        self._read_at = 0.0

    @property
    def are_running(self) -> bool:
        """Whether a turn may get an arm now."""
        return bool(self._running) and 0 <= self._clock() - self._read_at < COPY_S

    async def load(self, records: Records, collections: Collections, prompts: Prompts) -> None:
        """Copies the running experiments, and the prompts that their arms name, if anything has changed since the last call."""
        read_at = self._clock()
        changes = (await records.changes("experiment"), await records.changes("collection"))
        if changes != self._changes:
            running = [experiment for experiment in await list_experiments(records) if experiment.state == "RUNNING"] if changes[0] else []
            running.sort(key=lambda experiment: (experiment.started_at or 0.0, experiment.experiment_id))
            await prompts.pin({pin for experiment in running for arm in experiment.arms for pin in arm.prompts.items()}, records)
            named = any(experiment.collection for experiment in running)
            directory = await collections.directory() if named else None
            self._running = tuple((experiment, _names(experiment.collection, directory)) for experiment in running)
            self._changes = changes
        self._read_at = read_at

    def find(self, turn: Turn) -> Assignment | None:
        """The arm of the turn: of the oldest running experiment on its collection whose share of users the user is in. None: there is
        none, or the request itself asks for something that its arms change."""
        if not self.are_running:
            return None
        for experiment, names in self._running:
            if (not names or turn.request.collection in names) and experiment.admits(turn.caller.user_id):
                return None if asks_for(turn.request, experiment.changes) else experiment.draw(turn.caller.user_id)
        return None


def asks_for(request: Request, changes: frozenset[str]) -> bool:
    """Whether the request itself sets any of these. Then it is in no arm, not even in one that does not change it: otherwise the arms would
    differ in who is counted."""
    decided: set[str] = set(request.options)
    if request.level is not None:  # a level decides options, and how is searched for them
        decided |= changes - {"retriever", "alpha"}
    if request.retriever is not None:
        decided.add("retriever")
    if request.alpha is not None:
        decided.add("alpha")
    return not changes.isdisjoint(decided)


def may_join(turn: Turn) -> bool:
    """Documents answer the question, and it is not a test."""
    return turn.request.mode == "rag" and not turn.request.is_test


async def join_experiment(turn: Turn, *, experiments: Experiments | None, settings: Settings) -> Turn:
    """Gives the turn its arm. Only admins read in its plan which experiment decided."""
    assignment = experiments.find(turn) if experiments is not None else None
    if assignment is None:
        return turn
    is_admin = turn.caller.role == "admin"
    return with_arm(turn, assignment, f"experiment {assignment.name}, arm {assignment.arm.name}" if is_admin else "an experiment", settings)


def with_arm(turn: Turn, assignment: Assignment, because: str, settings: Settings) -> Turn:
    """The turn, before its first step, as its arm changes it. `because`: the reason to give for it."""
    arm = assignment.arm
    request = turn.request if arm.alpha is None else replace(turn.request, alpha=arm.alpha)
    plan = change_plan(turn.plan, arm, because, request, turn.profile, settings)
    return replace(turn, request=request, plan=replace(plan, assignment=assignment, assigned_because=because))


def assignment_shown(turn: Turn) -> dict[str, Any]:
    """The experiment and the arm, for admins: users who know their arm would rate it differently."""
    given = turn.plan.assignment
    return {"experiment": given.name, "arm": given.arm.name} if given and turn.caller.role == "admin" else {}


async def list_experiments(records: Records) -> list[Experiment]:
    """All experiments by name."""
    return [_load(record) for record in await read_all(lambda after: records.list("experiment", limit=200, after=after))]


async def get_experiment(name: str, records: Records) -> Experiment:
    """An experiment. NotFound."""
    record = await records.get("experiment", name)
    if record is None:
        raise NotFound("There is no such experiment.")
    return _load(record)


async def create_experiment(experiment: Experiment, records: Records) -> Experiment:
    """Stores a new experiment. Conflict if its name is taken."""
    try:
        return await _put(experiment, 0, records, experiment.created_by)
    except Conflict:
        raise Conflict(TAKEN) from None


async def put_experiment(experiment: Experiment, records: Records, *, by: str) -> Experiment:
    """Stores a changed experiment. Conflict if it was changed since it was read."""
    return await _put(experiment, experiment.version, records, by)


async def _put(experiment: Experiment, expected: int, records: Records, by: str) -> Experiment:
    value = {name: kept for name, kept in asdict(experiment).items() if name not in ("name", "version")}
    value["arms"] = [dump_arm(arm) for arm in experiment.arms]
    value["shares"] = list(experiment.shares)
    return _load(await records.put("experiment", experiment.name, value, by=by, expected=expected))


def dump_arm(arm: Arm) -> dict[str, Any]:
    """The changes of the arm, as JSON, with its name."""
    values = asdict(arm)
    values["prompts"] = dict(arm.prompts)
    return {name: value for name, value in values.items() if value not in (None, {})}


def _load(record: Record) -> Experiment:
    value: Mapping[str, Any] = record.value
    fields = {name: kept for name, kept in value.items() if name not in ("arms", "shares")}
    arms = tuple(Arm(**arm) for arm in value["arms"])
    return Experiment(record.key, arms=arms, shares=tuple(value["shares"]), version=record.version, **fields)


def even_shares(arms: Sequence[Arm]) -> tuple[float, ...]:
    """The same share for every arm."""
    return (1 / len(arms),) * len(arms)


def _names(collection: str | None, directory: Directory | None) -> frozenset[str]:
    """All names of the collection; none for None."""
    if collection is None:
        return frozenset()
    stored = directory.find(collection) if directory else None
    return frozenset({collection, *(stored.names if stored else ())})


def _uniform(*parts: str) -> float:
    """A number in [0, 1) that depends on the texts alone."""
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


async def check_experiment(experiment: Experiment, *, settings: Settings, embedder: Embedder | None, records: Records) -> None:
    """Raises BadRequest with all that is wrong. That its collection exists is not checked."""
    wrong = list(_shape(experiment))
    for arm in experiment.arms:
        wrong += [f"arm {arm.name}: {problem}" for problem in (*_plan(arm, settings, embedder), *await _prompts(arm, records))]
    if wrong:
        raise BadRequest("; ".join(wrong) + ".")


def _shape(experiment: Experiment) -> Iterator[str]:
    names = [arm.name for arm in experiment.arms]
    for name in (experiment.name, *names):
        if not NAME.fullmatch(name):
            yield f"“{name[:40]}” is no name: use up to 40 lower-case letters, digits and hyphens"
    if len(set(names)) != len(names):
        yield "two arms have the same name"
    if not 2 <= len(names) <= MOST_ARMS:
        yield f"an experiment has 2 to {MOST_ARMS} arms"
    if not 0 < experiment.traffic <= 1:
        yield "the share of traffic is above 0 and at most 1"
    if any(share <= 0 for share in experiment.shares) or abs(sum(experiment.shares) - 1) > 1e-6:
        yield "the shares of the arms are above 0, and their sum is 1"


def _plan(arm: Arm, settings: Settings, embedder: Embedder | None) -> Iterator[str]:
    for name, is_on in arm.options.items():
        option = OPTIONS.get(name)
        if option is None or not option.requestable:
            names = ", ".join(sorted(option_name for option_name, its in OPTIONS.items() if its.requestable))
            yield f"there is no option “{name[:40]}” that an arm may switch; there are: {names}"
        elif is_on and name in settings.rag.switched_off:
            yield f"{name} cannot be switched on: RAG__SWITCHED_OFF names it"
        elif is_on and option.ceiling and not any(_value(key, settings) for key in option.ceiling):
            variable = settings_by_key(type(settings))[option.ceiling[0]].variables[0]
            yield f"{name} cannot be switched on: {variable} is not set"
    if embedder is None and (arm.retriever == "knn" or arm.alpha or arm.strategy == "DENSE_ONLY"):
        yield "it searches by vectors, and there is no embedder: run `make setup`, or set EMBEDDING__BASE_URL"
    if arm.alpha is not None and not 0 <= arm.alpha <= 1:
        yield "alpha is between 0 and 1"


async def _prompts(arm: Arm, records: Records) -> list[str]:
    wrong = []
    for key, version in arm.prompts.items():
        name, _, lang = key.rpartition(".")
        if name not in prompt_names() or lang not in LANGUAGES:
            wrong.append(f"there is no prompt “{key[:60]}”; `footnote prompts list` shows them, as <name>.<language>")
        elif version and await records.get("prompt_version", f"{key}:{version:09d}") is None:
            wrong.append(f"prompt {key} has no version {version}; save it first, for example with `footnote prompts set`")
    return wrong


def _value(key: str, settings: Settings) -> object:
    return settings_by_key(type(settings))[key].value(settings)
