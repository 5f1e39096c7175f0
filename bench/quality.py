"""Measures the quality of retrieval, extractive answers and refusals: `footnote eval` on each available set."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, NotMeasured, Setup, environment, log_progress


@dataclass(frozen=True, slots=True)
class Asked:
    ndcg: float | None
    answers: float | None = None
    """Per cent of questions whose gold answer stands in the sentences given; None = the set holds no answers."""


SETS = {
    "squad2": Asked(0.90, 86),
    "cranfield": Asked(0.40),
    "xquad_en": Asked(None, 93),
    "xquad_de": Asked(0.95, 87),
    "korquad": Asked(0.96, 92),
    "mtrag_un": Asked(0.86),
}
FOREIGN = "cranfield"
"""Nothing in the other sets answers its questions."""
REFUSED, WRONGLY_REFUSED = 98, 8
TIMED = "squad2"


def measure(setup: Setup) -> Iterator[Figure]:
    found = False
    for name, asked in SETS.items():
        folder = setup.find(name)
        if folder is None:
            log_progress(f"There is no {name}.")
            continue
        found = True
        yield from _figures(name, asked, folder, setup)
    if not found:
        raise NotMeasured(f"{setup.data_sets} holds none of {', '.join(SETS)}.")


def _figures(name: str, asked: Asked, folder: Path, setup: Setup) -> Iterator[Figure]:
    arguments, shown = [str(folder)], f"footnote eval $DATA_SETS/{name}"
    foreign = setup.find(FOREIGN) if asked.answers is not None else None
    if asked.answers is not None:
        arguments, shown = [*arguments, "--answers"], f"{shown} --answers"
    if foreign is not None:
        arguments, shown = [*arguments, "--foreign", str(foreign)], f"{shown} --foreign $DATA_SETS/{FOREIGN}"
    log_progress(shown)
    report = run_eval(*arguments, "--data", str(setup.cache))
    yield Figure(f"{name}: nDCG@10", report["ndcg@10"], "", shown, least=asked.ndcg)
    if "ndcg@10_gain" in report:
        yield Figure(f"{name}: gain of completing follow-ups", report["ndcg@10_gain"], "", shown, least=0)
    if name == TIMED:
        yield Figure(f"{name}: p50 with embedding", report["p50_ms"], "ms", shown)
        yield Figure(f"{name}: p95 with embedding", report["p95_ms"], "ms", shown)
    if asked.answers is not None:
        yield Figure(f"{name}: gold answer shown", report["answer_shown"] * 100, "%", shown, least=asked.answers)
        yield Figure(f"{name}: wrong refusals", report["wrong_refusals"] * 100, "%", shown, most=WRONGLY_REFUSED)
    if foreign is not None:
        yield Figure(f"{name}: questions of {FOREIGN} refused", report["foreign_refused"] * 100, "%", shown, least=REFUSED)


def run_eval(*arguments: str) -> dict[str, Any]:
    """The report of `footnote eval … --json`."""
    done = subprocess.run(
        [sys.executable, "-m", "footnote_local", "eval", *arguments, "--json"], stdout=subprocess.PIPE, text=True, env=environment()
    )
    if done.returncode:
        raise NotMeasured(f"footnote eval {' '.join(arguments)} ended with {done.returncode}.")
    report: dict[str, Any] = json.loads(done.stdout)
    return report
