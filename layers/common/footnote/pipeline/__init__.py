"""The order of a turn. Read this first. `search.py` has the order of a search, `checks.py` that of the checks of an answer.

Each row says what happens when its step fails. `bootstrap` binds the
tables to the dependencies of their steps, and `steps.Runner` runs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from footnote.answer.agent import run_agent
from footnote.answer.confidence import assess_confidence, confidence_shown, has_citations
from footnote.answer.context import assemble_context
from footnote.answer.converse import assemble_conversation, attach_images
from footnote.answer.extract import verdict_shown
from footnote.answer.faq import answer_from_faq, may_be_faq
from footnote.answer.generate import (
    answer_fitting,
    answer_no_hits,
    converse_fitting,
    generate,
    has_model,
    has_no_model,
    has_nothing_to_answer_from,
    is_truncated,
    need_model,
    pick_model,
    stands_in,
    warn_of_stand_in,
    warn_of_truncation,
)
from footnote.answer.quote import quote
from footnote.answer.small_talk import greet, is_greeted, may_greet
from footnote.answer.unread import may_lack_documents, tell_unread
from footnote.answer.verify_passages import verify_passages
from footnote.answer.vote import is_unanswered, vote
from footnote.checkpoints import release, resume
from footnote.errors import FootnoteError
from footnote.events import Answering
from footnote.guard.budget import check_budget, may_be_short, spend, spends, warn_of_budget
from footnote.learn.experiments import assignment_shown, join_experiment, may_join
from footnote.learn.follow_ups import suggest_follow_ups
from footnote.learn.hints import add_hints
from footnote.memory.answer_cache import find_answer, keep_answer, may_use_answer_cache
from footnote.memory.conversations import is_kept, keep_room_prompt, keeps_room_prompt, load_history, needs_history, open_turn, save_turn
from footnote.pipeline.checks import CHECK, CHECKS, CLOSEST_POLICY, INJECTION, QUOTES
from footnote.pipeline.search import (
    EMBED,
    EXPAND,
    FIND,
    FORBIDDEN,
    GUARD,
    LANGUAGE,
    LOOK_UP,
    NAME_ATTACHED,
    OTHER_READING,
    READING,
    REMOTE,
    RETRIEVE,
    SEARCH,
    SPELLING,
    SPLIT,
)  # fmt: skip
from footnote.rank.expand import add_earlier, expand_documents, may_add_earlier, may_be_expanded
from footnote.rank.judge_passages import has_no_judgement, judge_passages, may_judge
from footnote.retrieve.about_collection import may_be_about_collection, note_collection
from footnote.retrieve.attached_alone import asks_for_overview
from footnote.retrieve.connections import find_connections
from footnote.retrieve.search import has_hits, lacks_lists, warn_of_missing_lists
from footnote.steps import FAIL, FALLBACK, IGNORE, SKIP, OnError, Step, Switch, steps_of
from footnote.telemetry.announcements import announce_answer, announce_question
from footnote.telemetry.metrics import meter_turn
from footnote.turn_records.read import FORMER_STEPS
from footnote.types import Mode, Stage, Turn
from footnote.types.copies import replace
from footnote.understand.classify import classify_by_model, classify_by_rules, has_model_to_classify, kind_shown, searches_documents
from footnote.understand.last_answer import keep_last_answer, may_be_about_last_answer, needs_no_search
from footnote.understand.message_kind import message_kind_shown, tell_message_kind, will_be_embedded
from footnote.understand.question_filters import filter_by_question, names_period
from footnote.understand.reformulate import may_reformulate, reformulate
from footnote.understand.rewrite import announce_queries, complete_by_words, may_rewrite, rewrite, was_rewritten
from footnote.understand.route import is_classified, route

__all__ = [
    "AGENT", "ANSWER", "CLASSIFY", "CONVERSATION", "DOCUMENTS", "EMBED", "EXPAND", "FIND", "FORBIDDEN", "IMAGES", "LANGUAGE", "LOOK_UP",
    "READING", "REFORMULATE", "REMOTE", "RETRIEVE", "REWRITE", "SEARCH", "STAGES", "UNDERSTAND",
]  # fmt: skip


def fail_or_quote(turn: Turn, error: FootnoteError) -> OnError:
    """The policy when a model fails before its first token."""
    return FALLBACK if turn.plan.wants("quotes") else FAIL


def fail_or_greet(turn: Turn, error: FootnoteError) -> OnError:
    """The policy when a model fails that answers without documents."""
    return FALLBACK if is_greeted(turn) else FAIL


def is_overview_by_model(turn: Turn) -> bool:
    """A model says what the attached files are about, and reads more of them than was searched for."""
    return asks_for_overview(turn) and may_be_expanded(turn)


def answering_mode(turn: Turn) -> Literal[Mode, "greeting", "last_answer"]:
    """The key of the switch `mode`: which table answers a turn."""
    if needs_no_search(turn):
        return "last_answer"
    return "greeting" if may_greet(turn) and not turn.conversation.is_asked_about else turn.request.mode


def answering(turn: Turn) -> Answering:
    """The event that the answer begins."""
    return Answering(turn.evidence.citable)


# fmt: off
REWRITE = Step(
    "rewrite", rewrite, stage=Stage.UNDERSTAND, option="rewrite", paid=True, on_error=FALLBACK, fallback=complete_by_words, timeout_s=15,
    when=may_rewrite,
    shows=lambda t: {"queries": len(t.rewritten)},
)
REFORMULATE = Step(
    "reformulate", reformulate, stage=Stage.UNDERSTAND, option="reformulate", paid=True, on_error=SKIP, timeout_s=15, when=may_reformulate,
    shows=lambda t: {"queries": len(t.rewritten)},
)
CLASSIFY = Step(
    "classify", classify_by_rules, stage=Stage.UNDERSTAND, option="classify", on_error=IGNORE, when=searches_documents, shows=kind_shown,
)
ROUTE = Step(
    "route", route, stage=Stage.UNDERSTAND, option="route", amends_plan=True, on_error=SKIP, when=is_classified,
    shows=lambda t: {"strategy": t.plan.strategy, "because": t.plan.strategy_because},
)
NEED_MODEL = Step("need_model", need_model, stage=Stage.ANSWER, on_error=FAIL)
SAY = Step(
    "generate", generate, stage=Stage.ANSWER, paid=True, on_error=fail_or_greet, fallback=greet, on_start=Answering(),
)
SPEND = Step("spend", spend, stage=Stage.ACCOUNT, on_error=SKIP, always=True, timeout_s=2, when=spends)

UNDERSTAND = (
    Step(
        "experiment", join_experiment, stage=Stage.ACCOUNT, needs="experiments", amends_plan=True, on_error=IGNORE, when=may_join,
        shows=assignment_shown,
    ),
    Step("resume", resume, stage=Stage.ACCOUNT, needs="checkpoint", amends_plan=True, on_error=FAIL),
    GUARD,
    Step("open", open_turn, stage=Stage.MEMORY, on_error=IGNORE, timeout_s=2, when=is_kept),
    Step(
        "history", load_history, stage=Stage.MEMORY, option="history", on_error=FAIL, timeout_s=6, when=needs_history,
        shows=lambda t: {"exchanges": len(t.conversation.exchanges)},
    ),
    Step(
        "budget", check_budget, stage=Stage.ACCOUNT, amends_plan=True, on_error=IGNORE, timeout_s=2, when=spends,
        shows=lambda t: {"allowance": t.plan.allowance},
    ),
    Step(
        "model", pick_model, stage=Stage.ANSWER, amends_plan=True, on_error=SKIP, timeout_s=5,
        shows=lambda t: {"model": t.plan.model or "none"},
    ),
    Step("announce", announce_question, stage=Stage.ACCOUNT, on_error=IGNORE, once=True, when=is_kept),
    LANGUAGE,
    Step(
        "message_kind", tell_message_kind, stage=Stage.UNDERSTAND, needs="embedder", on_error=IGNORE, timeout_s=5, when=will_be_embedded,
        shows=message_kind_shown,
    ),
    Step(
        "room_prompt", keep_room_prompt, stage=Stage.MEMORY, on_error=SKIP, timeout_s=6, when=keeps_room_prompt,
        shows=lambda t: {"stored": not t.conversation.keeps_system},
    ),
    Step(
        "last_answer", keep_last_answer, stage=Stage.UNDERSTAND, on_error=SKIP, timeout_s=5, when=may_be_about_last_answer,
        shows=lambda t: {"is_asked_about": t.conversation.is_asked_about, "hits": len(t.evidence.hits)},
    ),
    REWRITE,
    SPELLING,
    REFORMULATE,
    SPLIT,
    Step("queries", announce_queries, stage=Stage.UNDERSTAND, on_error=IGNORE, when=was_rewritten),
    FORBIDDEN,
    CLASSIFY,
    Step(
        "classify_by_model", classify_by_model, stage=Stage.UNDERSTAND, option="classify_by_model", paid=True, on_error=IGNORE,
        timeout_s=12, when=has_model_to_classify, shows=kind_shown,
    ),
    ROUTE,
    Step(
        "question_filters", filter_by_question, stage=Stage.UNDERSTAND, option="question_filters", on_error=IGNORE, timeout_s=3,
        when=names_period, shows=lambda t: t.trace.notes.get("question_filter", {}),
    ),
    NAME_ATTACHED,
    Step("about_collection", note_collection, stage=Stage.UNDERSTAND, on_error=IGNORE, when=may_be_about_collection),
    READING,
)
"""A question in its conversation → its checks, the queries and the model that will answer."""

CONTEXT = Step(
    "context", assemble_context, stage=Stage.ANSWER, on_error=FAIL, when=has_model, shows=lambda t: {"passages": len(t.evidence.hits)},
)
WRITE = (
    Step(
        "generate", answer_fitting, stage=Stage.ANSWER, paid=True, on_error=fail_or_quote, fallback=quote, when=is_unanswered,
        shows=verdict_shown, on_start=answering,
    ),
    Step("quote", quote, stage=Stage.ANSWER, on_error=FAIL, timeout_s=10, when=has_no_model, shows=verdict_shown, on_start=answering),
)
"""Passages → an answer of the model, or quotes."""

LAST_ANSWER = (CONTEXT, *WRITE, *CHECKS)
"""… → an answer about the last answer."""
DOCUMENTS = (
    EMBED,
    Step(
        "find_answer", find_answer, stage=Stage.MEMORY, option="answer_cache", on_error=IGNORE, timeout_s=3, when=may_use_answer_cache,
        shows=lambda t: t.trace.notes.get("answer_cache", {}),
    ),
    *REMOTE, *EXPAND, *SEARCH, OTHER_READING,
    Step(
        "judge_passages", judge_passages, stage=Stage.RANK, option="judge_passages", paid=True, on_error=SKIP, timeout_s=10, when=may_judge,
        shows=lambda t: {"hits": len(t.evidence.hits)},
    ),
    Step(
        "verify_passages", verify_passages, stage=Stage.RANK, option="verify_passages", on_error=SKIP, timeout_s=5, when=has_no_judgement,
        shows=lambda t: {"hits": len(t.evidence.hits)},
    ),
    Step("no_hits", answer_no_hits, stage=Stage.ANSWER, on_error=FAIL, when=has_nothing_to_answer_from),
    Step(
        "faq", answer_from_faq, stage=Stage.ANSWER, option="faq", on_error=SKIP, when=may_be_faq,
        shows=lambda t: {"faq": t.outcome == "faq"},
    ),
    *QUOTES,
    Step(
        "expand_documents", expand_documents, stage=Stage.RANK, option="expand_documents", on_error=SKIP, timeout_s=5, when=may_be_expanded,
        shows=lambda t: {"added": len(t.evidence.added)},
    ),
    Step(
        "expand_attached", expand_documents, stage=Stage.RANK, on_error=SKIP, timeout_s=5, when=is_overview_by_model,
        shows=lambda t: {"added": len(t.evidence.added)},
    ),
    Step(
        "connections", find_connections, stage=Stage.RETRIEVE, option="graph", on_error=SKIP, timeout_s=3, when=has_hits,
        shows=lambda t: {"facts": len(t.evidence.facts)},
    ),
    Step(
        "feedback_hints", add_hints, stage=Stage.ANSWER, option="feedback_hints", on_error=IGNORE, timeout_s=3, when=has_model,
        shows=lambda t: t.trace.notes.get("feedback_hints", {}),
    ),
    Step("earlier", add_earlier, stage=Stage.RANK, on_error=IGNORE, timeout_s=3, when=may_add_earlier),
    CONTEXT,
    Step(
        "ensemble_voting", vote, stage=Stage.ANSWER, option="ensemble_voting", paid=True, on_error=fail_or_quote, fallback=quote,
        when=has_model,
        shows=lambda t: t.trace.notes.get("vote", {}), on_start=answering,
    ),
    *WRITE,
    *CHECKS,
    Step("keep_answer", keep_answer, stage=Stage.MEMORY, option="answer_cache", on_error=IGNORE, timeout_s=3, when=may_use_answer_cache),
)
"""The queries → an answer from the documents."""

CONVERSATION = (
    NEED_MODEL,
    Step("context", assemble_conversation, stage=Stage.ANSWER, on_error=FAIL),
    replace(SAY, run=converse_fitting),
)
"""… → an answer of the model from the conversation alone."""

IMAGES = (
    NEED_MODEL,
    Step(
        "look", attach_images, stage=Stage.ANSWER, amends_plan=True, on_error=FAIL, timeout_s=30,
        shows=lambda t: {"images": len(t.request.images)},
    ),
    SAY,
)
"""… → an answer of a model about images."""

AGENT = (
    NEED_MODEL,
    Step(
        "agent", run_agent, stage=Stage.ANSWER, paid=True, on_error=FAIL,
        shows=lambda t: {"messages": len(t.trace.tool_messages), "hits": len(t.evidence.hits)},
    ),
    replace(CHECK, when=has_hits),
    INJECTION,
)
"""… → an answer of an agent: a model that may search and call tools."""

GREET = Step("greet", greet, stage=Stage.ANSWER, on_error=FAIL, on_start=Answering())
"""… → an answer to small talk, where no model can give one."""

ANSWER = (
    *UNDERSTAND,
    Switch("mode", answering_mode, {
        "rag": DOCUMENTS, "last_answer": LAST_ANSWER, "gpt": CONVERSATION, "vision": IMAGES, "pa": AGENT, "greeting": (GREET,),
    }),
    CLOSEST_POLICY,
    Step(
        "follow_up", suggest_follow_ups, stage=Stage.ANSWER, option="follow_up", on_error=SKIP, always=True, when=has_hits,
        shows=lambda t: {"questions": len(t.trace.suggested_questions)},
    ),
    Step(
        "confidence", assess_confidence, stage=Stage.CHECK, option="confidence", on_error=SKIP, always=True, timeout_s=10,
        when=has_citations, shows=confidence_shown,
    ),
    Step("warn_of_missing_lists", warn_of_missing_lists, stage=Stage.CHECK, on_error=SKIP, always=True, when=lacks_lists),
    Step("warn_of_truncation", warn_of_truncation, stage=Stage.CHECK, on_error=SKIP, always=True, when=is_truncated),
    Step("warn_of_budget", warn_of_budget, stage=Stage.ACCOUNT, on_error=SKIP, always=True, when=may_be_short),
    Step("warn_of_stand_in", warn_of_stand_in, stage=Stage.CHECK, on_error=SKIP, always=True, when=stands_in),
    Step("save", save_turn, stage=Stage.MEMORY, on_error=SKIP, always=True, timeout_s=5, when=is_kept),
    Step("unread", tell_unread, stage=Stage.CHECK, on_error=IGNORE, always=True, timeout_s=3, when=may_lack_documents),
    SPEND,
    Step("announce_answer", announce_answer, stage=Stage.ACCOUNT, on_error=SKIP, always=True, once=True, when=is_kept),
    Step("meter", meter_turn, stage=Stage.ACCOUNT, on_error=SKIP, always=True, once=True, when=is_kept),
    Step("release", release, stage=Stage.ACCOUNT, needs="checkpoint", on_error=IGNORE, always=True, timeout_s=5),
)
"""A question → a cited answer."""
# fmt: on

_NAMED = {step.name: step.stage for step in steps_of((*ANSWER, *LOOK_UP))}
STAGES: Mapping[str, Stage] = _NAMED | {former: _NAMED[name] for former, name in FORMER_STEPS.items()}
"""Step name → stage, for stored turns, whose spans hold names only."""
