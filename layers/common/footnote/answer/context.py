"""Assembles the prompt from the passages that fit, and warns of prompt injection in them.

    system: the rules | the conversation so far | user: instructions for this question, the day, connections, the passages, the question

The parts that change from turn to turn come last, so that a server can reuse its cache of the conversation."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.connections import connections, room_for_connections
from footnote.answer.converse import history_messages
from footnote.answer.today import today
from footnote.answer.toolbox import SEARCH
from footnote.ports import Index
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.text.grounding import UNSEEN
from footnote.text.prompt_injection.passages import Suspect, find_suspects
from footnote.text.tokens import count_tokens
from footnote.text.untrusted import untrusted, untrusted_title
from footnote.types import Chunk, Hit, Message, Profile, Turn, date_of, tier_of_model
from footnote.types.copies import replace

DOCUMENTS = re.compile(r"^(?:<documents>|\[References\])$", re.MULTILINE)
"""The line of a prompt with which its documents begin. No text of a document can contain it."""
LEAST = 60
"""Tokens. With less than this left, no further passage is added."""
FEW = 5
"""Passages, including the sentence's own and those of other levels with its text: a word of a sentence that occurs in more of them belongs
to the collection."""
TINY = 1e-6


async def assemble_context(turn: Turn, *, prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    """Sets `turn.messages` from the hits that fit and cuts `turn.evidence.hits` to these, so that only passages shown to the model are
    cited.

    Hits with much lower scores than the best one are left out, where the profile says so. Passages added around the hits follow, if there
    is room. With the option `sandwich` the best passages are at both ends. `budget` sets the tokens of the passages and of the history."""
    budget, evidence = budget_of(turn, llm), turn.evidence
    groups = {group[0].chunk.chunk_id: group for group in group_repeats((*_beside_best(evidence.hits, turn.profile), *evidence.added))}
    fitting = fit([group[0] for group in groups.values()], budget.passages - room_for_connections(turn))
    about_last = turn.conversation.is_asked_about  # and the numbers in that answer are those of the passages
    shown = sandwich(fitting) if turn.plan.wants("sandwich") and not about_last else fitting
    earlier = history_messages(exchanges_shown(turn, conversation), budget.history)
    question = untrusted(_question(turn, prompts))
    if turn.request.attached:
        values = {"attached": untrusted(turn.request.attached), "question": question}
        question = prompts.render("attached", turn.lang, values, turn.plan.prompts)
    documents = [fenced(*groups[hit.chunk.chunk_id]) for hit in shown]
    rules, passages = _rules_and_passages(turn, prompts, {"documents": documents, "question": question})
    system = "\n\n".join((rules, *_standing_instructions(turn, prompts)))
    parts = (*_instructions(turn, prompts), today(turn, prompts), connections(turn, shown, prompts), passages)
    user = "\n\n".join(part for part in parts if part)
    read = {repeat.chunk.chunk_id for hit in fitting for repeat in groups[hit.chunk.chunk_id]}
    hits, added = ([hit for hit in group if hit.chunk.chunk_id in read] for group in (evidence.hits, evidence.added))
    evidence = replace(evidence, hits=tuple(hits), added=tuple(added), shown=tuple(shown))
    return replace(turn, evidence=evidence, messages=(Message("system", system), *earlier, Message("user", user)))


def _rules_and_passages(turn: Turn, prompts: Prompts, values: Mapping[str, Any]) -> tuple[str, str]:
    """The profile's prompts, divided where the documents begin: the first part is the same in every turn of a conversation. The second part
    ends with the question."""
    profile, lang, versions = turn.profile, turn.lang, turn.plan.prompts
    text = prompts.render(profile.question_prompt or profile.prompt, lang, values, versions)
    match = DOCUMENTS.search(text)
    if profile.question_prompt is None:
        begin = match.start() if match else len(text)
        return text[:begin].rstrip(), "\n\n".join(part for part in (text[begin:], values["question"]) if part)
    begin = match.start() if match else 0
    system = turn.conversation.system or prompts.render(profile.prompt, lang, {}, versions)
    return f"{system}\n\n{text[:begin]}".rstrip(), text[begin:]


def _standing_instructions(turn: Turn, prompts: Prompts) -> Iterator[str]:
    """The plan's instructions to the model beside the profile's prompt, for every question."""
    if turn.plan.model is not None and turn.plan.wants("answer_form") and tier_of_model(turn.plan.model).quotes_first:
        yield prompts.render("quote_first", turn.lang, {}, turn.plan.prompts)
    if turn.plan.wants("follow_up") and turn.plan.wants("follow_up_by_model"):
        yield prompts.render("follow_ups", turn.lang, {}, turn.plan.prompts)


def _question(turn: Turn, prompts: Prompts) -> str:
    """The question in its user's words, with the searched text if that is more complete, or a note that it is about the last answer."""
    own = turn.request.question
    if turn.conversation.is_asked_about:
        return prompts.render("about_last_answer", turn.lang, {"question": own}, turn.plan.prompts)
    attached = turn.reading.scope.attached
    searched = turn.reading.divided or (attached.named if attached else "") or turn.asked
    if searched == own:
        return own
    return prompts.render("searched_for", turn.lang, {"question": own, "searched": searched}, turn.plan.prompts)


def _instructions(turn: Turn, prompts: Prompts) -> Iterator[str]:
    """The instructions for this question."""
    kind = turn.reading.classification
    if kind is not None and turn.plan.wants("answer_form") and not turn.conversation.is_asked_about:
        yield prompts.render("form", turn.lang, {"form": kind.hints.prompt_template}, turn.plan.prompts)
    if reasons(turn):
        yield prompts.render("reason", turn.lang, {}, turn.plan.prompts)
    if hints := turn.evidence.hints:
        yield prompts.render("feedback_hints", turn.lang, {"good": hints.good, "bad": hints.bad}, turn.plan.prompts)


def reasons(turn: Turn) -> bool:
    """Whether the model is asked to reason first: if a request or setting wants it, else for kinds of questions that need it."""
    choice, kind = turn.plan.choices["chain_of_thought"], turn.reading.classification
    return choice.is_on and (choice.is_fixed or kind is None or kind.hints.use_cot)


def was_written(turn: Turn) -> bool:
    """A model wrote the answer from the passages."""
    return turn.answer is not None and not turn.answer.extractive and turn.outcome is None


async def warn_of_injection(turn: Turn, *, index: Index) -> Turn:
    """Adds the warning `injection` if a passage, an attached file or a tool's result contains sentences that read like instructions to the
    model; notes their number as `injected_sentences`."""
    answer = turn.answer
    texts = _texts_beside(turn)
    # In a thread: an attached file of a megabyte takes seconds and would block the other turns.
    suspects = [*_suspects(turn), *(await asyncio.to_thread(lambda: [*_suspects_in(texts, turn.lang)]) if texts else ())]
    if answer is None or not suspects:
        return turn
    rare = await _rare(turn, frozenset().union(*(suspect.foreign for suspect in suspects)), index)
    injected = sum(not suspect.foreign or not rare.isdisjoint(suspect.foreign) for suspect in suspects)
    if not injected:
        return turn
    return replace(turn.with_notes(injected_sentences=injected), answer=replace(answer, warnings=(*answer.warnings, "injection")))


def _suspects(turn: Turn) -> Iterator[Suspect]:
    """The suspects in the passages shown to the model. A heading that has nothing in common with its section is not one."""
    for chunk in (hit.chunk for hit in turn.evidence.citable):
        for suspect in _suspects_of_passage(chunk.text, " ".join((chunk.title, *chunk.headings)), chunk.lang):
            if not suspect.foreign or chunk.kind_at(suspect.start) != "heading":
                yield suspect


@lru_cache(maxsize=256)
def _suspects_of_passage(text: str, title: str, lang: str) -> Sequence[Suspect]:
    """Kept because many answers are written from the same passages."""
    return find_suspects(text, title, lang)


def _texts_beside(turn: Turn) -> list[str]:
    """What the model was shown beside the passages: an attached file, the results of tools."""
    texts = [turn.request.attached] if turn.request.attached else []
    return texts + [said.content for said in turn.trace.tool_messages if said.role == "tool" and said.name != SEARCH]


def _suspects_in(texts: Sequence[str], lang: str) -> Iterator[Suspect]:
    for text in texts:
        yield from find_suspects(text, lang=lang)


async def _rare(turn: Turn, terms: frozenset[str], index: Index) -> frozenset[str]:
    """The words that at most FEW passages of the collection have. Numbers are rare anywhere."""
    weights = await index.term_weights(turn.caller, turn.request.collection, [*terms, UNSEEN]) if terms else {}
    # A weight is log((N + 1) / (n + .5)): the difference to that of an unseen term is log(2 n + 1).
    least = weights.get(UNSEEN, 0.0) - math.log(2 * FEW + 1)
    return frozenset(term for term in terms if not term.isdigit() and weights.get(term, math.inf) >= least - TINY)


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


def _beside_best(hits: Sequence[Hit], profile: Profile) -> Sequence[Hit]:
    """The hits that reach the profile's share of the best score. Scores may be negative; the best one always stays."""
    if not profile.least_share or not hits:
        return hits
    best = max(hit.score for hit in hits)
    return [hit for hit in hits if hit.score >= min(best, profile.least_share * best)]


def group_repeats(hits: Iterable[Hit]) -> list[list[Hit]]:
    """The hits in groups with the same text below the same headings; the best one is the first of its group."""
    groups: dict[tuple[str, ...], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((" ".join(hit.chunk.text.split()), *section_of(hit.chunk)), []).append(hit)
    return list(groups.values())


def sandwich(hits: Sequence[Hit]) -> list[Hit]:
    """The best first, the second best last, the weakest in the middle, which models read least attentively."""
    return [*hits[::2], *reversed(hits[1::2])]


def fenced(hit: Hit, *repeats: Hit) -> dict[str, Any]:
    """A passage for the template, escaped so that it cannot close its own fence. `repeats`: others with the same text, whose titles are
    named, too."""
    chunk = hit.chunk
    file = "" if chunk.file_label else PurePosixPath(str(chunk.metadata.get("file_name", ""))).name
    return {
        "id": chunk.doc_id,
        "title": untrusted_title("; ".join(dict.fromkeys(repeat.chunk.shown_title for repeat in (hit, *repeats)))),
        "section": untrusted_title(" › ".join(section_of(chunk))),
        "page": chunk.page,
        "file": untrusted_title(file),
        "date": date_of(chunk.metadata) or "",
        "text": untrusted(chunk.text),
    }


def section_of(chunk: Chunk) -> tuple[str, ...]:
    """The headings above a passage, without the document's title."""
    return tuple(heading for heading in chunk.headings if heading != chunk.title)
