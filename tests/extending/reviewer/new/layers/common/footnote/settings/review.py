"""What ranks the best passages anew."""

from __future__ import annotations

from typing import Literal

from footnote.settings.marks import Group, setting


class Review(Group):
    """Ranks the best passages anew. Unset: they stay as they were found."""

    engine: Literal["words"] | None = setting(None, description="words: by the share of the question's words.", affects="search")
    least: float = setting(0, ge=0, le=1, description="Least score of a passage.", changeable=True, affects="search")
