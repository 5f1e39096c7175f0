"""`footnote export` and `footnote import`: a collection as one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnote_local.terminal import Exit, leave, progress_bar, run, say, show_json
from footnote_local.with_core import DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_local.transfer.archive import Counts
    from footnote_local.transfer.collections import Arrived


def export_archive(
    collection: Annotated[str, typer.Argument(help="The collection.")],
    file: Annotated[Path, typer.Argument(help="The archive, a ZIP file; one of this name is replaced.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a collection to a file: documents, passages, vectors, permissions."""
    counts = run(_export(make_core(data), collection, file.expanduser()))
    if as_json:
        show_json({"collection": collection, "file": str(file), **counts.model_dump()})
    else:
        say(f"{file}: {counts.documents} documents, {counts.files} files, {counts.chunks} passages, {counts.vectors} of them with vectors.")
        say("It holds everything that is in these documents. Protect it as you protect the data folder.")


def import_archive(
    file: Annotated[Path, typer.Argument(help="An archive of `footnote export`.")],
    collection: Annotated[str | None, typer.Option("--collection", help="Collection to import into. Default: as exported.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the documents of an archive, with their ids, permissions and vectors."""
    from footnote_local.transfer.collections import summary

    arrived = run(_import(make_core(data), file.expanduser(), collection))
    if as_json:
        result = {"collection": arrived.collection, "results": dict(arrived.results), "refused": arrived.refused}
        show_json({**result, "permission_groups": sorted(arrived.groups), "vectors_remade": arrived.remade})
    else:
        for doc_id, why in arrived.refused.items():
            print(f"{why:8} {doc_id}")
        for line in summary(arrived):
            say(line)
    leave(Exit.BAD if arrived.refused else Exit.OK)


async def _export(core: Core, collection: str, path: Path) -> Counts:
    from footnote_local.transfer.collections import export_collection

    try:
        with progress_bar() as bar:
            return await export_collection(core, collection, path, bar)
    finally:
        await core.close()


async def _import(core: Core, path: Path, collection: str | None) -> Arrived:
    from footnote.library.worker import Lock
    from footnote_local.transfer.collections import import_collection
    from footnote_local.verify_command import work_off

    in_aws, lock = core.settings.aws.queue_url is not None, Lock(core.settings.data)
    try:
        if not in_aws:
            lock.take()
        with progress_bar() as bar:
            arrived = await import_collection(core, path, collection, bar)
            if not in_aws:
                await work_off(core, bar)
        return arrived
    finally:
        lock.release()
        await core.close()
