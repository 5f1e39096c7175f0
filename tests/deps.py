"""Fake dependencies of steps."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from footnote.bootstrap.deps import Deps, SettingGroups
from footnote.events import Done, Event
from footnote.guard.terms import TermCopy
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.steps import Row, Runner
from footnote.steps.check import argument_names, members
from footnote.telemetry.announcements import Announcer
from footnote.telemetry.metrics import LogMeter
from footnote.tracing import CallCollector, collect_calls
from footnote.types import Reason, Tier, Turn, TurnRecord
from tests.conftest import HandClock
from tests.fakes import FakeModels


class Turns:
    """A store that records its calls, or is down."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.saved: list[TurnRecord] = []

    async def save(self, record: TurnRecord) -> None:
        if self.error is not None:
            raise self.error
        if record["status"] != "idle":
            self.saved.append(record)


class Nothing:
    """Empty stores: records, terms, and a bus without subscribers."""

    async def get(self, kind: str, key: str) -> None:
        return None

    async def current(self) -> TermCopy:
        return TermCopy(0, (), {})

    async def publish(self, detail_type: str, detail: Any) -> None:
        return None


class NoVoices:
    """There are no collections of voices."""

    async def collection(self, turn: Turn) -> None:
        return None


class NoDocuments:
    """A ledger of documents that are all READY."""

    async def readable_states(self, caller: Any, collection: str) -> dict[str, int]:
        return {}


async def never_answered(turn: Turn, question: str) -> list[tuple[str, int, int]]:
    """No suggested question has an answer."""
    return []


@contextmanager
def pinned(tier: Tier) -> Iterator[None]:
    """The verdict on any excerpts has this tier."""
    reasons: dict[Tier, Reason] = {"answer": "sure", "closest": "unsure", "nothing": "unrelated"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("footnote.answer.verdict._tier", lambda *_, **__: (tier, reasons[tier]))
        yield


MAKERS: Mapping[str, Callable[[], Any]] = {
    "models": FakeModels, "prompts": Prompts, "meter": LogMeter, "clock": HandClock, "turns": Turns,
    "records": Nothing, "terms": Nothing,
    "settings": Settings, "voice_tool": NoVoices,
    "ledger": NoDocuments,
    "trial": lambda: never_answered,
    "announcer": lambda: Announcer(Nothing()),
}  # fmt: skip
"""Defaults for members that a test does not pass, in addition to the settings groups; all others are None."""


NAMES = members(Deps).keys()
GROUPS = members(SettingGroups).keys() & Settings.model_fields.keys()


class FakeDeps:
    """`footnote.bootstrap.deps.Deps` with the members that a test passes by name, and fakes that are created when a step requests them."""

    def __init__(self, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in NAMES:
            raise TypeError(f"Deps has no {name!r}")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:  # members that do not exist yet
        if name not in NAMES:
            raise AttributeError(name)
        made = getattr(self.settings, name) if name in GROUPS else MAKERS.get(name, lambda: None)()
        setattr(self, name, made)
        return made

    def but(self, **given: Any) -> FakeDeps:
        """A copy with other members."""
        return FakeDeps(**(vars(self) | given))


async def run_table(rows: Sequence[Row], turn: Turn, deps: FakeDeps) -> list[Event]:
    async with aclosing(Runner(rows, Deps, lambda turn: deps).run(turn)) as events:
        return [event async for event in events]


async def finish(rows: Sequence[Row], turn: Turn, deps: FakeDeps) -> Turn:
    """Runs the table and returns the last turn; no step may fail."""
    last = (await run_table(rows, turn, deps))[-1]
    assert isinstance(last, Done), last
    return last.turn


def call_step(step: Any, turn: Turn, deps: FakeDeps) -> Any:
    """Calls the step alone, without the policy of a row. The result can be awaited or iterated; its turn has the model calls of the
    step."""
    made = step(turn, **{name: getattr(deps, name) for name in argument_names(step)})
    return _stream(made, turn) if inspect.isasyncgen(made) else _await(made, turn)


async def _stream(made: AsyncGenerator[Any, None], turn: Turn) -> AsyncGenerator[Any, None]:
    with collect_calls("step", turn) as collector:
        async with aclosing(made):
            async for item in made:
                yield _with_calls(item, collector)


async def _await(made: Awaitable[Any], turn: Turn) -> Any:
    with collect_calls("step", turn) as collector:
        return _with_calls(await made, collector)


def _with_calls(item: Any, collector: CallCollector) -> Any:
    if not isinstance(item, Turn) or not collector.calls:
        return item
    return replace(item, trace=replace(item.trace, calls=(*item.trace.calls, *collector.calls)))


async def run_step(step: Any, turn: Turn, deps: FakeDeps) -> Any:
    """The turn that the step returns."""
    made = call_step(step, turn, deps)
    return [item async for item in made][-1] if inspect.isasyncgen(made) else await made
