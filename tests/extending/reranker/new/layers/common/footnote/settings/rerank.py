"""What ranks the best passages anew."""

from __future__ import annotations

from typing import Literal

from footnote.settings.marks import Group, setting


class Rerank(Group):
    """Ranks the best passages anew. Unset: they stay as they were found."""

    engine: Literal["words"] | None = setting(None, description="words: by the share of the question's words.", affects="search")
    pool_size: int = setting(30, ge=1, le=200, description="Passages that it reads.", changeable=True, affects="search")
