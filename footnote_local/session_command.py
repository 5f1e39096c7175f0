"""`footnote session`: creates, lists and ends sign-in sessions."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from footnote.errors import BadRequest
from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Create, list and end sessions, for AUTH__MODE=session.")


@app.command()
def create(
    user: Annotated[str, typer.Option(help="User id of the session; conversations are stored under it.", prompt=True)],
    groups: Annotated[str, typer.Option(help="The user's permission groups, comma-separated.")] = "",
    hours: Annotated[float, typer.Option(help="Lifetime in hours.", min=0.01, max=24 * 365)] = 12,
    role: Annotated[
        Literal["user", "admin"],
        typer.Option(help="An admin sees all statistics and unassigned files, and can change prompts and settings."),
    ] = "user",
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a session and print its token. The token is shown only once."""
    from footnote.guard.audit import audit
    from footnote.guard.identity import LOCAL, LONGEST_ID, Session, is_user_name, open_session

    if not user.strip():
        say("footnote: --user must not be empty.")
        leave(Exit.USAGE)
    if not is_user_name(user.strip()):
        say(f"footnote: --user must be a single line of at most {LONGEST_ID} characters.")
        leave(Exit.USAGE)
    session = Session(user.strip(), listed(groups), role)

    async def work(core: Core) -> str:
        check_stores(core)
        await audit(core.records, LOCAL, "session.create", session.user_id, now=core.clock(), groups=list(session.groups), role=role)
        return await open_session(session, hours * 3600, cache=core.cache, records=core.records, now=core.clock())

    token = run_with_core(data, work)
    if as_json:
        show_json({"token": token, "user_id": session.user_id, "groups": list(session.groups), "role": role, "hours": hours})
    else:
        print(token)


def listed(groups: str) -> tuple[str, ...]:
    """The groups of a comma-separated list."""
    return tuple(group.strip() for group in groups.split(",") if group.strip())


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List active sessions with id, expiry, role, user and groups. Tokens are not stored and not shown."""
    from footnote.guard.identity import OpenSession, list_sessions
    from footnote.ports import read_all

    async def work(core: Core) -> list[OpenSession]:
        check_stores(core)
        return await read_all(lambda after: list_sessions(core.clock(), records=core.records, limit=200, after=after))

    sessions = run_with_core(data, work, reads=True)
    if as_json:
        show_json({"sessions": [asdict(session) for session in sessions]})
        return
    for session in sessions:
        until = datetime.fromtimestamp(session.expires_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        print(f"{session.session_id}  {until}  {session.role:5}  {session.user_id}  {','.join(session.groups)}".rstrip())
    say(f"{len(sessions)} active {'session' if len(sessions) == 1 else 'sessions'}." if sessions else "There are no active sessions.")


@app.command()
def revoke(
    session: Annotated[str, typer.Argument(help="The session's token, or its id as shown by `footnote session list`.")],
    data: DataOption = None,
) -> None:
    """End a session at once."""
    from footnote.errors import NotFound
    from footnote.guard.audit import audit
    from footnote.guard.identity import LOCAL, revoke_session, session_id_of

    async def work(core: Core) -> None:
        check_stores(core)
        for session_id in (session, session_id_of(session)):
            if await core.records.get("session", session_id) is not None:
                await audit(core.records, LOCAL, "session.revoke", session_id, now=core.clock())
                await revoke_session(session_id, cache=core.cache, records=core.records)
                return
        raise NotFound("There is no such session. `footnote session list` lists all sessions.")

    run_with_core(data, work)
    say("The session was ended.")


def check_stores(core: Core) -> None:
    """Sessions are stored in two places: token hashes in the cache, the list in the database. BadRequest if only one is configured."""
    if core.settings.aws.cache_table and not core.settings.db.address:
        raise BadRequest("AWS__CACHE_TABLE is set but DB__URI is not. Sessions need both.")
