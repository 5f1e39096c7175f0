"""Reads fields of a stored turn, for code that does not work with turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from footnote.types import (
    Confidence,
    ModelSource,
    ModelUsage,
    StoredHit,
    StoredMessage,
    StoredModelUsage,
    StoredPassage,
    StoredReference,
    StoredUsage,
    TurnRecord,
    Usage,
    usage_by_model,
    usage_of,
)

TITLE_LENGTH = 120
FORMER_STEPS: Mapping[str, str] = {
    "forbidden": "forbidden_check",
    "remote": "remote_search",
    "kdb": "knowledge_base",
    "paraphrase": "paraphrases",
    "documents": "documents_first",
    "duplicates": "drop_duplicates",
    "diversify": "mmr",
    "judge": "judge_passages",
    "verify": "verify_passages",
    "hints": "feedback_hints",
    "vote": "ensemble_voting",
    "support": "support_check",
    "injection": "injection_check",
    "extract": "quote",
    "nothing": "no_hits",
    "answer": "generate",
}
"""A step's name in turns that an earlier version stored → its present name."""


def question_of(record: TurnRecord) -> str:
    """The question as it was asked."""
    return question_message(record)["content"]


def question_message(record: TurnRecord) -> StoredMessage:
    """The message with the question. In a room's first turn the system prompt precedes it."""
    return next(message for message in record["conversations"] if message["role"] == "user")


def title_of(record: TurnRecord) -> str:
    """The title of a conversation that begins with this turn: its question on one line, cut to TITLE_LENGTH characters."""
    question = " ".join(question_of(record).split())
    return question if len(question) <= TITLE_LENGTH else question[: TITLE_LENGTH - 1].rstrip() + "…"


def shown_title(stored: StoredHit | StoredReference) -> str:
    """As `Chunk.shown_title`."""
    return f"{stored['title']} ({stored['file']})" if "file" in stored else stored["title"]


def standalone_of(record: TurnRecord) -> str:
    """The question in a form that needs no conversation."""
    return " ".join(record["result"]["search_decision"]["rewritten_query"]) or question_of(record)


def passages_of(record: TurnRecord) -> list[str]:
    """The ids of the passages that the answer was written from: the cited ones first, in the order of their numbers."""
    numbers = {cited["chunk_id"]: cited["index"] for cited in reversed(record["result"]["references"])}
    last = len(record["hits"]) + max(numbers.values(), default=0)
    return [hit["passage"] for hit in sorted(record["hits"], key=lambda hit: numbers.get(hit["chunk_id"], last))]


def quoted_in(record: TurnRecord) -> Sequence[StoredPassage]:
    """All passages that the turn depends on: its hits and the passages quoted by the conversation before it."""
    return [*record["hits"], *record.get("leans_on", ())]


def documents_of(record: TurnRecord) -> tuple[str, ...]:
    """The ids of all documents that the turn depends on, each once."""
    return tuple(dict.fromkeys(passage["doc_id"] for passage in quoted_in(record)))


def trimmed(messages: Iterable[StoredMessage]) -> list[StoredMessage]:
    """The messages without an agent's tool calls and their results."""
    return [message for message in messages if message["role"] != "tool" and not message["tool_calls"]]


def model_usage_of(record: TurnRecord) -> tuple[ModelUsage, ...]:
    """The tokens of each model. Records of early versions have no usage per model: their tokens are attributed to the model that
    answered."""
    stored = record["result"]["usage"]
    named = [ModelUsage(part["model"], _tokens(part, stored["estimated"])) for part in stored.get("models", ())]
    total, named_total = _tokens(stored, stored["estimated"]), usage_of(named)
    rest = Usage(total.prompt_tokens - named_total.prompt_tokens, total.completion_tokens - named_total.completion_tokens, total.estimated)
    return usage_by_model([*named, ModelUsage(record["llm"], rest)])


def step_usage_of(detail: Mapping[str, Any]) -> tuple[ModelUsage, ...]:
    """The tokens of each model that a step called, by the detail of its span; () = none, or not known: turns of early versions."""
    return tuple(ModelUsage(part["model"], _tokens(part, estimated=False)) for part in detail.get("used", ()))


def confidence_of(record: TurnRecord) -> Confidence | None:
    """How much the answer can be relied on; None = it was not assessed."""
    noted = record.get("private", {}).get("confidence")
    return Confidence(**noted | {"missing": tuple(noted["missing"])}) if noted else None


def model_source_of(record: TurnRecord) -> ModelSource | None:
    """Why the turn had no model; None if it had one, or its user was not an admin."""
    stored = record.get("llm_source")
    if stored is None:
        return None
    looked_for = tuple((name, port) for name, port in stored["looked_for"])
    return ModelSource(stored["state"], stored["server"], stored["address"], looked_for=looked_for)


def started_at_of(record: TurnRecord) -> float:
    """When the turn started, in seconds since the epoch, to the millisecond."""
    return datetime.fromisoformat(record["created_at"]).timestamp()


def _tokens(part: StoredUsage | StoredModelUsage, estimated: bool) -> Usage:
    return Usage(part["prompt_tokens"], part["completion_tokens"], estimated)
