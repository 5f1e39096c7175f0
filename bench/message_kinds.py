"""Which kinds of messages are told, and the fit of the weights.

    python -m bench.message_kinds --fit [--rewrites FILE]    # writes layers/common/footnote/text/message_kinds.bin
    python -m bench.message_kinds [--rewrites FILE] [--data-sets FOLDER [--sets squad2 …]]

Prints how many messages of each kind, set and language are told that were not fitted, by their words alone and by their vectors, too; each
as it comes after others, and a kind that may come first also as it does. `--data-sets`: of the sets' questions, too; `--rewrites`: the
pairs of a file of follow-ups. `bench.message_rows` says which messages these are.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.data_sets import chosen_sets, language_of, make_parser
from bench.figures import log_progress
from bench.message_rows import Row, rows_to_fit, rows_to_measure
from footnote.adapters.e5.embedder import E5
from footnote.learn.golden import load_golden
from footnote.text import message_kinds
from footnote.text.message_kinds import ALONE, DIMENSION, KINDS, SLOTS, kind_of, text_slots

Matrix = npt.NDArray[np.float64]
WEIGHTS = Path(message_kinds.__file__).with_suffix(".bin")
SETS = ("squad2", "xquad_de", "korquad", "xquad_es")
SAMPLE = 600
"""Questions of a set."""
WRITTEN, MADE = (
    dict(zip(KINDS, shares, strict=True)) for shares in ((2.8, 1.2, 0.25, 0.3, 0.25, 0.25, 0.3), (1.0, 0.55, 0.7, 0.3, 0.5, 0.5, 0.7))
)
"""What the messages of a kind count together in the fit: those that people wrote and labelled, and the others. A question that is taken
for something else is the worst error."""
FOREIGN = 3
"""What a message in any other language counts, of which there are few."""
ROUNDS, BATCH, RATE, DECAY, SCALE = 30, 512, 0.05, 3e-6, 3.0
"""Of the fit (Adam): rounds, messages at a time, the size of a step, the pull towards 0, and how much larger a vector counts."""
LOOKS = ((1, 0), (1, 1), (0, 1))
"""Each message is fitted by its words alone, with its vector, and by that alone, which tells the languages of no example."""


def fit(rows: Sequence[Row], vectors: Matrix) -> Matrix:
    """(SLOTS + DIMENSION + 1, kinds): the weights of a logistic regression."""
    slots = [np.array(text_slots(row.text)) for row in rows]
    made_up = [row.source in ("made", "keywords", "rewrites") for row in rows]
    count = Counter(zip((row.kind for row in rows), made_up, strict=True))
    shares = [(MADE if made else WRITTEN)[row.kind] / count[row.kind, made] for row, made in zip(rows, made_up, strict=True)]
    shares = [share * (FOREIGN if row.lang == "other" else 1) for row, share in zip(rows, shares, strict=True)]
    weight = np.array(shares) / np.mean(shares) / len(LOOKS)
    wanted = np.array([[float(row.kind == kind) for kind in KINDS] for row in rows])
    vectors = vectors * SCALE
    made, mean, square = (np.zeros((SLOTS + DIMENSION + 1, len(KINDS))) for _ in range(3))
    draw, step = np.random.default_rng(0), 0
    for number in range(ROUNDS):
        order = draw.permutation(len(rows))
        for chosen in (order[at : at + BATCH] for at in range(0, len(rows), BATCH)):
            sizes = np.array([len(slots[row]) for row in chosen])
            flat, owner = np.concatenate([slots[row] for row in chosen]), np.repeat(np.arange(len(chosen)), sizes)
            share = 1 / np.sqrt(sizes)[:, None]
            words = np.add.reduceat(made[flat], np.concatenate([[0], np.cumsum(sizes)[:-1]])) * share
            seen = vectors[chosen] @ made[SLOTS:-1]
            slope, of_words, of_vector = DECAY * made, np.zeros_like(words), np.zeros_like(words)
            for by_words, by_vector in LOOKS:
                told = np.exp(by_words * words + by_vector * seen + made[-1])
                off = (told / told.sum(axis=1, keepdims=True) - wanted[chosen]) * weight[chosen, None] / len(chosen)
                of_words, of_vector = of_words + by_words * off, of_vector + by_vector * off
                slope[-1] += off.sum(axis=0)
            for kind in range(len(KINDS)):
                slope[:SLOTS, kind] += np.bincount(flat, (of_words * share)[owner, kind], SLOTS)
            slope[SLOTS:-1] += vectors[chosen].T @ of_vector
            step += 1
            mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
            size = RATE * (1 - number / ROUNDS)
            made -= size * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    made[SLOTS:-1] *= SCALE
    return made


def measure(rows: Sequence[Row], vectors: Sequence[npt.NDArray[np.float32] | None]) -> Mapping[tuple[str, str, str, bool], Counter[str]]:
    """(set, language, kind, whether others came before) → what its messages are told to be."""
    told: defaultdict[tuple[str, str, str, bool], Counter[str]] = defaultdict(Counter)
    for row, vector in zip(rows, vectors, strict=True):
        for goes_on in (True, False):
            if goes_on or row.kind not in ALONE:
                told[row.source, row.lang, row.kind, goes_on][kind_of(row.text, goes_on=goes_on, vector=vector)] += 1
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    """Fits the weights, or prints the table."""
    parser = make_parser("message_kinds", "Tells kinds of messages.", SETS)
    parser.add_argument("--fit", action="store_true", help="fit the weights and write them")
    parser.add_argument("--rewrites", type=Path, metavar="FILE", help="follow-ups with their rewrites (mtRAG)")
    options = parser.parse_args(arguments)
    rows = rows_to_fit(options.rewrites) if options.fit else rows_to_measure(options.rewrites)
    if options.data_sets and not options.fit:
        rows += _questions(parser, options)
    model = E5()
    vectors = model.across_languages(model.encode([row.text for row in rows], query=True))
    if options.fit:
        log_progress(f"{len(rows)} messages")
        WEIGHTS.write_bytes(fit(rows, vectors.astype(np.float64)).astype("<f2").tobytes())
        return 0
    for how, seen in (("by words", [None] * len(rows)), ("by words and vectors", list(vectors))):
        for (source, lang, kind, goes_on), told in sorted(measure(rows, seen).items()):
            others = ", ".join(f"{name} {number}" for name, number in told.most_common() if name != kind)
            after = "after others" if goes_on else "first"
            print(f"{how:20} {source:10} {lang:5} {kind:12} {after:12} {told[kind]:4} of {told.total():4}  {others}")
    return 0


def _questions(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Iterator[Row]:
    for folder in chosen_sets(parser, options):
        for query in load_golden(folder, limit=SAMPLE).queries:
            yield Row(query.text, "question", "es" if folder.name.endswith("_es") else language_of(folder.name), folder.name)


if __name__ == "__main__":
    raise SystemExit(main())
