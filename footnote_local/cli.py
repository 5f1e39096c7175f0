"""The `footnote` command. Results go to standard output, progress and messages to standard error."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from footnote_local import (
    audit_command,
    documents_command,
    events_command,
    explain_command,
    forbidden_command,
    ingest_command,
    prompts_command,
    session_command,
    user_command,
)
from footnote_local.terminal import Commands, Exit, clip, leave, run, say, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, make_core, place_of

app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip

SHOWN = 200
"""Characters of a passage that `search` shows."""

RetrieverOption = Annotated[Literal["cc", "rrf", "bm25", "knn"], typer.Option(help="How the lists of words and of vectors become one.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"footnote {version('footnote-rag')}")
        leave(Exit.OK)


@app.callback()
def footnote(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Answers questions from your documents and cites every claim."""


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 8000,
    data: DataOption = None,
    ingest: Annotated[list[Path] | None, typer.Option("--ingest", help="File or folder to read first; may be repeated.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. Everyone who reaches it may read and write everything.")] = "127.0.0.1",
    name: Annotated[list[str] | None, typer.Option("--name", help="A host name that a proxy in front of it has; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve the page and the API on this machine."""
    from footnote.errors import FootnoteError
    from footnote_local.server import serve as serve_on

    def announce(address: str) -> None:
        if as_json:
            show_json({"url": address})
        else:
            say(f"Footnote is at {address}")

    try:
        serve_on(make_core(data), host=host, port=port, ingest=ingest or [], say=say, announce=announce, names=name or [])
    except FootnoteError as exc:
        say(f"footnote: {exc.detail}")
        leave(Exit.UNAVAILABLE)
    except KeyboardInterrupt:
        leave(Exit.STOPPED)


app.command()(ingest_command.ingest)


@app.command()
def ask(
    question: str,
    collection: CollectionOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, with citations. The default command."""
    from footnote_local.questions import ask as answer

    core = make_core(data)
    turn = run(answer(core, question, collection, sys.stdout.write if not as_json else None))
    from query.dialects.trd.replies import reply

    told = reply(turn, core.settings.llm)
    if as_json:
        show_json(told.model_dump())
    else:
        print()
        for citation in told.citations:
            place = _place(citation.page, citation.unit, citation.section)
            print(f"[{citation.number}] {citation.title}{place} ({citation.chunk_id})")
        if told.notice:
            say(told.notice)
        say(f"Searched: {place_of('index', core.settings)}")
    leave(Exit.OK if turn.outcome is None else Exit.BAD)


def _place(page: int | None, unit: str, section: str | None) -> str:
    if unit == "sheet" and section:
        return f", sheet “{section}”"
    return "".join([f", {section}" if section else "", f", {unit} {page}" if page else ""])


@app.command()
def search(
    question: str,
    collection: CollectionOption = None,
    retriever: RetrieverOption = "cc",
    limit: Annotated[int, typer.Option(help="Number of passages.", min=1, max=100)] = 5,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the passages that a question finds, with their scores."""
    from footnote_local.questions import find

    core = make_core(data)
    turn = run(find(core, question, collection, retriever, limit))
    if as_json:
        from query.dialects.trd.search import search_reply

        show_json(search_reply(turn, []))
    for hit in turn.evidence.hits if not as_json else ():
        place = _place(hit.chunk.page, hit.chunk.unit, hit.chunk.section_at(0))
        print(f"{hit.score:.3f}  {hit.chunk.title}{place} ({hit.chunk.public_id})")
        print(f"       {clip(hit.chunk.text, SHOWN)}")
    if turn.answer is not None:  # a check said no
        say(turn.answer.text)
    if not as_json:
        say(f"{'' if turn.evidence.hits else 'Nothing found. '}Searched: {place_of('index', core.settings)}")
    leave(Exit.OK if turn.evidence.hits else Exit.BAD)


app.command()(explain_command.explain)


@app.command("eval")
def evaluate(
    folder: Annotated[Path, typer.Argument(help="A BEIR folder: corpus.jsonl, queries.jsonl, qrels.tsv.", metavar="BEIR_DIR")],
    retriever: RetrieverOption = "cc",
    level: Annotated[Literal["standard"], typer.Option(help="Intelligence level; standard (hybrid) is the only one yet.")] = "standard",
    limit: Annotated[int | None, typer.Option(help="Ask at most so many questions, spread over the set.", min=1)] = None,
    min_ndcg: Annotated[float | None, typer.Option(help="Fail when nDCG@10 is lower.", min=0, max=1)] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Also judge the extractive answers, where the queries hold answers.")] = False,
    foreign: Annotated[Path | None, typer.Option(help="Another BEIR folder whose questions must be refused.")] = None,
    rewrite: Annotated[
        Literal["none", "heuristic", "model"], typer.Option(help="How a question that leans on the conversation before it is completed.")
    ] = "heuristic",
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure retrieval, and the extractive answers, on judged questions."""
    from footnote_local.eval_report import sentences
    from footnote_local.questions import judge

    others = foreign.expanduser() if foreign else None
    report = run(judge(make_core(data), folder.expanduser(), retriever, limit, answers, others, rewrite))
    if as_json:
        show_json(report)
    else:
        for line in sentences(report):
            print(line)
    if min_ndcg is not None and report["ndcg@10"] < min_ndcg:
        say(f"nDCG@10 is {report['ndcg@10']}, below {min_ndcg}.")
        leave(Exit.BAD)


@app.command()
def doctor(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Say what is configured, what answers, what is missing and how to get it."""
    from footnote_local.doctor import examine

    findings = run(examine(make_core(data)))
    if as_json:
        show_json([{"part": f.part, "state": f.state, "found": f.found, "remedy": f.remedy} for f in findings])
    else:
        for finding in findings:
            print(f"{finding.state:8} {finding.part:16} {finding.found}" + (f"\n{'':26}{finding.remedy}" if finding.remedy else ""))
    leave(Exit.BAD if any(finding.state == "broken" for finding in findings) else Exit.OK)


@app.command()
def verify(
    repair: Annotated[bool, typer.Option("--repair", help="Mend what is wrong.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that bucket, ledger, index and files fit together."""
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


@app.command()
def reindex(
    collection: Annotated[str | None, typer.Argument(help="Index to make anew; by default all.", metavar="[COLLECTION]")] = None,
    judge: Annotated[Path | None, typer.Option(help="A BEIR folder: keep the old index where the new one finds less.")] = None,
    roll_back: Annotated[bool, typer.Option("--roll-back", help="Return to the index that was kept.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the index in OpenSearch anew while it answers and is written to."""
    from footnote_local.reindex_command import run_reindex, sentences

    reports = run(run_reindex(make_core(data), collection, judge and judge.expanduser(), roll_back))
    if as_json:
        show_json({"collections": reports})
    for sentence in sentences(reports, roll_back) if not as_json else ():
        say(sentence)
    leave(Exit.OK if all(report["swapped"] for report in reports) else Exit.BAD)


@app.command()
def invoke(
    function: Annotated[Literal["query", "ingest", "feedback", "stats"], typer.Argument(help="The function.")],
    event: Annotated[Path, typer.Argument(help="What triggers it; `events/` has one of each.", metavar="EVENT.json")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a function on one event, in processes of its own as on AWS Lambda."""
    from footnote_local.invoke import invoke as invoke_function

    leave(Exit.OK if run(invoke_function(function, event, data, as_json)) else Exit.BAD)


app.add_typer(documents_command.app, name="documents")
app.add_typer(session_command.app, name="session")
app.add_typer(user_command.app, name="user")
app.add_typer(prompts_command.app, name="prompts")
app.add_typer(forbidden_command.app, name="forbidden")
app.command()(audit_command.audit)
app.command()(events_command.events)


def main() -> None:
    args = sys.argv[1:]
    if args and (" " in args[0] or args[0].endswith(("?", "？"))):  # a question, not a command
        args = ["ask", *args]
    app(args)
