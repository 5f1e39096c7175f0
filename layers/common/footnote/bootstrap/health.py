"""Whether the parts of a Core work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from footnote.adapters.sqlite.database import check_pages
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.errors import FootnoteError, NotFound
from footnote.guard.identity import LOCAL

if TYPE_CHECKING:
    from footnote.bootstrap import Core


async def check(core: Core, names: tuple[str, ...]) -> dict[str, str]:
    """`Core.check`."""
    probes: dict[str, Callable[[], Awaitable[Any]]]
    probes = {"store": lambda: _check_store(core), "index": lambda: core.engine.view(LOCAL, core.settings.index_name)}
    if core.settings.db.address:
        probes["conversations"] = lambda: core.turns.history(LOCAL, "ready", "ready", 1)
    if core.settings.aws.cache_table:
        probes["cache"] = lambda: core.cache.get("session:ready")  # a key that the role of every function may read
    if core.settings.aws.files_bucket:
        probes["files"] = lambda: core.files.get("ready")
    if core.settings.aws.queue_url:
        probes["queue"] = core.queue.size
    probes = {name: probe for name, probe in probes.items() if not names or name in names} | core.checks
    results = await asyncio.gather(*(_try(probe) for probe in probes.values()))
    return dict(zip(probes, results, strict=True))


async def check_databases(core: Core) -> None:
    """`Core.check_databases`."""
    if not core.settings.aws.ledger_table:
        await core.store.run(check_pages)
    if isinstance(core.engine, SqliteIndex):
        await core.engine.check_database()


async def outdated(core: Core) -> int:
    """How many documents an earlier version made and are still to be made again, as last noted; 0 also while the cache is down."""
    from footnote.ingest.migrating import documents_left

    try:
        return await documents_left(core.optional_cache)
    except FootnoteError:
        return 0


async def _check_store(core: Core) -> None:
    await core.lifecycle.counts()
    if not core.settings.aws.ledger_table:
        await core.store.check_writable()


async def _try(probe: Callable[[], Awaitable[Any]]) -> str:
    try:
        await probe()
    except NotFound:
        pass  # the backend replied
    except FootnoteError as exc:
        return exc.detail
    return "ok"
