"""Measures the overhead of a conversation: follow-up questions in one room, with a model that answers at once.

Times are those of the turn's spans. Counted are the steps around search and answer: history, caches, rewriting, guards, events and
saving. The model must be called only twice per question, to rewrite and to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.figures import ROOT, Figure, Setup
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.ports import Delta, LanguageModel
from footnote.settings import LLM, Settings
from footnote.types import Message, ModelSource, Request
from footnote_query.dialects.chat_core.routes import RAG

COMMAND = "python -m bench --only follow_up"
QUESTIONS = 200
AROUND = frozenset(
    "open history announce budget rewrite reformulate queries forbidden find_answer recall keep_searches support injection "
    "keep_answer save spend announce_answer meter".split()
)
"""Steps that a standalone, unsaved question without guards would not need."""


class Prompt:
    """`ports.Models` and `ports.LanguageModel`: answers at once, and counts the calls."""

    name = "prompt"
    address = None
    source = ModelSource("configured")

    def __init__(self) -> None:
        self.calls = 0

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        self.calls += 1
        rewriting = "queries" in messages[-1].content or "queries" in messages[0].content
        completed = f'{{"queries": ["How do I delete document number {self.calls} for good?"]}}'  # no search was made before
        yield Delta(completed if rewriting else "With `DELETE /documents`. SOURCES_USED: 1")


def measure(setup: Setup) -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        rows, calls = asyncio.run(_ask(Path(folder)))
    around = [sum(ms for name, ms in turn.items() if name in AROUND) for turn in rows]
    yield Figure("follow-up, rows around search and answer, p50", median(around), "ms", COMMAND, most=10)
    for name in sorted(AROUND):
        times = [turn[name] for turn in rows if name in turn]
        if times:
            yield Figure(f"of it {name}", median(times), "ms", COMMAND)
    yield Figure("calls of the model for a follow-up", calls / QUESTIONS, "", COMMAND, most=2)


async def _ask(folder: Path) -> tuple[list[dict[str, float]], int]:
    model = Prompt()
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False)), models=model)
    try:
        for path in (ROOT / "docs" / "api.md", ROOT / "docs" / "concepts.md"):
            await core.ingestor.accept(LOCAL, path.read_bytes(), file_name=path.name, collection="default", permission_groups=["*"])
        while await core.ingestor.work_one() or await core.ingestor.embed_some():
            pass
        rows = []
        for number in range(-3, QUESTIONS):
            if number == 0:
                model.calls = 0
            turn = await core.answer.finish(
                core.new_turn(Request(f"And how do I delete it, number {number}?", "default", room_id="bench"), LOCAL, RAG)
            )
            if number >= 0:
                rows.append({span.name: span.ms for span in turn.trace.spans})
        return rows, model.calls
    finally:
        await core.close()
