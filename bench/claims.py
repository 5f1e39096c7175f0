"""Fits `answer/claims.json`, which says how likely passages support a claim, on the rows of `bench/rows/claims.npz`.

    python -m bench.claims            writes layers/common/footnote/answer/claims.json, and says how well it does
    python -m bench.claims --check    writes nothing

A logistic regression for each regime. A column that would speak against its direction is left out: more words in common never make a
claim less likely. Every set weighs the same, and in it supported and unsupported claims. The figures are those of claims that the model
was not fitted on: the groups of the public sets and of the fit half of the labelled answers are parted into PARTS, each of which is
judged by a model of the others; the `test` half is judged by the model of all. A claim is doubted where at most ALARMS of the supported
sentences of labelled answers would be, and a passage is cited for one where at least RIGHT of those that reach the probability are
supported. Words alone are sure of a claim above the highest probability that they give one of the fit half which vectors doubt.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.claim_rows import ROWS
from bench.fit import Linear, Matrix, auc, difference, regress, short
from footnote.answer.claim_features import ANY_LANGUAGE, BY_VECTORS, COLUMNS
from footnote.answer.linear import hash_of
from footnote.answer.support import FITTED

NAMES = list(COLUMNS)
PARTS = 5
ALARMS = 0.09
RIGHT = 0.9
ANSWERS = "answers"
"""How the names of the sets of labelled answers begin."""
EDITED = "edited"
"""Of sets of claims with a small difference (`bench.claim_rows.edited`), which are only fitted on."""
PLANTED = "planted"
"""Of sets of sentences about something else (`bench.claim_rows.planted`), which are only judged."""
EACH = 100.0
"""Weight of all supported, and of all unsupported claims of a set."""
REGIMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "built-in": ("vectors", tuple(NAMES)),
    "words": ("words", tuple(name for name in NAMES if name not in BY_VECTORS)),
    "other language": ("vectors", ANY_LANGUAGE),
}
"""Name → (rows, columns)."""

Flags = npt.NDArray[np.bool_]


class Rows:
    """The claims of one regime."""

    def __init__(self, regime: str) -> None:
        found = np.load(ROWS)
        if [*found["columns"]] != NAMES:
            raise ValueError("claims.npz has other columns: run `python -m bench.claim_rows` again")
        name, self.columns = REGIMES[regime]
        of = found["of"]
        kept = (of[:, 4] == str(regime == "other language")) | np.full(len(of), False)
        self.features: Matrix = found[name][kept][:, [NAMES.index(column) for column in self.columns]].astype(float)
        self.supported: Flags = found["supported"][kept]
        self.sets, self.halves, self.groups = of[kept][:, 0], of[kept][:, 1], of[kept][:, 2]

    @property
    def fit_half(self) -> Flags:
        """Those that the model may be fitted on."""
        return np.asarray((self.halves != "test") & ~np.char.startswith(self.sets, PLANTED))

    def weights(self, used: Flags) -> Matrix:
        """EACH for all supported, and for all unsupported ones, of each set."""
        found = np.zeros(len(used))
        for name in np.unique(self.sets):
            for label in (True, False):
                at = used & (self.sets == name) & (self.supported == label)
                found[at] = EACH / max(1, at.sum())
        return found


def fit(rows: Rows, used: Flags) -> Linear:
    """The regression of some of the claims. Columns that speak against their direction have the weight 0."""
    directions = np.array([COLUMNS[column] for column in rows.columns])
    kept = np.arange(len(directions))
    weights = rows.weights(used)[used]
    while True:
        model = regress(rows.features[used][:, kept], rows.supported[used].astype(float), weights, PENALTY)
        wrong = model.weights * directions[kept] < 0
        if not wrong.any():
            break
        worst = np.argmax(np.where(wrong, np.abs(model.weights) * rows.features[used][:, kept].std(axis=0), -1))
        kept = np.delete(kept, worst)
    whole = replace(model, low=np.zeros(len(directions)), high=np.zeros(len(directions)), weights=np.zeros(len(directions)))
    for name in ("low", "high", "weights"):
        getattr(whole, name)[kept] = getattr(model, name)
    return whole


PENALTY = 4.0


def apart(rows: Rows) -> Matrix:
    """The probability of each claim by a model that was not fitted on its group; of the test half, by that of the fit half."""
    said = np.full(len(rows.supported), np.nan)
    fitted = rows.fit_half
    groups = sorted(np.unique(rows.groups[fitted]))
    for part in range(PARTS):
        theirs = fitted & np.isin(rows.groups, groups[part::PARTS])
        if theirs.any() and len(np.unique(rows.supported[fitted & ~theirs])) == 2:
            said[theirs] = _probability(fit(rows, fitted & ~theirs), rows.features[theirs])
    said[~fitted] = _probability(fit(rows, fitted), rows.features[~fitted])
    return said


def _probability(model: Linear, features: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-model(features)))


def thresholds(rows: Rows, said: Matrix) -> tuple[float, float]:
    """(doubted_below, found_from), of the labelled answers of the fit half."""
    used = rows.fit_half & np.char.startswith(rows.sets, ANSWERS) & ~np.isnan(said)
    if not used.any():
        used = ~np.isnan(said)
    probabilities, supported = said[used], rows.supported[used]
    doubted = float(np.quantile(probabilities[supported], ALARMS))
    order = np.argsort(-probabilities)
    share = np.cumsum(supported[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share >= RIGHT)
    return round(doubted, 3), round(max(doubted, float(probabilities[order][enough[-1]]) if len(enough) else 1.0), 3)


def report(regime: str, rows: Rows, said: Matrix, doubted_below: float) -> None:
    """Prints, of each set: claims, AUC, balanced accuracy at .5, and how many supported and unsupported ones are doubted."""
    for name in np.unique(rows.sets):
        for half in np.unique(rows.halves[rows.sets == name]):
            at = (rows.sets == name) & (rows.halves == half) & ~np.isnan(said)
            right, wrong = said[at & rows.supported], said[at & ~rows.supported]
            if name.startswith(EDITED):
                continue
            if name.startswith(PLANTED):
                print(f"{regime:15} {name:14} {half:5} {len(wrong):4} planted, doubted {_share(wrong < doubted_below)}")
            elif len(right) and len(wrong):
                balanced = ((right >= 0.5).mean() + (wrong < 0.5).mean()) / 2
                print(
                    f"{regime:15} {name:14} {half:5} {len(right):4}+{len(wrong):4}  AUC {auc(said[at], rows.supported[at]):.3f}"
                    f"  balanced {balanced:.3f}, alarms {(right < 0.5).mean():.2f}"
                    f"  doubted: supported {_share(right < doubted_below)}, unsupported {_share(wrong < doubted_below)}"
                )


def _share(said: Flags) -> str:
    """A share with its 95 % interval (Wilson)."""
    n, p, z = len(said), float(said.mean()), 1.96
    middle, half = (p + z * z / (2 * n)) / (1 + z * z / n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{p:.2f} ({middle - half:.2f}–{middle + half:.2f})"


def fitted(*, quiet: bool = False) -> dict[str, Any]:
    """All of `claims.json`."""
    made: dict[str, Any] = {"features": hash_of(NAMES)}
    by_vectors: Flags | None = None
    for regime in REGIMES:
        rows = Rows(regime)
        said = apart(rows)
        doubted_below, found_from = thresholds(rows, said)
        if not quiet:
            report(regime, rows, said, doubted_below)
        model = fit(rows, rows.fit_half)
        used = np.flatnonzero(model.weights)
        made[regime] = {
            "columns": [rows.columns[at] for at in used],
            "low": short(model.low[used]),
            "high": short(model.high[used]),
            "weights": short([*model.weights[used], model.bias]),
            "doubted_below": doubted_below,
            "found_from": found_from,
        }
        if regime == "built-in":
            by_vectors = said < doubted_below
        elif regime == "words" and by_vectors is not None:
            made[regime]["sure_above"] = sure = round(float(said[rows.fit_half & by_vectors].max()), 3)
            if not quiet:
                report_sure(rows, said > sure, by_vectors)
    return made


def report_sure(rows: Rows, sure: Flags, doubted: Flags) -> None:
    """Prints of how many claims of labelled answers words alone are sure, and how many of these vectors doubt."""
    for half in ("fit", "test"):
        at = (rows.fit_half == (half == "fit")) & np.char.startswith(rows.sets, ANSWERS)
        both = (sure & doubted & at).sum()
        print(f"sure by words   {half:5} {at.sum():4} claims, sure of {_share(sure[at])}, vectors doubt {both} of them")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.claims", description="Fits the model that checks claims.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    chosen = parser.parse_args(arguments)
    made = fitted()
    if chosen.check:
        there = json.loads(FITTED.read_text("utf-8"))
        same = {name: {key: made[name][key] for key in ("columns", "low", "high", "weights")} for name in REGIMES}
        print(", ".join(f"{name} differs by {difference({name: same[name]}, there):.2g}" for name in REGIMES))
    else:
        FITTED.write_text(json.dumps(made, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
