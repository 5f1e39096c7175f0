"""What might an answer look like? A text that a model makes up finds passages that use the words of answers."""

from __future__ import annotations

from dataclasses import replace

from footnote.model_calls import complete
from footnote.ports import Models
from footnote.text.untrusted import untrusted
from footnote.types import Message, Query, Turn

PROMPT = "Write two sentences that could stand in a document and answer this question, in its language:\n\n{}"
WEIGHT = 0.5
"""Of what it finds, beside what the question itself finds."""
LIMIT_S, REPLY_TOKENS = 12.0, 200


async def write_hyde(turn: Turn, *, models: Models) -> Turn:
    """One query more, of kind `hypothetical`: it only finds evidence."""
    prompt = PROMPT.format(untrusted(turn.asked))
    text = await complete(models, turn.plan.model, [Message("user", prompt)], max_tokens=REPLY_TOKENS, timeout_s=LIMIT_S)
    query = Query(text, "hypothetical", WEIGHT, turn.lang)
    return replace(turn, queries=(*turn.queries, query))
