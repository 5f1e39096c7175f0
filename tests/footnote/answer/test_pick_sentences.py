"""Which sentences answer together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote.answer.pick_sentences import (
    FALL_OFF,
    LEAST_FRESH,
    LONGEST_LIST,
    LONGEST_STEPS,
    LONGEST_TABLE,
    MOST,
    NEARLY,
    OF_HEADING,
    OF_ROW,
    SAME,
    pick,
)
from footnote.answer.score_sentences import Features, Scored
from footnote.text.question_shapes import Shape
from footnote.text.sentences import looks_like_heading, split_sentences
from footnote.types import BlockKind, Part
from tests.fakes import make_hit

NONE = Features(*[0.0] * 12)


def one(text: str, score: float = 1.0, *, doc_id: str = "plan", fresh: int = LEAST_FRESH) -> Scored:
    """The only sentence of a passage."""
    return Scored(make_hit(text, doc_id), 0, 0, len(text), score, NONE, "", fresh=fresh)


def passage(text: str, *kinds: BlockKind, best: str, lang: str = "en") -> list[Scored]:
    """The sentences of a passage whose paragraphs have these kinds; the score is 1 for the sentence that contains `best`, else 0."""
    offsets = [0] + [at + 2 for at in range(len(text)) if text.startswith("\n\n", at)]
    parts = tuple(Part(offset, None, i, 0, kind) for i, (offset, kind) in enumerate(zip(offsets, kinds, strict=True)))
    hit, heading, found = make_hit(text, parts=parts), "", list[Scored]()
    for number, (start, end) in enumerate(split_sentences(text, lang)):
        kind = hit.chunk.kind_at(start)
        is_heading = kind == "heading" or (kind == "paragraph" and looks_like_heading(text, start, end))
        heading = text[start:end] if is_heading else heading
        score = float(best in text[start:end])
        introduces = text[start:end].endswith(":")
        quotable = not is_heading and not introduces
        found.append(Scored(hit, number, start, end, score, NONE, heading, frozenset(), quotable, is_heading, introduces, LEAST_FRESH))
    return found


def chosen(sentences: Sequence[Scored], shape: Shape = "other") -> list[str]:
    return [each.text for each in pick(sentences, shape)]


def test_nothing_is_picked_from_nothing() -> None:
    assert pick([], "how_to") == []


# --- several sentences ---------------------------------------------------------------------------

NEAR, FAR = 1 - FALL_OFF + 0.01, 1 - FALL_OFF - 0.01
DIFFERENT = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta", "iota kappa", "lambda mu", "nu xi"]


@pytest.mark.parametrize(
    ("scores", "taken"),
    [((1.0,), 1), ((1.0, FAR), 1), ((1.0, NEAR), 2), ((1.0, NEAR, FAR), 2), ((1.0, NEAR, NEAR), 3), ((1.0,) * 7, MOST)],
)
def test_sentences_are_given_until_the_next_falls_off(scores: tuple[float, ...], taken: int) -> None:
    sentences = [one(text, score, doc_id=text[:3]) for text, score in zip(DIFFERENT, scores, strict=False)]
    assert chosen(sentences) == DIFFERENT[:taken]


@pytest.mark.parametrize(
    ("score", "text", "taken"),
    [
        (NEAR, "gamma delta and more", True),
        (NEAR, "alpha beta and more", False),  # all words of the best one
        (1.0, "alpha beta and more", False),
        (NEAR + SAME / 2, "alpha delta", True),  # half of them
        (FAR + SAME / 2, "alpha delta", False),
    ],
)
def test_a_sentence_that_repeats_words_of_another_must_score_higher(score: float, text: str, taken: bool) -> None:
    best = one("alpha beta", 1.0)
    assert len(chosen([best, one(text, score, doc_id="b")])) == 1 + taken


def test_the_sentence_that_adds_most_comes_before_one_that_repeats() -> None:
    sentences = [one("alpha beta gamma", 1.0), one("alpha beta delta", 0.99, doc_id="b"), one("eta theta iota", 0.95, doc_id="c")]
    assert chosen(sentences)[:2] == ["alpha beta gamma", "eta theta iota"]


def test_a_sentence_that_says_nothing_beyond_the_question_is_given_alone_only() -> None:
    sentences = [one("alpha beta", 1.0, fresh=0), one("gamma delta", 1.0, doc_id="b", fresh=LEAST_FRESH - 1)]
    assert chosen(sentences) == ["alpha beta"]


def test_a_sentence_of_two_documents_is_quoted_once() -> None:
    sentences = [one("alpha  Beta", 1.0), one("alpha beta", 1.0, doc_id="b"), one("gamma delta", 0.99, doc_id="c")]
    assert chosen(sentences) == ["alpha  Beta", "gamma delta"]


@pytest.mark.parametrize(("first", "taken"), [("alpha beta", [0, 1, 3]), ("| alpha | beta", [0, 1, 2, 3])])
def test_beside_prose_only_the_best_row_of_a_table_is_given(first: str, taken: list[int]) -> None:
    rows = [one("| 1891 1892", 0.99, doc_id="b"), one("| 1901 1902", 0.98, doc_id="d")]
    sentences = [one(first, 1.0), *rows, one("gamma delta", 0.97, doc_id="c")]
    assert len(chosen([one("alpha beta", 1.0), one("| 1891 1892", 1.0 - 1.1 * NEARLY, doc_id="b")])) == 1
    assert sorted(chosen(sentences)) == sorted(sentences[i].text for i in taken)


def test_the_sentences_of_a_passage_are_given_together_in_their_order() -> None:
    text = "Alpha beta gamma. Delta epsilon zeta."
    hit = make_hit(text)
    first, last = (Scored(hit, i, *bound, 0.9 + i / 20, NONE, "", fresh=2) for i, bound in enumerate(split_sentences(text, "en")))
    other = one("eta theta iota", 1.0, doc_id="b")
    assert chosen([first, last, other]) == ["eta theta iota", "Alpha beta gamma.", "Delta epsilon zeta."]
    assert chosen([first, replace(last, score=1.01), other]) == ["Alpha beta gamma.", "Delta epsilon zeta.", "eta theta iota"]


# --- shapes --------------------------------------------------------------------------------------

LIST = ["1. Wash the railing well.", "2. Paint it blue and wait."]
STEPS = "\n\n".join(("Bridges", "The old bridge is painted in May.", "Do it like this:", "\n".join(LIST), "Then rest."))
KINDS: tuple[BlockKind, ...] = ("heading", "paragraph", "paragraph", "list", "paragraph")


@pytest.mark.parametrize(
    ("best", "shape", "taken"),
    [
        ("painted in May", "how_to", ["The old bridge is painted in May.", "Do it like this:", *LIST]),
        ("Paint it", "how_to", ["Do it like this:", *LIST]),
        ("Wash", "list", ["Do it like this:", *LIST]),
        ("Wash", "other", LIST[:1]),
        ("Wash", "definition", LIST[:1]),
        ("Then rest", "how_to", ["Then rest."]),
    ],
)
def test_a_question_for_steps_or_a_list_gets_the_whole_list_with_its_introduction(best: str, shape: Shape, taken: list[str]) -> None:
    assert chosen(passage(STEPS, *KINDS, best=best), shape) == taken


def test_steps_below_another_heading_are_not_given() -> None:
    text = "Paint\n\nThe old bridge is painted in May.\n\nWash\n\n1. Wash the railing well.\n2. Rinse the railing well."
    sentences = passage(text, "heading", "paragraph", "heading", "list", best="painted in May")
    assert chosen(sentences, "how_to") == ["The old bridge is painted in May."]


def test_code_is_a_step_but_no_list() -> None:
    text = "Start the server on its port:\n\nfootnote serve --port 8080"
    sentences = passage(text, "paragraph", "code", best="footnote")
    assert chosen(sentences, "how_to") == ["Start the server on its port:", "footnote serve --port 8080"]
    assert chosen(sentences, "list") == ["footnote serve --port 8080"]


def test_a_long_list_is_cut() -> None:
    items = [f"- number {i} of the long list" for i in range(LONGEST_LIST + 3)]
    assert chosen(passage("\n".join(items), "list", best="number 0 "), "list") == items[:LONGEST_LIST]


@pytest.mark.parametrize(
    ("lang", "answer", "condition"),
    [
        ("en", "You may work from home.", "Unless your manager objects, any day will do."),
        ("de", "Arbeit von zu Hause ist erlaubt.", "Allerdings nicht am Montag, da sind alle da."),
        ("de", "Arbeit von zu Hause ist erlaubt.", "Jedoch nicht am Montag, da sind alle da."),
        ("ko", "집에서 일할 수 있습니다.", "다만 월요일에는 모두 출근합니다."),
    ],
)
def test_a_yes_or_no_comes_with_the_condition_that_follows_it(lang: str, answer: str, condition: str) -> None:
    sentences = passage(f"{answer} {condition}", "paragraph", best=answer, lang=lang)
    assert chosen(sentences, "yes_no") == [answer, condition]
    assert chosen(sentences, "other") == [answer]


LEAVE = "Leave of carers.", "The first carer has 16 weeks.", "The second carer has 6 weeks.", "More is unpaid.", "It ends in a year."
SICK = "Sick leave is paid in full."


@pytest.mark.parametrize(
    ("sentences", "kind", "shape", "taken"),
    [
        (LEAVE[1:], "paragraph", "topic", [*LEAVE[1:]]),
        (LEAVE, "paragraph", "topic", [*LEAVE]),
        (LEAVE, "paragraph", "other", [LEAVE[3]]),
        ((*LEAVE, "It is taken in days."), "paragraph", "topic", [LEAVE[3]]),  # that is too long
        (LEAVE, "list", "topic", [LEAVE[3]]),
    ],
)
def test_what_names_a_topic_gets_the_paragraph_of_the_best_sentence(
    sentences: Sequence[str], kind: BlockKind, shape: Shape, taken: list[str]
) -> None:
    assert chosen(passage(f"{SICK}\n\n{' '.join(sentences)}", "paragraph", kind, best="unpaid"), shape) == taken


def test_a_sentence_that_is_no_condition_does_not_follow_a_yes_or_no() -> None:
    sentences = passage("You may work from home. The office is on the river.", "paragraph", best="home")
    assert chosen(sentences, "yes_no") == ["You may work from home."]


@pytest.mark.parametrize(
    ("kind", "block", "given"),
    [
        ("list", "- Wash it well today.\n- Paint it blue.\n\nThen rest for a day.", ["- Wash it well today.", "- Paint it blue."]),
        ("code", "bridge --paint blue\n\nThen rest for a day.", ["bridge --paint blue"]),
        (
            "paragraph",
            "Wash the railing well. Paint it in light blue. Rest for one day.\n\nOld.",
            ["Wash the railing well.", "Paint it in light blue."],
        ),
        ("table", "| Day | Work |\n| --- | --- |\n| May | paint |\n\nThen rest for a day.", ["| May | paint |"]),
    ],
)
def test_what_introduces_something_is_given_with_it(kind: BlockKind, block: str, given: list[str]) -> None:
    sentences = passage(f"It is painted as follows:\n\n{block}", "paragraph", kind, "paragraph", best="as follows")
    sentences = [replace(each, quotable=False) if each.text.startswith("| Day") else each for each in sentences]
    assert chosen(sentences, "other") == ["It is painted as follows:", *given]


def test_what_introduces_nothing_is_not_given() -> None:
    assert chosen([*passage("The old bridge:", "paragraph", best="old"), one("It is painted in May.", 0.5, doc_id="b")]) == [
        "It is painted in May."
    ]


@pytest.mark.parametrize(("of_heading", "first"), [(0.0, "Paint it:"), (OF_HEADING, "Wash it:")])
def test_steps_begin_with_the_first_one_below_a_heading_that_asks_the_same(of_heading: float, first: str) -> None:
    text = "Care\n\nWash it:\n\nbridge --wash\n\nPaint it:\n\nbridge --paint\n\nThe bridge is old."
    kinds: tuple[BlockKind, ...] = ("heading", "paragraph", "code", "paragraph", "code", "paragraph")
    sentences = [replace(each, features=replace(NONE, heading=of_heading)) for each in passage(text, *kinds, best="--paint")]
    steps = ["Wash it:", "bridge --wash", "Paint it:", "bridge --paint"]
    assert chosen(sentences, "how_to") == steps[steps.index(first) :]


def test_many_steps_are_cut() -> None:
    text = "\n\n".join(f"bridge --step number{i}" for i in range(LONGEST_STEPS + 3))
    sentences = passage(text, *["code"] * (LONGEST_STEPS + 3), best="number2")
    assert len(chosen(sentences, "how_to")) == LONGEST_STEPS


# --- tables --------------------------------------------------------------------------------------

HOLIDAYS = "| Holiday | Date |\n| --- | --- |\n| Labor Day | First Monday in September |\n| Boxing Day | December 26 |\n| May Day | May 1 |"


def test_a_question_for_several_things_gets_all_rows_of_a_small_table() -> None:
    rows = [replace(each, held=frozenset({"holiday"})) for each in passage(HOLIDAYS, "table", best="Boxing")[-3:]]
    assert chosen(rows, "list") == HOLIDAYS.splitlines()[2:]
    assert chosen(rows, "other") == ["| Boxing Day | December 26 |"]


@pytest.mark.parametrize(("table_first", "given"), [(True, 3), (False, 0)])
def test_a_topic_whose_section_begins_with_a_table_gets_its_rows(table_first: bool, given: int) -> None:
    remark = "A holiday on a weekend moves to Monday."
    pieces: list[tuple[str, BlockKind]] = [(HOLIDAYS, "table"), (remark, "paragraph")]
    (first, a), (second, b) = pieces if table_first else pieces[::-1]
    sentences = passage(f"{first}\n\n{second}", a, b, best="weekend")
    found = [replace(each, held=frozenset({"holiday"})) for each in sentences if not each.text.startswith(("| Holiday", "| ---"))]
    assert len([text for text in chosen(found, "topic") if text.startswith("|")]) == given
    assert (remark in chosen(found, "topic")) != table_first


def test_rows_that_the_question_names_are_given_alone() -> None:
    rows = [replace(each, held=frozenset({"holiday"})) for each in passage(HOLIDAYS, "table", best="Boxing")[-3:]]
    named = replace(rows[1], features=replace(NONE, own=OF_ROW + 0.01))
    assert chosen([rows[0], named, rows[2]], "list") == ["| Boxing Day | December 26 |"]


@pytest.mark.parametrize(("in_heading", "given"), [("holiday paid", 3), ("holiday", 0), ("", 0)])
def test_the_table_below_a_heading_that_is_asked_for_is_given_not_a_remark(in_heading: str, given: int) -> None:
    sentences = passage(f"{HOLIDAYS}\n\nA paid holiday on a weekend moves to Monday.", "table", "paragraph", best="weekend")
    rows = [replace(each, held=frozenset(in_heading.split())) for each in sentences[1:-1]]
    remark = replace(sentences[-1], held=frozenset({"holiday", "paid"}))
    assert len([text for text in chosen([*rows, remark], "list") if text.startswith("|")]) == given


def test_a_long_table_is_not_given_whole() -> None:
    text = "\n".join(["| Day |", "| --- |", *(f"| Day {i} of the year |" for i in range(LONGEST_TABLE + 1))])
    rows = [replace(each, held=frozenset({"day"})) for each in passage(text, "table", best="Day 7 ")[1:]]
    assert len(chosen(rows, "list")) == 1
