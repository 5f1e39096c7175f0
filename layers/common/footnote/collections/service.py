"""Reads and changes the directory of collections.

The directory is one record, so that every change of names is atomic: two admins cannot give one name to two collections. Each
process keeps a copy, which is renewed in the background once it is FRESH_S old, and which a question waits for once it is LATEST_S
old. So a deleted collection is away from answers within a second.

While the store is away, the copy stays in use: what was deleted before stays hidden, and nothing can be deleted meanwhile, because
that needs the same store. What another process deleted after this one last read the copy is still shown until the store is back: that
is the last second of a process that is being asked, and more of one that was idle. A process that has never read a copy shows nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex

from footnote.collections.attachments import Attachments
from footnote.collections.names import NOT_IN_NAMES, Directory, check_collection, dump_directory, load_directory
from footnote.errors import Conflict, NotFound, StoreUnavailable
from footnote.ports import Clock, Records
from footnote.refresher import Pace, Refresher
from footnote.types import RESTORABLE_S, Collection, CollectionSettings, Document, StoredName

FRESH_S, LATEST_S = 0.5, 1.0
"""Ages of the copy of the directory, in seconds: from the first on it is renewed in the background, from the second on before it is
used."""
WAIT_S, FIRST_WAIT_S = 1.0, 15.0
"""Longest waits for the store, which are shared by all questions: with a copy, and without one, when the store's own limits come first."""
KEY = "directory"
TRIES = 10
UNREADABLE = "The list of collections cannot be read at present, so no collection is. Try again."
DELETED = "This collection was deleted. Restore it, which is possible for an hour, or choose another name."
TAKEN = "There is a collection with this name or alias already."
UNKNOWN = "There is no such collection."


class Collections:
    """The collections of a deployment. `stored` in arguments: a stored name, as in `Document.collection`."""

    def __init__(self, records: Records, clock: Clock) -> None:
        self.attachments = Attachments(records, clock)
        self._records = records
        self._clock = clock
        self._copy: Directory | None = None
        self._read_at = 0.0
        pace = Pace(FRESH_S, LATEST_S, WAIT_S, FIRST_WAIT_S)
        self._copying = Refresher(self._load_copy, lambda: time.monotonic(), pace, "collections")

    # --- reads ---------------------------------------------------------------------------------------------------

    async def directory(self) -> Directory:
        """The directory, as it was at most LATEST_S ago or, while the store is away, when it was last read. StoreUnavailable if it has
        never been."""
        await self._copying.refresh()
        if self._copy is None:
            raise StoreUnavailable(UNREADABLE)
        return self._copy

    async def _load_copy(self) -> None:
        await self.load()

    def expire(self) -> None:
        """Another process has changed the directory: the next use waits until it is read again."""
        self._read_at = time.monotonic()  # so that a read that has begun does not count
        self._copying.expire()

    async def close(self) -> None:
        """Cancels a read that is still running."""
        await self._copying.close()

    async def load(self) -> Directory:
        """The directory as it is now."""
        now = time.monotonic()
        found = await self._records.get("collection", KEY)
        if found is None:
            read = Directory()
        elif self._copy is not None and self._copy.version == found.version:
            read = self._copy
        else:
            read = load_directory(found.value, found.version)
        if now > self._read_at:  # a read that was overtaken does not bring an older copy back
            self._keep(read, now)
        return read

    def _keep(self, read: Directory, at: float) -> None:
        self._copy, self._read_at = read, at
        self._copying.renewed(at)

    async def get(self, stored: str) -> CollectionSettings:
        """The settings of a collection; the defaults if it has no record."""
        return (await self.directory()).settings(stored)

    def last_read(self, name: str) -> CollectionSettings:
        """The settings of the collection with this name or alias as of the last read; the defaults if nothing has been read."""
        return CollectionSettings() if self._copy is None else self._copy.settings(self._copy.resolve(name))

    async def resolve(self, name: str) -> StoredName:
        """The stored name of the collection with this name or alias, for reads: nothing is stored under that of an unknown one."""
        return (await self.directory()).resolve(name)

    async def names_of(self, name: str) -> frozenset[str]:
        """All names that the collection with this name or alias has or had, as turns hold them."""
        found = (await self.directory()).find(name)
        return frozenset({name} if found is None else {*found.names, found.stored})

    async def name_of(self, stored: str) -> str:
        """The current name of a collection."""
        return (await self.directory()).name_of(stored)

    async def shown(self, document: Document) -> Document:
        """The document with the current name of its collection."""
        return replace(document, collection=await self.name_of(document.collection))

    async def is_deleted(self, stored: str) -> bool:
        """Whether the collection is deleted."""
        return stored in (await self.directory()).deleted

    async def open(self, name: str, *, by: str) -> StoredName:
        """The stored name of the collection to which a document is to be added. Conflict if it was deleted, BadRequest for an
        invalid name. A name that belongs to no collection becomes a new one."""
        directory = await self.load()
        if isinstance(name, StoredName):
            if not directory.may_hold(name):
                raise Conflict(DELETED)
            return name
        check_collection(name)
        if directory.find(name) is None and directory.find_deleted(name) is not None:
            raise Conflict(DELETED)
        if directory.find(name) is None and name in directory.collections:  # its former holder is stored under it
            return (await self._change(lambda now: self._added(now, Collection(StoredName(""), name)), by)).stored
        return directory.resolve(name)

    # --- changes -------------------------------------------------------------------------------------------------

    async def create(self, name: str, settings: CollectionSettings, *, title: str, description: str, by: str) -> Collection:
        """Creates a collection. Conflict if the name is taken by one with a record; callers check those without."""
        wanted = Collection(StoredName(""), check_collection(name), title=title, description=description, settings=settings)
        return await self._change(lambda now: self._added(now, wanted), by)

    async def edit(
        self,
        name: str,
        change: Callable[[Collection], Collection],
        *,
        by: str,
    ) -> Collection:
        """Changes title, description, settings, name or aliases of a collection, which gets a record if it had none. A former name
        remains an alias. NotFound, or Conflict if a new name or alias is taken."""

        def changed(now: Directory) -> Collection:
            before = self._held(now, name)
            after = change(before)
            names = tuple(dict.fromkeys((after.name, *after.aliases, *((before.name,) if after.name != before.name else ()))))
            for new in set(names) - set(before.names):
                check_collection(new)
                _check_free(now, new)
            return replace(after, aliases=names[1:])

        return await self._change(changed, by)

    async def delete(self, name: str, *, by: str) -> Collection:
        """Hides a collection from everybody, in every process within LATEST_S. Repeated, it returns the deleted collection. NotFound
        if there is none."""

        def deleted(now: Directory) -> Collection:
            if now.find(name) is None and (gone := now.find_deleted(name)) is not None:
                return gone
            return replace(self._held(now, name), deleted_at=self._clock())

        return await self._change(deleted, by)

    async def restore(self, name: str, *, by: str) -> Collection:
        """Brings a deleted collection back as it was. Conflict if it is too late or one of its names is taken meanwhile, NotFound if
        no such collection was deleted."""

        def restored(now: Directory) -> Collection:
            gone = now.find_deleted(name)
            if gone is None:
                if now.find(name) is not None:
                    raise Conflict("This collection is not deleted.")
                raise NotFound(UNKNOWN)
            if self.is_due(gone):
                raise Conflict("It was deleted more than an hour ago and cannot be restored any more.")
            if taken := [each for each in gone.names if now.find(each) is not None]:
                raise Conflict(f"Another collection has the name or alias “{taken[0]}” now. Rename it, then restore this one.")
            return replace(gone, deleted_at=None)

        return await self._change(restored, by)

    def is_due(self, collection: Collection) -> bool:
        """Whether it was deleted and can no longer be restored."""
        return collection.is_purged or (collection.deleted_at is not None and self._clock() >= collection.deleted_at + RESTORABLE_S)

    async def due(self, *, by: str) -> list[Collection]:
        """The deleted collections whose documents are to be removed. They cannot be restored after this returned."""
        found = []
        for each in (await self.load()).collections.values():
            if not self.is_due(each):
                continue
            if not each.is_purged:
                try:
                    await self._change(lambda now, stored=each.stored: self._given_up(now, stored), by)  # type: ignore[misc]
                except Conflict:  # restored meanwhile, or others are faster
                    continue
            found.append(each)
        return found

    async def forget(self, stored: str, *, by: str) -> None:
        """Removes the record of a deleted collection that has no documents left."""
        for _ in range(TRIES):
            directory = await self.load()
            if stored not in directory.collections or await self._save(directory.without(stored), by):
                return

    def _given_up(self, now: Directory, stored: str) -> Collection:
        """Conflict if it was restored just before."""
        found = now.collections.get(stored)
        if found is None or not self.is_due(found):
            raise Conflict("It was restored.")
        return replace(found, is_purged=True)

    def _held(self, now: Directory, name: str) -> Collection:
        """The collection with this name or alias, also one without a record. Callers check that such a one has documents."""
        found = now.find(name)
        if found is None and name in now.collections:
            raise NotFound(UNKNOWN)
        return found or Collection(StoredName(check_collection(name)), name, created_at=self._clock())

    async def _change(self, change: Callable[[Directory], Collection], by: str) -> Collection:
        """Replaces a collection by what `change` makes of the current directory; repeated if another process is faster."""
        for _ in range(TRIES):
            directory = await self.load()
            changed = replace(change(directory), changed_at=self._clock())
            if await self._save(directory.with_collection(changed), by):
                return changed
        raise Conflict("The collections are being changed by others. Try again.")

    async def _save(self, directory: Directory, by: str) -> bool:
        try:
            record = await self._records.put("collection", KEY, dump_directory(directory), by=by, expected=directory.version)
        except Conflict:
            return False
        self._keep(replace(directory, version=record.version), time.monotonic())
        return True

    def _added(self, directory: Directory, wanted: Collection) -> Collection:
        _check_free(directory, wanted.name)
        stored = wanted.name
        if stored in directory.collections:  # a renamed or deleted collection is stored under it
            stored = f"{stored}{NOT_IN_NAMES}{token_hex(4)}"
        return replace(wanted, stored=StoredName(stored), created_at=self._clock())


def _check_free(directory: Directory, name: str) -> None:
    if directory.find(name) is not None:
        raise Conflict(TAKEN)
