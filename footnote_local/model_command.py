"""`footnote model`: shows, sets and removes the language model's endpoint, also while a server runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footnote_local.terminal import Commands, Exit, leave, run, say
from footnote_local.with_core import DataOption, JsonOption, make_core, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Show, set and remove the language model.")


@app.command()
def show(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show which language model answers, by asking it for one word."""
    _examine(data, as_json)


@app.command("set")
def set_(
    url: Annotated[
        str | None,
        typer.Argument(help="Base URL, or ollama, lm-studio, llama.cpp, openai, openrouter. Default: openai.", metavar="[URL]"),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="The model's name there. Default: as for LLM__MODEL.")] = None,
    key: Annotated[bool, typer.Option("--key", help="Ask for an API key; without a terminal, read it from standard input.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Save an endpoint in the data folder, instead of the configured one. A running server uses it from the next question on."""
    from footnote.guard.identity import LOCAL
    from footnote.settings.saved_model import make_saved_model

    if url is None and not key:
        say("footnote: Give a base URL, or --key for a key of OpenAI.")
        leave(Exit.USAGE)
    secret = _ask_key() if key else None

    async def work(core: Core) -> None:
        await core.save_model(LOCAL, make_saved_model(url, model, secret))
        say(f"Saved in {core.live.model_file}, readable by you only. A server on this data folder uses it from the next question on.")

    run_with_core(data, work)
    _examine(data, as_json)


@app.command()
def remove(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Remove the saved endpoint, so that the configured one or one on this machine is used again."""

    from footnote.guard.identity import LOCAL

    async def work(core: Core) -> None:
        await core.save_model(LOCAL, None)

    run_with_core(data, work)
    _examine(data, as_json)


def _ask_key() -> str:
    """The key, which must not appear in the list of processes or the shell's history."""
    entered = typer.prompt("API key", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    if not (key := str(entered).strip()):
        say("footnote: There is no key.")
        leave(Exit.USAGE)
    return key


def _examine(data: Path | None, as_json: bool) -> None:
    from footnote_local.doctor import examine_models, show_findings

    show_findings(run(examine_models(make_core(data))), as_json)
