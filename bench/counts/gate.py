"""Compares what is counted with the bounds in bounds.json, which hold for a minor version of Python each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.figures import ROOT, environment

BOUNDS = Path(__file__).with_name("bounds.json")
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
WRITE = "python -m bench.counts --write"
MORE, LESS = 0.04, 0.05
"""So much more than its bound breaks it; so much less asks for a lower one, or the gain would be lost unseen."""
ENTRIES = (
    "footnote.bootstrap",
    "footnote_query.app",
    "footnote_ingest.app",
    "footnote_feedback.app",
    "footnote_stats.app",
    "footnote_local.cli",
)
IMPORT = """
import gc, json, sys
before, blocks = set(sys.modules), sys.getallocatedblocks()
import {entry}
gc.collect()
new = set(sys.modules) - before
packages = {{name.partition(".")[0] for name in new}} - sys.stdlib_module_names
print(json.dumps({{"modules": len(new), "packages": len(packages), "blocks": sys.getallocatedblocks() - blocks}}))
"""

Counts = Mapping[str, Mapping[str, int]]
"""Scene → counter → count."""


def count() -> tuple[dict[str, dict[str, int]], dict[str, list[tuple[str, int]]]]:
    """What every scene and every import of an entry point takes, and the functions that are called most in each scene. Each runs in a
    process of its own."""
    scenes = _run("-m", "bench.counts.scenes")
    imports = {f"import {entry}": _run("-c", IMPORT.format(entry=entry)) for entry in ENTRIES}
    return scenes["counts"] | imports, scenes["top"]


def _run(*arguments: str) -> Any:
    """Sets and dictionaries of these processes have the same order each time."""
    env = environment() | {"PYTHONHASHSEED": "0"}
    return json.loads(subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE).stdout)


def read_bounds() -> dict[str, dict[str, int]] | None:
    """Those of this version of Python; None = there are none."""
    known: dict[str, dict[str, dict[str, int]]] = json.loads(BOUNDS.read_text())
    return known.get(VERSION)


def write_bounds(found: Counts) -> None:
    """Replaces the bounds of this version of Python."""
    known = json.loads(BOUNDS.read_text())
    BOUNDS.write_text(json.dumps(dict(sorted((known | {VERSION: found}).items())), indent=2) + "\n")


def compare(found: Counts, bounds: Counts) -> Iterator[str]:
    """A line for each count that is out of bounds or has no bound, and for each bound without a count."""
    for scene in dict.fromkeys([*bounds, *found]):
        counts, limits = found.get(scene, {}), bounds.get(scene, {})
        for name in dict.fromkeys([*limits, *counts]):
            if name not in limits or name not in counts:
                yield f"{scene}: {name} {'has no bound' if name in counts else 'is no longer counted'}. To change the bounds: {WRITE}"
                continue
            value, bound = counts[name], limits[name]
            line = f"{scene}: {name} {bound:,} → {value:,}" + (f" ({value / bound - 1:+.1%})" if bound else "")
            if value > bound * (1 + MORE):
                yield f"{line}. Win it back; if it is worth it, {WRITE}, and commit that by itself, saying by how much and for what."
            elif value < bound * (1 - LESS):
                yield f"{line}. Keep the gain: {WRITE}"
