"""`footnote forbidden`: list, add, remove and test forbidden terms."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

import typer

from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

Match = Literal["exact", "synonym", "contextual"]

app = typer.Typer(cls=Commands, no_args_is_help=True, help="List, add, remove and test forbidden terms.")

TermArgument = Annotated[str, typer.Argument(help="A word or phrase.", metavar="TERM")]
MATCHES = get_args(Match)


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List all terms with their match type and topic."""
    from footnote.ports import read_all

    terms: list[Any] = run_with_core(data, lambda core: read_all(lambda after: core.terms.page(200, after)), reads=True)
    if as_json:
        show_json({"terms": [{"term": term.text, "match_type": term.match, "topic": term.topic} for term in terms]})
        return
    for term in terms:
        print(f"{term.text:32} {term.match or 'any':12} {term.topic or ''}".rstrip())
    say(f"{len(terms)} {'term' if len(terms) == 1 else 'terms'}." if terms else "There are no forbidden terms.")


@app.command()
def add(
    term: TermArgument,
    topic: Annotated[str | None, typer.Option(help="Topic named in the restriction notice.")] = None,
    match: Annotated[Match | None, typer.Option(help="How similar a question must be to match. Default: the configured setting.")] = None,
    data: DataOption = None,
) -> None:
    """Add a term, or change its topic and match type."""
    from footnote.guard.identity import LOCAL

    run_with_core(data, lambda core: core.terms.save(LOCAL, term, match, topic))
    say("The term is forbidden. Running servers apply it within 5 seconds.")


@app.command()
def remove(term: TermArgument, data: DataOption = None) -> None:
    """Remove a term."""
    from footnote.guard.identity import LOCAL

    run_with_core(data, lambda core: core.terms.remove(LOCAL, term))
    say("The term is allowed again.")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="One term per line, or CSV: term,topic,match.", metavar="FILE")],
    data: DataOption = None,
) -> None:
    """Add the terms of a file. If one is invalid, none is added."""
    from footnote.errors import BadRequest
    from footnote.guard.identity import LOCAL
    from footnote.guard.terms import check_text

    try:
        with file.expanduser().open(encoding="utf-8-sig", newline="") as lines:
            rows = [(number, [cell.strip() for cell in row]) for number, row in enumerate(csv.reader(lines), start=1) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error):
        say("footnote: The file is not readable UTF-8 text.")
        leave(Exit.USAGE)
    if rows and rows[0][1][0].lower() == "term":
        rows = rows[1:]
    terms = []
    for number, row in rows:
        text, topic, match = (*row, "", "")[:3]
        try:
            if match and match not in MATCHES:
                raise BadRequest(f"The match type must be one of {', '.join(MATCHES)}.")
            terms.append((check_text(text, "term"), cast(Match | None, match or None), check_text(topic, "topic") if topic else None))
        except BadRequest as exc:
            say(f"footnote: Line {number}: {exc.detail} Nothing was added.")
            leave(Exit.USAGE)

    async def work(core: Core) -> None:
        for text, match, topic in terms:
            await core.terms.save(LOCAL, text, match, topic)

    run_with_core(data, work)
    say(f"{len(terms)} {'term' if len(terms) == 1 else 'terms'} added.")


@app.command()
def check(
    question: Annotated[str, typer.Argument(help="The question to check.")], data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Show which terms a question matches, and whether it would be blocked. May call the language model."""
    from footnote.guard.identity import LOCAL
    from footnote.guard.input_guard import clean_question
    from footnote_query.forbidden_terms import try_question

    turn, hits = run_with_core(data, lambda core: try_question(core, LOCAL, clean_question(question)), reads=True)
    blocked = turn.outcome is not None
    if as_json:
        shown = [{"term": hit.term.text, "similarity": round(hit.similarity, 3), "match": hit.match or "weak"} for hit in hits]
        show_json({"blocked": blocked, "met": shown, "tokens": turn.trace.usage.total_tokens})
    else:
        for hit in hits:
            print(f"{hit.similarity:.2f}  {hit.match or 'weak':10}  {hit.term.text}")
        say("The question would be blocked." if blocked else "The question would be answered.")
    leave(Exit.BAD if blocked else Exit.OK)
