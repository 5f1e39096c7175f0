"""Measures the import time of each function's module in a fresh process, without the interpreter's own start."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

from bench.figures import ROOT, Figure, Setup, environment

RUNS = 7
MOST_S = {"footnote_query.app": 0.6, "footnote_ingest.app": 0.4, "footnote_feedback.app": 0.4, "footnote_stats.app": 0.4}


def measure(setup: Setup) -> Iterator[Figure]:
    """Yields medians. An uncounted first run writes the bytecode and warms the file cache."""
    times: dict[str, list[float]] = {module: [] for module in MOST_S}
    for _ in range(RUNS + 1):  # interleaved, so that a slow moment of the machine affects all alike
        for module, seconds in times.items():
            seconds.append(_import(module))
    for module, seconds in times.items():
        yield Figure(f"import {module}", statistics.median(seconds[1:]), "s", _show(module), most=MOST_S[module])


def _code(module: str) -> str:
    return f"from time import perf_counter as now; started = now(); import {module}; print(now() - started)"


def _show(module: str) -> str:
    return f"python -c '{_code(module)}'"


def _import(module: str) -> float:
    return float(
        subprocess.run(
            [sys.executable, "-c", _code(module)], cwd=ROOT, env=environment(), check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    )
