"""Which excerpts answer together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from footnote.answer.choose import BESIDE, MOST, Quote, candidates, quote_of, shown_beside
from footnote.answer.excerpts import AROUND, ITEMS
from footnote.answer.score_sentences import Scored
from tests.fakes import make_hit
from tests.footnote.answer.passages import NONE, passage, scored

LESS = 0.05
SAID = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota", "kappa lambda my", "ny xi omikron"]


def one(text: str, score: float = 1.0, doc_id: str = "plan") -> list[Scored]:
    """The only sentence of a document."""
    return scored(make_hit(text, doc_id), {"": score})


def choose(sentences: Sequence[Scored], *, is_certain: bool = True) -> list[Quote]:
    """What is shown if each excerpt is as likely as its best sentence scores."""
    quotes = list(candidates(sentences))
    return shown_beside(quotes, [quote.best.score for quote in quotes], "en", is_certain=is_certain)


def chosen(sentences: Sequence[Scored], *, is_certain: bool = True) -> list[str]:
    return [quote.text for quote in choose(sentences, is_certain=is_certain)]


def asked(sentences: Sequence[Scored], *numbers: int) -> list[Scored]:
    """The sentences of a passage, of which these have half of the question."""
    return [each._replace(features=NONE._replace(own=0.5 * (each.number in numbers))) for each in sentences]


# --- several excerpts ----------------------------------------------------------------------------


def test_nothing_is_chosen_from_nothing() -> None:
    assert chosen([]) == []


@pytest.mark.parametrize(("share", "count"), [(1.1 * BESIDE, 2), (0.9 * BESIDE, 1)])
def test_an_excerpt_that_is_not_much_less_likely_is_shown_beside_the_best_one(share: float, count: int) -> None:
    sentences = [*one(SAID[0]), *one(SAID[1], share, "b")]
    assert chosen(sentences) == SAID[:count]
    assert chosen(sentences, is_certain=False) == SAID[:count]


def test_no_more_than_the_most_are_shown() -> None:
    sentences = [each for at, text in enumerate(SAID) for each in one(text, 1 - at / 1000, f"d{at}")]
    assert chosen(sentences) == SAID[:MOST]
    assert chosen(sentences, is_certain=False) == SAID[:MOST]


def test_the_same_text_in_two_documents_is_shown_once() -> None:
    sentences = [*one("Wool is sold here."), *one("wool  is sold here.", 1 - LESS, "b"), *one("Flax is dyed there.", 1 - LESS, "c")]
    assert chosen(sentences) == ["Wool is sold here.", "Flax is dyed there."]
    assert [quote.hit.chunk.doc_id for quote in choose(sentences, is_certain=False)] == ["plan", "c"]


@pytest.mark.parametrize(("is_certain", "count"), [(True, 2), (False, 1)])
def test_a_document_that_gives_another_number_is_shown_too(is_certain: bool, count: int) -> None:
    sentences = [*one("The allowance for trips abroad is 46 euros."), *one("The allowance for trips abroad is 58 euros.", 1 - LESS, "b")]
    quotes = list(candidates(sentences))
    assert len(shown_beside(quotes, [0.9, 0.1], "en", is_certain=is_certain)) == count


def test_excerpts_with_other_numbers_say_something_else() -> None:
    said = ["The bridge number 4 is at the harbour today.", "The bridge number 5 is at the harbour today."]
    assert chosen([*one(said[0]), *one(said[1], 0.9, "b")], is_certain=False) == said


BELLS = "The first bell rings. A second one follows. Then comes a third. At last a fourth. Then they are silent. Nobody is left."


def test_excerpts_that_overlap_are_one() -> None:
    sentences = scored(make_hit(BELLS), {"third": 1.0, "silent": 1 - LESS})
    (quote,) = choose(sentences)
    assert (quote.excerpt.numbers, quote.excerpt.more_before, quote.excerpt.more_after) == ((1, 2, 3, 4, 5), 1, 0)
    assert quote.text.split("\n")[-1] == "Nobody is left."
    assert [each.text for each in quote.marked] == ["Then comes a third.", "Then they are silent."]


def test_no_more_of_a_paragraph_is_shown_than_the_most_excerpts() -> None:
    text = " ".join(f"The bell with number {number} rings." for number in range(40))
    (quote,) = choose(scored(make_hit(text), {"": 1.0}), is_certain=False)
    assert len(quote.excerpt.numbers) <= AROUND * MOST


def test_unquotable_excerpts_are_shown_only_alone() -> None:
    heading = [each._replace(quotable=False) for each in one(SAID[0])]
    assert chosen(heading) == [SAID[0]]
    assert chosen([*heading, *one(SAID[1], 0.1, "b")]) == [SAID[1]]


# --- what is shown of a passage ------------------------------------------------------------------


def test_the_sentences_that_answer_are_marked_the_best_one_first() -> None:
    sentences = asked(scored(make_hit("The first bell rings. A second one follows. Then comes a third."), {"second": 1.0}), 0, 1)
    found = quote_of(sentences[1], sentences)
    assert (found.excerpt.numbers, [each.number for each in found.marked]) == ((0, 1, 2), [1, 0])


def test_an_introduction_is_shown_with_its_list() -> None:
    hit = passage(("paragraph", "It is painted so:"), ("list", "- Wash the railing well.\n- Paint the railing blue."))
    assert chosen(scored(hit, {"painted": 1.0})) == ["It is painted so:\n- Wash the railing well.\n- Paint the railing blue."]


def test_an_introduction_without_content_is_not_shown() -> None:
    assert chosen([*scored(passage(("paragraph", "The old bridge:")), {"old": 1.0}), *one(SAID[0], 0.5, "b")]) == [SAID[0]]


def test_of_a_long_list_the_items_that_answer_are_shown() -> None:
    hit = passage(("list", "\n".join(f"- Take the item with number {number}." for number in range(ITEMS + 3))))
    (quote,) = choose(asked(scored(hit, {"number 5.": 1.0}), 5, 7))
    assert quote.excerpt.numbers == (5, 7)


@pytest.mark.parametrize(("own", "rows"), [((0.5, 0.2, 0.5), (1, 3)), ((0.5, 0.9, 0.0), (1, 2)), ((0.0, 0.0, 0.0), (1, 2, 3))])
def test_of_a_table_the_rows_with_as_much_of_the_question_are_shown(own: tuple[float, ...], rows: tuple[int, ...]) -> None:
    table = "| Hall | Fee |\n| --- | --- |\n| The old hall | 20 euros |\n| The new hall | 30 euros |\n| The cellar | 10 euros |"
    head, *cells = scored(passage(("table", table)), {"old": 1.0})
    sentences = [
        head._replace(quotable=False),
        *(each._replace(features=NONE._replace(own=share)) for each, share in zip(cells, own, strict=True)),
    ]
    (quote,) = choose(sentences)
    assert quote.excerpt.numbers == rows
