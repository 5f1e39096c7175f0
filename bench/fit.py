"""Fits the models of `answer/fitted.json` on the rows of `bench/rows` (`bench.excerpt_rows`), the same ones each time.

    python -m bench.fit            writes layers/common/footnote/answer/fitted.json
    python -m bench.fit --check    says how far what is there differs, and how well the models do on folders that each left out

Two logistic regressions for each regime: whether an excerpt answers, and whether a question is related to the collection at all. Columns
are scaled, cut off at CUT deviations and fitted with an L2 penalty. The first is then scaled, and the second shifted, by what it says of
folders that it was not fitted on: a probability is the share that is right among the answerable and unanswerable questions of folders,
and .5 is where a stated share of unrelated questions is refused.

A wrong answer that is shown as certain costs as much as COST right ones are worth.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from footnote.answer.features import GROUPS, NAMES
from footnote.answer.linear import hash_of
from footnote.answer.verdict import FITTED

ROWS = Path(__file__).parent / "rows"
KINDS = {"answerable": 1.0, "own-words": 1.0, "near-miss": 1.0, "unanswerable": 1.0, "gone": 0.5, "alone": 0.3, "unrelated": 0.5}
FOLDER, SETS = 3.0, {"squad2": 1.0}
"""Weights of the rows of a labelled folder, and of those of public sets; others .3."""
PENALTY = 60.0
CUT = 4.0
PARTS = 5
"""The folders are parted into so many, each of which is judged by the models of the others."""
UNRELATED = {"built-in": 0.97, "other": 0.97, "words": 0.93}
"""Share of the unrelated questions that are refused: words alone would refuse too many others at .97."""
COST = 1.25
RANGES = (0.0, 0.15, 0.3, 0.45, 0.556, 0.7, 1.0)
"""Bounds of the probabilities that `reliability` tells apart."""
RAW = ("cosine", "passage_cosine", "highest_cosine", "nearest")
"""Columns that mean something else with each embedder."""
BY_VECTORS = (
    *RAW, "cosine_centred", "excerpt_centred", "passage_below", "nearest_ahead", "agreement", "same_first",
)  # fmt: skip
BY_SPREAD = ("above_others", "above_own", "above_mean", "spread", "passage_below", "nearest_ahead")
"""Columns that depend on how far apart an embedder's cosines lie. Measured with MiniLM, another e5 and vectors of TF-IDF."""
REGIMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "built-in": ("vectors", ()),
    "other": ("vectors", RAW + BY_SPREAD),
    "words": ("words", BY_VECTORS),
}
"""Name → (rows, columns left out)."""
OF_RELATION = ("meaning", "words", "missing", "search")
"""Groups of the columns that tell whether a question is related: the others compare excerpts with one another."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """What `bench.excerpt_rows` made: a row for each excerpt, and for each question its folder, kind and place."""

    features: Matrix
    answers: npt.NDArray[np.bool_]
    question: npt.NDArray[np.int32]
    of: npt.NDArray[np.str_]

    @property
    def is_folder(self) -> npt.NDArray[np.bool_]:
        """Of each question, whether it is of a labelled folder."""
        return np.char.equal(self.of[:, 0], self.of[:, 1])


@dataclass(frozen=True, slots=True)
class Linear:
    """A fitted regression: log odds = clip(row, low, high) · weights + bias."""

    low: Matrix
    high: Matrix
    weights: Matrix
    bias: float

    def __call__(self, features: Matrix) -> Matrix:
        """The log odds of each row."""
        return np.clip(features, self.low, self.high) @ self.weights + self.bias


def read_rows(regime: str) -> Rows:
    """The rows of `vectors` or `words`. ValueError if they lack a column."""
    found = np.load(ROWS / f"{regime}.npz")
    made = [str(name) for name in found["names"]]
    if lacking := set(NAMES).difference(made):
        raise ValueError(f"{regime}.npz lacks {', '.join(sorted(lacking))}: run `python -m bench.excerpt_rows` again")
    columns = [made.index(name) for name in NAMES]
    return Rows(found["features"][:, columns].astype(float), found["answers"], found["question"], found["of"])


def regress(features: Matrix, right: Matrix, weights: Matrix, strength: float | None = None) -> Linear:
    """Logistic regression by Newton's method. `strength`: of the L2 penalty; None = PENALTY."""
    mean = np.average(features, axis=0, weights=weights)
    deviation = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights)) + 1e-6
    scaled = np.column_stack([np.clip((features - mean) / deviation, -CUT, CUT), np.ones(len(features))])
    penalty = np.full(scaled.shape[1], PENALTY if strength is None else strength)
    penalty[-1] = 1e-6
    found = np.zeros(scaled.shape[1])
    for _ in range(25):
        odds = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (right - odds)) - penalty * found
        curve = (scaled * (weights * odds * (1 - odds))[:, None]).T @ scaled + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        found += step
        if np.abs(step).max() < 1e-6:
            break
    per_unit = found[:-1] / deviation
    return Linear(mean - CUT * deviation, mean + CUT * deviation, per_unit, float(found[-1] - mean @ per_unit))


def of_relation(columns: Sequence[int]) -> list[int]:
    """Those of the columns that tell whether a question is related."""
    return [at for at in columns if GROUPS[NAMES[at]] in OF_RELATION]


def fit(rows: Rows, columns: Sequence[int], left_out: Iterable[str] = ()) -> tuple[Linear, Linear]:
    """(whether an excerpt answers, whether the question is related), without some folders."""
    kept = ~np.isin(rows.of[:, 0], [*left_out])
    kinds, is_folder = rows.of[:, 2], rows.is_folder
    worth = np.array(
        [KINDS[kind] * (FOLDER if own else SETS.get(name, 0.3)) for (name, _, kind, _), own in zip(rows.of, is_folder, strict=True)]
    )
    used = kept[rows.question]
    features = rows.features[:, columns]
    answers = regress(features[used], rows.answers[used].astype(float), worth[rows.question][used])
    first = np.r_[True, rows.question[1:] != rows.question[:-1]]
    used = first & (kept & is_folder & ~np.isin(kinds, ("alone", "gone")))[rows.question]
    related = (kinds != "unrelated")[rows.question][used].astype(float)
    return answers, regress(rows.features[used][:, of_relation(columns)], related, np.where(related == 1, 1.0, 1.5))


def left_out(rows: Rows, columns: Sequence[int]) -> tuple[Matrix, Matrix]:
    """What the models of the other folders say of each row: (log odds that it answers, that it is related); NaN in public sets."""
    folders = sorted({name for name, group in rows.of[:, :2] if name == group}, key=lambda name: hashlib.sha256(name.encode()).digest())
    answers, related = (np.full(len(rows.features), np.nan) for _ in range(2))
    for part in range(PARTS):
        theirs = folders[part::PARTS]
        answer, relation = fit(rows, columns, theirs)
        at = np.isin(rows.of[:, 0], theirs)[rows.question]
        answers[at] = answer(rows.features[at][:, columns])
        related[at] = relation(rows.features[at][:, of_relation(columns)])
    return answers, related


@dataclass(frozen=True, slots=True)
class Judged:
    """The best excerpt of each question of the folders: its log odds, those that the question is related, and whether it answers."""

    answers: Matrix
    related: Matrix
    right: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.str_]


def best_of(rows: Rows, answers: Matrix, related: Matrix) -> Judged:
    """By what was said of each row."""
    known = np.flatnonzero(~np.isnan(answers))
    order = known[np.lexsort((-answers[known], rows.question[known]))]
    best = order[np.r_[True, np.diff(rows.question[order]) > 0]]
    return Judged(answers[best], related[best], rows.answers[best], rows.of[rows.question[best], 2])


def natural(judged: Judged) -> Judged:
    """The questions that people ask of a folder: answerable or not."""
    asked = np.isin(judged.kinds, ("answerable", "unanswerable"))
    return Judged(judged.answers[asked], judged.related[asked], judged.right[asked], judged.kinds[asked])


def calibrate(judged: Judged) -> tuple[float, float]:
    """(scale, shift) of the log odds that an excerpt answers."""
    asked = natural(judged)
    scale, shift = 1.0, 0.0
    for _ in range(25):
        odds = 1 / (1 + np.exp(-scale * asked.answers - shift))
        both = np.column_stack([asked.answers, np.ones(len(odds))])
        step = np.linalg.solve((both * (odds * (1 - odds))[:, None]).T @ both, both.T @ (asked.right - odds))
        scale, shift = scale + float(step[0]), shift + float(step[1])
    return scale, shift


def model_of(regime: str) -> dict[str, Any]:
    """One regime of `fitted.json`."""
    name, without = REGIMES[regime]
    rows = read_rows(name)
    columns = [at for at, each in enumerate(NAMES) if each not in without]
    judged = best_of(rows, *left_out(rows, columns))
    scale, shift = calibrate(judged)
    refused = float(np.quantile(judged.related[judged.kinds == "unrelated"], UNRELATED[regime]))
    answers, related = fit(rows, columns)
    print(f"{regime}: " + ", ".join(f"{key} {value}" for key, value in quality(judged, scale, shift, refused).items()))
    print(f"  right by probability: {reliability(judged, scale, shift)}", flush=True)
    answers = replace(answers, weights=scale * answers.weights, bias=scale * answers.bias + shift)
    related = replace(related, bias=related.bias - refused)
    return {"answers": _written(answers, columns), "related": _written(related, of_relation(columns))}


def _written(model: Linear, columns: Sequence[int]) -> dict[str, Any]:
    return {
        "columns": [NAMES[at] for at in columns],
        "low": short(model.low),
        "high": short(model.high),
        "weights": short([*model.weights, model.bias]),
    }


def short(values: Iterable[float]) -> list[float]:
    """To four digits."""
    return [float(f"{value:.4g}") for value in values]


def quality(judged: Judged, scale: float, shift: float, refused: float) -> dict[str, Any]:
    """How well the models do on folders that they were not fitted on."""
    asked = natural(judged)
    sure = 1 / (1 + np.exp(-scale * asked.answers - shift)) >= COST / (1 + COST)
    answerable = asked.kinds == "answerable"
    return {
        "auc": round(auc(asked.answers, asked.right), 3),
        "best right": round(float(asked.right[answerable].mean()), 3),
        "certain": int(sure.sum()),
        "wrong": round(1 - float(asked.right[sure].mean()), 3) if sure.any() else None,
        "unanswerable certain": round(float(sure[~answerable].mean()), 3),
        "answerable kept": round(float((asked.related[answerable] >= refused).mean()), 3),
        "scale": round(scale, 2), "shift": round(shift, 2),
    }  # fmt: skip


def reliability(judged: Judged, scale: float, shift: float) -> str:
    """Of the best excerpts with a probability in each range, how many answer."""
    asked = natural(judged)
    said = 1 / (1 + np.exp(-scale * asked.answers - shift))
    ranges = [(low, high, (said >= low) & (said < high)) for low, high in pairwise(RANGES)]
    return ", ".join(f"{low:g}–{high:g}: {asked.right[held].mean():.0%} of {held.sum()}" for low, high, held in ranges if held.any())


def auc(scores: Matrix, right: npt.NDArray[np.bool_]) -> float:
    """The area under the ROC curve."""
    ranks = np.argsort(np.argsort(scores)) + 1
    positive = int(right.sum())
    return float((ranks[right].sum() - positive * (positive + 1) / 2) / (positive * (len(right) - positive)))


def fitted() -> dict[str, Any]:
    """All of `fitted.json`."""
    return {
        "features": hash_of(NAMES),
        "answer_from": round(COST / (1 + COST), 3),
        "regimes": {regime: model_of(regime) for regime in REGIMES},
    }


def difference(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The largest difference of a weight of one regime, as a share of the largest weight of its list."""
    found = [0.0]
    for name, model in one.items():
        theirs = other[name]
        found.append(float(model["columns"] != theirs["columns"]))
        for key in ("low", "high", "weights"):
            found.append(float(np.abs(np.subtract(model[key], theirs[key])).max() / np.abs(model[key]).max()))
    return max(found)


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fit", description="Fits the models that judge excerpts.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    made = fitted()
    if options.check:
        there = json.loads(FITTED.read_text("utf-8"))["regimes"]
        print(", ".join(f"{name} differs by {difference(each, there[name]):.2g}" for name, each in made["regimes"].items()))
    else:
        FITTED.write_text(json.dumps(made, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    _main()
