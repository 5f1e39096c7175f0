"""Settings for the caches of search results and answers."""

from typing import Literal

from footnote.settings.marks import Group, setting


class Caching(Group):
    """Caches of search results and answers. An entry becomes invalid when a document changes that it was made from."""

    enabled: bool = setting(True, description="Reuse search results and answers.", changeable=True, affects="nothing")
    max_entries: int = setting(
        1000,
        gt=0,
        le=10_000,
        description="Maximum number of questions kept for the same readers, index and settings.",
        changeable=True,
        affects="nothing",
    )
    mode: Literal["precision", "recall", "adaptive"] = setting(
        "adaptive",
        description="Required similarity of questions. adaptive: precision for questions with numbers, names, negation or fewer than 4"
        " words, else recall.",
        changeable=True,
        affects="nothing",
    )
    precision: float = setting(
        0.95, gt=0, le=1, description="Lowest similarity of a hit in precision mode.", changeable=True, affects="nothing"
    )
    recall: float = setting(0.85, gt=0, le=1, description="Lowest similarity of a hit in recall mode.", changeable=True, affects="nothing")
