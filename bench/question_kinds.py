"""How often the kind of a question is told, and the fit of the weights that tell it.

    python -m bench.question_kinds --fit    # writes the weights: layers/common/footnote/text/question_kinds.bin
    python -m bench.question_kinds          # what is asked for, in folders that were not fitted; intents: python -m bench.intents

The weights are fitted with the half `dev` of `questions/intents.jsonl` and `questions/natural.jsonl`, with the questions of the folders
of `bench/labels` that are not held out, and with made-up ones from `questions/kinds_grammar.txt`. Not every question tells all: a label
of a folder says what is asked for, and the type of a fact only where that decides it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench.figures import log_progress
from bench.labelled import LABELS
from bench.request_grammar import Grammar, read_grammar
from footnote.text import question_kinds
from footnote.text.question_kinds import HEADS, OTHER, OUTPUTS, SLOTS, asked_type_of, features

QUESTIONS = Path(__file__).parent / "questions"
WEIGHTS = Path(question_kinds.__file__).with_suffix(".bin")
EACH, STEPS, RATE, DECAY = 20, 120, 0.1, 3e-5
"""Questions from a template, steps of the fit (Adam), their size, and the pull towards 0."""
OF_INTENTS = 3.0
"""Weight of a question of `intents.jsonl`; that of others is 1."""
UNTOLD = frozenset({"table", "contact", "condition"})
"""Labels that say where an answer stands, and not what is asked for."""
TYPES: Mapping[str, str | None] = {"how-to": "procedural", "date": "temporal", "number": None, "list": None, "reason": None, "other": None}
"""What is asked for → the type of a question for a fact; None = that does not tell it, and others are `factual`."""
SHAPES = {"why": "reason", "where": "place", "who": "person", "when": "date"}
"""What `natural.jsonl` calls otherwise."""


class Row(NamedTuple):
    """A question and its value for each of HEADS; None = not told."""

    text: str
    told: tuple[str | None, ...]
    weight: float = 1.0


def rows_of(name: str) -> list[dict[str, str]]:
    """The lines of a file of labels."""
    return [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]


def labelled(*, held_out: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """(language, label) of the folders that are held out, or that are not."""
    table = (LABELS / "README.md").read_text("utf-8").splitlines()
    for folder in (row.split("`")[1] for row in table if row.startswith("| `") and row.endswith("| yes |" if held_out else "| no |")):
        for row in rows_of(f"{LABELS}/{folder}.jsonl"):
            if row.get("asks", "table") not in UNTOLD:
                yield folder[:2], row


def made_up() -> Iterator[Row]:
    """EACH question of every template, without repetitions."""
    grammar, random, key, seen = Grammar(names=read_grammar().names), Random(7), [""], set[str]()
    templates: list[tuple[list[str], str]] = []
    for line in (QUESTIONS / "kinds_grammar.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            key = line.strip("[]").split()
        elif line.startswith("@") and " = " in line:
            name, values = line[1:].split(" = ", 1)
            grammar.names[name] = values.split("|")
        elif line and not line.startswith("#"):
            templates.append((key, line))
    for (_, intent, of_type, asks, *steps), template in templates:
        kind = of_type if intent == "FACTUAL" else None
        for text in (grammar.expand(template, random) for _ in range(EACH)):
            if text not in seen:
                seen.add(text)
                yield Row(text, (kind, OTHER if asks == "-" else asks, "several" if steps else "one"))


def training_rows() -> Iterator[Row]:
    """What the weights are fitted with."""
    for row in rows_of(f"{QUESTIONS}/intents.jsonl"):
        if row["half"] == "dev":
            yield Row(row["text"], (row["type"] if row["intent"] == "FACTUAL" else None, None, None), OF_INTENTS)
    for row in rows_of(f"{QUESTIONS}/natural.jsonl"):
        if row["half"] == "dev" and row["shape"] not in UNTOLD:
            yield Row(row["text"], (None, SHAPES.get(row["shape"], row["shape"]), None))
    for _, row in labelled(held_out=False):
        yield Row(row["question"], (TYPES.get(row["asks"], "factual"), row["asks"], None))
    yield from made_up()


def fit(rows: list[Row]) -> npt.NDArray[np.float32]:
    """The weights and biases, (SLOTS + 1, OUTPUTS), of a logistic regression on each of HEADS. A value counts as the root of its number."""
    found = np.zeros((len(rows), SLOTS + 1), np.float32)
    for at, row in enumerate(rows):
        slots = list(features(row.text))
        found[at, slots] = 1 / math.sqrt(len(slots))
    found[:, SLOTS] = 1
    pull = np.full((SLOTS + 1, 1), DECAY, np.float32)
    pull[SLOTS] = 0
    wanted, weight = np.zeros((len(rows), OUTPUTS), np.float32), np.zeros((len(rows), OUTPUTS), np.float32)
    spans: list[slice] = []
    for head, values in enumerate(HEADS.values()):
        span = slice(spans[-1].stop if spans else 0, (spans[-1].stop if spans else 0) + len(values))
        numbers = Counter(row.told[head] for row in rows)
        for at, row in enumerate(rows):
            if (value := row.told[head]) is not None:
                wanted[at, span.start + values.index(value)] = 1
                weight[at, span] = row.weight / math.sqrt(numbers[value])
        weight[:, span] /= weight[:, span.start].sum()
        spans.append(span)
    made, mean, square = (np.zeros((SLOTS + 1, OUTPUTS), np.float32) for _ in range(3))
    for step in range(1, STEPS + 1):
        told = np.exp(found @ made)
        for span in spans:
            told[:, span] /= told[:, span].sum(axis=1, keepdims=True)
        slope = found.T @ ((told - wanted) * weight) + pull * made
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        made -= RATE * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return made


def recognised() -> dict[str, Counter[str]]:
    """What is asked for in the folders that are held out → numbers of questions by what they were taken for."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, row in labelled(held_out=True):
        counts[row["asks"]][asked_type_of(row["question"]) or OTHER] += 1
    return counts


def _packed(biases: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]) -> bytes:
    """A file as it is read; the weights of a row may have one number in common."""
    steps = np.abs(weights).max(axis=0) / 127
    packed: bytes = np.array([biases, steps], "<f4").tobytes() + np.round(weights / steps).astype(np.int8).tobytes()
    return packed


def main() -> None:
    """Fits the weights, or prints the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.question_kinds", description="Tells the kinds of questions.")
    parser.add_argument("--fit", action="store_true", help="fit the weights and write them")
    if parser.parse_args().fit:
        rows = list(training_rows())
        log_progress(f"{len(rows)} questions")
        made = fit(rows)
        WEIGHTS.write_bytes(_packed(made[SLOTS], made[:SLOTS]))
        return
    counts = recognised()
    for asks, count in counts.items():
        print(f"{asks:12}{count[asks]:4} of {count.total():4}", dict(count.most_common()))
    print(f"all         {sum(count[asks] for asks, count in counts.items())} of {sum(count.total() for count in counts.values())}")


if __name__ == "__main__":
    main()
