"""`footnote audit`: the audit log."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core


def audit(
    limit: Annotated[int, typer.Option(help="Number of entries, newest first.", min=1, max=10_000)] = 50,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who changed prompts, settings, forbidden terms and sessions, and who deleted what."""
    entries = run_with_core(data, lambda core: _read(core, limit), reads=True)
    if as_json:
        show_json({"entries": [asdict(entry) for entry in entries]})
        return
    for entry in entries:
        at = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        facts = " ".join(f"{name}={value}" for name, value in entry.facts.items())
        print(f"{at}  {entry.user_id:16} {entry.action:20} {entry.object_id}  {facts}".rstrip())
    if not entries:
        say("The audit log is empty.")


async def _read(core: Core, limit: int) -> list[Any]:
    from footnote.guard.audit import read_audit

    return list((await read_audit(core.records, limit)).data)
