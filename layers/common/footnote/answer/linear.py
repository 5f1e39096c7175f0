"""Logistic regressions over named columns, from a file of their weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.types import Matrix

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Linear:
    """log odds = clip(features[columns], low, high) · weights + bias."""

    columns: npt.NDArray[np.int64]
    low: Matrix
    high: Matrix
    weights: Matrix
    bias: float

    def probability(self, features: Matrix) -> Matrix:
        """One for each row."""
        import numpy as np

        probabilities: Matrix = 1 / (1 + np.exp(-self._clipped(features) @ self.weights - self.bias))
        return probabilities

    def parts(self, row: Matrix) -> Iterator[tuple[int, float]]:
        """(number of a column, its contribution to the log odds of this row minus its average contribution)."""
        said = (self._clipped(row) - (self.low + self.high) / 2) * self.weights
        return ((int(at), float(part)) for at, part in zip(self.columns, said, strict=True))

    def _clipped(self, features: Matrix) -> Matrix:
        clipped: Matrix = features[..., self.columns].clip(self.low, self.high)
        return clipped


def linear_of(fitted: Mapping[str, Any], names: Sequence[str]) -> Linear:
    """`fitted`: the content of a file; `names`: of all columns, in order."""
    import numpy as np

    low, high, weights = (np.array(fitted[key], np.float32) for key in ("low", "high", "weights"))
    return Linear(np.array([names.index(column) for column in fitted["columns"]]), low, high, weights[:-1], float(weights[-1]))


def read_fitted(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """The file. ValueError if it was fitted with other columns than these."""
    fitted: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if fitted["features"] != hash_of(names):
        raise ValueError(f"{path.name} was made for other columns: run `make fit`")
    return fitted


def hash_of(names: Iterable[str]) -> str:
    """Identifies the columns that a file was fitted with, by their names."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
