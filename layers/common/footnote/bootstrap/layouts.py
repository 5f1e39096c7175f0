"""Rebuilds what an earlier version laid out otherwise, while it answers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from footnote.errors import FootnoteError

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)


async def rebuild_layouts(core: Core) -> list[str]:
    """Rebuilds the indexes in OpenSearch that have the layout of an earlier version → the stored names of their collections. One that
    fails, or is interrupted, goes on the next time. SQLite does so when a file is opened."""
    if core.settings.opensearch.url is None:
        return []
    from footnote.adapters.opensearch.reindex import Reindex

    reindex, rebuilt = Reindex(core.settings.opensearch), []
    try:
        for name in await reindex.outdated():
            embedder = await core.document_embedder(name)
            try:
                build = await reindex.go_on(name, embedder)
                await reindex.fill(build, lambda what, done, total: None)
                await reindex.swap(build, embedder)
            except FootnoteError as exc:
                log.warning("index not rebuilt", extra={"collection": name, "reason": exc.detail})
            else:
                rebuilt.append(name)
    finally:
        await reindex.close()
    return rebuilt
