"""`footnote prompts`: shows and changes prompts, also while a server runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="List, show, change and reset prompts.")

NameArgument = Annotated[str, typer.Argument(help="Prompt name, as shown by `footnote prompts list`.", metavar="NAME")]
LangOption = Annotated[Literal["en", "de", "ko"], typer.Option("--lang", help="Language of the prompt.")]
VersionOption = Annotated[int | None, typer.Option("--version", help="Number of an earlier version.", min=1)]


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List all prompts and which version of each is active."""
    from footnote_query.admin import list_prompts

    rows = run_with_core(data, list_prompts, reads=True)
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
    """Print a prompt's text; its variables and versions go to standard error."""
    from footnote_query.admin import read_prompt

    prompt = run_with_core(data, lambda core: read_prompt(core, name, lang, version), reads=True)
    if as_json:
        show_json(prompt.model_dump())
        return
    print(prompt.template)
    say(f"Variables: {', '.join(prompt.variables) or 'none'}.")
    for saved in prompt.versions:
        say(f"Version {saved.version}: {_day(saved.saved_at)}, {saved.saved_by}{' (active)' if saved.version == prompt.version else ''}")


@app.command("set")
def set_(
    name: NameArgument,
    lang: LangOption,
    file: Annotated[Path | None, typer.Argument(help="The new template.", metavar="[FILE]")] = None,
    version: VersionOption = None,
    data: DataOption = None,
) -> None:
    """Activate a new template or an earlier version. Invalid templates are rejected."""
    from footnote.guard.identity import LOCAL
    from footnote_query.admin import restore, save

    if (file is None) == (version is None):
        say("footnote: Give either a file or --version.")
        leave(Exit.USAGE)
    if file is None:
        run_with_core(data, lambda core: restore(core, LOCAL, name, lang, version or 0))
        say(f"Version {version} is active.")
        return
    try:
        template = file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        say("footnote: The file is not readable UTF-8 text.")
        leave(Exit.USAGE)
    number = run_with_core(data, lambda core: save(core, LOCAL, name, lang, template))
    say(f"Version {number} is active.")


@app.command()
def reset(name: NameArgument, lang: LangOption, data: DataOption = None) -> None:
    """Reset a prompt to the packaged text."""
    from footnote.guard.identity import LOCAL
    from footnote_query.admin import reset as reset_prompt

    run_with_core(data, lambda core: reset_prompt(core, LOCAL, name, lang))
    say("The packaged text is active.")


def _day(at: float | None) -> str:
    return datetime.fromtimestamp(at or 0, UTC).strftime("%Y-%m-%d %H:%M UTC")
