"""Tells what kind of message it is by its vector, too, where the built-in embedder makes it."""

from __future__ import annotations

from footnote.ports import CrossLingualEmbedder, Embedder
from footnote.text.embedded_texts import embed_questions
from footnote.text.message_kinds import EMBEDDER, kind_of, message_kind
from footnote.types import Turn
from footnote.types.copies import replace


def will_be_embedded(turn: Turn) -> bool:
    """The documents answer, and vectors find them."""
    return turn.request.mode == "rag" and turn.plan.retriever != "bm25"


async def tell_message_kind(turn: Turn, *, embedder: Embedder | None) -> Turn:
    """Sets `turn.message_kind` and the question's vector, so that the search need not embed it again; with another embedder, neither."""
    if embedder is None or embedder.name != EMBEDDER or not isinstance(embedder, CrossLingualEmbedder):
        return turn
    question = turn.request.question
    vectors = await embed_questions(turn, embedder, [question])
    kind = kind_of(question, goes_on=bool(turn.conversation.exchanges), vector=embedder.across_languages(vectors)[0])
    return replace(turn.with_vectors(vectors, embedder.name), message_kind=kind)


def message_kind_shown(turn: Turn) -> dict[str, str]:
    """The kind."""
    return {"kind": message_kind(turn)}
