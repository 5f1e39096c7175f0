"""Measures `footnote sync` of a folder: the first run, a run after nothing changed, and one after a few files changed.

    python -m bench.sync                  10,000 files
    python -m bench.sync --files 1000

The files are short texts in folders of a hundred, without vectors. Each run is a process of its own, as the command is. Writes are the
rows that it changed in the databases, and the files that it wrote or deleted in the data folder.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

from bench.figures import Figure, Setup, log_progress
from footnote.bootstrap import Core
from footnote.ingest.sync_record import Wanted
from footnote.settings import LLM, Embedding, Settings
from footnote_local.sync_run import Outcome, run_sync

FILES, OF_A_FOLDER, CHANGED_OF = 10_000, 100, 100
"""Files by default, files of a folder, and the share of files that are changed before the third run: one of so many."""
MOST_AGAIN_S = 10.0
TEXT = "Record {0} of the harbour office. Berth {1} was taken by ship {0} at noon. The fee for a day is {2} crowns, to be paid at the desk."


class Counted(sqlite3.Connection):
    """Adds the rows that it changed to a total when it is closed."""

    rows = 0

    def close(self) -> None:
        Counted.rows += self.total_changes
        super().close()


class Run(NamedTuple):
    """What a run took and did."""

    seconds: float
    cpu: float
    rows: int
    files: int
    planned: int
    """Files that were added or changed."""


def measure(setup: Setup) -> Iterator[Figure]:
    """The figures of the default number of files."""
    yield from run(FILES)


def run(files: int, place: Path | None = None) -> Iterator[Figure]:
    """`place`: where the folders are made, by default the system's temporary folder; they are deleted in the end."""
    command = "python -m bench.sync" + (f" --files {files}" if files != FILES else "")
    with TemporaryDirectory(dir=place) as folder:
        source = Path(folder) / "source"
        for number in range(files):
            _write(source, number, 7)
        for name in ("first", "again", "after changes"):
            if name == "after changes":
                for number in range(0, files, CHANGED_OF):
                    _write(source, number, 8)
            log_progress(f"{files} files, {name}")
            with get_context("spawn").Pool(1) as pool:
                made = Run(*pool.apply(_run, (folder,)))
            idle = name == "again"
            yield Figure(f"sync of {files} files, {name}", made.seconds, "s", command, most=MOST_AGAIN_S if idle else None)
            yield Figure("  CPU time of the process", made.cpu, "s", command)
            yield Figure("  files added or changed", made.planned, "files", command)
            yield Figure("  rows changed in the databases", made.rows, "rows", command, most=0 if idle else None)
            yield Figure("  files written or deleted", made.files, "files", command, most=0 if idle else None)


def _write(source: Path, number: int, fee: int) -> None:
    path = source / f"{number // OF_A_FOLDER:03}" / f"record-{number}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.format(number, number % 40, fee))


def _run(folder: str) -> tuple[float, float, int, int, int]:
    sqlite3.connect = partial(sqlite3.connect, factory=Counted)  # type: ignore[assignment]
    data, outcomes = Path(folder) / "data", list[Outcome]()
    before, started, cpu = _listing(data / "files"), perf_counter(), process_time()
    core = Core(Settings(footnote_data=data, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    asyncio.run(run_sync(core, f"{folder}/source", Wanted(), dry_run=False, yes=True, watch=False, show=outcomes.append))
    took, used = perf_counter() - started, process_time() - cpu
    plan = outcomes[0].plan
    return took, used, Counted.rows, len(before ^ _listing(data / "files")), len(plan.added) + len(plan.changed)


def _listing(folder: Path) -> set[tuple[str, int]]:
    """(path, time of the last change in nanoseconds) of all files."""
    return {(str(path), os.stat(path).st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """Prints the figures as they are measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.sync", description="Measures syncs of a folder.")
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--folder", type=Path, help="where the folders are made; default: the system's temporary folder")
    options = parser.parse_args()
    for figure in run(options.files, options.folder):
        print(f"{figure.name:60} {figure.measured:>12}  {figure.asked}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
