"""`footnote audit`: who changed what."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_local.terminal import run, say, show_json

DataOption = Annotated[Path | None, typer.Option("--data", help="Folder of the index and the stored files.", envvar="FOOTNOTE_DATA")]


def audit(
    limit: Annotated[int, typer.Option(help="Show so many, the last first.", min=1, max=10_000)] = 50,
    data: DataOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show who changed permissions, prompts, settings, terms and sessions, and deleted what."""
    entries = run(_read(data, limit))
    if as_json:
        show_json({"entries": [asdict(entry) for entry in entries]})
        return
    for entry in entries:
        at = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        facts = " ".join(f"{name}={value}" for name, value in entry.facts.items())
        print(f"{at}  {entry.user_id:16} {entry.action:20} {entry.object_id}  {facts}".rstrip())
    if not entries:
        say("Nothing was changed yet.")


async def _read(data: Path | None, limit: int) -> list[Any]:
    from footnote.guard.audit import read_audit
    from footnote_local.cli import make_core

    core = make_core(data)
    try:
        return list((await read_audit(core.records, limit)).data)
    finally:
        await core.close()
