"""Measures what “high” confidence means: the share of such answers that are right, and the share of right answers that get it.

    python -m bench.confidence FOLDER [--half 0|1] [--hide]

FOLDER is a set in BEIR's format with `answers`, and with `unanswerable.jsonl` if it has questions that the documents do not answer.
With --hide every second document is left out, by a hash of its id, and the questions about it are the unanswerable ones.
An answer is right if its quotes hold a gold answer; an answer to an unanswerable question is wrong. The figures are given for the
questions that the documents answer, and for mixtures in which one question in five, or one in two, is unanswerable.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure, log_progress
from footnote.answer.confidence import confidence_of
from footnote.learn.golden import GoldenSet, load_golden
from footnote.settings import LLM, Settings
from footnote.types import ConfidenceLevel, Profile, Request
from footnote_local.evaluate import CALLER, build_index, holds_answer

PROFILE = Profile("bench", live=False, citation_style="source", prompt="answer_numbered", options={"confidence": True, "follow_up": False})
COMMAND = "python -m bench.confidence FOLDER"
MIXTURES = {"all answerable": 0.0, "one in five unanswerable": 0.2, "one in two unanswerable": 0.5}


class Given(NamedTuple):
    """An answer that was given."""

    right: bool
    level: ConfidenceLevel
    answerable: bool


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.confidence", description="Measures answers of high confidence.")
    parser.add_argument("folder", type=Path, help="a set in BEIR's format, with answers")
    parser.add_argument("--half", type=int, choices=(0, 1), help="half of the questions, by a hash of their ids; 0 was fitted on")
    parser.add_argument("--hide", action="store_true", help="leave out half of the documents, whose questions are then unanswerable")
    options = parser.parse_args(arguments)
    for figure in asyncio.run(_measure(options.folder, options.half, hides=options.hide)):
        print(f"{figure.name:70} {figure.measured}")
    return 0


def half_of(text: str) -> int:
    """0 or 1, by a hash."""
    return hashlib.sha256(text.encode()).digest()[0] % 2


def with_hidden(golden: GoldenSet) -> GoldenSet:
    """The set without the second half of its documents. Questions about them are unanswerable; those about both halves are left out."""
    kept = tuple(document for document in golden.documents if half_of(document.doc_id) == 0)
    names = {document.doc_id for document in kept}
    asked = [(query, {doc_id for doc_id, gain in query.relevance.items() if gain > 0}) for query in golden.queries]
    return replace(
        golden,
        documents=kept,
        queries=tuple(query for query, wanted in asked if wanted <= names),
        unanswerable=tuple(query for query, wanted in asked if not wanted & names),
        digest=hashlib.sha256(f"{golden.digest} hidden".encode()).hexdigest(),
    )


async def _measure(folder: Path, half: int | None, *, hides: bool = False) -> list[Figure]:
    golden = with_hidden(load_golden(folder)) if hides else load_golden(folder)
    cache = Path(os.environ.get("DATA") or "data") / "bench" / "eval"
    core, _ = await build_index(golden, Settings(llm=LLM(discover=False)), cache, lambda *_: None)
    asked = [(query, True) for query in golden.queries if query.answers] + [(query, False) for query in golden.unanswerable]
    asked = [(query, is_on) for query, is_on in asked if half is None or half_of(query.query_id) == half]
    given: list[Given] = []
    for number, (query, answerable) in enumerate(asked, start=1):
        request = Request(query.text, "default", retriever="rrf", limit=10, is_test=True)
        turn = await core.answer.finish(core.new_turn(request, CALLER, PROFILE))
        if turn.outcome is None and turn.answer is not None:
            quotes = " \n ".join(c.hit.chunk.text[start:end] for c in turn.answer.citations for start, end in c.bounds)
            given.append(Given(answerable and holds_answer(quotes, query.answers, turn.lang), confidence_of(turn).level, answerable))
        if number % 500 == 0:
            log_progress(f"{number} of {len(asked)}")
    await core.close()
    return list(figures(golden.name, given, len(asked), sum(answerable for _, answerable in asked)))


def figures(name: str, given: Sequence[Given], asked: int, answerable: int) -> Iterator[Figure]:
    """`asked`: number of questions, `answerable` of them answerable."""
    right = [each for each in given if each.right]
    high = [each for each in given if each.level == "high"]
    found = 100 * sum(each.level == "high" for each in right) / max(1, len(right))
    yield Figure(f"{name}: right answers of high confidence", found, "%", COMMAND)
    for mixture, share in MIXTURES.items():
        if share and asked == answerable:
            continue
        weight = share / (1 - share) * answerable / max(1, asked - answerable)
        weights = [1.0 if each.answerable else weight for each in high]
        good = sum(weight for weight, each in zip(weights, high, strict=True) if each.right)
        yield Figure(f"{name}: answers of high confidence that are right, {mixture}", 100 * good / max(1e-9, sum(weights)), "%", COMMAND)


if __name__ == "__main__":
    sys.exit(main())
