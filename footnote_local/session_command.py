"""`footnote session`: tokens for people, in the store that the functions look into."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import typer

from footnote_local.terminal import Exit, leave, run, say, show_json

R = TypeVar("R")

app = typer.Typer(no_args_is_help=True, help="Make and end sessions, for AUTH__MODE session.")


@app.command()
def create(
    user: Annotated[str, typer.Option(help="Who it is for: the id that their conversations are kept under.", prompt=True)],
    groups: Annotated[str, typer.Option(help="Their permission groups, with commas between them.")] = "",
    hours: Annotated[float, typer.Option(help="How long it lasts.", min=0.01, max=24 * 365)] = 12,
    role: Annotated[Literal["user", "admin"], typer.Option(help="An admin sees everybody's figures and unassigned files.")] = "user",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Make a session and print its token: it is shown once and stored nowhere."""
    from footnote.guard.identity import Session, open_session
    from footnote_local.cli import make_core

    if not user.strip():
        say("footnote: A session needs a user.")
        leave(Exit.USAGE)
    session = Session(user.strip(), tuple(group.strip() for group in groups.split(",") if group.strip()), role)
    token = run(_with_cache(make_core(None), partial(open_session, session, hours * 3600)))
    if as_json:
        show_json({"token": token, "user_id": session.user_id, "groups": list(session.groups), "role": role, "hours": hours})
    else:
        print(token)


@app.command()
def revoke(token: Annotated[str, typer.Argument(help="The session's token.")]) -> None:
    """End a session at once."""
    from footnote.guard.identity import close_session
    from footnote_local.cli import make_core

    run(_with_cache(make_core(None), partial(close_session, token)))
    say("The session is over.")


async def _with_cache(core: Any, work: Callable[..., Awaitable[R]]) -> R:
    try:
        return await work(cache=core.cache)
    finally:
        await core.close()
