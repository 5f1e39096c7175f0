"""Measures the check of claims: the share of unsupported and of supported claims that it doubts, and that it finds in a passage so
surely that a citation is added.

    python -m bench.claims FOLDER

FOLDER contains JSON lines `{claim, label: supported|partial|unsupported, passages: [text]}`, one file per set, labelled by
people. Partly supported claims are skipped. Terms are weighted by their rarity among the set's passages.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure
from footnote.answer.assess import sentences_of, support
from footnote.answer.attribute import place_of
from footnote.text.tokens import content_terms
from footnote.types import Chunk

LANG = "en"
COMMAND = "python -m bench.claims FOLDER"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description="Measures the check of claims against human labels.")
    parser.add_argument("folder", type=Path, help="folder of claims, JSON lines")
    for path in sorted(parser.parse_args(arguments).folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row["label"] != "partial"]
        for figure in measure(path.stem, rows):
            print(f"{figure.name:62} {figure.measured}")
    return 0


def measure(name: str, rows: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    distinct = {text for row in rows for text in row["passages"]}
    held = Counter(term for text in distinct for term in set(content_terms(text, LANG)))
    doubted: dict[str, list[bool]] = {"unsupported": [], "supported": []}
    found: dict[str, list[bool]] = {"unsupported": [], "supported": []}
    for row in rows:
        chunks = [Chunk(str(i), "", 0, i, 2, "", text, LANG, "") for i, text in enumerate(row["passages"])]
        sentences = {chunk.chunk_id: sentences_of(chunk, LANG) for chunk in chunks}
        terms = content_terms(row["claim"], LANG)
        weights = {term: math.log(1 + (len(distinct) - held[term] + 0.5) / (held[term] + 0.5)) for term in terms}
        doubted[row["label"]].append(support(row["claim"], chunks, sentences, weights, "", LANG).doubted)
        found[row["label"]].append(place_of(row["claim"], chunks, sentences, weights, "", LANG) is not None)
    caught, alarms = map(_percent, doubted.values())
    yield Figure(f"{name}: {len(doubted['unsupported'])} unsupported claims, doubted", caught, "%", COMMAND)
    yield Figure(f"{name}: {len(doubted['supported'])} supported claims, doubted", alarms, "%", COMMAND)
    yield Figure(f"{name}: balanced accuracy", (caught + 100 - alarms) / 2, "%", COMMAND)
    for label, each in found.items():
        yield Figure(f"{name}: {len(each)} {label} claims, cited", _percent(each), "%", COMMAND)


def _percent(counted: Sequence[bool]) -> float:
    return 100 * sum(counted) / max(len(counted), 1)


if __name__ == "__main__":
    sys.exit(main())
