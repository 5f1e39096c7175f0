"""How often a turn writes to the embedded store: each write transaction waits for the disk, and for other writers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Budget, Embedding, Settings
from footnote.types import Caller, Profile, Request, Turn
from tests.fakes import FakeModel, FakeModels, make_document, put_document

ME = Caller("me", frozenset({"staff"}))
PROFILE = Profile(
    "test", live=False, citation_style="numbered", prompt="answer_numbered", answer_cache_s=60, options={"answer_cache": True}
)
QUESTION = "When was the harbour bridge built?"


def open_core(folder: Path, budget: Budget | None = None) -> Core:
    settings = Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False), budget=budget or Budget())
    return Core(settings, models=FakeModels(FakeModel([["It was built in 1894 [1]."]] * 9)))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The write transactions in the files of the store."""
    statements: list[str] = []
    connect = sqlite3.connect

    def connected(path: Path, *args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(path, *args, **options)
        connection.set_trace_callback(lambda said: statements.append(path.name) if said == "BEGIN IMMEDIATE" else None)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connected)
    return statements


@pytest.fixture
async def folder(tmp_path: Path, begun: list[str]) -> Path:
    """With a document, and an answer in it, so that all files exist."""
    core = open_core(tmp_path)
    await put_document(core.generations, make_document(), ["The harbour bridge was built in 1894."])
    await ask(core, "Who built the harbour bridge?")
    await core.close()
    begun.clear()
    return tmp_path


async def ask(core: Core, question: str = QUESTION) -> Turn:
    return await core.answer.finish(core.new_turn(Request(question, "default"), ME, PROFILE))


async def test_a_turn_writes_when_it_begins_and_when_it_ends(folder: Path, begun: list[str]) -> None:
    core, other = open_core(folder), open_core(folder)
    assert (await ask(core)).outcome is None
    assert begun == ["store.db", "store.db"]
    assert (await ask(other)).outcome == "cached", "the answer was kept by the second of them"
    assert begun == ["store.db"] * 4
    await core.close()
    await other.close()
    assert begun == ["store.db"] * 4


async def test_a_turn_with_a_budget_writes_once_more_to_reserve_and_once_to_spend(folder: Path, begun: list[str]) -> None:
    core = open_core(folder, Budget(tokens_per_day=100_000))  # with money, two counters are added to, mostly in one transaction
    other = open_core(folder)
    used = (await ask(core)).trace.usage.total_tokens
    assert begun == ["store.db"] * 4
    assert used > 0
    assert (await other.spending.spent("me"))["tokens"] == used
    await core.close()
    await other.close()
