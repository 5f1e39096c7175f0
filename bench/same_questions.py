"""Measures ways to tell whether two questions ask the same, and fits the similarity by which the caches do (`memory/similar.py`).

    python -m bench.same_questions FOLDER

FOLDER holds pairs that people judged: `mqp.csv` (curai/medical-question-pair-dataset), `eval_question_similarity_en.csv` and `…_de.csv`
(deepset-ai/COVID-QA), `NLU-Data-Home-Domain-similarity-de.csv` (t-systems-on-site-services-gmbh/NLU-Evaluation-Data-de-en, CC BY 4.0),
`kor_pair_train.csv` (songys/Question_pair, MIT; 0 means the same there), sets of paraphrases, `paraKQC_v1.txt` (warnikchow/paraKQC,
CC BY-SA 4.0), whose different pairs are each question and the nearest one of another set, and duplicates of Quora, `train.txt` and
`train_2.txt` (arvind385801/paraphraseGen). The pairs of `tests/footnote/memory` come last: `own`, made to deceive, and `fresh`, which are
never fitted. Half of each set is fitted, by a hash of its first question, and the other half is measured. Equal questions are left out.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import numpy.typing as npt

from bench.figures import log_progress
from footnote.adapters.e5.embedder import E5
from footnote.text.normal_form import ask_the_same
from footnote.text.particulars import particulars
from tests.footnote.memory.pairs import DIFFERENT, read_fresh

MOST = 600
"""Pairs of a set that mean the same, and that do not."""
COSINES = (0.8, 0.85, 0.9, 0.95)
NOT_IN_WORDS = ("groups", "conversation", "language")
"""Kinds of own pairs whose questions are equal."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """`guarded`: numbers, names and negations are equal. `agrees`: the normal forms are."""

    name: str
    lang: str
    one: str
    other: str
    same: bool
    fitted: bool
    cosine: float
    guarded: bool
    agrees: bool


Read = tuple[str, str, str, bool]
"""Language, two questions, whether they ask the same."""


def read_sets(folder: Path) -> Iterator[tuple[str, list[Read]]]:
    """The name and the pairs of each set but paraKQC."""
    with (folder / "mqp.csv").open(encoding="utf-8") as file:
        yield "mqp", [("en", row[1], row[2], row[3] == "1") for row in csv.reader(file)]
    for lang in ("en", "de"):
        rows = _rows(folder / f"eval_question_similarity_{lang}.csv")
        yield f"covid_{lang}", [(lang, row["question_1"], row["question_2"], row["similar"] == "1") for row in rows]
    rows = _rows(folder / "NLU-Data-Home-Domain-similarity-de.csv")
    clear = [row for row in rows if row["similarity_score"] != "4"]
    yield "nlu_de", [("de", row["sentence1"], row["sentence2"], row["similarity_score"] == "5") for row in clear]
    rows = _rows(folder / "kor_pair_train.csv")
    yield "kor_pair", [("ko", row["question1"], row["question2"], row["is_duplicate"] == "0") for row in rows]
    one, other = ((folder / name).read_text("utf-8").splitlines() for name in ("train.txt", "train_2.txt"))
    yield "quora", [("en", *two, True) for two in zip(one, other, strict=True)]
    yield "own", [(pair.lang, pair.asked, pair.other, False) for pair in DIFFERENT if pair.kind not in NOT_IN_WORDS]
    yield "fresh", read_fresh()


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def read_paraphrases(folder: Path, embedder: E5) -> list[Read]:
    """Pairs of paraKQC: six questions of each of 100 sets of ten."""
    lines = [line.split("\t")[-1] for line in (folder / "paraKQC_v1.txt").read_text("utf-8-sig").splitlines()]
    random = Random(1)
    sets = [random.sample(lines[start : start + 10], 6) for start in random.sample(range(0, len(lines) - 9, 10), 100)]
    texts = [text for each in sets for text in each]
    vectors = embedder.encode(texts, query=True)
    near = vectors @ vectors.T
    for place in range(len(texts)):
        near[place, place - place % 6 : place - place % 6 + 6] = -1
    different = [("ko", text, texts[int(near[place].argmax())], False) for place, text in enumerate(texts)]
    return [*different, *(("ko", *two, True) for each in sets for two in combinations(each, 2))]


def pairs_of(name: str, read: Sequence[Read], embedder: E5) -> list[Pair]:
    """At most MOST pairs of each kind, with what is known of them."""
    unequal = [each for each in read if each[1] != each[2]]
    Random(1).shuffle(unequal)
    kept = [each for same in (False, True) for each in [each for each in unequal if each[3] is same][:MOST]]
    vectors = embedder.encode([text for each in kept for text in each[1:3]], query=True)
    log_progress(f"{name}: {len(kept)} pairs")
    made = []
    for place, (lang, one, other, same) in enumerate(kept):
        cosine = float(vectors[2 * place] @ vectors[2 * place + 1])
        fitted = name != "fresh" and crc32(one.encode()) % 2 == 0
        guarded = particulars(one, lang) == particulars(other, lang)
        made.append(Pair(name, lang, one, other, same, fitted, cosine, guarded, ask_the_same(one, other, lang)))
    return made


def fit(features: Floats, same: npt.NDArray[np.bool_]) -> Floats:
    """The weights of a logistic regression, the constant last, with a penalty of half the squares of the standardised weights."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    rows = np.c_[(features - mean) / spread, np.ones(len(features))]
    penalty = np.diag([*np.ones(features.shape[1]), 0.0])
    weights: Floats = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - same) + penalty @ weights
        weights = weights - np.linalg.solve((rows * (chance * (1 - chance))[:, None]).T @ rows + penalty, slope)
    scaled = weights[:-1] / spread
    return np.array([*scaled, weights[-1] - scaled @ mean])


def report(name: str, pairs: Sequence[Pair], decide: Callable[[Pair], bool]) -> None:
    """Prints the share of the same questions that are told the same, and how many different ones are, of each set."""
    cells = []
    for each in dict.fromkeys((pair.name, pair.lang) for pair in pairs):
        told = {same: [decide(pair) for pair in pairs if (pair.name, pair.lang) == each and pair.same is same] for same in (True, False)}
        right, wrong = told[True], told[False]
        cells.append(f"{' '.join(each)} {100 * sum(right) / max(1, len(right)):.1f} % of {len(right)}, {sum(wrong)} of {len(wrong)}")
    print(f"{name}: {'; '.join(cells)}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.same_questions", description="Measures what tells that questions are the same.")
    parser.add_argument("folder", type=Path, help="folder of judged pairs")
    folder = parser.parse_args(arguments).folder
    embedder = E5()
    sets = [*read_sets(folder), ("paraKQC", read_paraphrases(folder, embedder))]
    pairs = [pair for name, read in sets for pair in pairs_of(name, read, embedder)]
    fitted = [pair for pair in pairs if pair.fitted and pair.guarded]
    same = np.array([pair.same for pair in fitted])
    held = [pair for pair in pairs if not pair.fitted]

    report("words", held, lambda pair: pair.agrees)
    for least in COSINES:
        report(f"cosine {least}, guards", held, lambda pair, least=least: pair.guarded and pair.cosine >= least)  # type: ignore[misc]
    nearness, constant = fit(np.array([[pair.cosine] for pair in fitted]), same)
    print(f"log-odds: {nearness:.2f} × cosine {constant:+.2f}")
    for least in (0.85, 0.95):
        print(f"{least}: a cosine of {(np.log(least / (1 - least)) - constant) / nearness:.3f} where the particulars are equal")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
