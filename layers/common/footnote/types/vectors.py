"""Types of vectors. They are names only, so that nothing loads numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vector: TypeAlias = "npt.NDArray[np.float32]"
"""(dimensions,)"""
Matrix: TypeAlias = "npt.NDArray[np.float32]"
"""(rows, dimensions)"""
