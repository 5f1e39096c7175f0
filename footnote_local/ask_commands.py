"""`footnote ask`, `chat` and `open`: questions in the terminal, answered by the server on the same data if one runs."""

from __future__ import annotations

import asyncio
import sys
import uuid
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Exit, Writer, bold, leave, run, run_in, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, make_core, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ModelOption = Annotated[str | None, typer.Option("--model", "-m", help="Language model at the endpoint. Default: the configured one.")]
STDIN = "-"


def ask(
    question: Annotated[
        str | None, typer.Argument(help="The question. Default, and -: read from standard input.", metavar="[QUESTION]")
    ] = None,
    collection: CollectionOption = None,
    model: ModelOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with citations. `footnote "…?"` does the same."""
    from footnote_local import asking

    if question in (None, STDIN):
        question = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    if not question:
        say('footnote: Give a question: footnote ask "…?", or on standard input.')
        leave(Exit.USAGE)
    core = make_core(data, reads=True)
    writer = Writer()

    async def work() -> Mapping[str, Any]:
        try:
            return await asking.ask(core, question, collection=collection, model=model, room=None, write=None if as_json else writer)
        finally:
            await core.close()

    reply = run(work())
    if as_json:
        show_json({name: value for name, value in reply.items() if name != "type"})
    else:
        writer.end()
        _show_sources(reply)
        if reply["notice"]:
            say(reply["notice"])
        say(f"Searched: {place_of('index', core.settings)}")
    if reply["degraded"] and reply["tier"] == "nothing":
        say("Something is down. To see what: footnote doctor")
        leave(Exit.UNAVAILABLE)
    leave(Exit.OK if reply["tier"] == "answer" else Exit.BAD)


def chat(collection: CollectionOption = None, model: ModelOption = None, data: DataOption = None) -> None:
    """Ask one question after the other; follow-ups are understood. Ctrl-D ends it."""
    from footnote.errors import FootnoteError
    from footnote_local import asking

    core, room = make_core(data, reads=True), str(uuid.uuid4())
    is_typed = sys.stdin.isatty()
    if is_typed:
        import readline  # noqa: F401  # arrow keys and the lines before

        say("Ask about your documents. Ctrl-D ends the conversation.")
    told: set[str] = set()
    with asyncio.Runner() as runner:
        try:
            while (question := _read_question(is_typed)) is not None:
                if not question:
                    continue
                writer = Writer()
                try:
                    reply = run_in(runner, asking.ask(core, question, collection=collection, model=model, room=room, write=writer))
                except FootnoteError as exc:
                    say(f"footnote: {exc.detail}")
                    continue
                writer.end()
                _show_sources(reply)
                if reply["notice"] and reply["notice"] not in told:
                    told.add(reply["notice"])
                    say(reply["notice"])
                print()
        finally:
            runner.run(core.close())


def open_page(data: DataOption = None) -> None:
    """Open the page of the server that runs on the data folder."""
    import webbrowser

    from footnote.library.worker import served_at

    folder = make_core(data, reads=True).settings.data
    address = served_at(folder)
    if address is None:
        say(f"footnote: No server runs on {folder}. Start one: footnote serve")
        leave(Exit.UNAVAILABLE)
    print(address)
    if not webbrowser.open(address):
        say("No browser was found on this machine. Open the address yourself.")


def place_in_document(page: int | None, unit: str, section: str | None) -> str:
    """Where in its document a passage is."""
    if unit == "sheet" and section:
        return f", sheet “{section}”"
    return "".join([f", {section}" if section else "", f", {unit} {page}" if page else ""])


def _read_question(is_typed: bool) -> str | None:
    """The next line; None = there is none."""
    try:
        return input(bold("**?** ") if is_typed else "").strip()
    except EOFError:
        return None


def _show_sources(reply: Mapping[str, Any]) -> None:
    for citation in reply["citations"]:
        where = place_in_document(citation["page"], citation["unit"], citation["section"])
        print(f"[{citation['number']}] {citation['title']}{where} ({citation['chunk_id']})")
