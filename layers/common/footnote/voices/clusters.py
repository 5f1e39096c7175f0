"""Groups similar rows of a matrix: spherical k-means, seeded, so that equal rows give equal groups."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from footnote.types import Matrix

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SEED = 20
ROUNDS = 25
EACH = 6
"""The square root of rows / EACH is the number of groups: 40 of 10,000 rows, 10 of 600."""
FEWEST, MOST = 2, 40


class Clusters(NamedTuple):
    """`groups`: the group of each row, -1 = the row is zero. `nearness`: the cosine of each row and its group's centre."""

    groups: npt.NDArray[np.int64]
    nearness: Matrix
    centres: int


def how_many(rows: int) -> int:
    """The number of groups of so many rows."""
    return max(1, min(rows, max(FEWEST, min(MOST, round(sqrt(rows / EACH))))))


def cluster(matrix: Matrix) -> Clusters:
    """The groups of rows, by direction. Groups may be empty."""
    import numpy as np

    rows = normalise(matrix)
    used = np.flatnonzero(np.abs(rows).sum(axis=1) > 0)
    groups = np.full(len(rows), -1, np.int64)
    nearness = np.zeros(len(rows), np.float32)
    if not len(used):
        return Clusters(groups, nearness, 0)
    vectors = rows[used]
    centres = _first_centres(vectors, how_many(len(used)))
    for _ in range(ROUNDS):
        near = np.round(vectors @ centres.T, 5).argmax(axis=1)
        sums = np.stack([np.bincount(near, column, len(centres)) for column in vectors.T], axis=1).astype(np.float32)
        moved = np.where(np.abs(sums).sum(axis=1, keepdims=True) > 0, normalise(sums), centres)
        if np.allclose(moved, centres, atol=1e-5):
            break
        centres = moved
    cosines = np.round(vectors @ centres.T, 5)
    groups[used], nearness[used] = cosines.argmax(axis=1), cosines.max(axis=1)
    return Clusters(groups, nearness, len(centres))


def normalise(matrix: Matrix) -> Matrix:
    """Rows of length 1; a row of zeros stays."""
    import numpy as np

    lengths = np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return np.asarray(matrix / lengths, np.float32)


def _first_centres(rows: Matrix, count: int) -> Matrix:
    """k-means++: each next centre is a row, the likelier the farther it is from those before."""
    import numpy as np

    random = np.random.default_rng(SEED)
    chosen = [int(random.integers(len(rows)))]
    far = np.maximum(1 - rows @ rows[chosen[0]], 0).astype(np.float64)
    while len(chosen) < count and far.sum() > 1e-6:
        chosen.append(int(np.searchsorted(np.cumsum(far) / far.sum(), random.random(), side="right").clip(max=len(rows) - 1)))
        far = np.minimum(far, np.maximum(1 - rows @ rows[chosen[-1]], 0))
    return rows[chosen]
