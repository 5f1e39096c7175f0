"""Statistics of turns: number, tokens, cost, latency and feedback by user, room, search type, model or day.

Days are UTC. Percentiles are nearest rank; they cannot be added up, so each group is made from its turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from typing import Literal, TypeVar

from footnote.learn.ranking_metrics import percentile
from footnote.ports import Rollup, TurnStore
from footnote.settings import LLM
from footnote.types import Caller, ModelUsage, TurnFigures, usage_of

K = TypeVar("K")

DAY_S = 86_400.0
By = Literal["user", "room", "search_type", "llm", "day"]

FIELDS: Mapping[str, Callable[[TurnFigures], str | None]] = {
    "user": lambda record: record.user_id,
    "room": lambda record: record.room_id,
    "search_type": lambda record: record.search_type,
    "llm": lambda record: record.llm,
    "day": lambda record: day_of(record.started_at).isoformat(),
}
KEYS: Mapping[By, tuple[str, ...]] = {
    "user": ("user",),
    "room": ("user", "room"),  # two people may use the same room id
    "search_type": ("search_type",),
    "llm": ("llm",),
    "day": ("day",),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """`closest`: turns that show the closest passages instead of an answer. `refusals`: turns that show neither although nothing
    failed (nothing found, nothing close, blocked).
    `cache_hits`: turns whose answer or search result came from a cache. `cost`: of all tokens at current prices; None = a model
    that was used has no price."""

    turns: int
    errors: int
    closest: int
    refusals: int
    cache_hits: int
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    latency_p50_ms: float
    latency_p95_ms: float
    feedback_up: int
    feedback_down: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """`key`: field → value, e.g. {"user": "ann", "room": "r1"}; an `llm` of None = no language model was used.
    Tokens and cost count for the model that used them, the rest of a turn for the one that answered, or used the most."""

    key: Mapping[str, str | None]
    figures: Figures


def day_of(at: float) -> date:
    """The day (UTC) of a time in seconds since the epoch."""
    return datetime.fromtimestamp(at, UTC).date()


def midnight(day: date) -> float:
    """When a day begins, in seconds since the epoch."""
    return datetime.combine(day, time.min, UTC).timestamp()


def figures_of(records: Sequence[TurnFigures], prices: LLM | None = None, used: Sequence[ModelUsage] | None = None) -> Figures:
    """The figures of these turns. `used`: the tokens to count instead of all that these turns used."""
    used = [each for record in records for each in record.used] if used is None else used
    usage = usage_of(used)
    latencies = [record.latency_ms for record in records]
    ratings = [feedback.rating for record in records for feedback in record.feedback]
    return Figures(
        turns=len(records),
        errors=sum(record.is_error for record in records),
        closest=sum(record.outcome == "closest" for record in records),
        refusals=sum(record.outcome in ("no_hits", "refused", "blocked", "forbidden") for record in records),
        cache_hits=sum(record.cache_hit for record in records),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens,
        latency_p50_ms=percentile(latencies, 0.5),
        latency_p95_ms=percentile(latencies, 0.95),
        feedback_up=ratings.count("up"),
        feedback_down=ratings.count("down"),
        cost=prices.cost(used) if prices else None,
    )


def roll_up(records: Iterable[TurnFigures], by: By, prices: LLM | None = None) -> list[Group]:
    """One group per value, sorted by value, None first."""
    names = KEYS[by]
    groups = _grouped(records, lambda record: tuple(FIELDS[name](record) for name in names))
    used: dict[tuple[str | None, ...], list[ModelUsage]] = {}
    if by == "llm":
        used = {values: [] for values in groups}
        for each in (each for group in groups.values() for record in group for each in record.used):
            used.setdefault((each.model,), []).append(each)
    ordered = sorted({*groups, *used}, key=lambda values: [(value is not None, value or "") for value in values])
    return [
        Group(dict(zip(names, values, strict=True)), figures_of(groups.get(values, []), prices, used.get(values))) for values in ordered
    ]


async def store_rollups(caller: Caller, at: float, *, turns: TurnStore) -> dict[str, int]:
    """Rebuilds the roll-ups of the day of `at` and of the day before; returns the number of rows of each day.

    Computes whole days from the stored turns, so repeated, late or out-of-order runs are harmless. The day before is included
    for its last hour and for late feedback.
    """
    stored: dict[str, int] = {}
    for day in (day_of(at - DAY_S), day_of(at)):
        records = await turns.figures(caller, midnight(day), midnight(day) + DAY_S)
        groups = _grouped(records, lambda record: (record.user_id, record.room_id, record.search_type))
        rollups = [Rollup(*key, _stored(figures_of(group)), _last_model(group)) for key, group in groups.items()]
        await turns.put_rollups(day.isoformat(), rollups)
        stored[day.isoformat()] = len(groups)
    return stored


def _stored(figures: Figures) -> dict[str, float]:
    """The figures without the cost, which depends on current prices."""
    return {name: value for name, value in asdict(figures).items() if value is not None}


def _last_model(records: Sequence[TurnFigures]) -> str | None:
    return next((record.llm for record in reversed(records) if record.llm), None)


def _grouped(records: Iterable[TurnFigures], key: Callable[[TurnFigures], K]) -> dict[K, list[TurnFigures]]:
    groups: dict[K, list[TurnFigures]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups
