"""The `footnote` command. Results go to standard output, progress and messages to standard error."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from footnote_local import (
    ask_commands,
    audit_command,
    collections_command,
    documents_command,
    eval_command,
    events_command,
    experiments_command,
    explain_command,
    forbidden_command,
    ingest_command,
    knowledge_command,
    migrate_command,
    model_command,
    prompts_command,
    replay_command,
    reprocess_command,
    session_command,
    settings_command,
    stats_command,
    sync_command,
    transfer_commands,
    user_command,
    weights_command,
)
from footnote_local.ask_commands import place_in_document
from footnote_local.eval_command import RetrieverOption
from footnote_local.terminal import Exit, TopCommands, clip, leave, run, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, make_core, place_of

app = typer.Typer(
    cls=TopCommands, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip

SERVE, ASK, DOCUMENTS, QUALITY = "Serve and set up", "Ask", "Documents", "Quality"
PEOPLE, DATA = "People", "Data"
"""Sections of the list of commands."""
SHOWN = 200
"""Characters of each passage shown by `search`."""


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"footnote {version('footnote-rag')}")
        leave(Exit.OK)


@app.callback()
def footnote(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Answers questions from your documents and cites every claim."""


@app.command(rich_help_panel=SERVE)
def serve(
    port: Annotated[int, typer.Option(envvar="PORT", help="Port to listen on; 0 = any free port.", min=0, max=65535)] = 8000,
    data: DataOption = None,
    ingest: Annotated[list[Path] | None, typer.Option("--ingest", help="File or folder to ingest at startup; may be repeated.")] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Without sign-in, anyone who can reach it has full access.")
    ] = "127.0.0.1",
    name: Annotated[list[str] | None, typer.Option("--name", help="Additional host name, such as a proxy's; may be repeated.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes that answer. Default: 1, with 4 or more cores one for every two.", min=1, max=64)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve the web page and the API on this machine."""
    from footnote.errors import FootnoteError
    from footnote_local.server import serve as serve_on
    from footnote_local.supervisor import supervise, usual_workers

    core = make_core(data)
    given: dict[str, Any] = {"host": host, "port": port, "ingest": ingest or [], "names": name or [], "as_json": as_json}
    try:
        if (count := workers or usual_workers()) == 1:
            serve_on(core, **given)
        elif not supervise(core.settings, count, **given):
            leave(Exit.UNAVAILABLE)
    except FootnoteError as exc:
        say(f"footnote: {exc.detail}")
        leave(Exit.UNAVAILABLE)
    except KeyboardInterrupt:
        leave(Exit.STOPPED)


app.command("open", rich_help_panel=SERVE)(ask_commands.open_page)
app.command(rich_help_panel=ASK)(ask_commands.ask)
app.command(rich_help_panel=ASK)(ask_commands.chat)


@app.command(rich_help_panel=ASK)
def search(
    question: str,
    collection: CollectionOption = None,
    retriever: RetrieverOption = "cc",
    limit: Annotated[int, typer.Option(help="Number of passages.", min=1, max=100)] = 5,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the best passages for a question, with their scores."""
    from footnote_local.run_question import find

    core = make_core(data, reads=True)
    turn = run(find(core, question, collection, retriever, limit))
    if as_json:
        from footnote_query.dialects.trd.search import search_reply

        show_json(search_reply(turn, []))
    for hit in turn.evidence.hits if not as_json else ():
        place = place_in_document(hit.chunk.page, hit.chunk.unit, hit.chunk.section_at(0))
        print(f"{hit.score:.3f}  {hit.chunk.shown_title}{place} ({hit.chunk.public_id})")
        print(f"       {clip(hit.chunk.text, SHOWN)}")
    if turn.answer is not None:  # a check rejected the question
        say(turn.answer.text)
    if not as_json:
        say(f"{'' if turn.evidence.hits else 'Nothing found. '}Searched: {place_of('index', core.settings)}")
    leave(Exit.OK if turn.evidence.hits else Exit.BAD)


app.command(rich_help_panel=ASK)(explain_command.explain)
app.command(rich_help_panel=ASK)(replay_command.replay)
app.command(rich_help_panel=DOCUMENTS)(ingest_command.ingest)
app.command(rich_help_panel=DOCUMENTS)(sync_command.sync)
app.add_typer(documents_command.app, name="documents", rich_help_panel=DOCUMENTS)
app.add_typer(collections_command.app, name="collections", rich_help_panel=DOCUMENTS)
app.add_typer(knowledge_command.app, name="knowledge", rich_help_panel=DOCUMENTS)
app.command(rich_help_panel=DOCUMENTS)(reprocess_command.reprocess)
app.command("eval", rich_help_panel=QUALITY)(eval_command.evaluate)


@app.command(rich_help_panel=SERVE)
def doctor(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Check the configuration and every dependency, and say how to fix problems."""
    from footnote_local.doctor import examine, show_findings

    show_findings(run(examine(make_core(data))), as_json)


@app.command(rich_help_panel=DATA)
def verify(
    repair: Annotated[bool, typer.Option("--repair", help="Repair what can be repaired.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that bucket, ledger, index and files are consistent."""
    from footnote_local.verify_command import run_verify, sentences

    report = run(run_verify(make_core(data), repair))
    if as_json:
        rows = [{"kind": finding.kind, "id": finding.id, "repaired": finding.repaired} for finding in report.findings]
        show_json({"documents": report.documents, "found": report.counts, "wrong": report.wrong, "findings": rows})
    else:
        for finding in report.findings:
            print(f"{finding.kind:12} {'repaired' if finding.repaired else 'wrong':8} {finding.id}")
        for sentence in sentences(report, repair):
            say(sentence)
    leave(Exit.BAD if report.wrong else Exit.OK)


@app.command(rich_help_panel=DATA)
def reindex(
    collection: Annotated[str | None, typer.Argument(help="Collection to reindex. Default: all.", metavar="[COLLECTION]")] = None,
    judge: Annotated[Path | None, typer.Option(help="A BEIR folder: keep the old index if the new one ranks worse on it.")] = None,
    roll_back: Annotated[bool, typer.Option("--roll-back", help="Switch back to the previous index.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rebuild the index in OpenSearch without downtime."""
    from footnote_local.reindex_command import run_reindex, sentences

    reports = run(run_reindex(make_core(data), collection, judge and judge.expanduser(), roll_back))
    if as_json:
        show_json({"collections": reports})
    for sentence in sentences(reports, roll_back) if not as_json else ():
        say(sentence)
    leave(Exit.OK if all(report["swapped"] for report in reports) else Exit.BAD)


@app.command(rich_help_panel=SERVE)
def invoke(
    function: Annotated[Literal["query", "ingest", "feedback", "stats"], typer.Argument(help="The function to run.")],
    event: Annotated[Path, typer.Argument(help="The event; `events/` has a sample of each kind.", metavar="EVENT.json")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a function on one event in its own processes, as AWS Lambda does."""
    from footnote_local.invoke import invoke as invoke_function

    leave(Exit.OK if run(invoke_function(function, event, data, as_json)) else Exit.BAD)


app.command("export", rich_help_panel=DATA)(transfer_commands.export_archive)
app.command("import", rich_help_panel=DATA)(transfer_commands.import_archive)
app.command(rich_help_panel=DATA)(migrate_command.migrate)
app.command(rich_help_panel=DATA)(events_command.events)
app.add_typer(model_command.app, name="model", rich_help_panel=SERVE)
app.add_typer(settings_command.app, name="settings", rich_help_panel=SERVE)
app.add_typer(prompts_command.app, name="prompts", rich_help_panel=SERVE)
app.add_typer(forbidden_command.app, name="forbidden", rich_help_panel=SERVE)
app.add_typer(user_command.app, name="user", rich_help_panel=PEOPLE)
app.add_typer(session_command.app, name="session", rich_help_panel=PEOPLE)
app.command(rich_help_panel=PEOPLE)(audit_command.audit)
app.command(rich_help_panel=QUALITY)(stats_command.stats)
app.add_typer(experiments_command.app, name="experiments", rich_help_panel=QUALITY)
app.add_typer(weights_command.app, name="weights", rich_help_panel=QUALITY)


def main() -> None:
    """Entry point of `footnote`. A first argument that is a question runs `ask`."""
    args = sys.argv[1:]
    if args and (" " in args[0] or args[0].endswith(("?", "？"))):  # a question, not a command
        args = ["ask", *args]
    app(args)
