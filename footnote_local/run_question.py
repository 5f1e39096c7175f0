"""Runs searches and evaluations from the command line through the same pipeline as requests by HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.learn.golden import load_golden
from footnote.library.asking import make_turn
from footnote.types import Profile, Retriever, Turn
from footnote_local.evaluate import Rewriting, build_index, drop_index, evaluate
from footnote_local.terminal import progress_bar

PROFILE = Profile("cli", live=True, citation_style="numbered", prompt="answer_numbered")


async def find(core: Core, question: str, collection: str | None, retriever: Retriever, limit: int) -> Turn:
    """Runs retrieval only and returns the turn with its hits."""
    try:
        turn = await make_turn(core, question, collection, LOCAL, PROFILE, limit=limit, retriever=retriever)
        return await core.retrieve.finish(turn)
    finally:
        await core.close()


async def evaluate_questions(
    core: Core, folder: Path, retriever: Retriever, limit: int | None, answers: bool, foreign: Path | None, rewriting: Rewriting
) -> dict[str, Any]:
    """The report of `footnote eval`. Its embedded indexes are kept under `<data>/eval`."""
    golden = load_golden(folder, limit=limit)
    others = load_golden(foreign, limit=limit) if foreign else None
    with progress_bar() as bar:
        judged, seconds = await build_index(golden, core.settings, core.settings.data / "eval", bar)
        try:
            report = await evaluate(
                judged,
                golden,
                retriever=retriever,
                answers=answers or foreign is not None,
                foreign=others,
                progress=bar,
                rewriting=rewriting,
            )
        finally:
            await judged.close()
            await drop_index(judged)
    return report | {"index_s": round(seconds, 1)}
