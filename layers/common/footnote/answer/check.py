"""Checks that a model's text is an answer: that it is a statement in the language of the question, and cites its sources."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from footnote.answer.attribute import add_citations
from footnote.answer.citation_styles import markers_of
from footnote.answer.flaws import find_flaw
from footnote.answer.insufficient import lacks_information
from footnote.answer.messages import message
from footnote.answer.overview import moved, quote
from footnote.answer.support import check_claims
from footnote.answer.toolbox import SEARCH
from footnote.answer.voice_tool import VOICES
from footnote.events import Event, Token
from footnote.ports import Embedder, Index, Verifier
from footnote.text.code_spans import fence_end
from footnote.types import Answer, Flaw, Turn


async def check_answer(turn: Turn, *, index: Index, embedder: Embedder | None, verifier: Verifier | None) -> AsyncIterator[Event | Turn]:
    """Handles a text that is no answer (`flaws`), or only says that the documents do not contain it, and adds missing citations.

    Sentences without citations get the passages that support them (`attribute`), and a text without any the warning `citations_added`; one
    that lists its sources at its end keeps that list. If no sentence is supported, a text about the last answer may stay, since it may
    repeat the conversation. Any other is replaced by quotes of the documents if it has not been shown, and its owner finds it in the trace
    (`rejected_answer`); if it has, the quotes follow it. The flaw is a warning. With the option `reject_uncited` a notice replaces a text
    without citations."""
    answer = turn.answer
    if answer is None or answer.extractive:
        yield turn
        return
    lacking = lacks_information(answer, turn.lang)
    flaw = None if lacking else find_flaw(turn, answer)
    rejects = turn.plan.wants("reject_uncited") and not (flaw == "uncited" and turn.conversation.is_asked_about)
    if flaw in (None, "uncited") and not lacking and not (flaw and (rejects or has_other_sources(turn))):
        claims = answer.claims
        if not claims:
            turn, claims = await check_claims(turn, answer, index, embedder, verifier)
        lists_its_sources = bool(answer.citations) and markers_of(turn).style.at_end
        answer = replace(answer, claims=claims) if lists_its_sources else add_citations(turn, answer, claims)
        if flaw and answer.citations:
            answer, flaw = replace(answer, warnings=(*answer.warnings, "citations_added")), None
        turn = replace(turn, answer=answer)
    if not lacking and flaw is None:
        yield turn
    elif rejects:
        notice = Answer(message("insufficient" if lacking else "uncited", turn.lang), model=answer.model, cut=answer.cut)
        yield replace(turn.with_notes(rejected_answer=answer.text), outcome="refused", answer=notice)
    elif flaw is None:
        yield replace(with_warning(turn, answer, "insufficient"), outcome="refused")
    elif flaw == "uncited" and (has_other_sources(turn) or turn.conversation.is_asked_about):
        yield with_warning(turn, answer, flaw)
    else:
        async for item in quote_documents(turn, answer, flaw, index, embedder):
            yield item


async def doubt_answer(turn: Turn) -> Turn:
    """Where the check fails, a text that cites nothing does not pass for an answer."""
    flaw = find_flaw(turn, turn.answer) if turn.answer and not turn.answer.extractive else None
    if turn.answer is None or flaw is None or (flaw == "uncited" and (has_other_sources(turn) or turn.conversation.is_asked_about)):
        return turn
    return replace(with_warning(turn, turn.answer, flaw), outcome="refused")


async def quote_documents(turn: Turn, answer: Answer, flaw: Flaw, index: Index, embedder: Embedder | None) -> AsyncIterator[Event | Turn]:
    """Quotes the documents instead of a text with this flaw, or below one that has been shown. The flaw is a warning."""
    turn = replace(with_warning(turn, answer, flaw), record=replace(turn.record, degraded=True))
    if not turn.plan.wants("quotes") or (turn.quoted is not None and turn.quoted.answer is None):
        yield replace(turn, outcome="refused")
        return
    style = markers_of(turn).style
    before = 0 if style.at_end or style.keeps_numbers else len(answer.citations)  # numbers go on behind those of the text
    written = 0 if style.by_id else before  # markers with numbers have to be written with these
    source = turn
    if turn.profile.live and written:
        source = replace(turn, quoted=None, request=replace(turn.request, first_number=turn.request.first_number + written))
    quoted = turn
    async for item in quote(source, index=index, embedder=embedder):
        if isinstance(item, Turn):
            quoted = replace(item, request=turn.request)
    if quoted.answer is None:
        yield replace(turn, outcome="refused")
    elif not turn.profile.live:
        instead = replace(quoted.answer, warnings=(*answer.warnings, flaw))
        yield replace(quoted, answer=instead).with_notes(rejected_answer=answer.text)
    else:
        lead = "unverified_but" if quoted.outcome is None else "unverified"
        below = f"{fence_end(answer.text)}\n\n---\n\n**{message(lead, turn.lang)}**\n\n"
        if not turn.shows_quotes:
            yield Token(below + quoted.answer.text)
        text = answer.text + below
        citations = (*answer.citations, *(moved(citation, len(text), before - written) for citation in quoted.answer.citations))
        both = replace(answer, text=text + quoted.answer.text, citations=citations, warnings=(*answer.warnings, flaw))
        yield replace(quoted, answer=both, outcome=quoted.outcome or "closest")


def with_warning(turn: Turn, answer: Answer, warning: str) -> Turn:
    """The turn with one warning more beside its answer."""
    return replace(turn, answer=replace(answer, warnings=(*answer.warnings, warning)))


def has_other_sources(turn: Turn) -> bool:
    """Whether the text may rest on something that cannot be cited: text that came with the question, or the result of a tool."""
    return bool(turn.request.attached) or any(
        said.role == "tool" and said.name not in (SEARCH, VOICES) for said in turn.record.tool_messages
    )
