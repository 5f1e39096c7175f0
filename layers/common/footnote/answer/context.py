"""Assembles the prompt from the passages that fit, and warns of prompt injection in them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.converse import history_messages
from footnote.answer.toolbox import SEARCH
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.text.prompt_injection.passages import find_injected_sentences
from footnote.text.tokens import count_tokens
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import Hit, Message, Turn, tier_of_model

LEAST = 60
"""Tokens. With less than this left, no further passage is added."""


async def assemble_context(turn: Turn, *, prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    """Sets `turn.messages` from the hits that fit and cuts `turn.evidence.hits` to these, so that only what the model saw is cited.

    Passages that were added around the hits follow, if there is room. With the option `sandwich` the best passages are at both ends.
    `budget` says how many tokens the passages get, and the history.
    """
    profile, budget = turn.profile, budget_of(turn, llm)
    evidence = turn.evidence
    fitting = fit((*evidence.hits, *evidence.added), budget.passages)
    shown = sandwich(fitting) if turn.plan.wants("sandwich") else fitting
    earlier = history_messages(exchanges_shown(turn, conversation), budget.history)
    question = _question(turn, prompts)
    documents = [fenced(hit) for hit in shown]
    rules = turn.conversation.system or prompts.render(profile.prompt, turn.lang, {"documents": documents}, turn.plan.prompts)
    system = "\n\n".join((rules, *_instructions(turn, prompts)))
    if profile.question_prompt:
        question = prompts.render(
            profile.question_prompt, turn.lang, {"documents": documents, "question": untrusted(question)}, turn.plan.prompts
        )
    if turn.request.attached:
        question = prompts.render(
            "attached", turn.lang, {"attached": untrusted(turn.request.attached), "question": question}, turn.plan.prompts
        )
    messages = (Message("system", system), *earlier, Message("user", question))
    count = len(evidence.hits)
    evidence = replace(evidence, hits=tuple(fitting[:count]), added=tuple(fitting[count:]), shown=tuple(shown))
    return replace(turn, evidence=evidence, messages=messages)


def _question(turn: Turn, prompts: Prompts) -> str:
    """The question in its user's words, and what was searched for where that says more."""
    notes, own = turn.record.notes, turn.request.question
    searched = notes.get("divided") or notes.get("asked_of_attached", turn.asked)
    if searched == own:
        return own
    return prompts.render("searched_for", turn.lang, {"question": own, "searched": searched}, turn.plan.prompts)


def _instructions(turn: Turn, prompts: Prompts) -> Iterator[str]:
    """What the plan wants the model to heed beside the profile's prompt."""
    if turn.classification is not None and turn.plan.wants("answer_form"):
        yield prompts.render("form", turn.lang, {"form": turn.classification.hints.prompt_template}, turn.plan.prompts)
    if turn.plan.model is not None and turn.plan.wants("answer_form") and tier_of_model(turn.plan.model).quotes_first:
        yield prompts.render("quote_first", turn.lang, {}, turn.plan.prompts)
    if reasons(turn):
        yield prompts.render("reason", turn.lang, {}, turn.plan.prompts)
    if hints := turn.record.notes.get("feedback_hints"):
        yield prompts.render("feedback_hints", turn.lang, hints, turn.plan.prompts)
    if turn.plan.wants("follow_up") and turn.plan.wants("follow_up_by_model"):
        yield prompts.render("follow_ups", turn.lang, {}, turn.plan.prompts)


def reasons(turn: Turn) -> bool:
    """Whether the model is asked to reason first: where a request or setting wants it, else for kinds of questions that call for it."""
    choice = turn.plan.choices["chain_of_thought"]
    return choice.is_on and (choice.is_fixed or turn.classification is None or turn.classification.hints.use_cot)


def was_written(turn: Turn) -> bool:
    """A model wrote the answer from the passages."""
    return turn.answer is not None and not turn.answer.extractive and turn.outcome is None


async def warn_of_injection(turn: Turn) -> Turn:
    """Adds the warning `injection` if a passage, an attached file or a tool's result holds sentences that read like instructions to
    the model; notes their number as `injected_sentences`."""
    answer = turn.answer
    shown = [(hit.chunk.text, hit.chunk.title, hit.chunk.lang) for hit in turn.evidence.citable]
    shown += [(turn.request.attached, "", turn.lang)] if turn.request.attached else []
    shown += [(said.content, "", turn.lang) for said in turn.record.tool_messages if said.role == "tool" and said.name != SEARCH]
    # In a thread: an attached file of a megabyte takes seconds and would block the other turns.
    found = await asyncio.to_thread(lambda: sum(len(find_injected_sentences(*text)) for text in shown))
    if answer is None or not found:
        return turn
    return replace(turn.with_notes(injected_sentences=found), answer=replace(answer, warnings=(*answer.warnings, "injection")))


def fit(hits: Sequence[Hit], budget: int) -> list[Hit]:
    """The first hits that fit into `budget` tokens; at least one."""
    kept: list[Hit] = []
    for hit in hits:
        budget -= count_tokens(hit.chunk.text)
        if kept and budget < 0:
            break
        kept.append(hit)
        if budget < LEAST:
            break
    return kept


def sandwich(hits: Sequence[Hit]) -> list[Hit]:
    """The best first, the second best last, the weakest in the middle, which models read least attentively."""
    return [*hits[::2], *reversed(hits[1::2])]


def fenced(hit: Hit) -> dict[str, Any]:
    """A passage for the template, escaped so that it cannot close its own fence."""
    chunk = hit.chunk
    section = " › ".join(heading for heading in chunk.headings if heading != chunk.title)
    return {
        "id": chunk.doc_id,
        "title": untrusted_title(chunk.shown_title),
        "section": untrusted_title(section),
        "page": chunk.page,
        "text": untrusted(chunk.text),
    }
