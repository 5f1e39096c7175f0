"""What a turn reads of the index once, and what it reads again."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.collections.service import LATEST_S
from footnote.collections.visible import VisibleIndex
from footnote.errors import SearchUnavailable
from footnote.ports import Models, View
from footnote.retrieve.cached import CachedIndex
from footnote.types import Caller, Profile, Request, Turn
from tests.conftest import HandClock
from tests.fakes import FakeModels, SameModel, make_document, put_document
from tests.footnote_local.conftest import open_core
from tests.turns import HELD, ME

READS = ("view", "term_weights", "sentences")
ASKED = "When was the bridge built?"
BRIDGE, FERRIES = "bridge|1|0", "ferries|1|0"
ANSWERING = replace(
    HELD, answer_cache_s=60, search_cache_s=60,
    options={"follow_up": False, "answer_cache": True, "search_cache": True, "mmr": True, "drop_duplicates": True, "critique": True},
)  # fmt: skip
"""Everything that reads the index; suggested questions are searched for by themselves."""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the index itself was asked, by method."""
    counted: Counter[str] = Counter()
    for name in (*READS, "candidates"):
        monkeypatch.setattr(VisibleIndex, name, _counting(name, getattr(VisibleIndex, name), counted))
    return counted


def _counting(name: str, original: Callable[..., Any], counted: Counter[str]) -> Callable[..., Any]:
    def called(*args: Any) -> Any:
        counted[name] += 1
        return original(*args)

    return called


async def opened(folder: Path, clock: HandClock, models: Models | None = None) -> Core:
    core = open_core(folder, clock=clock, models=models)
    await put_document(core.generations, make_document("bridge"), ["The bridge was built in 1894."])
    await put_document(core.generations, make_document("ferries"), ["Ferries cross the river below the bridge."])
    return core


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    made = await opened(tmp_path, clock)
    yield made
    await made.close()


@pytest.fixture
def index(core: Core, clock: HandClock) -> CachedIndex:
    return CachedIndex(core.index, clock)


async def ask(core: Core, reads: Counter[str], question: str = ASKED, profile: Profile = ANSWERING) -> Turn:
    """Counts what this question alone reads: the first one of a collection also searches for everyday questions."""
    await core.answer.finish(core.new_turn(Request("Who paints the bridge?", "default"), ME, profile))
    reads.clear()
    return await core.answer.finish(core.new_turn(Request(question, "default"), ME, profile))


async def test_an_answer_reads_view_weights_and_sentences_once(core: Core, reads: Counter[str]) -> None:
    turn = await ask(core, reads)
    assert "1894" in turn.answer.text
    assert reads == dict.fromkeys(reads, 1)
    assert set(reads) == {*READS, "candidates"}


async def test_an_answer_by_a_model_and_its_checks_read_view_and_sentences_once(
    tmp_path: Path, clock: HandClock, reads: Counter[str]
) -> None:
    core = await opened(tmp_path, clock, FakeModels(SameModel("Ferries cross it since 1950, painted red.")))
    turn = await ask(core, reads)
    await core.close()
    assert turn.answer.extractive
    assert reads == {"view": 1, "candidates": 1, "sentences": 1, "term_weights": 2}  # of the question, and of what the model said


async def test_a_trial_reads_view_weights_and_sentences_once(core: Core, reads: Counter[str]) -> None:
    turn = await ask(core, reads)
    reads.clear()
    assert await core.trial(turn, "When was the ferry built?") == await core.trial(turn, "When was the ferry built?")
    assert reads == {"view": 2, "candidates": 1, "sentences": 1, "term_weights": 1}  # the second one is kept, by the version in the view


async def test_only_what_is_new_is_read(index: CachedIndex, reads: Counter[str]) -> None:
    assert set(await index.sentences(ME, [BRIDGE], "")) == {BRIDGE}
    assert set(await index.sentences(ME, [BRIDGE], "")) == {BRIDGE}
    assert set(await index.sentences(ME, [FERRIES, BRIDGE, "none"], "")) == {FERRIES, BRIDGE}
    first = await index.term_weights(ME, "default", ["bridge"])
    both = await index.term_weights(ME, "default", ["river", "bridge"])
    assert list(both) == ["river", "bridge"]
    assert first["bridge"] == both["bridge"] == (await index.term_weights(ME, "default", ["bridge"]))["bridge"]
    assert reads == {"sentences": 2, "term_weights": 2}


async def test_cached_reads_are_not_shared_between_callers(index: CachedIndex) -> None:
    assert set(await index.sentences(ME, [BRIDGE], "")) == {BRIDGE}
    assert (await index.view(ME, "default")).languages == {"en": 2}
    for other in (Caller("you"), Caller("me"), Caller("me", frozenset({"board"}))):
        assert await index.sentences(other, [BRIDGE], "") == {}
        assert (await index.view(other, "default")).languages == {}


async def test_other_embedders_and_collections_are_read_by_themselves(index: CachedIndex, reads: Counter[str]) -> None:
    for name in ("one", "other"):
        await index.sentences(ME, [BRIDGE], name)
        await index.term_weights(ME, name, ["bridge"])
        await index.view(ME, name)
    assert reads == dict.fromkeys(READS, 2)


async def test_passages_refused_by_the_gate_leave_the_cache(core: Core, index: CachedIndex) -> None:
    assert set(await index.sentences(ME, [BRIDGE, FERRIES], "")) == {BRIDGE, FERRIES}
    await core.generations.remove("bridge", 1)
    assert await index.read(ME, [BRIDGE]) == []
    assert set(await index.sentences(ME, [BRIDGE, FERRIES], "")) == {FERRIES}


@pytest.mark.parametrize("seconds", [LATEST_S, -1.0])
async def test_cached_reads_expire_after_a_second(core: Core, index: CachedIndex, clock: HandClock, seconds: float) -> None:
    before = await index.view(ME, "default")
    assert set(await index.sentences(ME, [BRIDGE], "")) == {BRIDGE}
    await core.generations.remove("bridge", 1)
    clock.advance(seconds)
    assert await index.sentences(ME, [BRIDGE], "") == {}
    assert (await index.view(ME, "default")).version > before.version


async def test_failed_reads_are_not_cached(index: CachedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as down:
        down.setattr(VisibleIndex, "view", giving_up)
        with pytest.raises(SearchUnavailable):
            await index.view(ME, "default")
    assert (await index.view(ME, "default")).languages == {"en": 2}


async def giving_up(*asked: Any) -> View:
    raise SearchUnavailable("down")
