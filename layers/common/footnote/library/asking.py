"""Makes the turns of programs that ask without HTTP: the library and the commands."""

from __future__ import annotations

from footnote.bootstrap import Core
from footnote.errors import NotFound
from footnote.types import Caller, Profile, Request, Retriever, Turn


async def make_turn(
    core: Core, question: str, collection: str | None, caller: Caller, profile: Profile, *, limit: int, retriever: Retriever = "cc"
) -> Turn:
    """A new turn, with the settings and prompts as they are now. `collection`: as in `named_collection`."""
    await core.refresh()
    name = await named_collection(core, collection, caller)
    return core.new_turn(Request(question, name, retriever=retriever, limit=limit), caller, profile)


async def named_collection(core: Core, collection: str | None, caller: Caller) -> str:
    """The given collection, by its name or an alias, or the configured one. NotFound if the caller may read nothing in the given one."""
    readable = {} if collection is None else await core.ledger.collections(caller)
    if collection is not None and await core.collections.name_of(await core.collections.resolve(collection)) not in readable:
        raise NotFound(f"There is no collection “{collection}”. Existing collections: {', '.join(readable) or 'none yet'}.")
    return collection or core.settings.index_name
