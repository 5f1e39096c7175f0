"""`footnote eval`: measures search on judged questions, or asks the stored golden cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from footnote_local.terminal import Exit, leave, run, say, show_json
from footnote_local.with_core import DataOption, JsonOption, make_core, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core

RetrieverOption = Annotated[
    Literal["cc", "rrf", "bm25", "knn"],
    typer.Option(help="cc, rrf: hybrid, fused by score or by rank; bm25: keywords only; knn: vectors only."),
]


def evaluate(
    what: Annotated[
        str | None,
        typer.Argument(
            help="A text file with a question in each line, perhaps with a tab and words that the answer must contain; or a BEIR folder:"
            " corpus.jsonl, queries.jsonl, qrels.tsv. With --golden, a collection. Default there: INDEX_NAME.",
            metavar="FILE|BEIR_DIR|COLLECTION",
        ),
    ] = None,
    retriever: RetrieverOption = "cc",
    level: Annotated[Literal["standard"], typer.Option(help="Intelligence level; only standard is supported.")] = "standard",
    limit: Annotated[int | None, typer.Option(help="Maximum number of questions, spread over the set.", min=1)] = None,
    min_ndcg: Annotated[float | None, typer.Option(help="Exit with 1 if nDCG@10 is lower.", min=0, max=1)] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Also judge the extractive answers, if the queries contain answers.")] = False,
    foreign: Annotated[Path | None, typer.Option(help="Another BEIR folder whose questions must be refused.")] = None,
    rewrite: Annotated[Literal["none", "heuristic", "model"], typer.Option(help="How follow-up questions are rewritten.")] = "heuristic",
    golden: Annotated[bool, typer.Option("--golden", help="Ask the golden cases of a collection as it is now.")] = False,
    baseline: Annotated[Path | None, typer.Option(help="With --golden: compare with this report; exit with 1 on a drop.")] = None,
    save: Annotated[Path | None, typer.Option(help="With --golden: write the report to this file, the next baseline.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a list of questions, measure search on judged ones, or check a change against the golden cases."""
    if golden:
        _check_golden(what, baseline and baseline.expanduser(), save and save.expanduser(), data, as_json)
    elif what is None or baseline or save:
        say("footnote: Name a file of questions or a BEIR folder, or use --golden, which also takes --baseline and --save.")
        leave(Exit.USAGE)
    elif (path := Path(what).expanduser()).is_file():
        _ask_list(path, data, as_json)
    else:
        _measure(path, retriever, limit, min_ndcg, answers, foreign and foreign.expanduser(), rewrite, data, as_json)


def _ask_list(path: Path, data: Path | None, as_json: bool) -> None:
    """Exits with 1 if an answer lacks the words that it must contain."""
    from footnote_local.question_list import ask_all, lines_of, read_questions
    from footnote_local.terminal import progress_bar

    async def work(core: Core) -> dict[str, Any]:
        questions = read_questions(path)
        with progress_bar() as bar:
            return await ask_all(core, questions, bar)

    report = run_with_core(data, work, reads=True)
    if as_json:
        show_json(report)
    else:
        print("\n".join(lines_of(report)))
    if report["passed"] < report["expected"]:
        leave(Exit.BAD)


def _measure(
    folder: Path,
    retriever: Literal["cc", "rrf", "bm25", "knn"],
    limit: int | None,
    min_ndcg: float | None,
    answers: bool,
    foreign: Path | None,
    rewrite: Literal["none", "heuristic", "model"],
    data: Path | None,
    as_json: bool,
) -> None:
    from footnote_local.eval_report import sentences
    from footnote_local.run_question import evaluate_questions

    report = run(evaluate_questions(make_core(data), folder, retriever, limit, answers, foreign, rewrite))
    if as_json:
        show_json(report)
    else:
        for line in sentences(report):
            print(line)
    if min_ndcg is not None and report["ndcg@10"] < min_ndcg:
        say(f"nDCG@10 is {report['ndcg@10']}, below {min_ndcg}.")
        leave(Exit.BAD)


def _check_golden(collection: str | None, baseline: Path | None, save: Path | None, data: Path | None, as_json: bool) -> None:
    """Exits with 1 on a drop. The report is saved in any case; a baseline is read before the first question."""
    import json

    from footnote_local.golden_run import compare, load_baseline, run_golden, sentences
    from footnote_local.terminal import progress_bar

    async def work(core: Core) -> dict[str, Any]:
        before = load_baseline(baseline) if baseline else None
        with progress_bar() as bar:
            report = await run_golden(core, collection, bar)
        return report if before is None else report | {"changes": compare(report, before)}

    report = run_with_core(data, work)
    if save:
        saved = {name: value for name, value in report.items() if name != "changes"}
        try:
            save.write_text(json.dumps(saved, ensure_ascii=False, indent=1) + "\n", "utf-8")
        except OSError as exc:
            say(f"footnote: {save} cannot be written ({exc.strerror}).")
            leave(Exit.USAGE)
    if as_json:
        show_json(report)
    else:
        print("\n".join(sentences(report)))
    if "changes" in report and report["changes"]["dropped"]:
        names = ", ".join(case["case_id"] for case in report["changes"]["broken"]) or "the score"
        say(f"Dropped since the baseline: {names}.")
        leave(Exit.BAD)
