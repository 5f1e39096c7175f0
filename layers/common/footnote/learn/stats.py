"""Statistics of turns: number, tokens, cost, latency and feedback by user, room, search type, model, day, …

Days are UTC. Percentiles are nearest rank, from histograms whose buckets are narrower than 0.8 % of the latency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote.settings import LLM
from footnote.turn_records.tallies import Key, merge
from footnote.types import ModelUsage, Tally, Usage
from footnote.types.copies import replace

By = Literal["user", "room", "search_type", "llm", "day", "hour", "collection", "outcome"]

FIELDS: Mapping[str, Callable[[Tally], str | None]] = {
    "user": lambda tally: tally.user_id,
    "room": lambda tally: tally.room_id,
    "search_type": lambda tally: tally.search_type,
    "llm": lambda tally: tally.llm,
    "day": lambda tally: tally.day,
    "hour": lambda tally: tally.day,
    "collection": lambda tally: tally.collection,
    "outcome": lambda tally: tally.ended,
}
KEYS: Mapping[By, tuple[str, ...]] = {
    "user": ("user",),
    "room": ("user", "room"),  # two people may use the same room id
    "search_type": ("search_type",),
    "llm": ("llm",),
    "day": ("day",),
    "hour": ("hour",),
    "collection": ("collection",),
    "outcome": ("outcome",),
}
ANSWERED = frozenset({"answered", "cached", "faq"})
REFUSED = frozenset({"no_hits", "refused", "blocked", "forbidden"})


@dataclass(frozen=True, slots=True)
class Figures:
    """`answered`, `closest`, `refusals`: the three tiers. closest: the closest passages are shown instead of an answer; refusals:
    neither is shown although nothing failed (nothing found, nothing close, blocked, forbidden); `forbidden`: those of them that a
    forbidden term refused. `cache_hits`: turns whose answer or search result came from a cache. `cost`: of all tokens at current
    prices; None = a model that was used has no price."""

    turns: int
    errors: int
    answered: int
    closest: int
    refusals: int
    forbidden: int
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


def figures_of(tallies: Iterable[Tally], prices: LLM | None = None, used: Mapping[str | None, tuple[int, int]] | None = None) -> Figures:
    """The figures of these turns. `used`: the tokens to count instead of all that these turns used."""
    tallies = list(tallies)
    total = _total(tallies)
    tokens = [ModelUsage(model, Usage(*both)) for model, both in (total.used if used is None else used).items()]
    prompt, completion = sum(usage.usage.prompt_tokens for usage in tokens), sum(usage.usage.completion_tokens for usage in tokens)

    def ended(*outcomes: str) -> int:
        return sum(tally.turns for tally in tallies if tally.ended in outcomes)

    return Figures(
        turns=total.turns,
        errors=total.errors,
        answered=ended(*ANSWERED),
        closest=ended("closest"),
        refusals=ended(*REFUSED),
        forbidden=ended("forbidden"),
        cache_hits=total.cache_hits,
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=prompt + completion,
        latency_p50_ms=percentile_of(total.latencies, 0.5),
        latency_p95_ms=percentile_of(total.latencies, 0.95),
        feedback_up=total.feedback_up,
        feedback_down=total.feedback_down,
        cost=prices.cost(tokens) if prices else None,
    )


def roll_up(tallies: Sequence[Tally], by: By, prices: LLM | None = None) -> list[Group]:
    """One group per value, sorted by value, None first."""
    names = KEYS[by]
    groups: dict[tuple[str | None, ...], list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(tuple(FIELDS[name](tally) for name in names), []).append(tally)
    used: dict[tuple[str | None, ...], dict[str | None, tuple[int, int]]] = {}
    if by == "llm":
        used = {values: {} for values in groups} | {(model,): {model: both} for model, both in _total(tallies).used.items()}
    ordered = sorted({*groups, *used}, key=lambda values: [(value is not None, value or "") for value in values])
    return [
        Group(dict(zip(names, values, strict=True)), figures_of(groups.get(values, []), prices, used.get(values))) for values in ordered
    ]


def cited_documents(tallies: Iterable[Tally]) -> dict[str, tuple[int, int, int]]:
    """Document → (turns that cite it, thumbs up on them, thumbs down)."""
    return dict(_total(tallies).cited)


def percentile_of(histogram: Mapping[int, int], share: float) -> float:
    """The value that `share` (0..1) of the counted values do not exceed, by nearest rank; 0 if there are none."""
    left = max(1, math.ceil(share * sum(histogram.values())))
    for value in sorted(histogram):
        left -= histogram[value]
        if left <= 0:
            return float(value)
    return 0.0


def own_feedback(tally: Tally) -> Tally:
    """The tally with the feedback of the turns' own users only."""
    return replace(tally, feedback_up=tally.own_up, feedback_down=tally.own_down)


def _total(tallies: Iterable[Tally]) -> Tally:
    everything: Key = ("", None, None, "", "", "", None)
    return next(iter(merge(tallies, lambda _: everything)), Tally(*everything))
