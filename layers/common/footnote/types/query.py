"""One thing that is searched for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

QueryKind = Literal["original", "standalone", "sub_question", "paraphrase", "hypothetical", "step_back", "feedback"]
"""original = the question as it is, standalone = the question without its conversation, sub_question = a part of it; the others
only find evidence: paraphrase = in other words, hypothetical = a text that could answer it, step_back = the general
question behind it, feedback = its words and those of the first hits."""
ASKED: tuple[QueryKind, ...] = ("original", "standalone", "sub_question")
"""What is answered, cached and checked."""


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    kind: QueryKind = "original"
    weight: float = 1.0
    """Of what it finds, beside what the turn's other queries find."""
    lang: str = "en"
    vector: npt.NDArray[np.float32] | None = field(default=None, compare=False)
    embedder: str = ""
    """Who made `vector`."""
