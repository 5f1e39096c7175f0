"""`/collections/{collection}` for admins: create, describe, change, rename, delete and restore collections, and their aliases.

Every change is in the audit log before it is made.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field

from footnote.collections import check_collection
from footnote.collections.embedders import Embedders, check_embedder
from footnote.errors import Conflict, NotFound
from footnote.guard.audit import audit
from footnote.ingest.accept import check_groups
from footnote.ingest.vectors import scope_of
from footnote.ports import read_all
from footnote.types import SYSTEM, Caller, Chunker, Collection, CollectionSettings, StoredName
from footnote.types.voices import Role
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_query.admin import ADMINS
from footnote_query.collections import restorable_until, state_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core

MISSING = problems({404: "There is no such collection"})
TAKEN = problems({409: "The name or alias is taken, or the collection is in a state that does not allow this"})
router = Router("Administration", responses=ADMINS)

EMBEDDER = 'null = the configured one; "none" = search by words only; "builtin" or a name in EMBEDDING__OTHERS.'
Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
Name = Annotated[str, Field(max_length=64)]
LATER = (
    "New settings for {} hold for documents that are added or changed from now on. To read earlier ones with them, add them again, or run "
    "`footnote reprocess`, which changes no readers."
)
AT_ONCE = "The setting embedder applies at once: passages without vectors get them in the background, or are found by words only."


class SettingsBody(BaseModel):
    """The settings of a collection. They apply to documents that are added or changed from now on; `embedder` applies at once."""

    chunker: Chunker = Field("structure", description="How documents are cut into passages.")
    embedder: str | None = Field(None, max_length=32, description=EMBEDDER)
    languages: list[Language] = Field([], max_length=20, description="The languages of its documents, if known; [] = any.")
    permission_groups: list[str] = Field([], max_length=50, description="Groups of documents that are added without groups.")
    columns: dict[Role, str] = Field({}, description="Chunker voices: the names of columns that are not recognised.")

    def to_settings(self, admin: Caller, embedders: Embedders) -> CollectionSettings:
        """The settings; BadRequest for an invalid group, or an embedder that is not configured."""
        check_embedder(embedders, self.embedder)
        groups = sorted(check_groups(self.permission_groups, admin)) if self.permission_groups else ()
        return CollectionSettings(self.chunker, self.embedder, tuple(self.languages), tuple(groups), self.columns)


class NewCollection(BaseModel):
    """A collection to be created."""

    name: Name
    title: str = Field("", max_length=200)
    description: str = Field("", max_length=2000)
    settings: SettingsBody = SettingsBody()


class CollectionChange(BaseModel):
    """What is to be changed; null = unchanged."""

    name: Name | None = Field(None, description="A new name. The former one remains an alias.")
    title: str | None = Field(None, max_length=200)
    description: str | None = Field(None, max_length=2000)
    settings: SettingsBody | None = Field(None, description="Settings that are left out remain as they are.")


class CollectionDetails(BaseModel):
    """A collection with its settings and contents. Counts include documents that the admin may not read."""

    name: str
    title: str
    description: str
    aliases: list[str] = Field(description="Other names that lead to it, among them its former ones.")
    state: Literal["ACTIVE", "DELETED"]
    settings: SettingsBody
    documents: dict[str, int] = Field(description="Number of documents by state.")
    chunks: int
    languages: dict[str, int] = Field(description="Number of READY documents by language.")
    vectors: dict[str, int] | None = Field(description="Existing and required vectors; null = there is no embedder.")
    created_at: float | None = Field(description="null = it came into being with its first document.")
    changed_at: float | None
    deleted_at: float | None
    restorable_until: float | None = Field(description="DELETED: until when it can be restored.")
    notes: list[str] = Field([], description="After a change: when it takes effect.")


@router.post("/collections", name="create_collection", status_code=201, responses=TAKEN)
async def create_collection(body: NewCollection, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Creates a collection. One that is not created comes into being, with the default settings, when a document is added to it."""
    return await create(core, admin, body)


@router.get("/collections/{collection}", name="get_collection", responses=MISSING)
async def get_collection(collection: str, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Describes a collection, also a deleted one that is not purged yet."""
    return await describe(core, collection)


@router.patch("/collections/{collection}", name="change_collection", responses=MISSING | TAKEN)
async def change_collection(collection: str, body: CollectionChange, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Changes or renames a collection. The former name remains an alias, so that clients and uploads that use it go on working."""
    return await change(core, admin, collection, body)


@router.put("/collections/{collection}/aliases/{alias}", name="add_alias", responses=MISSING | TAKEN)
async def put_alias(collection: str, alias: str, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Gives a collection another name. It leads to the same documents, with the same permissions."""
    return await add_alias(core, admin, collection, alias)


@router.delete("/collections/{collection}/aliases/{alias}", name="remove_alias", responses=MISSING | TAKEN)
async def delete_alias(collection: str, alias: str, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Removes an alias."""
    return await remove_alias(core, admin, collection, alias)


@router.delete("/collections/{collection}", name="delete_collection", responses=MISSING | TAKEN)
async def delete_collection(collection: str, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Deletes a collection with all its documents. Within a second, nobody can read them any more. It can be restored for an hour;
    then its documents, files and vectors are removed, within a day."""
    return await delete(core, admin, collection)


@router.post("/collections/{deleted_collection}/restore", name="restore_collection", responses=MISSING | TAKEN)
async def restore_collection(deleted_collection: str, admin: AdminOf, core: CoreOf) -> CollectionDetails:
    """Restores a deleted collection as it was."""
    return await restore(core, admin, deleted_collection)


async def create(core: Core, admin: Caller, wanted: NewCollection) -> CollectionDetails:
    """Creates a collection. Conflict if there is one of this name, with a record or with documents."""
    settings = wanted.settings.to_settings(admin, core.embedders)
    await _check_free(core, wanted.name)
    await audit(core.records, admin, "collection.create", wanted.name, now=core.clock(), settings=asdict(settings))
    made = await core.collections.create(wanted.name, settings, title=wanted.title, description=wanted.description, by=admin.user_id)
    return await _details(core, made)


async def describe(core: Core, name: str) -> CollectionDetails:
    """A collection with its contents. NotFound."""
    return await _details(core, await find_collection(core, name, deleted=True))


async def change(core: Core, admin: Caller, name: str, wanted: CollectionChange) -> CollectionDetails:
    """Changes a collection. NotFound; Conflict if its new name is taken."""
    before = await find_collection(core, name)
    fields = {field: value for field in ("name", "title", "description") if (value := getattr(wanted, field)) is not None}
    if "name" in fields and fields["name"] not in before.names:
        await _check_free(core, fields["name"])
    told: dict[str, object] = {}
    if wanted.settings is not None:
        new = asdict(wanted.settings.to_settings(admin, core.embedders))
        told = {key: new[key] for key in wanted.settings.model_fields_set if new[key] != getattr(before.settings, key)}
    facts = {key: value for key, value in fields.items() if key == "name"} | told
    await audit(core.records, admin, "collection.set", before.name, now=core.clock(), **facts)

    def changed(now: Collection) -> Collection:
        return replace(now, **fields, settings=replace(now.settings, **told))  # type: ignore[arg-type]

    after = await core.collections.edit(name, changed, by=admin.user_id)
    later = sorted(told.keys() - {"embedder"})
    notes = [LATER.format(", ".join(later))] * bool(later) + [AT_ONCE] * ("embedder" in told)
    return (await _details(core, after)).model_copy(update={"notes": notes})


async def add_alias(core: Core, admin: Caller, name: str, alias: str) -> CollectionDetails:
    """Gives a collection an alias. NotFound; Conflict if it is taken."""
    before = await find_collection(core, name)
    if alias not in before.names:
        await _check_free(core, alias)
    await audit(core.records, admin, "collection.alias", before.name, now=core.clock(), alias=alias)
    made = await core.collections.edit(name, lambda now: replace(now, aliases=(*now.aliases, alias)), by=admin.user_id)
    return await _details(core, made)


async def remove_alias(core: Core, admin: Caller, name: str, alias: str) -> CollectionDetails:
    """Removes an alias. NotFound; Conflict for the one that `INDEX_NAME` names."""
    before = await find_collection(core, name)
    if alias not in before.aliases:
        raise NotFound("This collection has no such alias.")
    if alias == core.settings.index_name:
        raise Conflict("The setting INDEX_NAME names this alias. Change the setting first.")
    await audit(core.records, admin, "collection.unalias", before.name, now=core.clock(), alias=alias)

    def without(now: Collection) -> Collection:
        return replace(now, aliases=tuple(each for each in now.aliases if each != alias))

    return await _details(core, await core.collections.edit(name, without, by=admin.user_id))


async def delete(core: Core, admin: Caller, name: str) -> CollectionDetails:
    """Deletes a collection. NotFound; Conflict for the configured one. Deleting a deleted one changes nothing."""
    found = await find_collection(core, name, deleted=True)
    if found.deleted_at is not None:
        return await _details(core, found)
    if core.settings.index_name in found.names:
        raise Conflict("This is the default collection. Let the setting INDEX_NAME name another one first, or delete its documents.")
    await audit(core.records, admin, "collection.delete", found.name, now=core.clock())
    return await _details(core, await core.collections.delete(name, by=admin.user_id))


async def restore(core: Core, admin: Caller, name: str) -> CollectionDetails:
    """Restores a deleted collection. NotFound; Conflict if it is too late or its name is taken."""
    found = (await core.collections.load()).find_deleted(name)
    if found is None:
        await find_collection(core, name)
        raise Conflict("This collection is not deleted.")
    await audit(core.records, admin, "collection.restore", found.name, now=core.clock())
    return await _details(core, await core.collections.restore(name, by=admin.user_id))


async def find_collection(core: Core, name: str, *, deleted: bool = False) -> Collection:
    """The collection with this name or alias. NotFound. `deleted`: also a deleted one."""
    directory = await core.collections.load()
    found = directory.find(name)
    if found is None and deleted:
        found = directory.find_deleted(name)
    if found is None and name not in directory.collections and name in await core.ledger.collections(SYSTEM):
        found = Collection(StoredName(name), name)
    if found is None:
        raise NotFound("There is no such collection.")
    return found


async def _check_free(core: Core, name: str) -> None:
    check_collection(name)
    directory = await core.collections.load()
    if directory.find(name) is not None or directory.resolve(name) in await core.ledger.collections(SYSTEM):
        raise Conflict(f"There is a collection “{name}” already, or another one has this alias.")


async def _details(core: Core, collection: Collection) -> CollectionDetails:
    stored = collection.stored
    documents = await read_all(lambda after: core.ledger.list(SYSTEM, collection=stored, limit=200, after=after))
    vectors = None
    embedder = core.embedders.of(collection.settings.embedder)
    if embedder is not None and collection.deleted_at is None:
        asked = core.vectors.progress(replace(scope_of(embedder), only=frozenset({stored})))
        vectors = dict(zip(("done", "total"), await asked, strict=True))
    ready = [document for document in documents if document.state == "READY"]
    return CollectionDetails(
        name=collection.name,
        title=collection.title,
        description=collection.description,
        aliases=list(collection.aliases),
        state=state_of(collection),
        settings=SettingsBody.model_validate(asdict(collection.settings)),
        documents=dict(sorted(Counter(document.state for document in documents).items())),
        chunks=sum(document.chunks for document in ready),
        languages=dict(sorted(Counter(document.lang or "" for document in ready).items())),
        vectors=vectors,
        created_at=collection.created_at or None,
        changed_at=collection.changed_at or None,
        deleted_at=collection.deleted_at,
        restorable_until=restorable_until(core, collection),
    )
