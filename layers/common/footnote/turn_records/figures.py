"""The figures of a stored turn for statistics."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from footnote.ports import Rollup
from footnote.turn_records.read import documents_of, model_usage_of, question_of, started_at_of
from footnote.types import Feedback, ModelUsage, TurnFigures, TurnRecord, Usage


def figures_of(record: TurnRecord, feedback: tuple[Feedback, ...] = (), started_at: float | None = None) -> TurnFigures:
    """The figures of a turn, with the feedback on it. `started_at`: where the store has it among others, if that is known: a turn that
    was resumed keeps the place of its first beginning."""
    used = model_usage_of(record)
    return TurnFigures(
        trace_id=record["trace_id"],
        user_id=record["user_id"],
        room_id=record["room_id"],
        search_type=record["search_type"],
        llm=record["llm"] or _largest_user(used),
        question=question_of(record),
        started_at=started_at_of(record) if started_at is None else started_at,
        latency_ms=record["latency_ms"],
        outcome=record["outcome"],
        is_error=record["is_error"],
        used=used,
        cache_hit=record["outcome"] == "cached" or record.get("private", {}).get("search_cache", {}).get("hits", 0) > 0,
        cited=tuple(reference["chunk_id"] for reference in record["result"]["references"]),
        feedback=feedback,
        experiment=record.get("experiment"),
        collection=record["collection"],
        lang=record["lang"],
        documents=documents_of(record),
    )


def share_of(figures: TurnFigures) -> tuple[str, Rollup]:
    """The day of the turn (UTC, YYYY-MM-DD), and the turn's contribution to that day's roll-up as soon as it has ended. All other figures
    are computed from whole days."""
    usage = figures.usage
    added = {
        "turns": 1,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    day = datetime.fromtimestamp(figures.started_at, UTC).date().isoformat()
    return day, Rollup(figures.user_id, figures.room_id, figures.search_type, added, figures.llm)


def _largest_user(used: Sequence[ModelUsage]) -> str | None:
    """The model that used the most tokens."""
    return max(used, key=lambda model: model.usage.total_tokens, default=ModelUsage(None, Usage())).model
