"""Which words would a document use? Questions use everyday words; a model knows those of the field."""

from __future__ import annotations

from dataclasses import replace

from footnote.model_calls import complete
from footnote.ports import Models
from footnote.text.untrusted import untrusted
from footnote.types import Message, Query, Turn

PROMPT = "List up to ten words that a document which answers this question would use, in its language:\n\n{}"
WEIGHT = 0.5
"""Of what they find, beside what the question itself finds."""
LIMIT_S, REPLY_TOKENS = 12.0, 100


async def add_terms(turn: Turn, *, models: Models) -> Turn:
    """One query more, of kind `paraphrase`: it only finds evidence."""
    prompt = PROMPT.format(untrusted(turn.asked))
    text = await complete(models, turn.plan.model, [Message("user", prompt)], max_tokens=REPLY_TOKENS, timeout_s=LIMIT_S)
    query = Query(text, "paraphrase", WEIGHT, turn.lang)
    return replace(turn, queries=(*turn.queries, query))
