"""Fits the weights by which the kinds of names are told apart: layers/common/footnote/text/name_kinds.bin.

    python -m bench.name_kinds_fit CORPORA --data-sets FOLDER
    python -m bench.name_kinds_fit CORPORA --data-sets FOLDER --measure     the share that is right, by language and kind

CORPORA holds what `bench.names_fit` reads, and corpora with more names and kinds: `btc_*.conll` (Broad Twitter Corpus, CC BY 4.0),
`so_train.txt`, `so_dev.txt` and `so_test.txt` (StackOverflowNER, MIT), where software and devices are marked, `ler_dev.conll` and
`ler_test.conll` (German court decisions, CC BY 4.0), `konec-dev.tsv` (KLUE-NER's sentences with 150 kinds, CC BY-SA 4.0), and
`territories.tsv` (language, kind and name of each territory in the Unicode CLDR, Unicode License). FOLDER holds
`guardrails/presidio_synth_dataset_v2.json` (MIT).
With `--measure`, it fits on the first half of each corpus, and prints the figures on the second one, and on texts that nothing is
fitted to. No corpus marks projects, and German ones mark no products.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from bench.figures import log_progress
from bench.name_corpora import Marked, kind_of_tag, of_characters, of_columns, of_spans
from footnote.text import name_kinds
from footnote.text.name_kinds import FITTED, Kind

WEIGHTS = Path(name_kinds.__file__).with_suffix(".bin")
ROUNDS, RATE, LEAST = 6, 0.1, 2
"""Rounds of the fit, the size of its steps (AdaGrad), and how often a feature has to be seen."""
Example = tuple[list[tuple[int, int]], int]
"""(slot, mark) of a name's features, and its kind's place in `FITTED`."""
Corpus = tuple[str, str, list[Marked]]
"""(name, language, sentences)."""


def corpora(folder: Path, data_sets: Path) -> Iterator[Corpus]:
    """What is fitted to."""
    tweets = ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated")
    yield "WNUT 2017", "en", [row for name in tweets for row in of_columns(folder / name, 0, 1)]
    yield "Broad Twitter Corpus", "en", [row for name in "abefgh" for row in of_columns(folder / f"btc_{name}.conll", 0, 1)]
    yield "EWT", "en", [row for name in ("dev", "test") for row in of_columns(folder / f"en_ewt-ud-{name}.iob2", 1, 2)]
    yield "Wikigold", "en", list(of_columns(folder / "wikigold.conll.txt", 0, 1, " "))
    yield "StackOverflowNER", "en", [row for name in ("train", "dev", "test") for row in of_columns(folder / f"so_{name}.txt", 0, 1)]
    yield "Presidio", "en", list(of_spans(data_sets / "guardrails" / "presidio_synth_dataset_v2.json"))
    yield "GermEval 2014", "de", [row for name in ("dev", "test") for row in of_columns(folder / "germeval14" / f"{name}.tsv", 1, 2)]
    yield "court decisions", "de", [row for name in ("dev", "test") for row in of_columns(folder / f"ler_{name}.conll", 0, 1, " ")]
    yield "KLUE-NER", "ko", list(of_characters(folder / "konec-dev.tsv"))


def others(folder: Path) -> Iterator[Corpus]:
    """What nothing is fitted to."""
    for lang in ("en", "de"):
        yield "PUD", lang, list(of_columns(folder / f"{lang}_pud-ud-test.iob2", 1, 2))


def names_of(sentences: Sequence[Marked], lang: str) -> Iterator[tuple[str, str, str, Kind]]:
    """(name, text before, text after, kind) of what is written as a name."""
    for text, spans in sentences:
        for start, end, tag in spans:
            kind = kind_of_tag(tag)
            if kind and (lang == "ko" or any(map(str.isupper, text[start:end]))):
                yield text[start:end], text[:start], text[end:], kind


def marks_of(rows: Sequence[Example]) -> np.ndarray:
    """(SLOTS,): the mark of each slot: that of its most frequent feature. What is seen less than `LEAST` times has none."""
    counts = Counter(feature for features, _ in rows for feature in features)
    marks = np.zeros(name_kinds.SLOTS, np.uint8)
    for (slot, mark), number in sorted(counts.items(), key=lambda each: (each[1], each[0])):
        if number >= LEAST:
            marks[slot] = mark
    return marks


def known(features: Sequence[tuple[int, int]], marks: np.ndarray) -> np.ndarray:
    """The slots of the features that have one."""
    slots, own = np.array(features).T
    found: np.ndarray = slots[marks[slots] == own]
    return found


def fit(examples: Sequence[Example], marks: np.ndarray) -> np.ndarray:
    """(SLOTS, kinds): the weights of a log-linear choice among the kinds, averaged over all rounds but the first."""
    rows = [(known(features, marks), right) for features, right in examples]
    random, shape = Random(3), (name_kinds.SLOTS, len(FITTED))
    weights, squares, total, count = np.zeros(shape), np.full(shape, 1e-2), np.zeros(shape), 0
    for round_ in range(ROUNDS):
        random.shuffle(rows)
        for number, (slots, right) in enumerate(rows):
            score = weights[slots].sum(0)
            off = np.exp(score - score.max())
            off /= off.sum()
            off[right] -= 1
            squares[slots] += off * off
            weights[slots] -= RATE * off / np.sqrt(squares[slots])
            if round_ and number % 2000 == 0:
                total, count = total + weights, count + 1
        log_progress(f"round {round_ + 1} of {ROUNDS}")
    return total / count


def examples(sentences: Sequence[Marked], lang: str) -> Iterator[Example]:
    for name, before, after, kind in names_of(sentences, lang):
        yield name_kinds.features(name, before, after, lang), FITTED.index(kind)


def countries(folder: Path) -> Iterator[Example]:
    """Names of countries and continents, twice each, since no corpus has them all."""
    for line in (folder / "territories.tsv").read_text("utf-8").splitlines():
        yield from [(name_kinds.own_features(line.split("\t")[2]), FITTED.index("place"))] * 2


def in_steps(weights: np.ndarray) -> np.ndarray:
    """The weights as signed bytes."""
    step = float(np.quantile(np.abs(weights), 0.9999)) / 127
    rounded: np.ndarray = np.clip(np.rint(weights / step), -127, 127).astype("i1")
    return rounded


def measure(corpus: Corpus, marks: np.ndarray, weights: np.ndarray) -> None:
    """Prints the share of names whose kind is right: of all, and of each kind (right / all of it / all that are taken for it)."""
    told, there, right = Counter[Kind](), Counter[Kind](), Counter[Kind]()
    name, lang, sentences = corpus
    for written, before, after, kind in names_of(sentences, lang):
        slots = known(name_kinds.features(written, before, after, lang), marks)
        found = FITTED[int(weights[slots].sum(0, dtype=np.int32).argmax())]
        told[found] += 1
        there[kind] += 1
        right[kind] += found == kind
    kinds = ", ".join(f"{kind} {right[kind]}/{there[kind]}/{told[kind]}" for kind in FITTED)
    print(f"{lang} {name}: {right.total() / there.total():.3f} of {there.total()}; {kinds}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.name_kinds_fit", description="Fits the weights that tell kinds of names apart.")
    parser.add_argument("corpora", type=Path, help="folder of corpora with marked names")
    parser.add_argument("--data-sets", type=Path, required=True, metavar="FOLDER", help="folder of test sets")
    parser.add_argument("--measure", action="store_true", help="fit on the first halves only, and print the figures on the others")
    options = parser.parse_args(arguments)
    rows, rest = list[Example](), list[Corpus]()
    for name, lang, sentences in corpora(options.corpora, options.data_sets):
        half = len(sentences) // 2 if options.measure else len(sentences)
        rows += examples(sentences[:half], lang)
        rest.append((f"{name}, second half", lang, sentences[half:]))
    rows += countries(options.corpora)
    log_progress(f"{len(rows)} names")
    weights = in_steps(fit(rows, marks := marks_of(rows)))
    if not options.measure:
        WEIGHTS.write_bytes(marks.tobytes() + weights.tobytes())
        return 0
    for corpus in [*rest, *others(options.corpora)]:
        measure(corpus, marks, weights)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
