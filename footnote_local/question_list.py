"""`footnote eval FILE`: asks a list of questions, one in each line, and tells what became of each.

A line may continue, after a tab, with words that the answer must contain. Nothing is stored, counted or cached."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from footnote.bootstrap import Core
from footnote.errors import BadRequest
from footnote.guard.identity import LOCAL
from footnote.learn.golden_cases import contains
from footnote.types import Request, Tier, Turn, tier_of
from footnote_local.evaluate import Progress
from footnote_query.dialects.trd.ask import HELD

LONGEST = 120
"""Characters of an answer that are printed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what became of it. `tier`: an answer, the closest passages, or nothing. `sources`: titles of what is cited.
    `passed`: whether the answer contains the expected words; None without any."""

    question: str
    tier: Tier
    answer: str
    sources: tuple[str, ...]
    passed: bool | None
    seconds: float


def read_questions(path: Path) -> list[tuple[str, str]]:
    """Questions and the words that their answers must contain, or an empty text. BadRequest if the file has none or is not text."""
    try:
        lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as exc:
        raise BadRequest(f"{path} is not a text file in UTF-8 that can be read.") from exc
    questions = [(question.strip(), words.strip()) for question, _, words in (line.partition("\t") for line in lines if line)]
    if not questions:
        raise BadRequest(f"{path} has no questions. Write one in each line.")
    return questions


async def ask_all(core: Core, questions: list[tuple[str, str]], progress: Progress) -> dict[str, Any]:
    """The report of a list of questions to the collection INDEX_NAME."""
    await core.refresh()
    asked = []
    for number, (question, words) in enumerate(questions, start=1):
        began = time.perf_counter()
        request = Request(question, core.settings.index_name, temperature=0.0, is_test=True)
        turn = await core.answer.finish(core.new_turn(request, LOCAL, HELD))
        asked.append(_asked(turn, words, time.perf_counter() - began))
        progress("asking", number, len(questions))
    tiers, judged = Counter(each.tier for each in asked), [each.passed for each in asked if each.passed is not None]
    return {
        "questions": len(asked),
        "answered": tiers["answer"],
        "closest": tiers["closest"],
        "refused": tiers["nothing"],
        "expected": len(judged),
        "passed": sum(judged),
        "results": [asdict(each) for each in asked],
    }


def _asked(turn: Turn, words: str, seconds: float) -> Asked:
    text = turn.answer.text if turn.answer else ""
    titles = [citation.hit.chunk.shown_title for citation in turn.answer.citations] if turn.answer else []
    passed = contains(text, words) if words else None
    return Asked(turn.request.question, tier_of(turn.outcome), text, tuple(dict.fromkeys(titles)), passed, round(seconds, 3))


SHOWN = {"answer": "answer", "closest": "closest", "nothing": "refused"}


def lines_of(report: dict[str, Any]) -> list[str]:
    """The lines to print."""
    lines = []
    for each in report["results"]:
        mark = {None: " ", True: "✓", False: "✗"}[each["passed"]]
        lines.append(f"{mark} {SHOWN[each['tier']]:8} {each['question']}")
        if each["tier"] != "nothing":
            text = " ".join(each["answer"].split())
            shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
            lines.append(f"    {shown}" + (f" ({', '.join(each['sources'])})" if each["sources"] else ""))
    told = f"{report['answered']} answered, {report['closest']} with the closest passages, {report['refused']} refused"
    expected = f" {report['passed']} of {report['expected']} contain the expected words." if report["expected"] else ""
    return [*lines, "", f"{report['questions']} questions: {told}.{expected}"]
