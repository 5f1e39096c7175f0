"""Settings for a knowledge base of another system."""

from typing import ClassVar

from footnote.settings.marks import Group, Topic, setting


class KDB(Group):
    """A knowledge base of another system, searched before the index."""

    topic: ClassVar[Topic] = "search"

    url: str | None = setting(None, description="Base URL; `/api/v1/document/search_rerank` is appended.", https=True)
    groups: list[str] = setting(
        [],
        description="Groups whose members may use it; `*` = everyone. Empty: only the local user.",
    )
