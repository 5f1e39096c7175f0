"""Labelled questions of folders of real documents: `bench/labels/README.md` says what a label holds, and which folders there are.

A folder holds `docs/` and `labels.jsonl`. The data folder in which Footnote keeps what it read of `docs/` is made once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import footnote
from footnote.bootstrap import Core
from footnote.settings import LLM, Settings
from footnote.types import Caller

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LABELS = Path(__file__).parent / "labels"
CALLER = Caller("bench", sees_all=True)
Judgement = Literal["right", "partly", "wrong"]
UNANSWERED = ("unanswerable", "near-miss")
"""Kinds of questions that the documents do not answer."""
SAME = 0.6
"""Share of the words of the shorter of two texts from which one says the other."""


@dataclass(frozen=True, slots=True)
class Label:
    """A question with the patterns that judge a text. An unanswerable question has none."""

    question: str
    key: str | None
    part: str | None = None
    kind: str = "answerable"
    before: str = ""
    """The question that a follow-up follows."""
    files: tuple[str, ...] = ()
    """The files that hold the answer, below `docs/`."""
    spans: tuple[str, ...] = ()
    """The words of the first file that hold it."""

    def judge(self, text: str) -> Judgement:
        """Whether the text answers the question."""
        patterns: tuple[tuple[str | None, Judgement], ...] = ((self.key, "right"), (self.part, "partly"))
        for pattern, judgement in patterns:
            if pattern and re.search(pattern, text, re.IGNORECASE | re.DOTALL):
                return judgement
        return "wrong"

    def marks(self, sentence: str) -> bool:
        """Whether the sentence is of those that hold the answer."""
        said = words(sentence)
        near = any(len(said & held) >= SAME * min(len(said), len(held)) > 0 for held in map(words, self.spans))
        return near or self.judge(sentence) != "wrong"


def words(text: str) -> set[str]:
    """The words of a text, in lower case."""
    return set(re.findall(r"\w+", text.lower()))


def read_labels(folder: Path) -> list[Label]:
    """All labels of a folder."""
    return list(_read(folder / "labels.jsonl"))


def _read(file: Path) -> Iterator[Label]:
    for row in map(json.loads, file.read_text("utf-8").splitlines()):
        key = None if row["kind"] in UNANSWERED else str(row["key"])
        files = (row.get("file", ""), *row.get("also", ()))
        before, spans = row.get("before", ""), tuple(row.get("spans", ()))
        yield Label(row["question"], key, row.get("part"), row["kind"], before, files if files[0] else (), spans)


@asynccontextmanager
async def opened(folder: Path, data: Path) -> AsyncIterator[Core]:
    """A core without a language model on the documents of a folder, all of which have vectors. They are read if `data` does not exist."""
    if not data.exists():
        async with footnote.open(data, llm__discover=False) as library:
            await library.ingest(folder / "docs")
    core = Core(Settings(footnote_data=data, llm=LLM(discover=False)))
    try:
        while await core.ingestor.embed_some(32):
            pass
        yield core
    finally:
        await core.close()
