"""`footnote migrate`: moves the documents between the embedded engines and OpenSearch, in either direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from footnote_local.terminal import Exit, leave, progress_bar, run, say, show_json
from footnote_local.with_core import DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_local.transfer.collections import Arrived
    from footnote_local.transfer.migration import MigrationPlan


def migrate(
    to: Annotated[Literal["opensearch", "embedded"], typer.Option(help="Where to: the deployment of OPENSEARCH__URL, or the data folder.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be moved.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy all documents from the data folder to OpenSearch, or back."""
    from footnote.bootstrap import Core
    from footnote_local.transfer.migration import embedded

    deployment = make_core(data)
    plan, arrived = run(run_migrate(deployment, Core(embedded(deployment.settings)), to, dry_run=dry_run))
    if as_json:
        show_json(_as_json(plan, arrived))
    else:
        for doc_id, why in (arrived.refused if arrived else {}).items():
            print(f"{why:8} {doc_id}")
        for line in sentences(plan, arrived):
            say(line)
    leave(Exit.BAD if arrived and arrived.refused else Exit.OK)


async def run_migrate(deployment: Core, local: Core, to: str, *, dry_run: bool) -> tuple[MigrationPlan, Arrived | None]:
    """The plan, and the work done. BadRequest if no OpenSearch is configured; Conflict while a server uses the data folder."""
    from footnote.errors import BadRequest
    from footnote.library.worker import Lock
    from footnote_local.transfer.migration import carry_out, make_plan

    lock = Lock(local.settings.data)
    source, target = (local, deployment) if to == "opensearch" else (deployment, local)
    try:
        if deployment.settings.opensearch.url is None:
            raise BadRequest("Set OPENSEARCH__URL and the deployment's other settings, such as AWS__LEDGER_TABLE and AWS__FILES_BUCKET.")
        if not dry_run:
            lock.take()
        with progress_bar() as bar:
            plan = await make_plan(source, target, bar)
            return plan, None if dry_run else await carry_out(source, target, plan, bar)
    finally:
        lock.release()
        await local.close()
        await deployment.close()


def sentences(plan: MigrationPlan, arrived: Arrived | None) -> Iterator[str]:
    """The result as lines of text."""
    from footnote_local.transfer.collections import SAID

    if arrived is None:
        for stored, doc_ids in plan.documents.items():
            yield f"“{stored}”: {len(doc_ids)} documents to be moved."
        for kind, count in plan.records.items():
            yield f"{kind.replace('_', ' ')}: {count} to be moved."
        yield f"Nothing was changed. {plan.count} documents to be moved, {plan.there} there already."
        return
    counts = ", ".join(f"{count} {SAID[result]}" for result in SAID if (count := arrived.results[result]))
    yield f"{counts or 'Nothing to move'}; {plan.there} were there before. The source is as it was."
    if arrived.remade:
        yield arrived.remade


def _as_json(plan: MigrationPlan, arrived: Arrived | None) -> dict[str, Any]:
    return {
        "done": arrived is not None,
        "planned": {stored: len(doc_ids) for stored, doc_ids in plan.documents.items()},
        "there": plan.there,
        "records": dict(plan.records),
        "results": dict(arrived.results) if arrived else {},
        "refused": arrived.refused if arrived else {},
        "vectors_remade": arrived.remade if arrived else None,
    }
