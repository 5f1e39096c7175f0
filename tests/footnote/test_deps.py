"""Dependencies of steps: created when requested, with the settings of one moment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote.events import Done
from footnote.settings import LLM, Embedding, Rag, Settings
from footnote.steps import Runner
from footnote.types import Turn
from tests.conftest import HandClock
from tests.deps import NAMES, FakeDeps
from tests.footnote.step_toys import toy
from tests.turns import ME, make_turn


@pytest.fixture
def core(tmp_path: Path, clock: HandClock) -> Core:
    return Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)), clock=clock)


async def test_a_search_creates_only_the_backends_that_its_steps_request(core: Core) -> None:
    await core.retrieve.finish(make_turn("How long?", retriever="bm25"))
    made = {name for name in vars(core) if not name.startswith("_")} - {"clock", "live", "checks", "is_shared", "is_asked_elsewhere"}
    asked_for = {
        "index",
        "engine",
        "collections",
        "terms",
        "records",
        "cache",
        "optional_cache",
        "embedder",
        "store",
        "models",
        "endpoints",
        "prompts",
    }
    assert made == {"retrieve"} | asked_for
    await core.close()


async def test_a_turn_keeps_the_settings_that_it_began_with(core: Core) -> None:
    turn = core.turn_deps(make_turn())
    await core.records.put("setting", "rag.alpha", {"value": 0.9}, by=ME.user_id)
    await core.load_changes()
    assert (turn.rag.alpha, turn.settings.rag.alpha) == (0.5, 0.5)
    assert (core.turn_deps(make_turn()).rag.alpha, core.rag.alpha) == (0.9, 0.9)
    await core.close()


async def test_a_turn_begins_when_the_runner_gets_it() -> None:
    changing, seen = FakeDeps(rag=Rag(alpha=0.1)), []

    async def look(turn: Turn, *, rag: Rag) -> Turn:
        seen.append(rag.alpha)
        return turn

    events = Runner((toy("look", look),), Deps, lambda turn: changing.but()).run(make_turn())
    changing.rag = Rag(alpha=0.9)
    assert isinstance([event async for event in events][-1], Done)
    assert seen == [0.1]


async def test_an_agents_searches_are_part_of_its_turn(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Any] = []

    async def finish(turn: Turn, deps: Deps) -> Turn:
        searched.append(deps)
        return turn

    monkeypatch.setattr(core.lookup, "finish", finish)
    deps = core.turn_deps(turn := make_turn())
    assert await deps.searcher(turn) is turn
    assert searched == [deps]
    await core.close()


def test_the_fake_has_exactly_the_members_that_steps_request() -> None:
    fake = FakeDeps(clock=time.time)
    assert {name for name in NAMES if hasattr(fake, name)} == NAMES
    assert fake.models is fake.models
    with pytest.raises(TypeError, match="Deps has no 'indeks'"):
        FakeDeps(indeks=None)
