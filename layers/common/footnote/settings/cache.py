"""What is used again."""

from typing import Literal

from footnote.settings.marks import Group, setting


class Caching(Group):
    """What may be used again. An entry dies with any document that it came from."""

    enabled: bool = setting(True, description="Use search results and answers again.", changeable=True, affects="nothing")
    max_entries: int = setting(
        1000,
        gt=0,
        le=10_000,
        description="Most remembered questions for the same readers, index and settings.",
        changeable=True,
        affects="nothing",
    )
    mode: Literal["precision", "recall", "adaptive"] = setting(
        "adaptive",
        description="How alike questions must be; adaptive: precision for those with numbers, names, negation or under 4 words.",
        changeable=True,
        affects="nothing",
    )
    precision: float = setting(0.95, gt=0, le=1, description="Similarity of a hit in precision mode.", changeable=True, affects="nothing")
    recall: float = setting(0.85, gt=0, le=1, description="Similarity of a hit in recall mode.", changeable=True, affects="nothing")
