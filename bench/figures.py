"""Types shared by the parts of the benchmark."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DECIMALS = {"": 3, "%": 1, "ms": 2, "s": 2, "MB": 0, "texts": 0, "files": 0, "rows": 0}


class NotMeasured(Exception):
    """A part cannot be measured on this machine; the message says what is missing."""


class NoDataSets(NotMeasured):
    """No folder of test sets was given."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number and the command that measures it. `least`, `most`: targets; None = no target."""

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
    """`data_sets`: the folder of BEIR folders; `cache`: where indexes are kept for the next run; `passages`: how many a large index has."""

    data_sets: Path | None
    cache: Path
    passages: int = 100_000

    def find(self, name: str) -> Path | None:
        """The set's folder, or None if it does not exist; NoDataSets if no folder of sets was given."""
        if self.data_sets is None:
            raise NoDataSets("This needs test sets in BEIR's format. Name their folder: make bench DATA_SETS=FOLDER")
        folder = self.data_sets / name
        return folder if (folder / "corpus.jsonl").exists() else None

    def need(self, name: str) -> Path:
        folder = self.find(name)
        if folder is None:
            raise NotMeasured(f"{self.data_sets} does not contain the set {name}.")
        return folder


Measure = Callable[[Setup], Iterator[Figure]]


def environment() -> dict[str, str]:
    """The environment for processes under test, without any language model."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "OPENAI_", "FOOTNOTE_"))}
    return kept | {"LLM__DISCOVER": "false"}


def log_progress(text: str) -> None:
    """Prints a line of progress to standard error."""
    print(text, file=sys.stderr, flush=True)
