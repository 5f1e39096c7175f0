"""`footnote ingest`: adds files and folders to a collection."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Exit, leave, progress_bar, run, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.library.files import Report


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders to add.", metavar="PATH...")],
    collection: CollectionOption = None,
    groups: Annotated[str, typer.Option(help="Permission groups, comma-separated. Default: everyone.")] = "",
    metadata: Annotated[
        list[str] | None, typer.Option(help="Metadata field to filter by; repeat a key for several values.", metavar="KEY=VALUE")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add files and folders to a collection."""
    fields = read_fields(metadata) if metadata else None
    report = run(_ingest(make_core(data), paths, collection, [group for group in groups.split(",") if group], fields))
    rows = [
        {"file": name, "doc_id": d.doc_id, "state": d.state, "chunks": d.chunks, "reason": d.reason, "remedy": d.remedy}
        for name, d in report.documents.items()
    ]
    rows += [
        {"file": name, "doc_id": None, "state": "REFUSED", "chunks": 0, "reason": reason, "remedy": None}
        for name, reason in report.refused.items()
    ]
    if as_json:
        show_json({"documents": rows, "ready": len(rows) - report.failed, "failed": report.failed})
    else:
        for row in rows:
            why = "" if row["reason"] is None else f"  {row['reason']} {row['remedy'] or ''}"
            print(f"{row['state']:8} {row['file']}{why}")
        say(f"{len(rows) - report.failed} ready, {report.failed} failed.")
    if report.links:
        say(report.links)
    leave(Exit.BAD if report.failed else Exit.OK)


def read_fields(given: list[str]) -> dict[str, str | list[str]]:
    """The fields of `--metadata KEY=VALUE`."""
    fields: dict[str, list[str]] = {}
    for field in given:
        name, equals, value = field.partition("=")
        if not equals:
            say(f"footnote: “{field}” is not KEY=VALUE. Example: --metadata class=Law.")
            leave(Exit.USAGE)
        fields.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


async def _ingest(core: Core, paths: list[Path], collection: str | None, groups: list[str], metadata: dict[str, Any] | None) -> Report:
    from footnote.library.files import take_in
    from footnote.library.worker import SharedWorker

    worker = SharedWorker(core)
    try:
        if not await worker.start():
            say("Another Footnote process is using this data folder and will process the files.")
        with progress_bar() as bar:
            report = await take_in(
                core,
                paths,
                collection=collection or core.settings.index_name,
                groups=groups,
                metadata=metadata,
                progress=lambda done, total: bar("reading", done, total),
                worker=worker,
            )
            await worker.wait_for_vectors(lambda done, total: bar("vectors", done, total))
            if worker.trouble is not None:
                say(f"Some passages have no vectors yet: {worker.trouble} Until then they are found by keyword only.")
        return report
    except asyncio.CancelledError:
        say("Stopped. Finished files are kept; run the same command to continue.")
        raise
    finally:
        await worker.stop()
        await core.close()
