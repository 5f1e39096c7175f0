"""Voices as rows of a matrix in which neighbours speak of the same: their stored vectors, else the words that they use.

Measured on 10,003 questions of bank customers with 77 labels, 40 groups: stored vectors of all-MiniLM-L6-v2 have a normalised mutual
information of 0.71 with the labels, latent semantic analysis of words and pairs of words 0.60, both joined 0.66. On 500 questions of squad2
with their 12 articles, 9 or 10 groups: the built-in embedder 0.65, all-MiniLM-L6-v2 0.67, words 0.29; on 500 of xquad_de with their 40:
0.41, words 0.32.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

from footnote.types import Matrix

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DIMENSIONS = 64
"""Of stored vectors after projection; more changes no group."""
LATENT = 32
"""Dimensions of words: more separates worse."""
EXTRA = 10
SEED = 7
PROJECTED_BY = 2500
"""Vectors from which the projection is made."""
TOO_COMMON = 0.6
"""The share of voices with a word above which it does not distinguish them, if there are at least FEW."""
FEW = 50


def by_vectors(vectors: Matrix) -> Matrix:
    """The projection of vectors on the directions in which they differ."""
    import numpy as np

    if len(vectors) <= DIMENSIONS or vectors.shape[1] <= DIMENSIONS:
        return vectors
    centred = vectors - vectors.mean(axis=0)
    step = -(-len(vectors) // PROJECTED_BY)
    directions = np.linalg.svd(centred[::step], full_matrices=False)[2][:DIMENSIONS]
    return np.asarray(centred @ directions.T, np.float32)


def by_words(texts: Sequence[Sequence[str]]) -> Matrix:
    """Latent semantic analysis of terms and their pairs. A text without any known term is a row of zeros."""
    import numpy as np

    counts = [Counter([*terms, *(f"{a} {b}" for a, b in pairwise(terms) if a != b)]) for terms in texts]
    spread = Counter(term for text_counts in counts for term in text_counts)
    least = 2 if len(texts) < 2000 else 3
    common = len(texts) * (TOO_COMMON if len(texts) >= FEW else 1)
    kept = sorted(term for term, number in spread.items() if least <= number <= common)
    if not kept:
        return np.zeros((len(texts), 1), np.float32)
    columns = {term: i for i, term in enumerate(kept)}
    starts, places, values = [0], list[int](), list[float]()
    for text_counts in counts:
        row = [
            (columns[term], (1 + log(number)) * log(1 + len(texts) / spread[term]))
            for term, number in text_counts.items()
            if term in columns
        ]
        length = sum(value * value for _, value in row) ** 0.5 or 1.0
        places += [place for place, _ in row]
        values += [value / length for _, value in row]
        starts.append(len(places))
    return _decompose(np.array(starts), np.array(places, np.int64), np.array(values, np.float32), len(kept))


def _decompose(starts: npt.NDArray[np.int64], places: npt.NDArray[np.int64], values: Matrix, width: int) -> Matrix:
    """The rows of a sparse matrix in its first LATENT singular directions, by a randomised decomposition (Halko et al., 2011)."""
    import numpy as np

    height = len(starts) - 1
    size = min(LATENT + EXTRA, height, width)
    owners = np.repeat(np.arange(height), np.diff(starts))
    filled = np.flatnonzero(np.diff(starts))
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    firsts = np.flatnonzero(np.r_[True, sorted_places[1:] != sorted_places[:-1]])

    def times(dense: Matrix) -> Matrix:
        out = np.zeros((height, dense.shape[1]), np.float32)
        out[filled] = np.add.reduceat(dense[places] * values[:, None], starts[filled], axis=0)
        return out

    def transposed(dense: Matrix) -> Matrix:
        out = np.zeros((width, dense.shape[1]), np.float32)
        out[sorted_places[firsts]] = np.add.reduceat(dense[owners[order]] * values[order][:, None], firsts, axis=0)
        return out

    basis = times(np.random.default_rng(SEED).standard_normal((width, size)).astype(np.float32))
    for _ in range(3):
        basis = times(np.linalg.qr(transposed(np.linalg.qr(basis)[0]))[0])
    basis = np.linalg.qr(basis)[0]
    left, strengths, _ = np.linalg.svd(transposed(basis).T, full_matrices=False)
    most = min(LATENT, len(strengths))
    return np.asarray((basis @ left[:, :most]) * strengths[:most], np.float32)
