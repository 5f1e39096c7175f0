"""`footnote user`: accounts of people who sign in by name and password, and the data of one user."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from footnote_local.session_command import check_stores, listed
from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Manage accounts, and export or delete a user's data.")

DEFAULT_ADDRESS = "http://127.0.0.1:8000"
"""Where `footnote serve` listens unless told otherwise."""
UserArgument = Annotated[str, typer.Argument(help="User id; on one machine without sign-in it is `local`.")]

NameArgument = Annotated[str, typer.Argument(help="Name to sign in with, such as `ada`.")]
HoursOption = Annotated[float, typer.Option(help="How long the link works, in hours.", min=0.01, max=24 * 30)]


@app.command()
def add(
    name: NameArgument,
    groups: Annotated[str, typer.Option(help="The person's permission groups, comma-separated.")] = "",
    admin: Annotated[bool, typer.Option("--admin", help="Give the admin role. The first account needs it, to invite others.")] = False,
    hours: HoursOption = 72,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Invite a person: print a link with which they choose their password. It works once."""
    from footnote.guard.accounts import check_name
    from footnote.guard.identity import LOCAL, Session

    try:
        named = check_name(name)
    except ValueError as exc:
        say(f"footnote: The name {exc}.")
        leave(Exit.USAGE)
    person = Session(named, listed(groups), "admin" if admin else "user")

    async def work(core: Core) -> str:
        check_accounts(core)
        await audit_account(core, "account.invite", named, groups=list(person.groups), role=person.role)
        return _link(core, named, await core.accounts.invite(person, hours * 3600, by=LOCAL.user_id))

    _show(run_with_core(data, work), named, hours, as_json)


@app.command()
def reset(name: NameArgument, hours: HoursOption = 24, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Remove a person's password, end their sessions, and print a link with which they choose another password."""
    from footnote.guard.identity import LOCAL

    async def work(core: Core) -> tuple[str, str]:
        check_accounts(core)
        await audit_account(core, "account.reset", name)
        account, secret = await core.accounts.reset(name, hours * 3600, by=LOCAL.user_id)
        return _link(core, account.name, secret), account.name

    _show(*run_with_core(data, work), hours, as_json)


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List accounts and open invitations."""
    from footnote.guard.accounts import Account
    from footnote.ports import read_all

    async def work(core: Core) -> list[Account]:
        check_stores(core)
        return await read_all(lambda after: core.accounts.list(200, after))

    accounts = run_with_core(data, work, reads=True)
    shown = [
        {"name": each.name, "role": each.role, "groups": list(each.groups), "state": "active" if each.password else "invited"}
        for each in accounts
    ]
    if as_json:
        show_json({"accounts": shown})
        return
    for row in shown:
        print(f"{row['name']}  {row['role']:5}  {row['state']:7}  {','.join(row['groups'])}".rstrip())
    if not shown:
        say("There are no accounts. Create the first: footnote user add NAME --admin")


@app.command()
def remove(name: NameArgument, data: DataOption = None) -> None:
    """Remove a person's account and end their sessions. Conversations and documents stay."""

    async def work(core: Core) -> None:
        check_stores(core)
        await audit_account(core, "account.remove", name)
        await core.accounts.remove(name)

    run_with_core(data, work)
    say("The account was removed.")


@app.command()
def export(
    user: UserArgument,
    out: Annotated[Path | None, typer.Option(help="Output file. Default: standard output.")] = None,
    data: DataOption = None,
) -> None:
    """Export a user's turns and feedback as JSON lines, oldest first."""
    try:
        with out.expanduser().open("wb") if out else nullcontext(sys.stdout.buffer) as file:
            turns = run_with_core(data, lambda core: _export(core, user, file), reads=True)
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


async def audit_account(core: Core, action: str, name: str, **facts: Any) -> None:
    """Records what an operator does to an account."""
    from footnote.guard.audit import audit
    from footnote.guard.identity import LOCAL

    await audit(core.records, LOCAL, action, name, now=core.clock(), **facts)


def check_accounts(core: Core) -> None:
    """Exits with a message unless people sign in with accounts on this data."""
    check_stores(core)
    if not core.settings.auth.has_accounts:
        say("footnote: Accounts need AUTH__MODE=session and AUTH__ACCOUNTS=true, for this command and for the server.")
        leave(Exit.USAGE)


def _link(core: Core, name: str, secret: str) -> str:
    from footnote.library.worker import served_at
    from footnote_query.accounts import link_to

    public = str(core.settings.public_url or "").rstrip("/")
    return link_to(public or (served_at(core.settings.data) or DEFAULT_ADDRESS).rstrip("/"), name, secret)


def _show(url: str, name: str, hours: float, as_json: bool) -> None:
    if as_json:
        show_json({"name": name, "url": url, "hours": hours})
        return
    print(url)
    say(f"Send this link to {name}. It works once, for {hours:g} hours.")


async def _export(core: Core, user: str, file: BinaryIO) -> int:
    from footnote.types import Caller
    from footnote_query.my_data import export_lines

    turns = 0
    async for line in export_lines(Caller(user, sees_all=True), core):
        file.write(line)
        turns += 1
    return turns
