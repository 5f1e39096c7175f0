"""`footnote documents`: list, show, retry, delete and restore documents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Commands, Exit, leave, progress_bar, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="List, show, retry, delete and restore documents.")

INTERNAL = ("content_hash", "cut", "described_by", "digest", "generation", "active_generation", "words")
"""Fields that no API shows."""
POLL_S = 0.2

IdArgument = Annotated[str, typer.Argument(help="Document id, as shown by `footnote documents list`.", metavar="DOC_ID")]
IdsArgument = Annotated[list[str], typer.Argument(help="Document ids, as shown by `footnote documents list`.", metavar="DOC_ID...")]


@app.command("list")
def list_(collection: CollectionOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the documents of all collections or of one, newest first."""
    from footnote.guard.identity import LOCAL
    from footnote.ports import read_all

    async def work(core: Core) -> list[Any]:
        return await read_all(lambda after: core.ledger.list(LOCAL, collection=collection, limit=200, after=after))

    documents = run_with_core(data, work, reads=True)
    if as_json:
        show_json({"documents": list(map(_fields, documents))})
        return
    _print_lines(documents)
    say(f"{len(documents)} {'document' if len(documents) == 1 else 'documents'}.")


@app.command()
def show(doc_id: IdArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show one document: its state, permissions and, if it failed, the reason."""
    from footnote.guard.identity import LOCAL

    document = run_with_core(data, lambda core: core.ledger.get(LOCAL, doc_id), reads=True)
    fields = _fields(document)
    if as_json:
        show_json(fields)
        return
    for name, value in fields.items():
        if value not in (None, "", {}):
            print(f"{name.replace('_', ' '):18} {_readable(name, value)}")


@app.command()
def retry(doc_ids: IdsArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Process FAILED documents again, from the stored files."""
    _leave_with(run_with_core(data, lambda core: _retry(core, doc_ids)), as_json)


@app.command()
def restore(doc_ids: IdsArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Restore documents that were deleted within the last hour, from the stored files."""
    _leave_with(run_with_core(data, lambda core: _restore(core, doc_ids)), as_json)


@app.command()
def delete(
    doc_ids: IdsArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete documents. They no longer appear in answers, and can be restored for an hour."""
    from footnote.guard.audit import audit
    from footnote.guard.identity import LOCAL

    async def find(core: Core) -> list[Any]:
        return [await core.ledger.get(LOCAL, doc_id) for doc_id in dict.fromkeys(doc_ids)]

    async def work(core: Core) -> list[Any]:
        for document in documents:
            await audit(core.records, LOCAL, "document.delete", document.doc_id, now=core.clock(), collection=document.collection)
        return [await core.ingestor.delete(LOCAL, document.doc_id, keep=True) for document in documents]

    documents = run_with_core(data, find)
    if not yes:
        typer.confirm(f"Delete {', '.join(document.title for document in documents)}?", abort=True, err=True)
    deleted = run_with_core(data, work)
    if as_json:
        show_json({"documents": list(map(_fields, deleted))})
    else:
        say(f"{len(deleted)} {'document' if len(deleted) == 1 else 'documents'} deleted.")


async def _retry(core: Core, doc_ids: list[str]) -> list[Any]:
    from footnote.guard.identity import LOCAL

    for document in [await core.ledger.get(LOCAL, doc_id) for doc_id in doc_ids]:
        if document.state != "FAILED":
            say(f"{document.title} is {document.state}: only FAILED documents are retried.")
    return await _read(core, doc_ids, core.ingestor.retry)


async def _restore(core: Core, doc_ids: list[str]) -> list[Any]:
    from footnote.guard.audit import audit
    from footnote.guard.identity import LOCAL
    from footnote.ingest.restoring import restore

    for gone in [await core.ledger.find_deleted(LOCAL, doc_id) for doc_id in doc_ids]:
        await audit(core.records, LOCAL, "document.restore", gone.doc_id, now=core.clock(), collection=gone.collection)
    return await _read(core, doc_ids, partial(restore, core.ingestor))


async def _read(core: Core, doc_ids: list[str], queue: Callable[[Any, str], Awaitable[Any]]) -> list[Any]:
    """Queues documents. On one machine this returns after they were processed, here or by the server that uses the folder."""
    from footnote.errors import Conflict
    from footnote.guard.identity import LOCAL
    from footnote.library.worker import Lock
    from footnote_local.verify_command import work_off

    alone, lock = core.settings.aws.queue_url is None, Lock(core.settings.data)
    try:
        if alone:
            lock.take()
    except Conflict:
        say("A Footnote server is using this data folder and will process them.")
    try:
        documents = [await queue(LOCAL, doc_id) for doc_id in doc_ids]
        if lock.is_held:
            with progress_bar() as bar:
                await work_off(core, bar)
        while alone and any(document.state in ("RECEIVED", "PROCESSING") for document in documents):
            documents = [await core.ledger.get(LOCAL, doc_id) for doc_id in doc_ids]
            await asyncio.sleep(0 if lock.is_held else POLL_S)
        return documents
    finally:
        lock.release()


def _leave_with(documents: list[Any], as_json: bool) -> None:
    """Prints documents that were processed, and exits."""
    if as_json:
        show_json({"documents": list(map(_fields, documents))})
    else:
        _print_lines(documents)
    leave(Exit.BAD if any(document.state == "FAILED" for document in documents) else Exit.OK)


def _fields(document: Any) -> Mapping[str, Any]:
    """The document's fields as in the API."""
    fields = {name: value for name, value in asdict(document).items() if name not in INTERNAL}
    return fields | {"permission_groups": sorted(document.permission_groups)}


def _print_lines(documents: Iterable[Any]) -> None:
    for document in documents:
        readers = _readable("permission_groups", sorted(document.permission_groups))
        print(f"{document.state:10} {document.doc_id}  {document.collection}  {document.file_name}  ({readers})")
        if document.reason:
            print(f"{'':10} {document.reason} {document.remedy or ''}".rstrip())


def _readable(name: str, value: Any) -> str:
    if name == "permission_groups":
        return "everyone" if "*" in value else ", ".join(value) or "nobody"
    if name.endswith("_at"):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return ", ".join(f"{key}={item}" for key, item in value.items()) if isinstance(value, Mapping) else str(value)
