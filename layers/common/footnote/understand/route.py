"""Chooses the search strategy by the kind of question, within the limits of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from footnote.ports import Embedder, embedded_languages, speaks
from footnote.text.particulars import count_negations
from footnote.types import BY_DOCUMENT, FURTHER, WORDED_LANGUAGES, Choice, Classification, Intent, OptionName, Plan, Strategy, Turn
from footnote.types.copies import replace

SPENDS_MORE = ("enhanced", "maximum")
"""Levels at which a strategy may switch on what costs something (`Means.adds`)."""
SHORT = 10
"""A question for a fact of no more words is short."""


@dataclass(frozen=True, slots=True)
class Means:
    """The parts of a strategy. `top_k`: number of passages if the request sets none. `keeps`: those of ROUTED that stay as planned; the
    others are switched off. `uses`: options switched on at every level, because they need no model. `adds`: options switched on at the
    costlier levels, `mmr` only if it suits the intent. `pool`: number of passages to rank, if anything ranks them."""

    top_k: int
    keeps: frozenset[OptionName] = frozenset()
    adds: frozenset[OptionName] = frozenset()
    uses: frozenset[OptionName] = frozenset()
    pool: int = 0


RANKED: frozenset[OptionName] = frozenset({"hybrid", "rerank"})
STRATEGIES: Mapping[Strategy, Means] = {
    "DENSE_ONLY": Means(5),
    "HYBRID": Means(10, RANKED),
    "FUSION": Means(20, RANKED | {"paraphrases", "hypothetical", "step_back", "feedback_query", *FURTHER}, frozenset({"mmr", "sandwich"})),
    "TWO_STAGE": Means(10, RANKED | {"late_interaction", "graph"}, pool=50),
    "HIERARCHICAL": Means(
        10,
        RANKED | {"paraphrases", "summary_tree", "graph"},
        frozenset({"mmr", "expand_documents", "sandwich"}),
        frozenset({BY_DOCUMENT}),
    ),
}
ROUTED: frozenset[OptionName] = frozenset().union(*(means.keeps for means in STRATEGIES.values()))
"""The options that a strategy may leave out. The others are as the plan has them."""
REASONS: Mapping[Intent, tuple[Strategy, str]] = {
    "COMPARISON": ("FUSION", "a comparison"),
    "ANALYTICAL": ("FUSION", "reasons or consequences"),
    "SUMMARY": ("HIERARCHICAL", "a summary"),
    "LIST": ("HIERARCHICAL", "a list"),
}


def is_classified(turn: Turn) -> bool:
    """It is known what kind of question it is."""
    return turn.reading.classification is not None


async def route(turn: Turn, *, embedder: Embedder | None) -> Turn:
    """Sets the plan's strategy and switches off the options that it does not use. The numbers of passages and the chunk levels follow it
    unless the request sets them."""
    kind = turn.reading.classification or Classification()
    if turn.plan.assignment is not None and turn.plan.assignment.arm.strategy is not None:
        return follow(turn, turn.plan.assignment.arm.strategy, turn.plan.assigned_because, embedder)
    strategy, because = choose_strategy(kind, turn.asked, turn.plan, facts_by_vectors=_takes_facts_by_vectors(turn))
    if turn.reading.divided and len(turn.answered) > 1 and strategy != "DENSE_ONLY":
        strategy, because = "FUSION", "several questions"
    return follow(turn, strategy, because, embedder)


def _takes_facts_by_vectors(turn: Turn) -> bool:
    """Where the kind of question is known: elsewhere each is taken for a fact, and many would lose by it."""
    return turn.profile.facts_by_vectors and turn.lang in WORDED_LANGUAGES


def follow(turn: Turn, strategy: Strategy, because: str, embedder: Embedder | None) -> Turn:
    """The turn as this strategy searches for it."""
    kind, means = turn.reading.classification or Classification(), STRATEGIES[strategy]
    keeps = means.keeps | {"graph"} if kind.hints.use_kg_enhancement else means.keeps
    changes = dict.fromkeys(sorted(ROUTED - keeps), False) | dict.fromkeys(sorted(means.uses), True)
    if turn.plan.level in SPENDS_MORE:
        changes |= {name: True for name in sorted(means.adds) if name != "mmr" or kind.hints.use_mmr}
    plan = replace(turn.plan.routed(strategy, because, changes), least_pool=means.pool)
    if turn.profile.routed and turn.request.limit is None:
        plan = replace(plan, limit=max(means.top_k, kind.hints.suggested_top_k))
    if turn.profile.routed and turn.request.levels is None:
        plan = replace(plan, levels=kind.levels)
    return replace(turn, plan=_by_words(plan, turn.lang, embedder))


def choose_strategy(kind: Classification, question: str, plan: Plan, *, facts_by_vectors: bool = False) -> tuple[Strategy, str]:
    """The strategy for a question, and why."""
    if not plan.wants("hybrid"):
        return "DENSE_ONLY", plan.choices["hybrid"].because
    if plan.level == "maximum":
        return "FUSION", "level maximum"
    if kind.is_multi_hop:
        return "FUSION", "several steps"
    if kind.intent in REASONS:
        return REASONS[kind.intent]
    if kind.entities or count_negations(question):
        return "TWO_STAGE", "names, numbers or a negation"
    if facts_by_vectors and kind.type == "factual" and len(question.split()) <= SHORT:
        return "DENSE_ONLY", "a short question for a fact"
    return "HYBRID", "a fact"


def _by_words(plan: Plan, lang: str, embedder: Embedder | None) -> Plan:
    """Says in the plan that words are searched for where vectors cannot be: the search does so by itself."""
    if plan.wants("hybrid") or speaks(embedder, lang):
        return plan
    missing = f"the embedder does not support {lang}" if embedder and embedded_languages(embedder) else "there is no embedder"
    because = f"words are searched for: {missing}"
    choices = {**plan.choices, "hybrid": Choice(True, because)}
    return replace(plan, choices=choices, strategy_because=f"{plan.strategy_because}; {because}")
