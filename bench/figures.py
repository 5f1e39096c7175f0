"""What a part of the benchmark gets and gives."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DECIMALS = {"": 3, "%": 1, "ms": 2, "s": 2, "MB": 0}


class NotMeasured(Exception):
    """This machine lacks something that a part needs; the message says what."""


class NoDataSets(NotMeasured):
    """No folder of test sets was named."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with the command that measures it. `least`, `most`: what it should reach; neither = for the record."""

    name: str
    value: float
    unit: str
    """A key of DECIMALS."""
    command: str
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool | None:
        if self.least is None and self.most is None:
            return None
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    @property
    def asked(self) -> str:
        bounds = [f"{sign} {bound:g} {self.unit}".rstrip() for sign, bound in (("≥", self.least), ("≤", self.most)) if bound is not None]
        return " ".join(bounds) or "–"

    @property
    def measured(self) -> str:
        return f"{self.value:.{DECIMALS[self.unit]}f} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Setup:
    """Where things are. `data_sets`: the folder of BEIR folders; `cache`: indexes that the next run finds again."""

    data_sets: Path | None
    cache: Path

    def find(self, name: str) -> Path | None:
        """The set's folder, or None where it is not there; NoDataSets when no folder of sets was named."""
        if self.data_sets is None:
            raise NoDataSets("It needs test sets in BEIR's format. Name the folder that holds theirs: make bench DATA_SETS=FOLDER")
        folder = self.data_sets / name
        return folder if (folder / "corpus.jsonl").exists() else None

    def need(self, name: str) -> Path:
        folder = self.find(name)
        if folder is None:
            raise NotMeasured(f"{self.data_sets} holds no set {name}.")
        return folder


Measure = Callable[[Setup], Iterator[Figure]]


def environment() -> dict[str, str]:
    """For processes under test: no language model, whatever is configured here."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "OPENAI_", "FOOTNOTE_"))}
    return kept | {"LLM__DISCOVER": "false"}


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
