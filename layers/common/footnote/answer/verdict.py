"""Decides whether excerpts answer a question, and how certain that is. Without a language model.

`fitted.json` contains two logistic regressions over `features` for each regime: the vectors of the built-in embedder, those of another one,
and words alone. One estimates how likely an excerpt answers, fitted on what people ask of folders; it orders the excerpts, and an answer is
given where the wrong ones cost no more than the right ones are worth (`bench.fit`). The other estimates whether the question is related to
the collection at all: .5 is where all but a few unrelated questions are refused.

Excerpts without a code of the question are no answer, whatever the probability: 1AG40 is not 1AG41, and too few questions written by people
have one to fit a weight. A section that the question names by its number is one (`named_section`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from footnote.answer.choose import Quote, alone, candidates, shown_beside
from footnote.answer.features import GROUPS, NAMES, codes_missing, describe
from footnote.answer.linear import Linear, linear_of, read_fitted
from footnote.answer.named_section import are_of_kind, asks_for_all, quotes_of_sections
from footnote.answer.score_sentences import Question, Scored
from footnote.text.codes import codes_in
from footnote.text.identifiers import identifiers
from footnote.text.message_kinds import EMBEDDER
from footnote.text.names import find_names
from footnote.text.tokens import content_terms
from footnote.types import MEDIUM, Hit, Matrix, Reason, Tier, Verdict

FITTED = Path(__file__).with_name("fitted.json")
Regime = Literal["built-in", "other", "words"]
MOST_COMPARED = 12
"""Excerpts of a question that are judged, the best by their sentences."""
RELATED_FROM = 0.5
"""Passages are shown where the question is related, or one is as likely to answer as hardly any is to an unrelated question."""
RARE = 0.7
"""The weight of a name that few passages have, as a share of that of one which no passage has."""
MOST_REASONS = 3
NOTHING = Verdict("nothing", "unrelated")


@dataclass(frozen=True, slots=True)
class Decision:
    """The excerpts to show, and why."""

    quotes: list[Quote]
    verdict: Verdict


@cache
def _fitted() -> dict[str, Any]:
    """`fitted.json`."""
    return read_fitted(FITTED, NAMES)


@cache
def _models(regime: Regime) -> tuple[Linear, Linear]:
    """(whether an excerpt answers, whether the question is related)."""
    fitted = _fitted()["regimes"][regime]
    return linear_of(fitted["answers"], NAMES), linear_of(fitted["related"], NAMES)


def answer_from() -> float:
    """The probability from which an excerpt is an answer."""
    return float(_fitted()["answer_from"])


def regime_of(question: Question, embedder: str) -> Regime:
    """`embedder`: the name of the one whose vectors the question was compared by."""
    if not question.by_vectors:
        return "words"
    return "built-in" if embedder.startswith(EMBEDDER) else "other"


def decide_tier(question: Question, sentences: Sequence[Scored], hits: Sequence[Hit], embedder: str = "") -> Decision:
    """The tier of an answer, with its excerpts. `sentences`: those of the hits; `embedder`: as of `regime_of`."""
    of_sections = quotes_of_sections(question, sentences)
    quotes = of_sections or list(islice(candidates(sentences), MOST_COMPARED))
    if not quotes:
        return Decision([], NOTHING)
    answers, related = _models(regime_of(question, embedder))
    features = describe(question, quotes, sentences, hits)
    likely = answers.probability(features)
    order = sorted(range(len(quotes)), key=lambda at: -likely[at])
    ordered, probabilities = [quotes[at] for at in order], [float(likely[at]) for at in order]
    relation = float(related.probability(features[order[0]]))
    missing = question.words_without(frozenset[str]().union(*(sentence.held for sentence in sentences)))
    tier, because = _tier(probabilities[0], relation, is_quotable=ordered[0].best.quotable or ordered[0].best.introduces)
    shown = shown_beside(ordered, probabilities, question.lang, is_certain=tier == "answer")
    if tier == "answer" and codes_missing(codes_in(question.text), shown):
        tier, because = "closest", "lacks_code"
        shown = shown_beside(ordered, probabilities, question.lang, is_certain=False)
    if of_sections and not are_of_kind(question, of_sections):
        tier, because = "closest", "likely"
        shown = shown_beside(ordered, probabilities, question.lang, is_certain=False)
    elif of_sections and asks_for_all(question, of_sections):
        tier, because, shown = "answer", "sure", of_sections
    elif tier == "nothing" and (of_sections or _has_names(question, ordered)):
        tier, because = "closest", "likely"
    reasons = _reasons(answers, features[order[0]])
    verdict = Verdict(tier, because, round(probabilities[0], 3), answer_from(), round(relation, 3), RELATED_FROM, missing, reasons)
    return Decision(shown if tier != "nothing" else [], verdict)


def _has_names(question: Question, quotes: Sequence[Quote]) -> bool:
    """Whether an excerpt has all the names of settings or programs that the question has, as written, or the rare names of persons
    and things: it is related, whatever it means."""
    names = frozenset(identifiers(question.text))
    if names:
        return names <= frozenset(identifiers(quotes[0].text))
    named = [frozenset(content_terms(name, question.lang)) for name in find_names(question.text, question.lang)]
    rare = [terms for terms in named if any(question.weights.get(term, 0.0) >= RARE * question.most for term in terms)]
    return bool(rare) and any(all(terms <= quote.best.held for terms in rare) for quote in quotes)


def _tier(probability: float, relation: float, *, is_quotable: bool) -> tuple[Tier, Reason]:
    if relation < RELATED_FROM:
        return ("nothing", "unrelated") if probability < answer_from() else ("closest", "likely")
    if probability >= answer_from() and is_quotable:
        return "answer", "sure"
    return "closest", "likely" if probability >= MEDIUM else "unsure"


def _reasons(model: Linear, row: Matrix) -> tuple[str, ...]:
    """The strongest reasons for (+) and against (−) the excerpt, strongest first: groups of features."""
    sums: dict[str, float] = {}
    for column, part in model.parts(row):
        group = GROUPS[NAMES[column]]
        sums[group] = sums.get(group, 0.0) + part
    strongest = sorted(sums, key=lambda group: -abs(sums[group]))[:MOST_REASONS]
    return tuple(f"{group}{'+' if sums[group] > 0 else '-'}" for group in strongest)


def relatedness(question: Question, sentences: Sequence[Scored], hits: Sequence[Hit], embedder: str = "") -> dict[str, float]:
    """Chunk id → how related the best excerpt of a passage is to the question, 0 to 1; .5: about as much as what unrelated questions
    find at most."""
    best: dict[str, Quote] = {}
    for quote in candidates(sentences):
        best.setdefault(quote.hit.chunk.chunk_id, quote)
    for sentence in sorted(sentences, key=lambda sentence: -sentence.score):
        if sentence.hit.chunk.chunk_id not in best:
            best[sentence.hit.chunk.chunk_id] = alone(sentence)
    if not best:
        return {}
    _, related = _models(regime_of(question, embedder))
    probabilities = related.probability(describe(question, [*best.values()], sentences, hits))
    return {chunk_id: float(probability) for chunk_id, probability in zip(best, probabilities, strict=True)}
