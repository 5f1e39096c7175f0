"""Runs every system on every set and prints the table; `--write` puts it and a chart into the docs."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import ROOT, NotMeasured, log_progress
from bench.peers.environment import make_environment, run_system, stub_model
from bench.peers.job import Job
from bench.peers.prepare import QUESTIONS, prepare
from bench.peers.report import Chatted, Report, Searched, as_markdown, as_picture, write_section
from footnote.learn.golden import GoldenSet, load_golden
from footnote.learn.ranking_metrics import mean_interval, ndcg, percentile

SEARCHING = ("footnote", "langchain", "llamaindex", "haystack", "txtai")
CHATTING = ("openai_sdk", "footnote", "langchain", "llamaindex", "haystack", "footnote_embedding", "footnote_http")
CHAT_SET = "squad2"
PAGE, PICTURE = ROOT / "docs" / "benchmarks.md", ROOT / "assets" / "benchmarks.svg"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="Compares Footnote with other systems, in one run.")
    parser.add_argument("--data-sets", metavar="FOLDER", default=os.environ.get("DATA_SETS"), help="folder of test sets in BEIR's format")
    parser.add_argument("--only", nargs="+", metavar="SET", help="these sets")
    parser.add_argument("--write", action="store_true", help=f"put the result into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    try:
        if not options.data_sets:
            raise NotMeasured("This needs test sets in BEIR's format. Name their folder: make compare DATA_SETS=FOLDER")
        report = measure(Path(options.data_sets).expanduser(), options.only)
    except NotMeasured as exc:
        log_progress(str(exc))
        return 1
    print(as_markdown(report))
    if options.write:
        write_section(PAGE, as_markdown(report))
        PICTURE.write_text(as_picture(report), "utf-8")
    return 0


def measure(data_sets: Path, only: list[str] | None = None) -> Report:
    cache = Path(os.environ.get("DATA") or "data") / "bench"
    names = only or sorted(path.parent.name for path in data_sets.glob("*/queries.jsonl") if (path.parent / "qrels.tsv").exists())
    if not names:
        raise NotMeasured(f"{data_sets} holds no test set.")
    peers = make_environment(cache)
    report = Report()
    with TemporaryDirectory() as folder, stub_model() as model_url:
        for name in names:
            golden = load_golden(data_sets / name, limit=QUESTIONS)
            job, index_s = asyncio.run(prepare(golden, cache, Path(folder) / name))
            for system in SEARCHING:
                report.searched.append(_search(system, golden, job, peers, index_s))
            if name == CHAT_SET:
                for system in CHATTING:
                    report.chatted.append(_chat(system, Job(job.folder, job.lang, model_url), peers))
    return report


def _search(system: str, golden: GoldenSet, job: Job, peers: Path, index_s: float) -> Searched:
    log_progress(f"{system} searches {golden.name}")
    measured = run_system(system, "search", job, peers)
    found = dict(zip(job.questions, measured["found"], strict=True))
    mean, low, high = mean_interval([ndcg(found[query.text.strip()], query.relevance) for query in golden.queries])
    return Searched(
        system=system,
        data_set=golden.name,
        ndcg=mean,
        interval=(low, high),
        p50_ms=percentile(measured["times_ms"], 0.5),
        index_s=index_s if system == "footnote" else measured["make_s"],
        import_s=measured["import_s"],
        memory_mb=measured["peak_mb"] - measured["import_mb"],
        peak_mb=measured["peak_mb"],
    )


def _chat(system: str, job: Job, peers: Path) -> Chatted:
    log_progress(f"{system} answers")
    measured = run_system(system, "chat", job, peers)
    return Chatted(
        system=system,
        first_ms=percentile(measured["first_ms"], 0.5),
        first_p95_ms=percentile(measured["first_ms"], 0.95),
        together_first_ms=percentile(measured["first_ms_together"], 0.5),
        answers_per_s=measured["answers_per_s"],
    )


if __name__ == "__main__":
    sys.exit(main())
