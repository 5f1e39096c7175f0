"""Checks that a collection that an admin names exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.errors import BadRequest
from footnote.types import SYSTEM

if TYPE_CHECKING:
    from footnote.bootstrap import Core


async def check_collection(core: Core, name: str) -> None:
    """BadRequest for a name that neither a collection nor a document has. INDEX_NAME always exists."""
    if name == core.settings.index_name:
        return
    directory = await core.collections.load()
    if directory.find(name) is None and directory.resolve(name) not in await core.ledger.collections(SYSTEM):
        raise BadRequest("There is no such collection. `footnote collections list` shows them.")
