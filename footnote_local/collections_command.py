"""`footnote collections`: lists, creates, changes, deletes and restores collections."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote_query.collection_changes import CollectionDetails

app = typer.Typer(cls=Commands, no_args_is_help=True, help="List, create, change, delete and restore collections.")

NameArgument = Annotated[str, typer.Argument(help="Name or alias of a collection.", metavar="NAME")]
AliasArgument = Annotated[str, typer.Argument(help="Another name for it.", metavar="ALIAS")]
TitleOption = Annotated[str | None, typer.Option(help="Title.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What it contains.")]
ChunkerOption = Annotated[
    Literal["structure", "fixed_size", "semantic", "table", "hierarchical", "voices"] | None,
    typer.Option(help="How documents that are added from now on are cut into passages."),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(help="default = the configured embedder; none = search by words only; else builtin or a name in EMBEDDING__OTHERS."),
]
LanguagesOption = Annotated[str | None, typer.Option(help="The languages of its documents, comma-separated; '' = any.")]
GroupsOption = Annotated[str | None, typer.Option(help="Groups of documents that are added without groups, comma-separated.")]


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List all collections, also empty ones and deleted ones that can be restored."""
    from footnote_query.collections import list_all

    rows = run_with_core(data, list_all, reads=True)
    if as_json:
        show_json({"collections": [row.model_dump() for row in rows]})
        return
    for row in rows:
        until = f"  deleted; can be restored until {_time(row.restorable_until)}" if row.restorable_until else ""
        print(f"{row.name:32} {row.documents:8}  {row.title}{until or ('  deleted' if row.state == 'DELETED' else '')}".rstrip())
    say(f"{len(rows)} {'collection' if len(rows) == 1 else 'collections'}." if rows else "There are no collections.")


@app.command()
def create(
    name: NameArgument,
    title: TitleOption = None,
    description: DescriptionOption = None,
    chunker: ChunkerOption = None,
    embedder: EmbedderOption = None,
    languages: LanguagesOption = None,
    groups: GroupsOption = None,
    data: DataOption = None,
) -> None:
    """Create a collection."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import NewCollection, create

    settings = _settings(chunker, embedder, languages, groups)
    new = _checked(NewCollection, name=name, title=title or "", description=description or "", settings=settings)
    run_with_core(data, lambda core: create(core, LOCAL, new))
    say(f"Created “{name}”.")


@app.command()
def show(name: NameArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show a collection's settings and contents."""
    from footnote_query.collection_changes import describe

    collection = run_with_core(data, lambda core: describe(core, name), reads=True)
    if as_json:
        show_json(collection.model_dump())
        return
    _print(collection)


@app.command("set")
def set_(
    name: NameArgument,
    title: TitleOption = None,
    description: DescriptionOption = None,
    chunker: ChunkerOption = None,
    embedder: EmbedderOption = None,
    languages: LanguagesOption = None,
    groups: GroupsOption = None,
    data: DataOption = None,
) -> None:
    """Change a collection's title, description or settings."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import CollectionChange, change

    settings = _settings(chunker, embedder, languages, groups)
    changes = _checked(CollectionChange, title=title, description=description, settings=settings or None)
    changed = run_with_core(data, lambda core: change(core, LOCAL, name, changes))
    for note in changed.notes:
        say(note)
    _print(changed)


@app.command()
def rename(name: NameArgument, new: Annotated[str, typer.Argument(help="New name.", metavar="NEW")], data: DataOption = None) -> None:
    """Rename a collection. The former name remains an alias."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import CollectionChange, change

    run_with_core(data, lambda core: change(core, LOCAL, name, CollectionChange(name=new)))
    say(f"Renamed to “{new}”. “{name}” leads to it, too.")


@app.command()
def alias(
    name: NameArgument,
    alias: AliasArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the alias.")] = False,
    data: DataOption = None,
) -> None:
    """Give a collection another name, or remove one."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import add_alias, remove_alias

    change = remove_alias if remove else add_alias
    run_with_core(data, lambda core: change(core, LOCAL, name, alias))
    say(f"“{alias}” is no alias any more." if remove else f"“{alias}” leads to “{name}”.")


@app.command()
def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Delete a collection with its documents. It can be restored for an hour."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import delete, describe

    if not yes and (collection := run_with_core(data, lambda core: describe(core, name))).state != "DELETED":
        count = sum(collection.documents.values())
        typer.confirm(f"Delete “{collection.name}” with {count} {'document' if count == 1 else 'documents'}?", abort=True, err=True)
    gone = run_with_core(data, lambda core: delete(core, LOCAL, name))
    if gone.restorable_until is None:
        say(f"“{gone.name}” was deleted before and is being removed.")
    else:
        say(f"Deleted. Until {_time(gone.restorable_until)}, “footnote collections restore {gone.name}” brings it back.")


@app.command()
def restore(name: NameArgument, data: DataOption = None) -> None:
    """Restore a deleted collection as it was."""
    from footnote.guard.identity import LOCAL
    from footnote_query.collection_changes import restore

    collection = run_with_core(data, lambda core: restore(core, LOCAL, name))
    say(f"Restored “{collection.name}”.")


def _settings(chunker: str | None, embedder: str | None, languages: str | None, groups: str | None) -> dict[str, Any]:
    """The settings that were named."""
    settings: dict[str, Any] = {} if chunker is None else {"chunker": chunker}
    if embedder is not None:
        settings["embedder"] = None if embedder == "default" else embedder
    if languages is not None:
        settings["languages"] = [language.strip() for language in languages.split(",") if language.strip()]
    if groups is not None:
        settings["permission_groups"] = [group.strip() for group in groups.split(",") if group.strip()]
    return settings


def _checked(model: Any, **fields: Any) -> Any:
    from pydantic import ValidationError

    try:
        return model(**fields)
    except ValidationError as exc:
        for error in exc.errors(include_input=False, include_url=False):
            say(f"footnote: {'.'.join(map(str, error['loc']))}: {error['msg']}.")
        leave(Exit.USAGE)


def _print(collection: CollectionDetails) -> None:
    settings = collection.settings
    deleted = f"deleted; can be restored until {_time(collection.restorable_until)}" if collection.restorable_until else "deleted"
    lines = {
        "name": collection.name + (f" ({deleted})" if collection.state == "DELETED" else ""),
        "title": collection.title,
        "description": collection.description,
        "aliases": ", ".join(collection.aliases),
        "documents": ", ".join(f"{count} {state}" for state, count in collection.documents.items()) or "none",
        "passages": str(collection.chunks),
        "languages": ", ".join(f"{count} {lang}" for lang, count in collection.languages.items()),
        "vectors": f"{collection.vectors['done']} of {collection.vectors['total']}" if collection.vectors else "none",
        "chunker": settings.chunker,
        "embedder": settings.embedder or "default",
        "expected languages": ", ".join(settings.languages),
        "default groups": ", ".join(settings.permission_groups),
        "columns": ", ".join(f"{role}={column}" for role, column in settings.columns.items()),
    }
    for label, value in lines.items():
        if value:
            print(f"{label:20} {value}")


def _time(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
