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
        description="Questions kept for the same readers, index and settings.",
        changeable=True,
        affects="nothing",
    )
    default_ttl_seconds: int = setting(
        300,
        gt=0,
        le=7 * 24 * 3600,
        description="Seconds for which an answer is reused. Unset: the API's default.",
        changeable=True,
        affects="nothing",
    )
    threshold_mode: Literal["precision", "recall", "adaptive"] = setting(
        "adaptive",
        description="How likely two questions must ask the same. adaptive: precision for questions with numbers, names or negation"
        " or under 4 words, else recall.",
        changeable=True,
        affects="nothing",
    )
    precision: float = setting(
        0.95,
        gt=0,
        le=1,
        description="Lowest probability in precision mode.",
        changeable=True,
        affects="nothing",
    )
    recall: float = setting(
        0.85,
        gt=0,
        le=1,
        description="Lowest probability in recall mode.",
        changeable=True,
        affects="nothing",
    )

    def answer_ttl_s(self, usual: float) -> float:
        """Seconds for which an answer is reused; `usual`: those of the API."""
        return self.default_ttl_seconds if "default_ttl_seconds" in self.model_fields_set else usual
