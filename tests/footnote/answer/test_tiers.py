"""Whether the documents answer a question, may answer it, or have nothing on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from footnote.answer.score_sentences import Question, Scored
from footnote.answer.tiers import BY_WORDS, NOTHING, WITH_VECTORS, Line, Thresholds, judge, score_evidence
from footnote.types import Verdict
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import score

BRIDGE = "The bridge was built in 1894. It is painted blue today. Nobody lives on it."
VECTOR = np.array([1.0, 0.0], np.float32)


def arrays(cosine: float, passage_cosine: float) -> dict[str, Any]:
    """Vectors of BRIDGE with these cosines of the first sentence and the passage; the other sentences' cosine is 0."""
    first = round(cosine * 127)
    return {"vectors": np.array([[first, 0], [0, 127], [0, 127]], np.int8), "passage": np.array([passage_cosine, 0], np.float32)}


@dataclass(frozen=True)
class Fixed:
    """Thresholds without a formula."""

    closest: Line
    answer: float

    def relevant_from(self, median: float) -> float:
        return self.closest.at(median)

    def answer_from(self, median: float) -> float:
        return self.answer


def at(question: Question, sentences: list[Scored], *, closest: float, answer: float, picked: list[Scored] | None = None) -> Verdict:
    """The verdict where passages are shown from `closest` on and an answer is given from `answer` on."""
    fixed = Fixed(Line(0.0, closest, closest), answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("footnote.answer.tiers.WITH_VECTORS", fixed)
        patch.setattr("footnote.answer.tiers.BY_WORDS", {"en": fixed})
        return judge(question, sentences, sentences[:1] if picked is None else picked, 0.0)


# --- scores --------------------------------------------------------------------------------------


async def test_the_score_is_that_of_what_may_be_quoted() -> None:
    question, found = await score("When was the bridge painted?", make_hit(BRIDGE), vector=VECTOR, **arrays(0.8, 0.5))
    best = max(found, key=lambda each: each.score)
    whole = score_evidence(question, found)
    assert score_evidence(question, [best]) == whole
    assert score_evidence(question, [replace(each, quotable=False) for each in found]) == NOTHING
    assert score_evidence(question, []) == NOTHING


async def test_nearer_vectors_and_more_words_score_higher() -> None:
    async def of(text: str, cosine: float, passage_cosine: float) -> float:
        return score_evidence(*await score(text, make_hit(BRIDGE), vector=VECTOR, **arrays(cosine, passage_cosine)))

    base = await of("When was the bridge painted?", 0.4, 0.4)
    assert await of("When was the bridge painted?", 0.6, 0.4) > base
    assert await of("When was the bridge painted?", 0.4, 0.6) > base
    assert await of("When was the bridge sold?", 0.4, 0.4) < base


async def test_by_words_a_term_that_occurs_nowhere_lowers_the_score_in_german() -> None:
    hit, weights = make_hit(BRIDGE), {"": 4.0, "bridg": 1.0, "sold": 3.9, "zebra": 4.0}
    known = await score("bridge sold?", hit, lang="de", weights=weights)
    unknown = await score("bridge zebra?", hit, lang="de", weights=weights)
    assert score_evidence(*unknown) < score_evidence(*known) - 1


@pytest.mark.parametrize(("lang", "counts"), [("en", True), ("de", True), ("ko", False)])
async def test_by_words_the_best_passage_of_lexical_search_counts_but_not_of_bigrams(lang: str, counts: bool) -> None:
    hit = make_hit(BRIDGE)
    question, found = await score("bridge painted?", hit, lang=lang)
    better = [replace(each, hit=replace(hit, scores={"bm25": 20.0})) for each in found]
    assert (score_evidence(question, better) > score_evidence(question, found)) is counts


# --- thresholds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("thresholds", [WITH_VECTORS, *BY_WORDS.values()])
def test_passages_are_shown_before_an_answer_is_given_whatever_the_median(thresholds: Thresholds) -> None:
    for median in (NOTHING, -4.0, 0.0, 3.0):
        assert thresholds.closest.at(median) <= thresholds.relevant_from(median) < thresholds.answer_from(median)
    assert thresholds.closest.slope > 0


LINE = Line(slope=0.5, offset=1.0, least=-1.5)


@pytest.mark.parametrize(("median", "closest", "answer"), [(2.0, 2.0, 3.0), (-4.0, -1.0, 0.0), (NOTHING, -1.5, -0.5)])
def test_the_median_shifts_both_thresholds_down_to_the_least(median: float, closest: float, answer: float) -> None:
    some = Thresholds(LINE, LINE, answer=1.0)
    assert (some.closest.at(median), some.answer_from(median)) == (closest, answer)


def test_in_a_small_collection_more_is_shown_and_nothing_more_is_sure() -> None:
    low = Thresholds(LINE._replace(least=-3.0), LINE, answer=1.0)
    assert (low.closest.at(-6.0), low.relevant_from(-6.0), low.answer_from(-6.0)) == (-2.0, -1.5, -0.5)
    assert low.closest.at(NOTHING) == -3.0


@pytest.mark.parametrize("by_vectors", [True, False])
@pytest.mark.parametrize("lang", ["en", "de", "ko", "zh"])
async def test_each_language_and_way_of_scoring_has_its_thresholds(lang: str, by_vectors: bool) -> None:
    given = {"vector": VECTOR, **arrays(0.4, 0.4)} if by_vectors else {}
    question, found = await score("Forth 1894?", make_hit(BRIDGE), lang=lang, **given)
    verdict = judge(question, found, found[:1], -3.0)
    thresholds = WITH_VECTORS if by_vectors else BY_WORDS["en" if lang == "zh" else lang]
    assert verdict.closest_from == round(thresholds.closest.at(-3.0), 2)
    assert verdict.answer_from == round(thresholds.answer_from(-3.0), 2)


# --- tiers ---------------------------------------------------------------------------------------


async def test_the_score_decides_between_an_answer_the_closest_passages_and_nothing() -> None:
    question, found = await score("When was the bridge sold?", make_hit(BRIDGE))
    reached = score_evidence(question, found)
    verdicts = [
        at(question, found, closest=reached - 1, answer=reached),
        at(question, found, closest=reached, answer=reached + 0.01),
        at(question, found, closest=reached + 0.01, answer=reached + 0.02),
    ]
    assert [(each.tier, each.because) for each in verdicts] == [("answer", "sure"), ("closest", "unsure"), ("nothing", "unrelated")]
    assert {(each.score, each.missing) for each in verdicts} == {(round(reached, 2), ("sold",))}


async def test_close_passages_without_a_sentence_to_quote_are_shown() -> None:
    question, found = await score("When was the bridge sold?", make_hit(BRIDGE))
    verdict = at(question, found, closest=-99, answer=-98, picked=[])
    assert (verdict.tier, verdict.because) == ("closest", "no_sentence")


@pytest.mark.parametrize(
    ("text", "lang", "tier"),
    [
        ("When was the Forth bridge built?", "en", "closest"),  # a name that no passage has
        ("Was the bridge built in 1895?", "en", "closest"),  # a number
        ("Forth bridge built", "en", "answer"),  # the first word has a capital anyway
        ("When was the bridge sold?", "en", "answer"),
        ("Wer hat die Steuer der bridge?", "de", "answer"),  # every German noun has a capital
        ("Gab es die bridge 1895?", "de", "closest"),
    ],
)
async def test_passages_without_a_name_or_number_of_the_question_do_not_answer_it(text: str, lang: str, tier: str) -> None:
    question, found = await score(text, make_hit(BRIDGE), lang=lang)
    verdict = at(question, found, closest=-99, answer=-98)
    assert (verdict.tier, verdict.because) == (tier, "sure" if tier == "answer" else "lacks_name")


@pytest.mark.parametrize(
    ("text", "title", "tier"),
    [
        ("Was the bridge built in 1894?", "plan", "closest"),
        ("Is the bridge painted in 1894?", "plan", "nothing"),  # in two sentences
        ("Is the bridge painted blue?", "bridge", "closest"),  # in a sentence with its title
        ("Was the bridge built?", "plan", "nothing"),  # by words alone, two are in anything
    ],
)
async def test_a_passage_with_every_word_of_the_question_in_a_sentence_is_always_shown(text: str, title: str, tier: str) -> None:
    question, found = await score(text, make_hit(BRIDGE, title))
    assert at(question, found, closest=98, answer=99).tier == tier
    unquotable = [replace(each, quotable=False) for each in found]
    assert at(question, unquotable, closest=98, answer=99).tier == "nothing"


async def test_a_passage_below_a_heading_that_is_the_question_is_shown() -> None:
    for heading, tier in (("The bridge", "closest"), ("The bridges and towers", "nothing")):
        question, found = await score("Where is the bridge?", make_hit("It is painted blue today.", "plan", headings=(heading,)))
        assert at(question, found, closest=98, answer=99).tier == tier


async def test_a_sentence_that_defines_what_is_asked_for_answers_and_one_that_may_is_shown() -> None:
    for text, tier in (
        ("A footbridge is a bridge for walkers.", "answer"),
        ("Footbridge: for walkers.", "closest"),
        ("The footbridge holds.", "nothing"),
    ):
        question, found = await score("what is a footbridge", make_hit(text, "plan"))
        assert at(question, found, closest=98, answer=99).tier == tier


async def test_a_sentence_that_says_what_an_abbreviation_means_answers() -> None:
    for text, tier in (("The Old Bridge Rule (OBR) holds.", "answer"), ("The OBR holds.", "nothing")):
        question, found = await score("what does obr mean", make_hit(text, "plan"))
        assert at(question, found, closest=98, answer=99).tier == tier


@pytest.mark.parametrize(("text", "tier"), [("Who lives there?", "closest"), ("Was the bridge built?", "closest"), ("Who?", "nothing")])
async def test_where_vectors_tell_what_is_near_so_is_one_with_a_few_words(text: str, tier: str) -> None:
    question, found = await score(text, make_hit(BRIDGE), vector=VECTOR, **arrays(0.1, 0.1))
    assert at(question, found, closest=98, answer=99).tier == tier
