"""`footnote settings`: shows and reverts changes of settings at runtime, also while a server runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from footnote_local.terminal import Commands, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Show and undo changes of settings at runtime.")

KeyArgument = Annotated[str, typer.Argument(help="Key of a setting, such as `rag.alpha`.", metavar="KEY")]


@app.command()
def history(
    key: KeyArgument,
    limit: Annotated[int, typer.Option(help="Number of changes.", min=1, max=200)] = 50,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the changes of a setting, newest first: when, who, from, to."""
    from footnote_query.setting_changes import history as changes_of

    page = run_with_core(data, lambda core: changes_of(core, key, limit), reads=True)
    if as_json:
        show_json({"changes": [change.model_dump(by_alias=True) for change in page.data]})
        return
    for change in page.data:
        undoes = f"  undoes {change.undoes}" if change.undoes is not None else ""
        print(f"{change.number:4}  {_day(change.at)}  {change.by:16}  {_shown(change.before)} → {_shown(change.after)}{undoes}")
    if not page.data:
        say(f"{key} has not been changed at runtime.")


@app.command()
def undo(key: KeyArgument, data: DataOption = None) -> None:
    """Revert the latest change of a setting that has not been reverted yet."""
    from footnote.guard.identity import LOCAL
    from footnote_query.setting_changes import undo as undo_change

    setting = run_with_core(data, lambda core: undo_change(core, LOCAL, key))
    say(f"{key} is {_shown(setting.value)} again ({setting.source}).")


def _shown(value: Any) -> str:
    return "configured value" if value is None else json.dumps(value, ensure_ascii=False)


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
