"""The models that judge excerpts are those that the kept rows give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import claim_rows, claims, fit
from footnote.answer.claim_features import COLUMNS
from footnote.answer.features import NAMES
from footnote.answer.verdict import FITTED

REFIT = 0.01
"""How much a weight may differ on another machine, as a share of the largest one."""


@pytest.mark.parametrize("regime", fit.REGIMES)
def test_a_refit_finds_the_same_weights(regime: str) -> None:
    kept = json.loads(FITTED.read_text("utf-8"))
    assert fit.difference(fit.model_of(regime), kept["regimes"][regime]) < REFIT


def test_a_refit_of_the_check_of_claims_finds_the_same_weights() -> None:
    kept, made = json.loads(claims.FITTED.read_text("utf-8")), claims.fitted(quiet=True)
    for regime in claims.REGIMES:
        assert fit.difference({regime: made[regime]}, kept) < REFIT
        for threshold in ("doubted_below", "found_from"):
            assert made[regime][threshold] == pytest.approx(kept[regime][threshold], abs=0.01)


def test_the_files_are_small() -> None:
    assert FITTED.stat().st_size + claims.FITTED.stat().st_size < 200_000


def test_more_in_common_never_makes_a_claim_less_likely() -> None:
    kept = json.loads(claims.FITTED.read_text("utf-8"))
    for regime in claims.REGIMES:
        weights = zip(kept[regime]["columns"], kept[regime]["weights"], strict=False)
        assert [column for column, weight in weights if weight * COLUMNS[column] < 0] == []


def test_few_right_sentences_of_answers_held_out_are_doubted_and_most_planted_ones() -> None:
    rows = claims.Rows("built-in")
    said = claims.apart(rows)
    doubted = said < claims.thresholds(rows, said)[0]
    held = rows.halves == "test"
    answers, planted = (np.char.startswith(rows.sets, name) for name in (claims.ANSWERS, claims.PLANTED))
    assert doubted[held & answers & rows.supported].mean() < 0.07
    assert doubted[held & answers & ~rows.supported].mean() > 0.3
    assert doubted[held & planted].mean() > 0.9


def test_rows_of_claims_hold_no_text() -> None:
    found = np.load(claim_rows.ROWS)
    assert {len(each) for each in (*found["of"][:, 2], *found["of"][:, 3])} == {12}


@pytest.mark.parametrize("regime", ["vectors", "words"])
def test_rows_hold_no_text(regime: str) -> None:
    found = np.load(fit.ROWS / f"{regime}.npz")
    assert set(NAMES) <= set(found["names"])
    assert {len(each) for each in (*found["excerpt"], *found["of"][:, 3])} == {8}
    kinds = set(found["of"][:, 2])
    assert kinds == set(fit.KINDS)


def test_held_out_folders_are_not_among_the_rows() -> None:
    table = (Path(__file__).parents[1] / "bench/labels/README.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| `")]
    held = {row[0].strip("`") for row in rows if row[-1] == "yes"}
    assert len(held) >= 9
    assert held.isdisjoint(fit.read_rows("vectors").of[:, 0])


def test_regression_finds_what_made_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    features = generator.normal(size=(4000, 2))
    right = (generator.random(4000) < 1 / (1 + np.exp(-(2 * features[:, 0] - 1)))).astype(float)
    monkeypatch.setattr(fit, "PENALTY", 0.1)
    model = fit.regress(features, right, np.ones(4000))
    assert model.weights == pytest.approx([2.0, 0.0], abs=0.25)
    assert model.bias == pytest.approx(-1.0, abs=0.2)


def test_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    assert fit.auc(np.array([0.1, 0.4, 0.3, 0.9]), np.array([False, True, False, True])) == 1.0
    assert fit.auc(np.array([0.1, 0.2, 0.3, 0.9]), np.array([False, True, False, True])) == 0.75
    assert fit.auc(np.array([0.9, 0.2, 0.3, 0.1]), np.array([False, True, False, True])) == 0.0
