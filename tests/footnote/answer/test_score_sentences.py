"""Which sentence of a passage answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footnote.answer.score_sentences import BESIDE_COSINE, COSINE, WORDS, Features, Question, Scored
from footnote.types import BlockKind, Hit, Part, Reading
from tests.fakes import make_hit
from tests.footnote.answer.passages import passage
from tests.footnote.answer.stored_sentences import score

BRIDGE = "The bridge was built in 1894. It is painted blue today. Nobody lives on it."


def texts(sentences: list[Scored]) -> list[str]:
    """Of those that may be quoted."""
    return [each.text for each in sentences if each.quotable]


def values(sentences: list[Scored], name: str) -> list[float]:
    return [round(getattr(each.features, name), 4) for each in sentences]


async def test_a_sentence_is_described_by_the_question_s_terms_in_it_and_around_it() -> None:
    _, found = await score("When was the bridge painted?", make_hit(BRIDGE, "record"))  # terms: bridg, paint
    assert [each.text for each in found] == ["The bridge was built in 1894.", "It is painted blue today.", "Nobody lives on it."]
    assert values(found, "own") == [0.5, 0.5, 0]
    assert values(found, "near") == [1, 1, 0.5]
    assert values(found, "passage") == [1, 1, 1]
    assert values(found, "kind") == [1, 1, 0]  # 1894; "today"
    assert [(each.number, each.start, each.end) for each in found] == [(0, 0, 29), (1, 30, 55), (2, 56, 75)]


async def test_its_score_is_the_weighted_sum_of_its_features() -> None:
    hit = make_hit(BRIDGE, "record")
    for vector in (None, np.array([1, 0], np.float32)):
        arrays = {"vectors": np.array([[127, 0], [0, 127], [0, 127]], np.int8), "passage": np.array([0.6, 0.8], np.float32)}
        _, found = await score("When was the bridge painted?", hit, vector=vector, **arrays)
        assert found[0].score != found[2].score
        for each in found:
            words = sum(weight * getattr(each.features, name) for name, weight in WORDS.items())
            assert each.score == pytest.approx(words if vector is None else BESIDE_COSINE * words + COSINE * each.features.cosine)


async def test_its_title_and_headings_tell_what_a_sentence_is_about() -> None:
    hit = make_hit("It was painted blue. Nobody lives on it.", "bridge", headings=("Colours",))
    _, found = await score("Which colour was the bridge painted?", hit)  # terms: colour, bridg, paint
    assert values(found, "own") == [0.3333, 0]
    assert values(found, "total") == [1, 0.6667]
    assert values(found, "passage") == [1, 1]
    assert values(found, "heading") == [0.3333, 0.3333]


async def test_rare_terms_count_more() -> None:
    weights = {"bridg": 1.0, "paint": 3.0}
    _, found = await score("Is the bridge painted?", make_hit(BRIDGE, "record"), weights=weights)
    assert values(found, "own") == [0.25, 0.75, 0]
    assert found[1].score > found[0].score > found[2].score


async def test_two_terms_that_are_adjacent_in_the_question_and_the_sentence_count_as_three() -> None:
    hit = make_hit("The bridge is painted here. The painted sign names the bridge.", "record")
    _, found = await score("Is the bridge painted?", hit, weights={"": 4.0, "bridg": 1.0, "paint": 3.0})
    # 4 of 1.5 · 4, and the pair weighs 2: (4 + 2) of (6 + 2), and 4 of 6
    assert values(found, "total") == [0.75, 0.6667]


async def test_pairs_of_syllables_overlap_and_count_once() -> None:
    question, found = await score("도서관", make_hit("도서관은 아홉 시에 엽니다.", "record", lang="ko"), lang="ko", weights={"": 4.0})
    assert question.terms == {"도서", "서관"}
    assert values(found, "total") == [0.3333]  # 2 of 1.5 · 4


async def test_a_question_of_one_common_word_is_never_fully_covered() -> None:
    question, found = await score("How about the bridge?", make_hit("The bridge sways.", "record"), weights={"": 4.0, "bridg": 2.0})
    assert values(found, "own") == [0.3333]  # 2 of 1.5 · 4
    assert question.strict(found[0].features.own) == pytest.approx(0.2)  # 2 of 2 + 2 · 4


async def test_a_question_knows_how_much_of_it_occurs_nowhere() -> None:
    hit = make_hit(BRIDGE)
    question, _ = await score("Who painted the bridge mauve?", hit, weights={"": 4.0, "bridg": 1.0, "paint": 3.0, "mauv": 4.0})
    assert question.unknown == 0.5
    nothing, found = await score("Who is it?", hit)
    assert (nothing.terms, nothing.unknown, {each.features.own for each in found}) == (frozenset(), 1.0, {0.0})


@pytest.mark.parametrize(
    ("text", "lang", "held", "missing"),
    [
        ("Who painted the Forth bridge?", "en", {"paint"}, ("Forth", "bridge")),
        ("Wer hat die Brücke gestrichen?", "de", {"bruck", "brück"}, ("gestrichen",)),
        ("Is it?", "en", set(), ()),
    ],
)
def test_words_that_no_passage_contains_are_named_as_they_were_written(
    text: str, lang: str, held: set[str], missing: tuple[str, ...]
) -> None:
    assert Question(Reading(text, lang), {}).words_without(frozenset(held)) == missing


# --- vectors -------------------------------------------------------------------------------------


async def test_sentences_and_passages_are_compared_by_vectors_where_there_are_some() -> None:
    arrays = {"vectors": np.array([[127, 0], [0, 127], [-127, 0]], np.int8), "passage": np.array([0.3, 0.4], np.float32)}
    question, found = await score("When was it?", make_hit(BRIDGE), vector=np.array([0.6, 0.8], np.float32), **arrays)
    assert question.by_vectors
    assert values(found, "cosine") == [0.6, 0.8, -0.6]
    assert values(found, "passage_cosine") == [0.5, 0.5, 0.5]


async def test_without_a_vector_of_the_question_or_the_passages_all_are_scored_by_words() -> None:
    arrays: dict[str, Any] = {"vectors": np.ones((3, 2), np.int8), "passage": np.ones(2, np.float32)}
    for vector, given in ((None, arrays), (np.ones(2, np.float32), {})):
        question, found = await score("When was it?", make_hit(BRIDGE), vector=vector, **given)
        assert not question.by_vectors
        assert {(each.features.cosine, each.features.passage_cosine) for each in found} == {(0.0, 0.0)}


# --- sections ------------------------------------------------------------------------------------


async def test_a_section_is_below_its_heading() -> None:
    open_at = "From nine to five every day. Closed on Sundays and on holidays. Ring the bell twice."
    text = f"Opening hours\n\n{open_at}\n\nLost books\n\nThey cost their price."
    _, found = await score("opening hours", make_hit(text, "library"))
    assert [(each.heading, each.features.heading) for each in found if not each.is_heading] == [
        *[("Opening hours", 1.0)] * 3,
        ("Lost books", 0.0),
    ]
    assert [each.text for each in found if each.is_heading] == ["Opening hours", "Lost books"]


async def test_a_heading_of_two_sentences_is_one() -> None:
    heading, text = "I want some time off. What is the process?", "Book it in the calendar."
    parts = (Part(0, None, 0, 0, "heading"), Part(len(heading) + 2, None, 1, 0, "paragraph"))
    _, found = await score("time off", make_hit(f"{heading}\n\n{text}", "staff", parts=parts))
    assert [(each.text, each.heading, each.is_heading) for each in found] == [
        ("I want some time off.", heading, True),
        ("What is the process?", heading, True),
        (text, heading, False),
    ]


async def test_the_first_section_of_a_passage_is_below_the_last_of_its_headings() -> None:
    _, found = await score("opening hours", make_hit("Nine to five on weekdays.", "library", headings=("Visits", "Opening hours")))
    assert [(each.heading, each.features.heading) for each in found] == [("Opening hours", 1.0)]


async def test_by_words_a_sentence_is_about_what_the_heading_of_its_section_says() -> None:
    hit = make_hit("Opening hours\n\nFrom nine to five every day.\n\nLost books\n\nThey cost their price.", "library")
    _, found = await score("opening hours", hit)
    assert [(each.features.total, sorted(each.held)) for each in found if not each.is_heading] == [(1.0, ["hour", "open"]), (0.0, [])]
    arrays = {"vectors": np.array([[127, 0]] * 4, np.int8), "passage": np.array([0.6, 0.8], np.float32)}
    _, found = await score("opening hours", hit, vector=np.array([1, 0], np.float32), **arrays)
    assert values(found, "total") == [1, 0, 0, 0]  # `heading` weighs it


# --- what may be quoted --------------------------------------------------------------------------


async def test_a_heading_answers_nothing() -> None:
    text = "Table 2: The bridge was painted in 1911.\n\nThe bridge was painted by hand."
    hit = make_hit(text, "record", parts=(Part(0, None, 0, 0, "heading"), Part(42, None, 1, 0, "paragraph")))
    _, found = await score("When was the bridge painted?", hit)
    assert texts(found) == ["The bridge was painted by hand."]
    assert [each.is_heading for each in found] == [True, False]


async def test_the_caption_of_an_image_answers_and_that_of_a_table_does_not() -> None:
    parts = (Part(0, None, 0, 0, "caption"), Part(42, None, 1, 0, "paragraph"))
    hit = make_hit("Image 2: The bridge was painted in 1911.\n\nIt is near.", "record", parts=parts)
    _, found = await score("When was the bridge painted?", hit)
    assert "Image 2: The bridge was painted in 1911." in texts(found)
    parts = (Part(0, None, 0, 0, "caption"), Part(42, None, 1, 0, "table"))
    hit = make_hit(f"Table 2: The bridge was painted in 1911.\n\n{BRIDGES}", "record", parts=parts)
    _, found = await score("When was the bridge painted?", hit)
    assert "Table 2: The bridge was painted in 1911." not in texts(found)


BRIDGES = "| Bridge | Painted | Length |\n| --- | --- | --- |\n| Tower Bridge | 1911 | 244 m |"
PAGES = "| Page | Address |\n| --- | --- |\n| Payroll | https://payroll.example.org/a/long/address |"
ITEMS = ["- the old bridge on the river", "- the new bridge over the road"]
LOST = "**Password lost?**: Open the page for members and choose a new one there."
VERGESSEN = "**Passwort vergessen?**: Falls du es vergessen hast, hilft dir die Verwaltung."


@pytest.mark.parametrize(
    ("question", "hit", "found"),
    [
        pytest.param(
            "When was the bridge painted?",
            make_hit(f"The bridges that were painted:\n\n{BRIDGES}", "table", kind="table"),
            ["| Tower Bridge | 1911 | 244 m |"],
            id="not the line before a table, its head and its rule",
        ),
        pytest.param(
            "Where is the page for payroll?",
            make_hit(PAGES, kind="table"),
            ["| Payroll | https://payroll.example.org/a/long/address |"],
            id="a row with an address",
        ),
        pytest.param(
            "Which bridges are blue?", make_hit("\n".join(["These bridges are blue:\n", *ITEMS])), ITEMS, id="not what introduces a list"
        ),
        pytest.param(
            "Which bridges are blue?", make_hit("\n".join(["파란 다리는 다음과 같습니다：\n", *ITEMS])), ITEMS, id="nor in Korean"
        ),
        pytest.param(
            "When was the bridge painted?",
            make_hit("When was the bridge painted? “Was it in 1911?” The bridge was painted in 1911.", "faq"),
            ["The bridge was painted in 1911."],
            id="not a sentence that asks",
        ),
        pytest.param("password lost", make_hit(LOST, "faq"), [LOST], id="one that asks as a label and answers it"),
        pytest.param("Passwort vergessen", make_hit(VERGESSEN, "faq"), [VERGESSEN], id="also in German"),
        pytest.param(
            "What may a member do?",
            make_hit("**What may a member do?**\n\nA member may paint the bridge.", "faq"),
            ["A member may paint the bridge."],
            id="not a question in bold",
        ),
        pytest.param(
            "the bridge was painted",
            make_hit("The bridge was painted in 1911.", "record"),
            ["The bridge was painted in 1911."],
            id="one that repeats a few words",
        ),
    ],
)
async def test_sentences_that_may_answer_are_told_from_those_that_do_not(question: str, hit: Hit, found: list[str]) -> None:
    assert texts((await score(question, hit))[1]) == found


@pytest.mark.parametrize("question", ["Where is the mailing list?", "the address of the mailing list", "메일링 사이트 주소"])
async def test_an_address_that_is_asked_for_answers(question: str) -> None:
    text, lang = ("메일링", "ko") if question.endswith("주소") else ("Mailing list", "en")
    hit = make_hit(f"{text}: https://example.org/mail/lists/bridges.html", lang=lang)
    _, found = await score(question, hit, lang=lang)
    assert len(texts(found)) == 1


async def test_added_terms_are_in_neither_question_nor_headings() -> None:
    hit = make_hit("The bridge was painted. It was painted blue by hand in May.", "bridge", headings=("May",))
    _, found = await score("When was the bridge painted?", hit)
    assert [each.fresh for each in found] == [0, 2]  # blue, hand


def test_each_weight_is_of_a_feature() -> None:
    assert WORDS.keys() <= set(Features.__match_args__)


@pytest.mark.parametrize("kind", ["code", "list", "table"])
async def test_a_short_line_of_code_or_a_list_is_no_heading(kind: BlockKind) -> None:
    hit = make_hit("footnote paint\n\nThe bridge is painted blue.", parts=(Part(0, None, 0, 0, kind), Part(16, None, 1, 0, "paragraph")))
    _, found = await score("How is the bridge painted?", hit)
    assert [(each.is_heading, each.heading) for each in found] == [(False, ""), (False, "")]


MAIL = passage(
    ("heading", "Ferry timetable"),
    ("metadata", "From: Jim Park <jim@example.org>\nTo: crew@example.org\nDate: Fri, 16 Dec 2022 17:04:16 +0100"),
    ("paragraph", "The first ferry leaves on Monday. The captain is Ada Brook."),
    doc_id="Ferry timetable",
)
MAIL = replace(MAIL, chunk=replace(MAIL.chunk, metadata={"type": "eml"}))


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        pytest.param("Who sent the ferry timetable?", True, id="the sender"),
        pytest.param("Who wrote the mail about the timetable?", True, id="the author"),
        pytest.param("When was the timetable sent?", True, id="the date"),
        pytest.param("Why was the timetable sent?", False, id="neither"),
        pytest.param("Who is the captain?", False, id="a person of the text"),
        pytest.param("When does the ferry leave?", False, id="a date of the text"),
        pytest.param("When was the invoice sent?", False, id="another mail"),
    ],
)
async def test_the_header_of_a_mail_answers_only_who_and_when(question: str, is_told: bool) -> None:
    _, found = await score(question, MAIL)
    header = next(each for each in found if each.text.startswith("From:"))
    assert header.quotable is is_told
    if is_told:
        assert max((each for each in found if each.quotable), key=lambda each: each.score) is header


KEY = passage(
    ("heading", "Boat key"),
    ("metadata", "From: Jim Park <jim@example.org>\nDate: Fri, 16 Dec 2022 17:04:16 +0100\nAttachments: map.png"),
    ("paragraph", "The boat key hangs at pier 4 until 3 May. Ada sent the boat key."),
    ("metadata", "From: Bo\nSent: 2 December 2022\nSubject: Boat key"),
    ("paragraph", "Where is the boat key?"),
    doc_id="Boat key",
)
KEY = replace(KEY, chunk=replace(KEY.chunk, metadata={"type": "eml"}))


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        pytest.param("Who wrote about the boat key at pier 4?", True, id="more words of the text"),
        pytest.param("When was the mail about the boat key sent?", True, id="a date in the text"),
        pytest.param("Which attachments has the mail about the boat key?", True, id="attachments"),
        pytest.param("Who sent the boat key?", False, id="a sentence says it"),
        pytest.param("When is the boat key?", False, id="nothing about sending"),
        pytest.param("Where was the mail about the boat key sent?", False, id="a place"),
        pytest.param("Who wrote about the crane?", False, id="another mail"),
    ],
)
async def test_a_question_about_sending_asks_for_the_mail_s_own_header(question: str, is_told: bool) -> None:
    _, found = await score(question, KEY)
    own, quoted = (each for each in found if each.text.startswith("From:"))
    assert (own.quotable, quoted.quotable) == (is_told, False)


@pytest.mark.parametrize(("question", "is_told"), [("열쇠 안내 메일은 누가 보냈나요?", True), ("열쇠는 언제 옮기나요?", False)])
async def test_an_ending_of_korean_questions_does_not_ask_for_a_header(question: str, is_told: bool) -> None:
    hit = passage(
        ("heading", "열쇠 안내"), ("metadata", "From: 박지훈\nTo: team"), ("paragraph", "부두에 있습니다."), lang="ko", doc_id="열쇠 안내"
    )
    hit = replace(hit, chunk=replace(hit.chunk, metadata={"type": "eml"}))
    _, found = await score(question, hit, lang="ko")
    assert next(each for each in found if each.text.startswith("From:")).quotable is is_told


PUMP = passage(
    ("heading", "Pump P-7"),
    ("metadata", "owner: Facility team"),
    ("metadata", "review date: 2026-03-14"),
    ("paragraph", "The pump is switched on at the panel beside door 4."),
    doc_id="Pump P-7",
)


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("Who is the owner of the pump?", ["owner: Facility team"]),
        ("What is the review date of pump P-7?", ["review date: 2026-03-14"]),
        ("When is the review of the pump?", ["review date: 2026-03-14"]),
        ("Where is the pump switched on?", []),
        ("Is there a review of the pump?", []),
    ],
)
async def test_a_field_of_a_document_answers_only_where_its_name_is_asked(question: str, fields: list[str]) -> None:
    attached = replace(PUMP, chunk=replace(PUMP.chunk, metadata={"type": "eml"}))
    for hit in (PUMP, attached):
        _, found = await score(question, hit)
        assert [each.text for each in found if each.quotable and each.text.partition(":")[0] in ("owner", "review date")] == fields
