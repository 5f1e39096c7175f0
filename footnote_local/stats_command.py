"""`footnote stats`: the figures of `GET /stats`."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.types import GroupBy
from footnote_local.terminal import say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_stats.bodies import StatsBody

SHOWN = ("turns", "answered", "closest", "refusals", "errors", "total_tokens", "cost", "latency_p50_ms", "latency_p95_ms")
WIDTH = 40
"""Characters of a key."""


def stats(
    by: Annotated[GroupBy, typer.Option(help="What to group by.")] = "day",
    first: Annotated[
        datetime | None, typer.Option("--from", help="First day, UTC. Default: 29 days before the last.", formats=["%Y-%m-%d"])
    ] = None,
    last: Annotated[datetime | None, typer.Option("--to", help="Last day, UTC. Default: today.", formats=["%Y-%m-%d"])] = None,
    collection: CollectionOption = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show turns, tokens, cost and latency by day, user, model, question, …"""
    from footnote_stats.bodies import rows_of
    from footnote_stats.export import to_csv

    body = run_with_core(data, lambda core: _read(core, by, first and first.date(), last and last.date(), collection), reads=True)
    if as_json:
        show_json(body.model_dump(mode="json", by_alias=True))
    elif as_csv:
        print(to_csv(rows_of(body)), end="")
    else:
        _print(body)


async def _read(core: Core, by: GroupBy, first: date | None, last: date | None, collection: str | None) -> StatsBody:
    from footnote.guard.identity import LOCAL
    from footnote_stats.read import make_wanted, read_stats

    await core.refresh(prompts=False)
    return await read_stats(core, LOCAL, make_wanted(first, last, by, collection, core.clock()))


def _print(body: StatsBody) -> None:
    from footnote_stats.bodies import rows_of

    head, *rows = [list(map(_text, row)) for row in rows_of(body)]
    names = len(body.data[0].key) if body.data else 1
    kept = [*range(names), *(place for place, name in enumerate(head) if place >= names and (name in SHOWN or body.by == "document"))]
    table = [[row[place] for place in kept] for row in (head, *rows)]
    widths = [min(WIDTH, max(len(row[place]) for row in table)) for place in range(len(kept))]
    for row in table:
        cells = zip(row, widths, strict=True)
        aligned = [cell[:width].ljust(width) if place < names else cell.rjust(width) for place, (cell, width) in enumerate(cells)]
        print("  ".join(aligned).rstrip())
    if not rows:
        say("There were no turns in this period.")


def _text(value: str | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value).replace("\n", " ")
