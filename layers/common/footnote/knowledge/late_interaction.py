"""Late interaction: a passage is as similar to a question as its nearest tokens are to the tokens of the question (ColBERT's MaxSim)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    TokenMatrix = npt.NDArray[np.int8]
    """(tokens, DIMENSIONS), rows of length 127 but for rounding: `ports.TokenEmbedder`."""

DIMENSIONS = 64
LENGTH = 127
"""Of a vector in int8."""
ALIKE = 1e-6
"""Weight of a token in which all passages are alike: of one passage, or of equal ones, all tokens count alike."""


def pack_tokens(matrix: TokenMatrix) -> bytes:
    """The vectors one after the other, DIMENSIONS bytes each."""
    return matrix.tobytes()


def unpack_tokens(data: bytes) -> TokenMatrix:
    """(tokens, DIMENSIONS), read-only, of what `pack_tokens` made. ValueError: it made no such data."""
    import numpy as np

    return np.frombuffer(data, np.int8).reshape(-1, DIMENSIONS)


def max_similarity(query: TokenMatrix, passages: Sequence[TokenMatrix]) -> list[float]:
    """For each passage a similarity of -1 to 1: the mean over the tokens of the query of the cosine with the nearest token of the passage.
    A token counts by how far the best passage is above the average in it, so that words which all passages have decide little. Hence only
    similarities of one call can be compared. 0 for a passage without tokens, or if the query has none."""
    import numpy as np

    found = np.zeros(len(passages))
    lengths = np.array([len(passage) for passage in passages], np.int64)
    held = lengths > 0  # the others would make `reduceat` read tokens of the next one
    if not held.any() or not len(query):
        return found.tolist()
    tokens = np.concatenate(passages).astype(np.float32)
    cosines = tokens @ (query.T.astype(np.float32) / LENGTH**2)
    starts = (np.cumsum(lengths) - lengths)[held]
    nearest = np.maximum.reduceat(cosines, starts, axis=0)  # (passages, tokens of the query)
    weights = nearest.max(axis=0) - nearest.mean(axis=0) + ALIKE
    found[held] = nearest @ weights / weights.sum()
    return found.tolist()
