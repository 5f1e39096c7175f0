"""`footnote ingest`: files and folders into a collection."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Exit, leave, progress_bar, run, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", metavar="PATH...")],
    collection: CollectionOption = None,
    groups: Annotated[str, typer.Option(help="Permission groups, with commas between them; by default everyone's.")] = "",
    metadata: Annotated[
        list[str] | None, typer.Option(help="A field to filter by; one given again has both values.", metavar="KEY=VALUE")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read files and folders into an index."""
    fields = _read_fields(metadata) if metadata else None
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
        say(f"{len(rows) - report.failed} ready, {report.failed} not.")
    leave(Exit.BAD if report.failed else Exit.OK)


def _read_fields(given: list[str]) -> dict[str, str | list[str]]:
    found: dict[str, list[str]] = {}
    for field in given:
        name, equals, value = field.partition("=")
        if not equals:
            say(f"footnote: “{field}” is no field. Write KEY=VALUE, for example class=Law.")
            leave(Exit.USAGE)
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


async def _ingest(core: Core, paths: list[Path], collection: str | None, groups: list[str], metadata: dict[str, Any] | None) -> Any:
    from footnote.errors import Conflict
    from footnote_local.sources import take_in, wait_for_vectors
    from footnote_local.worker import Lock, Worker

    lock, worker = Lock(core.settings.data), Worker(core)
    mine = True
    try:
        lock.take()
    except Conflict:  # a server is up: it does the work, and we watch
        mine = False
        say("A Footnote server works on this folder; it reads the files.")
    try:
        if mine:
            await worker.start()
        with progress_bar() as bar:
            report = await take_in(
                core,
                paths,
                collection=collection or core.settings.index_name,
                groups=groups,
                metadata=metadata,
                progress=lambda done, total: bar("reading", done, total),
            )
            if mine:
                await wait_for_vectors(core, worker, lambda done, total: bar("vectors", done, total))
                if worker.trouble is not None:
                    say(f"The vectors are not all made yet: {worker.trouble} Documents are found by their words.")
        return report
    except asyncio.CancelledError:
        say("Stopped. What was read is kept; the same command goes on from here.")
        raise
    finally:
        await worker.stop()
        lock.release()
        await core.close()
