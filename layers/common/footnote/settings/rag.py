"""How passages are found and questions are checked."""

from typing import Literal

from footnote.settings.marks import Group, setting
from footnote.types import OptionName

Fusion = Literal["minmax", "rrf", "convex"]


class Rag(Group):
    """Retrieval."""

    fusion: Fusion = setting(
        "minmax",
        description="How the two lists become one: minmax, rrf, or convex (minmax with `rag.alpha` as its weight).",
        changeable=True,
        affects="search",
    )
    alpha: float = setting(
        0.5,
        ge=0,
        le=1,
        description="Weight of the dense list, 0 to 1, where the embedder speaks the language.",
        changeable=True,
        affects="search",
    )
    rrf_k: int = setting(30, gt=0, description="Dampening of reciprocal rank fusion.", changeable=True, affects="search")
    candidates: int = setting(
        100, gt=0, le=1000, description="Entries taken from each list before fusion.", changeable=True, affects="search"
    )
    forbidden_check_enabled: bool = setting(
        True, description="Check questions for forbidden terms; without terms everything is allowed.", changeable=True
    )
    forbidden_check_threshold: float = setting(
        0.3, gt=0, le=1, description="Similarity from which a term counts as met, 0 to 1.", changeable=True
    )
    forbidden_check_mode: Literal["llm", "qdrant"] = setting(
        "llm", description="llm: a language model judges what is similar; qdrant: similarity alone decides.", changeable=True
    )
    injection_check_enabled: bool = setting(True, description="Refuse questions that try to change the assistant's rules.", changeable=True)
    output_check: Literal["warn", "reject"] = setting(
        "warn",
        description="What becomes of an answer that its sources do not support: a warning, or no answer where that is still possible.",
        changeable=True,
    )
    switched_off: list[OptionName] = setting(
        [],
        description='Optional parts of a turn that never run, whatever a level or a request asks for, as JSON: `["follow_up"]`.'
        " `footnote explain --json` shows their names, as `option`.",
        changeable=True,
        affects="search",
    )
