"""Makes the rows that `bench.fit` reads: what describes the best excerpts of a question, and whether they answer it.

    python -m bench.excerpt_rows FOLDER... --data DIR [--sets SET...]

FOLDER: labelled folders (`bench/labels`), none of those that are held out. SET: folders as of `footnote eval`. Every question is searched
with vectors and by words alone. A row holds no text but the first digits of the SHA-256 of question and excerpt.

    kind          answers
    answerable    the excerpts that the label, or a gold answer, recognises
    own-words     the same, asked in the words of the documents
    gone          the same question without the passages that answer it: none
    alone         any question, searched in the document of its first passage alone, as in a small collection
    unanswerable  in the topic of the folder, but not answered: none
    near-miss     the same, a word turned to its neighbour: none
    unrelated     questions about something else (`questions/unrelated.jsonl`): none
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench.answers import PROFILE, UNRELATED
from bench.figures import log_progress
from bench.labelled import CALLER, Label, opened, read_labels
from footnote.answer.choose import Quote, candidates
from footnote.answer.extract import PASSAGES, read_sentences
from footnote.answer.features import NAMES, describe
from footnote.answer.show_excerpt import shown, source_name
from footnote.answer.sub_questions import turns_of
from footnote.answer.verdict import MOST_COMPARED
from footnote.bootstrap import Core
from footnote.learn.golden import GoldenQuery, load_golden
from footnote.settings import LLM, Settings
from footnote.types import Hit, Request, Retriever, Turn
from footnote_local.evaluate import build_index, holds_answer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ROWS = Path(__file__).parent / "rows"
KEPT = 2
"""Excerpts of a question, the best by their sentences."""
LIMIT = 12
"""Hits, of which the passages that answer are taken for “gone”."""
RETRIEVERS: dict[str, Retriever] = {"vectors": "cc", "words": "bm25"}
MOST_OF_SET = 250
"""Questions of a set other than one with unanswerable ones."""


@dataclass(slots=True)
class Rows:
    """The rows of one regime."""

    features: list[npt.NDArray[np.float32]] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    question: list[int] = field(default_factory=list)
    excerpt: list[str] = field(default_factory=list)
    of: list[tuple[str, str, str, str]] = field(default_factory=list)
    """(folder or set, group that belongs to one half, kind, hash) of each question."""

    def add(
        self, of: tuple[str, str, str], question: str, made: npt.NDArray[np.float32], quotes: Sequence[Quote], answers: list[bool]
    ) -> None:
        """Adds a question with its best excerpts."""
        for row, quote, answer in islice(zip(made, quotes, answers, strict=True), KEPT):
            self.features.append(row)
            self.answers.append(answer)
            self.question.append(len(self.of))
            self.excerpt.append(_hash(quote.text))
        self.of.append((*of, _hash(question)))

    def save(self, regime: str) -> None:
        """Writes `rows/REGIME.npz`."""
        import numpy as np

        ROWS.mkdir(exist_ok=True)
        np.savez_compressed(
            ROWS / f"{regime}.npz", names=np.array(NAMES), features=np.array(self.features, np.float16), answers=np.array(self.answers),
            question=np.array(self.question, np.int32), excerpt=np.array(self.excerpt), of=np.array(self.of),
        )  # fmt: skip


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


Judge = Callable[[Quote], bool]
Holds = Callable[[Hit], bool]


async def add_question(
    rows: Rows, core: Core, of: tuple[str, str, str], question: str, retriever: Retriever, judge: Judge, holds: Holds | None
) -> None:
    """Adds the rows of a question, and of the same one without the passages that hold its answer."""
    turn = await core.retrieve.finish(core.new_turn(Request(question, "default", limit=LIMIT, retriever=retriever), CALLER, PROFILE))
    if len(turns_of(turn)) > 1:
        return
    await _add(rows, core, turn, of, judge)
    if hits := turn.evidence.hits:
        own = tuple(hit for hit in hits if hit.chunk.doc_id == hits[0].chunk.doc_id)
        await _add(rows, core, replace(turn, evidence=replace(turn.evidence, hits=own)), (*of[:2], "alone"), judge)
    if holds is not None:
        rest = tuple(hit for hit in turn.evidence.hits if not holds(hit))
        gone = replace(turn, evidence=replace(turn.evidence, hits=rest))
        await _add(rows, core, gone, (*of[:2], "gone"), lambda _: False)


async def _add(rows: Rows, core: Core, turn: Turn, of: tuple[str, str, str], judge: Judge) -> None:
    question, sentences = await read_sentences(turn, core.index)
    quotes = list(islice(candidates(sentences), MOST_COMPARED))
    if quotes:
        rows.add(
            of, turn.asked, describe(question, quotes, sentences, turn.evidence.hits[:PASSAGES]), quotes, [judge(quote) for quote in quotes]
        )


def _answers(label: Label, quote: Quote) -> bool:
    return label.judge(f"{source_name(quote)}\n{shown(quote, frozenset(), quote.hit.chunk.lang)}") != "wrong"


def _holds(label: Label, hit: Hit) -> bool:
    return label.judge(" ".join((*hit.chunk.headings, hit.chunk.text))) != "wrong"


def _is_gold(query: GoldenQuery, hit: Hit) -> bool:
    return hit.chunk.doc_id in query.relevance


def _has_gold(query: GoldenQuery, quote: Quote) -> bool:
    return _is_gold(query, quote.hit) and holds_answer(quote.text, query.answers, quote.hit.chunk.lang)


async def add_folder(rows: Rows, core: Core, folder: Path, retriever: Retriever) -> None:
    """Adds a labelled folder."""
    lang = folder.name[:2]
    for label in read_labels(folder):
        if label.kind == "follow-up":
            continue
        of = (folder.name, folder.name, label.kind)
        await add_question(
            rows, core, of, label.question, retriever, partial(_answers, label), partial(_holds, label) if label.key else None
        )
    for row in map(json.loads, UNRELATED.read_text("utf-8").splitlines()):
        if row["lang"] == lang:
            await add_question(rows, core, (folder.name, folder.name, "unrelated"), row["text"], retriever, lambda _: False, None)


async def add_set(rows: Rows, core: Core, folder: Path, retriever: Retriever) -> None:
    """Adds a public set. A question belongs to the half of the title of its passage."""
    golden = load_golden(folder)
    titles = {document.doc_id: document.title or document.doc_id for document in golden.documents}
    queries = golden.queries if golden.unanswerable else golden.queries[:: max(1, len(golden.queries) // MOST_OF_SET)]
    for query in queries:
        group = titles[next(iter(query.relevance))]
        await add_question(
            rows, core, (golden.name, group, "answerable"), query.text, retriever, partial(_has_gold, query), partial(_is_gold, query)
        )
    places = {row["_id"]: row["context_id"] for row in _unanswerable(folder)}
    for query in golden.unanswerable:
        await add_question(
            rows, core, (golden.name, titles[places[query.query_id]], "near-miss"), query.text, retriever, lambda _: False, None
        )


def _unanswerable(folder: Path) -> list[dict[str, str]]:
    file = folder / "unanswerable.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


@asynccontextmanager
async def _opened_set(folder: Path, data: Path) -> AsyncIterator[Core]:
    core, _ = await build_index(load_golden(folder), Settings(llm=LLM(discover=False), footnote_data=data), data / "eval", lambda *_: None)
    try:
        yield core
    finally:
        await core.close()


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.excerpt_rows", description="Makes the rows that bench.fit reads.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="where the data folders are made and kept")
    parser.add_argument("--sets", nargs="*", type=Path, default=[], metavar="SET")
    options = parser.parse_args()
    made = {regime: Rows() for regime in RETRIEVERS}
    for folder in options.folders:
        log_progress(f"— {folder.name}")
        async with opened(folder, options.data / folder.name) as core:
            for regime, retriever in RETRIEVERS.items():
                await add_folder(made[regime], core, folder, retriever)
    for folder in options.sets:
        log_progress(f"— {folder.name}")
        async with _opened_set(folder, options.data) as core:
            for regime, retriever in RETRIEVERS.items():
                await add_set(made[regime], core, folder, retriever)
    for regime, rows in made.items():
        rows.save(regime)


if __name__ == "__main__":
    asyncio.run(_main())
