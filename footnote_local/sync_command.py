"""`footnote sync`: keeps documents in sync with a folder, an S3 prefix, a ZIP file, a space of Confluence or a web site's sitemap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.ingest_command import read_fields
from footnote_local.terminal import Exit, leave, printable, run, say, show_json
from footnote_local.with_core import DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.ingest.sync_plan import SyncPlan
    from footnote_local.sync_run import Outcome


def sync(
    source: Annotated[str, typer.Argument(help="A folder, a ZIP file, s3://bucket/prefix, confluence:SPACE, or the URL of a sitemap.")],
    collection: Annotated[str | None, typer.Option("--collection", help="Collection. Default: as in the last sync, or INDEX_NAME.")] = None,
    groups: Annotated[
        str | None, typer.Option(help="Permission groups, comma-separated. Default: as in the last sync, or everyone.")
    ] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(help="Metadata field to filter by; repeat a key for several values.", metavar="KEY=VALUE")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete documents without asking, however many.")] = False,
    registered: Annotated[
        bool | None, typer.Option("--register/--forget", help="Only note the source for the schedule, or forget it; its documents stay.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and sync whenever the folder changes.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep documents in sync with a source: add, change, rename and remove them as its files are."""
    from footnote.ingest.sync_record import Wanted
    from footnote_local.sync_run import forget, register, run_sync

    def show(outcome: Outcome) -> None:
        if as_json:
            show_json(_as_json(outcome))
            return
        for line in lines(outcome.plan):
            print(line, flush=True)
        for name, why in outcome.not_read.items():
            print(f"{'skipped':8} {printable(outcome.plan.shown(name))}  {why}", flush=True)
        for name, document in outcome.failed.items():
            print(f"{'FAILED':8} {printable(outcome.plan.shown(name))}  {document.reason} {document.remedy or ''}".rstrip(), flush=True)
        for name, refused in outcome.refused_pages.items():
            print(f"{'FAILED':8} {name}  {refused.reason} {refused.remedy}", flush=True)
        say(summary(outcome))

    wanted = Wanted(
        collection, None if groups is None else [group for group in groups.split(",") if group], read_fields(metadata) if metadata else None
    )
    if registered is not None:
        address = run(register(make_core(data), source, wanted) if registered else forget(make_core(data), source))
        say(f"{address} is {'synced on the schedule' if registered else 'not synced any more; its documents stay'}.")
        return
    outcome = run(run_sync(make_core(data), source, wanted, dry_run=dry_run, yes=yes, watch=watch, show=show))
    leave(Exit.REFUSED if outcome.refused else Exit.BAD if outcome.not_read or outcome.failed or outcome.refused_pages else Exit.OK)


def lines(plan: SyncPlan) -> Iterator[str]:
    """The plan, one line for each file that is not unchanged."""
    for what, names in (("removed", plan.removed), ("added", plan.added), ("changed", plan.changed)):
        yield from (f"{what:8} {printable(plan.shown(name))}" for name in names)
    yield from (f"{'renamed':8} {printable(old)} → {printable(new)}" for old, new in plan.renamed)


def summary(outcome: Outcome) -> str:
    """The plan as a sentence."""
    plan = outcome.plan
    counts = f"{len(plan.added)} added, {len(plan.changed)} changed, {len(plan.renamed)} renamed, {len(plan.removed)} removed"
    others = (("skipped", len(outcome.not_read)), ("failed", len(outcome.failed) + len(outcome.refused_pages)))
    more = "".join(f", {count} {what}" for what, count in others if count)
    return f"{'Nothing was changed. Planned: ' if not outcome.done else ''}{counts}, {plan.unchanged} unchanged{more}."


def _as_json(outcome: Outcome) -> dict[str, Any]:
    plan = outcome.plan
    return {
        "source": outcome.address,
        "done": outcome.done,
        "added": list(map(printable, plan.added)),
        "changed": list(map(printable, plan.changed)),
        "renamed": [{"from": printable(old), "to": printable(new)} for old, new in plan.renamed],
        "removed": list(map(printable, plan.removed)),
        "unchanged": plan.unchanged,
        "skipped": [{"file": printable(name), "reason": why} for name, why in outcome.not_read.items()],
        "failed": [
            {"file": printable(name), "doc_id": document.doc_id, "reason": document.reason, "remedy": document.remedy}
            for name, document in outcome.failed.items()
        ]
        + [{"file": name, "doc_id": None, "reason": page.reason, "remedy": page.remedy} for name, page in outcome.refused_pages.items()],
    }
