"""A question about the last answer, or about the conversation, keeps that answer's passages; nothing is searched for.

In a stored conversation the passages are read again, through the permission gate. For a conversation sent by the client they are unknown,
so the question of that answer is searched for again; so it is if the passages no longer exist."""

from __future__ import annotations

from footnote.ports import Index
from footnote.text.language import detect_language
from footnote.text.message_kinds import message_kind
from footnote.types import Hit, Turn
from footnote.types.copies import replace
from footnote.understand.complete import last_question


def may_be_about_last_answer(turn: Turn) -> bool:
    """The documents answer, and the conversation has earlier exchanges."""
    return turn.request.mode == "rag" and bool(turn.conversation.exchanges)


async def keep_last_answer(turn: Turn, *, index: Index) -> Turn:
    """For a question about the last answer, sets `conversation.is_asked_about`, the question of that answer as the one to answer, in its
    language, and its passages as hits."""
    if message_kind(turn) != "about_answer":
        return turn
    conversation = turn.conversation
    chunks = {chunk.chunk_id: chunk for chunk in await index.read(turn.caller, conversation.passages)} if conversation.passages else {}
    hits = tuple(Hit(chunks[passage], 1.0) for passage in conversation.passages if passage in chunks)
    question = conversation.asked or last_question(turn)
    queries = (replace(turn.queries[0], lang=detect_language(question, [turn.lang])),)
    about = replace(conversation, is_asked_about=True)
    return replace(turn, conversation=about, evidence=replace(turn.evidence, hits=hits), queries=queries).rewrite(question)


def needs_no_search(turn: Turn) -> bool:
    """The question is about the last answer, whose passages have been read, or which came from none."""
    has_read = bool(turn.evidence.hits) or (bool(turn.conversation.trace_ids) and not turn.conversation.passages)
    return turn.conversation.is_asked_about and has_read
