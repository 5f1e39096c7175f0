"""Prints the table of figures: target, measured value and the command that measures it.

Progress goes to standard error. Only the index cache is written.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import (
    beside_sdk,
    cold_start,
    experiments,
    first_answer,
    follow_up,
    imports,
    ingest,
    large,
    levels,
    memory,
    opensearch,
    overhead,
    quality,
    retrieval,
    sync,
    turn_profile,
)
from bench.figures import Figure, Measure, NoDataSets, NotMeasured, Setup, log_progress

PARTS: dict[str, Measure] = {
    "imports": imports.measure,
    "first_answer": first_answer.measure,
    "follow_up": follow_up.measure,
    "overhead": overhead.measure,
    "turn_profile": turn_profile.measure,
    "beside_sdk": beside_sdk.measure,
    "experiments": experiments.measure,
    "retrieval": retrieval.measure,
    "memory": memory.measure,
    "quality": quality.measure,
    "ingest": ingest.measure,
    "large": large.measure,
    "levels": levels.measure,
    "opensearch": opensearch.measure,
    "cold_start": cold_start.measure,
    "sync": sync.measure,
}
DEFAULT = [name for name in PARTS if name not in ("large", "opensearch", "cold_start", "sync")]
"""The other parts need many minutes, engines or built functions."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 if every part was measured, else 1. Without a folder of data sets, parts that need one are skipped, unless named
    with --only. A missed target does not change the exit code."""
    options = _parse(arguments)
    data_sets = options.data_sets or os.environ.get("DATA_SETS")
    cache = Path(os.environ.get("DATA") or "data") / "bench"
    setup = Setup(Path(data_sets).expanduser() if data_sets else None, cache, options.passages)
    figures: dict[str, list[Figure]] = {}
    missing: dict[str, str] = {}
    failed = False
    for name in options.only or DEFAULT:
        figures[name] = []
        log_progress(f"— {name}")
        try:
            for figure in PARTS[name](setup):
                figures[name].append(figure)
                log_progress(f"{figure.name}: {figure.measured}")
        except NotMeasured as exc:
            missing[name] = str(exc)
            failed = failed or options.only is not None or not isinstance(exc, NoDataSets)
            log_progress(str(exc))
    print(_json(figures, missing) if options.json else _table(figures, missing))
    return int(failed)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Runs the benchmarks and prints a table of figures and targets.")
    parser.add_argument("--data-sets", metavar="FOLDER", help="folder of test sets in BEIR's format; default: $DATA_SETS")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="NAME", help=f"run only these of {', '.join(PARTS)}")
    parser.add_argument("--passages", type=int, default=100_000, metavar="NUMBER", help="of the part large; default: 100000")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def _table(figures: dict[str, list[Figure]], missing: dict[str, str]) -> str:
    rows = [("", "figure", "target", "measured", "command")]
    for each in figures.values():
        rows += [({True: "✓", False: "✗", None: " "}[f.met], f.name, f.asked, f.measured, f.command) for f in each]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4])) for row in rows]
    return "\n".join([*lines, *(f"Not measured: {name}. {why}" for name, why in missing.items())])


def _json(figures: dict[str, list[Figure]], missing: dict[str, str]) -> str:
    rows = [
        {
            "part": part,
            "name": f.name,
            "value": round(f.value, 4),
            "unit": f.unit,
            "least": f.least,
            "most": f.most,
            "met": f.met,
            "command": f.command,
        }
        for part, each in figures.items()
        for f in each
    ]
    return json.dumps({"figures": rows, "not_measured": missing}, ensure_ascii=False, indent=2)


if __name__ == "__main__":
    sys.exit(main())
