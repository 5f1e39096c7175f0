"""The confidence in an answer: its level, and what lowers it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answer.confidence import assess_confidence, confidence_of, has_conflicts
from footnote.turn_records.restore import restore
from footnote.types import Answer, Citation, Confidence, Hit, Outcome, Turn
from tests.deps import FakeDeps, run_step
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import Stored, score
from tests.turns import make_turn, stored

BRIDGE = "The bridge over the river was built in 1894 by Ada Berg. It is painted blue every ten years."


def cite(hit: Hit, number: int = 1, sentence: str | None = None) -> Citation:
    text = sentence or hit.chunk.text.split(". ")[0] + "."
    start = hit.chunk.text.index(text)
    return Citation(number, hit, text, bounds=((start, start + len(text)),), spans=((0, 3),))


async def assessed(question: str, *texts: str, outcome: Outcome | None = None) -> Turn:
    hits = tuple(make_hit(text, f"d{i}") for i, text in enumerate(texts))
    answer = Answer("[1]", tuple(cite(hit, i) for i, hit in enumerate(hits, start=1)), extractive=True)
    turn = replace(make_turn(question, hits=hits), answer=answer, outcome=outcome)
    done = await run_step(assess_confidence, turn, FakeDeps(index=Stored(*hits)))
    assert isinstance(done, Turn)
    return done


async def assess(question: str, *texts: str, outcome: Outcome | None = None) -> Confidence:
    return confidence_of(await assessed(question, *texts, outcome=outcome))


@pytest.mark.parametrize(
    ("score", "sufficient", "level"),
    [
        (0.0, True, "low"),
        (0.29, True, "low"),
        (0.3, True, "medium"),
        (0.555, True, "medium"),
        (0.556, True, "high"),
        (0.99, False, "medium"),
    ],
)
def test_a_level_is_a_range_of_scores_and_high_needs_enough_context(score: float, sufficient: bool, level: str) -> None:
    assert Confidence(relevance=score, grounding=1.0, sufficient=sufficient).level == level


async def test_a_whole_match_is_sufficient() -> None:
    found = await assess("When was the bridge over the river built?", BRIDGE)
    assert (found.coverage, found.missing, found.conflicts, found.sufficient, found.grounding) == (1.0, (), False, True, 1.0)
    assert found.relevance > 0.5


async def test_a_foreign_name_lowers_the_relevance() -> None:
    plain = await assess("When was the bridge over the river built?", BRIDGE)
    assert (await assess("When was the bridge over the river built by Eiffel?", BRIDGE)).relevance < plain.relevance - 0.05


async def test_a_name_that_is_missing_is_an_insufficient_context() -> None:
    found = await assess("When was the bridge over the river built by Eiffel?", BRIDGE)
    assert (found.missing, found.sufficient) == (("Eiffel",), False)
    assert 0 < found.coverage < 1


@pytest.mark.parametrize(
    ("question", "weights", "missing"),
    [
        ("How long may a coach of 150 passengers wait at the bridge?", {}, ("coach", "150", "passengers", "wait")),
        ("Are coaches allowed on the bridge?", {}, ("coaches",)),
        ("Are coaches allowed on the bridge?", {"coach": 3.5}, ()),  # more than one passage in fifty has the word
        ("Was the bridge that Eiffel built painted by Ada Berg?", {"eiffel": 3.5}, ("Eiffel",)),
    ],
)
async def test_missing_words_are_names_and_rare_terms(question: str, weights: dict[str, float], missing: tuple[str, ...]) -> None:
    hit = make_hit(BRIDGE)
    turn = replace(make_turn(question, hits=(hit,)), answer=Answer("[1]", (cite(hit),), extractive=True))
    rare = dict.fromkeys(("coach", "passeng", "wait", "150"), 7.0)
    index = Stored(hit, weights={**rare, **weights})
    assert confidence_of(await run_step(assess_confidence, turn, FakeDeps(index=index))).missing == missing


@pytest.mark.parametrize("outcome", ["closest", "refused"])
async def test_without_an_answer_there_is_no_confidence(outcome: Outcome) -> None:
    found = await assess("When was the bridge over the river built?", BRIDGE, outcome=outcome)
    assert (found.score, found.level, found.sufficient) == (0.0, "low", False)


def test_a_turn_that_was_not_assessed_has_none() -> None:
    assert confidence_of(make_turn("Hello!")) == Confidence()


async def test_a_stored_turn_keeps_its_confidence() -> None:
    turn = await assessed("When was the bridge of Zanzibar built?", BRIDGE)
    found = confidence_of(turn)
    assert (found.missing, found.relevance > 0) == (("Zanzibar",), True)
    assert confidence_of(restore(make_turn(), stored(turn), {})) == found


@pytest.mark.parametrize(("cited", "conflicts"), [("The bridge was built in 1894.", True), ("Nobody lives there.", False)])
async def test_other_figures_than_the_cited_ones_are_conflicts(cited: str, conflicts: bool) -> None:
    hits = make_hit("The bridge was built in 1894. Nobody lives there.", "a"), make_hit("The bridge was built in 1931.", "b")
    _, sentences = await score("When was the bridge built?", *hits)
    assert has_conflicts(Answer("", (cite(hits[0], 1, cited),)), sentences, "en") is conflicts
