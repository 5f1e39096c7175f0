"""Formats the report of `footnote eval` for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

WIDTH = 34


def sentences(report: Mapping[str, Any]) -> Iterator[str]:
    """One line per metric: description, value, name and, if there is one, the 95 % confidence interval."""
    scope = f"{report['queries']} questions on {report['documents']} documents of {report['set']}, retriever {report['retriever']}"
    yield f"Asked {scope}."
    yield ""
    yield _line("Ranking quality, 1 = perfect", f"{report['ndcg@10']:.4f}", "nDCG@10", report["ndcg@10_interval"])
    yield _line(
        "Found among the first ten", f"{report['recall@10']:.1%} of the relevant documents", "recall@10", report["recall@10_interval"]
    )
    yield _line("Rank of the first relevant one", _rank(report["mrr@10"]), f"MRR@10 {report['mrr@10']}", report["mrr@10_interval"])
    if "rewrite" in report:
        yield _line("Follow-ups", f"rewritten {report['rewritten']} of {report['follow_ups']}", f"--rewrite {report['rewrite']}")
        gain = report["ndcg@10_gain"]
        effect = "no change in ranking" if not gain else f"ranking {'better' if gain > 0 else 'worse'} by {abs(gain):.4f}"
        yield _line("Effect of rewriting", effect, "gain in nDCG@10", report["ndcg@10_gain_interval"])
    if "answers_judged" in report:
        judged = report["answers_judged"]
        yield _line("Wrongly refused", _of(report["wrong_refusals"], judged), "wrong_refusals")
        yield _line("Answered", _of(report["first_tier"], judged), "first_tier")
        yield _line("Answered with the gold answer", _of(report["answered_right"], judged), "answered_right")
        yield _line("Gold answer shown", _of(report["answer_shown"], judged), "answer_shown")
    if "unanswerable" in report:
        refused = _of(report["unanswerable_refused"], report["unanswerable"])
        yield _line("Correctly refused", f"{refused} unanswerable", "unanswerable_refused")
        answered = _of(report["unanswerable_first_tier"], report["unanswerable"])
        yield _line("Wrongly answered", f"{answered} unanswerable", "unanswerable_first_tier")
    if "foreign_set" in report:
        refused = _of(report["foreign_refused"], report["foreign_queries"])
        yield _line("Correctly refused", f"{refused} of {report['foreign_set']}", "foreign_refused")
    yield _line("Time per question", f"median {report['p50_ms']} ms, 95 % within {report['p95_ms']} ms", "p50_ms, p95_ms")
    bare = f"median {report['p50_ms_without_embedding']} ms, 95 % within {report['p95_ms_without_embedding']} ms"
    yield _line("… without embedding", bare, "p50_ms_without_embedding")
    duration = f"{report['index_s']} s" if report["index_s"] else "kept from an earlier run"
    yield _line("Indexing", duration, "index_s")


def _line(what: str, value: str, name: str, interval: list[float] | None = None) -> str:
    bounds = f", 95 % interval {interval[0]} to {interval[1]}" if interval else ""
    return f"{what:{WIDTH}} {value} ({name}{bounds})"


def _of(share: float, count: int) -> str:
    return f"{round(share * count)} of {count}"


def _rank(mrr: float) -> str:
    """The rank that corresponds to a mean reciprocal rank."""
    return f"about {1 / mrr:.1f}" if mrr else "not among the first ten"
