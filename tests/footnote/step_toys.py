"""Toy steps and their dependencies: each step appends its mark to the turn's question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from footnote.events import Event, Token
from footnote.steps import SKIP, Runner, Step
from footnote.tracing import current_collector
from footnote.types import Query, RankedList, Stage, Turn, Usage
from tests.turns import LIVE, make_turn, with_

toy = partial(Step, stage=Stage.RETRIEVE)
"""A row, where its stage does not matter."""


def mark(letter: str, **changes: Any) -> Any:
    async def step(turn: Turn) -> Turn:
        return with_(turn, question=turn.request.question + letter, **changes)

    return step


def find(letter: str, *, usage: Usage | None = None, model: str = "toy", **notes: Any) -> Any:
    """A step of a branch: it appends a query and what that finds, uses so much, and notes something."""

    async def step(turn: Turn) -> Turn:
        lists = (*turn.evidence.lists, RankedList("bm25", letter))
        turn = replace(turn, queries=(*turn.queries, Query(letter, "paraphrase")), evidence=replace(turn.evidence, lists=lists))
        if usage is not None:
            called(usage, model)
        return turn.with_notes(**notes)

    return step


def called(usage: Usage, model: str = "toy") -> None:
    """The step that runs has called a model."""
    collector = current_collector()
    collector.add(model, usage, 1.0)


def fail(error: BaseException, *, usage: Usage | None = None) -> Any:
    async def step(turn: Turn) -> Turn:
        if usage is not None:
            called(usage)
        raise error

    return step


def say(*items: str | Event | BaseException, letter: str = "s") -> Any:
    """A generator: text becomes a token, an error is raised."""

    async def step(turn: Turn) -> AsyncIterator[Event | Turn]:
        for item in items:
            if isinstance(item, BaseException):
                raise item
            yield Token(item) if isinstance(item, str) else item
        yield with_(turn, question=turn.request.question + letter)

    return step


async def never(turn: Turn) -> Turn:
    await asyncio.Event().wait()
    return turn


class Saves:
    """A port that counts what is saved."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.trails: list[str] = []


class Toys:
    """The dependencies of toy steps."""

    saves: Saves
    store: str

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)


async def save(turn: Turn, *, saves: Saves) -> Turn:
    if saves.error is not None:
        raise saves.error
    saves.trails.append(turn.request.question)
    return with_(turn, persisted=True)


SAVE = toy("save", save, on_error=SKIP, always=True)
START = make_turn("", LIVE)


def runner_of(rows: Sequence[Any], *, timer: Callable[[], float] = perf_counter, **given: Any) -> Runner[Toys]:
    return Runner(rows, Toys, lambda turn: Toys(**given), timer=timer)


async def collect(rows: Sequence[Any], turn: Turn = START, **given: Any) -> list[Event]:
    async with aclosing(runner_of(rows, **given).run(turn)) as events:
        return [event async for event in events]


async def end(rows: Sequence[Any], turn: Turn = START, **given: Any) -> Any:
    return (await collect(rows, turn, **given))[-1]


def statuses(turn: Turn) -> dict[str, str]:
    return {span.name: span.status for span in turn.trace.spans}
