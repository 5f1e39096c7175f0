"""Tells what kind of message it is where patterns, which know three languages, do not."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import CrossLingualEmbedder, Embedder
from footnote.text.embedded_texts import embed_questions
from footnote.text.language import FEW_WORDS, LANGUAGES, detect_language
from footnote.text.message_kinds import EMBEDDER, kind_of
from footnote.text.references import needs_rewriting
from footnote.types import SMALL_TALK, WORDED_LANGUAGES, Turn


def has_no_patterns(turn: Turn) -> bool:
    """The documents answer, and the question is in a language without patterns, or may be: “Merci” is taken for English."""
    question = turn.request.question
    may_be_another = len(question.split()) <= FEW_WORDS and detect_language(question, LANGUAGES) not in WORDED_LANGUAGES
    return turn.request.mode == "rag" and (turn.lang not in WORDED_LANGUAGES or may_be_another)


async def tell_message_kind(turn: Turn, *, embedder: Embedder | None) -> Turn:
    """Sets `turn.message_kind`, and the question's vector, so that the search need not embed it again; with other embedders neither. In a
    language with patterns only greetings and thanks count, which may be in another."""
    if embedder is None or embedder.name != EMBEDDER or not isinstance(embedder, CrossLingualEmbedder):
        return turn
    vectors = await embed_questions(turn, embedder, [turn.request.question])
    kind = kind_of(embedder.across_languages(vectors)[0])
    if turn.request.retriever != "bm25":
        turn = turn.with_vectors(vectors, embedder.name)
    if turn.lang in WORDED_LANGUAGES and kind not in SMALL_TALK:
        return turn
    return replace(turn, message_kind=kind)


def refers_back(turn: Turn) -> bool:
    """Whether the question cannot be understood without the conversation."""
    if turn.message_kind is not None:
        return turn.message_kind == "follow_up"
    return needs_rewriting(turn.request.question, turn.lang)
