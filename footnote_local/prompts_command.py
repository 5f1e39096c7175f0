"""`footnote prompts`: what models are told, to read and to change while a server runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="List, show, change and reset what models are told.")

NameArgument = Annotated[str, typer.Argument(help="A prompt, as `footnote prompts list` names it.", metavar="NAME")]
LangOption = Annotated[Literal["en", "de", "ko"], typer.Option("--lang", help="Its language.")]
VersionOption = Annotated[int | None, typer.Option("--version", help="An earlier version, by its number.", min=1)]


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show every prompt, and which text of it is in force."""
    from query.admin import list_prompts

    rows = run_with_core(data, list_prompts)
    if as_json:
        show_json({"prompts": [row.model_dump() for row in rows]})
        return
    for row in rows:
        saved = f"version {row.version}, {_day(row.changed_at)}, {row.changed_by}" if row.version is not None else "packaged"
        print(f"{row.name:24} {row.lang}  {saved}")


@app.command()
def show(
    name: NameArgument,
    lang: LangOption = "en",
    version: VersionOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a prompt's text; on standard error, what it may show and its versions."""
    from query.admin import read_prompt

    prompt = run_with_core(data, lambda core: read_prompt(core, name, lang, version))
    if as_json:
        show_json(prompt.model_dump())
        return
    print(prompt.template)
    say(f"It may show: {', '.join(prompt.variables) or 'nothing'}.")
    for each in prompt.versions:
        say(f"Version {each.version}: {_day(each.saved_at)}, {each.saved_by}{' (in force)' if each.version == prompt.version else ''}")


@app.command("set")
def set_(
    name: NameArgument,
    lang: LangOption,
    file: Annotated[Path | None, typer.Argument(help="The new template.", metavar="[FILE]")] = None,
    version: VersionOption = None,
    data: DataOption = None,
) -> None:
    """Put a template in force, or an earlier version again. One that could fail is refused."""
    from footnote.guard.identity import LOCAL
    from query.admin import restore, save

    if (file is None) == (version is None):
        say("footnote: Give either a file or --version.")
        leave(Exit.USAGE)
    if file is None:
        run_with_core(data, lambda core: restore(core, LOCAL, name, lang, version or 0))
        say(f"Version {version} is in force.")
        return
    try:
        template = file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        say("footnote: The file cannot be read as text in UTF-8.")
        leave(Exit.USAGE)
    number = run_with_core(data, lambda core: save(core, LOCAL, name, lang, template))
    say(f"Version {number} is in force.")


@app.command()
def reset(name: NameArgument, lang: LangOption, data: DataOption = None) -> None:
    """Put the packaged text in force again."""
    from footnote.guard.identity import LOCAL
    from query.admin import reset as reset_prompt

    run_with_core(data, lambda core: reset_prompt(core, LOCAL, name, lang))
    say("The packaged text is in force.")


def _day(at: float | None) -> str:
    return datetime.fromtimestamp(at or 0, UTC).strftime("%Y-%m-%d %H:%M UTC")
