"""The order of the checks of an answer, and of what is quoted before it."""

from __future__ import annotations

from footnote.answer.check import check_answer, check_support, doubt_answer, is_checked
from footnote.answer.context import warn_of_injection, was_written
from footnote.answer.extract import verdict_shown
from footnote.answer.quote import has_quotes, is_quoted_first, quote_first, show_quotes
from footnote.answer.quote_gate import cites_sentences, gate_quotes, quotes_shown
from footnote.answer.revise import critique, critique_shown, is_revisable, revise, revision_shown
from footnote.guard.answer_policy import check_quotes, drop_quotes, enforce_policy, find_violations, has_answer, shows_closest, withhold
from footnote.steps import FALLBACK, IGNORE, SKIP, Step
from footnote.types import Stage
from footnote.types.copies import replace

# fmt: off
CHECK = Step(
    "check", check_answer, stage=Stage.CHECK, on_error=FALLBACK, fallback=doubt_answer, timeout_s=25,
    shows=lambda t: {"citations": len(t.answer.citations) if t.answer else 0},
)
INJECTION = Step(
    "injection_check", warn_of_injection, stage=Stage.CHECK, option="injection_check", on_error=SKIP, when=was_written,
    shows=lambda t: {"injected_sentences": t.trace.notes.get("injected_sentences", 0)},
)

CRITIQUE = (
    Step(
        "critique", critique, stage=Stage.CHECK, option="critique", paid=True, on_error=SKIP, timeout_s=35, when=was_written,
        shows=critique_shown,
    ),
    Step("violations", find_violations, stage=Stage.CHECK, option="critique", on_error=SKIP, timeout_s=5, when=was_written),
    Step("revise", revise, stage=Stage.CHECK, option="critique", paid=True, on_error=SKIP, when=is_revisable, shows=revision_shown),
)
"""A model's answer → what is wrong with it, and its revision."""

QUOTES = (
    Step(
        "quote_first", quote_first, stage=Stage.ANSWER, on_error=IGNORE, timeout_s=5, when=is_quoted_first,
        shows=lambda t: verdict_shown(t.quoted) if t.quoted else {},
    ),
    Step(
        "quote_policy", check_quotes, stage=Stage.CHECK, option="critique", on_error=FALLBACK, fallback=drop_quotes, timeout_s=5,
        when=has_quotes,
    ),
    Step("show_quotes", show_quotes, stage=Stage.ANSWER, on_error=IGNORE, when=has_quotes),
)
"""What is quoted without a model → what of it is shown until the model's answer comes."""

POLICY = Step(
    "policy", enforce_policy, stage=Stage.CHECK, option="critique", on_error=FALLBACK, fallback=withhold, timeout_s=5, when=has_answer,
)
CLOSEST_POLICY = replace(POLICY, name="closest_policy", always=True, when=shows_closest)
"""The closest passages → what may be shown of them. They settle a turn, before its checks."""

CHECKS = (
    *CRITIQUE,
    CHECK,
    Step("support_check", check_support, stage=Stage.CHECK, option="support_check", on_error=SKIP, timeout_s=5, when=is_checked),
    INJECTION,
    POLICY,
    Step(
        "quote_gate", gate_quotes, stage=Stage.CHECK, option="quote_gate", paid=True, on_error=SKIP, timeout_s=20, when=cites_sentences,
        shows=quotes_shown,
    ),
)
"""An answer from documents → what may be shown of it, with its warnings."""
# fmt: on
