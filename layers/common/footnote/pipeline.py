"""THE order of a turn. Read this first.

A table is read from top to bottom; what each row's failure means stands in it. Tables are bound to
ports in `bootstrap.py` and run by `steps.Runner`.
"""

from __future__ import annotations

from footnote.answer.context import assemble_context
from footnote.answer.extract import extract
from footnote.answer.generate import check_citations, found_nothing, generate, has_model, has_no_model, pick_model, tell_nothing_found
from footnote.guard.input_guard import check_input
from footnote.learn.meter import meter_turn
from footnote.learn.questions import suggest_follow_ups
from footnote.memory.conversations import save_turn
from footnote.rank.select import read_hits
from footnote.retrieve.fuse import fuse_lists
from footnote.retrieve.search import embed_query, search, wants_vector
from footnote.steps import BLOCK, FAIL, FALLBACK, SKIP, Step
from footnote.understand.language import tell_language

RETRIEVE = (
    Step("guard", check_input, on_error=BLOCK),
    Step("language", tell_language, on_error=FAIL, limit_s=10, shows=lambda t: {"language": t.lang}),
    Step("embed", embed_query, on_error=SKIP, limit_s=10, when=wants_vector, shows=lambda t: {"embedded": t.vector is not None}),
    Step(
        "search", search, on_error=FAIL, limit_s=10,
        shows=lambda t: {
            "lexical": len(t.candidates.lexical), "dense": len(t.candidates.dense), "coverage": round(t.candidates.coverage, 3),
        },
    ),
    Step("fuse", fuse_lists, on_error=FAIL, shows=lambda t: {"retriever": t.retriever, "ranked": len(t.ranked)}),
    Step("read", read_hits, on_error=FAIL, limit_s=10, shows=lambda t: {"hits": len(t.hits)}),
)  # fmt: skip
"""A question → its hits. `/retrieve-*`, `footnote search` and `footnote eval` end here."""

ANSWER = (
    *RETRIEVE,
    Step("nothing", tell_nothing_found, on_error=FAIL, when=found_nothing),
    Step("model", pick_model, on_error=SKIP, limit_s=5, shows=lambda t: {"model": t.model or "none"}),
    Step("context", assemble_context, on_error=FAIL, when=has_model, shows=lambda t: {"passages": len(t.hits)}),
    Step("answer", generate, on_error=FALLBACK, fallback=extract, when=has_model, shows=lambda t: {"tokens": t.usage.completion_tokens}),
    Step("extract", extract, on_error=FAIL, limit_s=10, when=has_no_model),
    Step("check", check_citations, on_error=SKIP, shows=lambda t: {"citations": len(t.answer.citations) if t.answer else 0}),
    Step(
        "follow_up", suggest_follow_ups, on_error=SKIP, always=True, when=lambda t: bool(t.hits),
        shows=lambda t: {"questions": len(t.suggested_questions)},
    ),
    Step("save", save_turn, on_error=SKIP, always=True, limit_s=5),
    Step("meter", meter_turn, on_error=SKIP, always=True),
)  # fmt: skip
"""A question → a cited answer."""
