"""`footnote user`: what is kept of one user, to be handed out or deleted."""

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

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Hand out or delete what is kept of a user.")

UserArgument = Annotated[str, typer.Argument(help="The user's id; on one machine `local`.")]


@app.command()
def export(
    user: UserArgument,
    out: Annotated[Path | None, typer.Option(help="File to write; by default standard output.")] = None,
    data: DataOption = None,
) -> None:
    """Write a user's turns and the feedback on them, one line of JSON each, oldest first."""
    try:
        with out.expanduser().open("wb") if out else nullcontext(sys.stdout.buffer) as file:
            turns = run_with_core(data, lambda core: _export(core, user, file))
    except OSError as exc:
        say(f"footnote: {out or 'standard output'} cannot be written ({exc.strerror}).")
        leave(Exit.UNAVAILABLE)
    say(f"{turns} turns.")


@app.command()
def delete(
    user: UserArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Delete a user's turns, feedback, figures and preferences."""
    from footnote.guard.identity import LOCAL
    from query.my_data import delete_data

    if not yes:
        typer.confirm(f"Delete all that is kept of {user}?", abort=True, err=True)
    say(f"{run_with_core(data, lambda core: delete_data(user, LOCAL, core))} turns deleted.")


async def _export(core: Core, user: str, file: BinaryIO) -> int:
    from footnote.types import Caller
    from query.my_data import export_lines

    turns = 0
    async for line in export_lines(Caller(user, sees_all=True), core):
        file.write(line)
        turns += 1
    return turns
