"""What a stored turn holds, for code that need not know what a turn is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from footnote.types import StoredMessage, StoredPassage, TurnRecord, Usage

TITLE_LENGTH = 120


def question_of(record: TurnRecord) -> str:
    """The question as it was asked."""
    return record["conversations"][0]["content"]


def title_of(record: TurnRecord) -> str:
    """The title of a conversation that begins with this turn: its question on one line, cut to TITLE_LENGTH characters."""
    question = " ".join(question_of(record).split())
    return question if len(question) <= TITLE_LENGTH else question[: TITLE_LENGTH - 1].rstrip() + "…"


def quoted_in(record: TurnRecord) -> Sequence[StoredPassage]:
    """All passages that the turn was made from: what it found, and what the conversation before it quotes."""
    return [*record["hits"], *record.get("leans_on", ())]


def trimmed(messages: Iterable[StoredMessage]) -> list[StoredMessage]:
    """The messages without an agent's tool calls and their results."""
    return [message for message in messages if message["role"] != "tool" and not message["tool_calls"]]


def usage_of(record: TurnRecord) -> Usage:
    """The tokens that the turn used. Turns of early versions do not hold which model used what."""
    usage = record["result"]["usage"]
    models = tuple((each["model"], each["prompt_tokens"], each["completion_tokens"]) for each in usage.get("models", ()))
    return Usage(usage["prompt_tokens"], usage["completion_tokens"], usage["estimated"], models)


def started_at_of(record: TurnRecord) -> float:
    """Seconds since the epoch, to the millisecond."""
    return datetime.fromisoformat(record["created_at"]).timestamp()
