"""The search service of another system."""

from footnote.settings.marks import Group, setting


class KDB(Group):
    """A search service of another system, which is asked before the index."""

    url: str | None = setting(None, description="Its address, which `/api/v1/document/search_rerank` is added to.", https=True)
    groups: list[str] = setting(
        [],
        description="Groups, as JSON, whose members it is asked for; `*` = everybody. Empty: only the local user of `AUTH__MODE` none.",
    )
