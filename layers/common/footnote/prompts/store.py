"""Stores the prompts that admins save, and all their versions; the current ones are also cached.

Records: "prompt" `<name>.<language>` is the current text; "prompt_version" `<name>.<language>:<number>` is a saved version
and is never deleted.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass

from footnote.errors import NotFound, StoreUnavailable
from footnote.ports import Cache, Record, Records, read_all

log = logging.getLogger(__name__)

CACHE_KEY = "prompts"
CACHE_S = 30.0


@dataclass(frozen=True, slots=True)
class Saved:
    """A current prompt. `version`: the number of the version with this text. `saved_at`: when it became current."""

    template: str
    version: int
    saved_at: float
    saved_by: str


@dataclass(frozen=True, slots=True)
class Version:
    """A saved version of a prompt, without its text."""

    version: int
    saved_at: float
    saved_by: str


async def read_saved(records: Records, cache: Cache) -> Mapping[str, Saved]:
    """All current prompts by `<name>.<language>`, from the cache or else from the store, whose result is then cached."""
    with suppress(StoreUnavailable):
        if (cached := await cache.get(CACHE_KEY)) is not None:
            return {key: Saved(**values) for key, values in cached.items()}
    changes = await records.changes("prompt")
    if not changes:  # the usual case: nothing was ever saved
        return {}
    prompts = {record.key: _saved(record) for record in await read_all(lambda after: records.list("prompt", limit=200, after=after))}
    with suppress(StoreUnavailable):
        await cache.put(CACHE_KEY, {key: asdict(saved) for key, saved in prompts.items()}, CACHE_S)
        if await records.changes("prompt") != changes:  # a concurrent save may have cleared the cache before this put
            await cache.delete(CACHE_KEY)
    return prompts


async def save_prompt(key: str, template: str, *, by: str, records: Records, cache: Cache) -> int:
    """Saves a valid template as a new version and makes it current; returns its number. Conflict if two save at the same time."""
    last = await records.list("prompt_version", prefix=f"{key}:", limit=1, newest_first=True)
    number = int(last.data[0].key.rpartition(":")[2]) + 1 if last.data else 1
    await records.put("prompt_version", _version_key(key, number), {"template": template}, by=by, expected=0)
    await _put(key, template, number, by, records, cache)
    return number


async def restore_prompt(key: str, number: int, *, by: str, records: Records, cache: Cache) -> None:
    """Makes an earlier version current again; it keeps its number."""
    await _put(key, await read_version(key, number, records), number, by, records, cache)


async def reset_prompt(key: str, records: Records, cache: Cache) -> None:
    """Restores the packaged prompt; saved versions are kept."""
    await records.delete("prompt", key)
    await _forget(cache)


async def read_version(key: str, number: int, records: Records) -> str:
    """The text of a saved version. NotFound if there is none with this number."""
    record = await records.get("prompt_version", _version_key(key, number))
    if record is None:
        raise NotFound("This prompt has no such version.")
    return str(record.value["template"])


async def list_versions(key: str, records: Records) -> list[Version]:
    """The latest hundred versions, newest first."""
    page = await records.list("prompt_version", prefix=f"{key}:", limit=100, newest_first=True)
    return [Version(int(record.key.rpartition(":")[2]), record.changed_at, record.changed_by) for record in page.data]


async def _put(key: str, template: str, number: int, by: str, records: Records, cache: Cache) -> None:
    await records.put("prompt", key, {"template": template, "version": number}, by=by)
    await _forget(cache)


async def _forget(cache: Cache) -> None:
    try:
        await cache.delete(CACHE_KEY)
    except StoreUnavailable:
        log.warning("cached prompts could not be cleared; the old ones may be used until they expire")


def _saved(record: Record) -> Saved:
    return Saved(record.value["template"], record.value["version"], record.changed_at, record.changed_by)


def _version_key(key: str, number: int) -> str:
    return f"{key}:{number:09d}"
