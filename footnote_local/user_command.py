"""`footnote user`: exports or deletes the data of one user."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from footnote_local.terminal import Commands, Exit, leave, say
from footnote_local.with_core import DataOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Export or delete a user's data.")

UserArgument = Annotated[str, typer.Argument(help="User id; on one machine without sign-in it is `local`.")]


@app.command()
def export(
    user: UserArgument,
    out: Annotated[Path | None, typer.Option(help="Output file. Default: standard output.")] = None,
    data: DataOption = None,
) -> None:
    """Export a user's turns and feedback as JSON lines, oldest first."""
    try:
        with out.expanduser().open("wb") if out else nullcontext(sys.stdout.buffer) as file:
            turns = run_with_core(data, lambda core: _export(core, user, file))
    except OSError as exc:
        say(f"footnote: {out or 'standard output'} cannot be written ({exc.strerror}).")
        leave(Exit.UNAVAILABLE)
    say(f"{turns} {'turn' if turns == 1 else 'turns'} exported.")


@app.command()
def delete(
    user: UserArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data: DataOption = None,
) -> None:
    """Delete a user's turns, feedback, statistics and preferences."""
    from footnote.guard.identity import LOCAL
    from footnote_query.my_data import delete_data

    if not yes:
        typer.confirm(f"Delete all data of {user}?", abort=True, err=True)
    turns = run_with_core(data, lambda core: delete_data(user, LOCAL, core))
    say(f"{turns} {'turn' if turns == 1 else 'turns'} deleted.")


async def _export(core: Core, user: str, file: BinaryIO) -> int:
    from footnote.types import Caller
    from footnote_query.my_data import export_lines

    turns = 0
    async for line in export_lines(Caller(user, sees_all=True), core):
        file.write(line)
        turns += 1
    return turns
