"""Keeps two machines that share a deployment from syncing one source at once. On one data folder a lock does that."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from footnote.errors import Conflict, FootnoteError
from footnote.ports import Clock, Records

log = logging.getLogger(__name__)

LEASE_S, RENEWED_S = 120.0, 30.0
"""How long a lease is valid that its owner does not renew, and how often it is renewed."""
BUSY = "Another sync of this source is running. Wait for it; if it was killed, two minutes suffice."


@asynccontextmanager
async def leased(records: Records, address: str, clock: Clock) -> AsyncIterator[None]:
    """The source is this process's for as long as this lasts. Conflict if it is another's."""
    owner = secrets.token_hex(8)
    await _take(records, address, owner, clock)
    renewing = asyncio.create_task(_renew(records, address, owner, clock))
    try:
        yield
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        with suppress(FootnoteError):  # then it ends by itself
            await _put(records, address, owner, 0.0, clock)


async def _take(records: Records, address: str, owner: str, clock: Clock) -> None:
    try:
        await _put(records, address, owner, clock() + LEASE_S, clock)
    except Conflict as exc:
        raise Conflict(BUSY) from exc


async def _renew(records: Records, address: str, owner: str, clock: Clock) -> None:
    while True:
        await asyncio.sleep(RENEWED_S)
        try:
            await _put(records, address, owner, clock() + LEASE_S, clock)
        except FootnoteError as exc:
            log.warning("a lease was not renewed", exc_info=exc)


async def _put(records: Records, address: str, owner: str, until: float, clock: Clock) -> None:
    """Conflict if it is another's by now."""
    found = await records.get("source_lease", address)
    if found is not None and found.value["owner"] != owner and found.value["until"] > clock():
        raise Conflict(BUSY)
    await records.put("source_lease", address, {"owner": owner, "until": until}, by="sync", expected=found.version if found else 0)
