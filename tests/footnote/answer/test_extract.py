"""An answer without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from footnote.adapters.minilm.embedder import MiniLM
from footnote.answer.extract import (
    FALL_OFF,
    SURE_BY_WORDS,
    VECTOR_THRESHOLD,
    WORD_THRESHOLDS,
    Scored,
    extract,
    is_answer,
    is_answerable,
    pick,
    rank_sentences,
    readable,
)
from footnote.answer.messages import message
from footnote.events import Event, Token
from footnote.ingest.vectors import embed_chunks
from footnote.ports import PendingVector
from footnote.text.sentences import split_sentences
from footnote.types import BlockKind, Caller, ChunkSentences, Hit, Part, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import ME, make_turn, with_

BRIDGE = "The bridge was built in 1894. It is painted blue today. Nobody lives on it."


class Stored:
    """An index that knows the sentences of some hits; every term weighs 1 unless set otherwise, an unseen one 0."""

    def __init__(self, *hits: Hit, vectors: Any = None, passage: Any = None, weights: dict[str, float] | None = None) -> None:
        self._hits = {hit.chunk.chunk_id: hit for hit in hits}
        self._vectors = vectors, passage
        self._weights = {"": 0.0, **(weights or {})}

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        assert caller == ME
        texts = {chunk_id: self._hits[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in self._hits}
        return {
            chunk_id: ChunkSentences(tuple(split_sentences(chunk.text, chunk.lang)), *self._vectors) for chunk_id, chunk in texts.items()
        }

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return {term: self._weights.get(term, 1.0) for term in terms}


async def run(turn: Turn, index: Any) -> tuple[list[Event], Turn]:
    events = [event async for event in call_step(extract, turn, FakeDeps(index=index))]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1]  # type: ignore[return-value]


async def test_sentences_are_scored_by_words_as_the_formula_says() -> None:
    hit = make_hit(BRIDGE, "record")
    ranked = await rank_sentences(make_turn("When was the bridge painted?", hits=(hit,)), Stored(hit))  # type: ignore[arg-type]
    # terms: bridg, paint; covp = 1. First: covt ½, covn 1, type 1 (1894); second: covt ½, covn 1, type 1 ("today"); third: 0, ½, 0
    assert [(sentence.text, round(sentence.score, 6), sentence.by_vector) for sentence in ranked] == [
        ("The bridge was built in 1894.", 0.95, False),  # .5 · ½ + .3 + .3 + .1
        ("It is painted blue today.", 0.95, False),
        ("Nobody lives on it.", 0.45, False),  # .3 · ½ + .3
    ]


async def test_rare_terms_count_more() -> None:
    hit = make_hit(BRIDGE, "record")
    index: Any = Stored(hit, weights={"bridg": 1.0, "paint": 3.0})
    ranked = await rank_sentences(make_turn("Is the bridge painted?", hits=(hit,)), index)
    assert [sentence.start for sentence in ranked] == [30, 0, 56]
    # second: covt ¾, covn 1, covp 1, no known kind ½
    assert ranked[0].score == pytest.approx(0.5 * 0.75 + 0.3 + 0.3 + 0.05)


def test_a_quoted_item_of_a_list_starts_no_list_in_the_answer() -> None:
    assert readable(Scored(make_hit("2. Paint   the bridge.", "plan"), 0, 22, 1.0, 1.0, False)) == "Paint the bridge."
    assert readable(Scored(make_hit("1894 was the year.", "plan"), 0, 18, 1.0, 1.0, False)) == "1894 was the year."


async def test_the_head_of_a_table_is_no_answer() -> None:
    hit = make_hit("| Bridge | Painted |\n| --- | --- |\n| Tower Bridge | 1911 |", "table", kind="table")
    ranked = await rank_sentences(make_turn("When was the bridge painted?", hits=(hit,)), Stored(hit))  # type: ignore[arg-type]
    assert [readable(sentence) for sentence in ranked] == ["Bridge: Tower Bridge, Painted: 1911"]


async def test_the_line_before_a_table_its_head_and_its_rule_are_no_answers_one_by_one() -> None:
    table = "| Bridge | Painted | Length |\n| --- | --- | --- |\n| Tower Bridge | 1911 | 244 m |"
    hit = make_hit(f"The bridges that were painted:\n\n{table}", "table", kind="table")
    turn = make_turn("When was the bridge painted?", hits=(hit,))
    bounds = split_sentences(hit.chunk.text, "en")
    assert [hit.chunk.text[start:end] for start, end in bounds][1:3] == table.split("\n")[:2]
    ranked = await rank_sentences(turn, Stored(hit))  # type: ignore[arg-type]
    assert [readable(sentence) for sentence in ranked] == ["Bridge: Tower Bridge, Painted: 1911, Length: 244 m"]


@pytest.mark.parametrize("kind", ["heading", "caption"])
async def test_a_heading_or_a_caption_is_no_answer(kind: BlockKind) -> None:
    text = "Table 2: The bridge was painted in 1911.\n\nThe bridge was painted by hand."
    hit = make_hit(text, "record", parts=(Part(0, None, 0, 0, kind), Part(42, None, 1, 0, "paragraph")))
    ranked = await rank_sentences(make_turn("When was the bridge painted?", hits=(hit,)), Stored(hit))  # type: ignore[arg-type]
    assert [sentence.text for sentence in ranked] == ["The bridge was painted by hand."]


async def test_a_sentence_that_asks_is_no_answer() -> None:
    hit = make_hit('When was the bridge painted? Type "when was the bridge painted?" to ask. The bridge was painted in 1911.', "faq")
    ranked = await rank_sentences(make_turn("When was the bridge painted?", hits=(hit,)), Stored(hit))  # type: ignore[arg-type]
    assert [sentence.text for sentence in ranked] == ["The bridge was painted in 1911."]


async def test_a_few_words_are_answered_by_the_sentence_that_holds_them() -> None:
    hit = make_hit("The bridge was painted in 1911.", "record")
    ranked = await rank_sentences(make_turn("the bridge was painted", hits=(hit,)), Stored(hit))  # type: ignore[arg-type]
    assert [sentence.text for sentence in ranked] == ["The bridge was painted in 1911."]


async def test_a_question_of_one_term_needs_more_than_that_term() -> None:
    hit = make_hit("The bridge sways.", "record")
    index: Any = Stored(hit, weights={"": 4.0, "bridg": 2.0})
    ranked = await rank_sentences(make_turn("How about the bridge?", hits=(hit,)), index)
    # 2 of 2 + 4: every share is ⅓; no known kind ½
    assert ranked[0].score == pytest.approx(1.1 / 3 + 0.05)


async def test_two_terms_that_stand_together_as_in_the_question_count_as_three() -> None:
    hit = make_hit("The bridge is painted here. The painted sign names the bridge.", "record")
    index: Any = Stored(hit, weights={"": 4.0, "bridg": 1.0, "paint": 3.0})
    ranked = await rank_sentences(make_turn("Is the bridge painted?", hits=(hit,)), index)
    # shares of the words: 4 of 4 + 4; in the first sentence also the pair, of weight 2: 6 of 6 + 4
    assert [(sentence.start, round(sentence.score, 6)) for sentence in ranked] == [(0, 0.65), (28, 0.6)]


async def test_pairs_of_syllables_that_overlap_count_once() -> None:
    hit = make_hit("도서관은 아홉 시에 엽니다.", "record", lang="ko")
    index: Any = Stored(hit, weights={"": 4.0})
    (sentence,) = await rank_sentences(make_turn("도서관", lang="ko", hits=(hit,)), index)
    assert sentence.score == pytest.approx(1.1 * 2 / 6 + 0.05)  # 도서, 서관


async def test_sentences_are_scored_by_vectors_where_there_are_some() -> None:
    vectors, passage = np.array([[127, 0], [0, 127], [-127, 0]], np.int8), np.array([0.3, 0.4], np.float32)  # cosine .5
    hit = make_hit(BRIDGE, "record")
    turn = make_turn("When was the bridge painted?", hits=(hit,), vectors=(np.array([0.6, 0.8], np.float32),))
    ranked = await rank_sentences(turn, Stored(hit, vectors=vectors, passage=passage))  # type: ignore[arg-type]
    assert [sentence.by_vector for sentence in ranked] == [True] * 3
    assert [round(sentence.score, 5) for sentence in ranked] == [
        round(0.3 * 0.5 + 0.2 + 0.4 * 0.8 + 0.4 * 0.5 + 0.1 + 0.25, 5),
        round(0.3 * 0.5 + 0.2 + 0.4 * 0.6 + 0.4 * 0.5 + 0.1 + 0.25, 5),
        round(0.2 * 0.5 - 0.4 * 0.6 + 0.4 * 0.5 + 0.25, 5),
    ]
    again = await rank_sentences(with_(turn, vectors=()), Stored(hit, vectors=vectors, passage=passage))  # type: ignore[arg-type]
    assert not any(sentence.by_vector for sentence in again)


async def test_only_the_first_passages_that_may_be_read_are_looked_at() -> None:
    hits = tuple(make_hit(f"The bridge number {i} is here.", f"d{i}") for i in range(7))
    ranked = await rank_sentences(make_turn("Which bridge?", hits=hits), Stored(*hits[1:]))  # type: ignore[arg-type]
    assert [sentence.hit.chunk.doc_id for sentence in ranked] == ["d1", "d2", "d3", "d4"]


NEAR, FAR = 1 - FALL_OFF + 0.01, 1 - FALL_OFF - 0.01


def scored(*scores: float) -> list[Scored]:
    hits = [make_hit(f"It was built in {1890 + number}.") for number in range(len(scores))]
    return [Scored(hit, 0, 21, score, score, False) for hit, score in zip(hits, scores, strict=True)]


@pytest.mark.parametrize(
    ("scores", "taken"),
    [((1.0,), 1), ((1.0, FAR), 1), ((1.0, NEAR), 2), ((1.0, NEAR, FAR), 2), ((1.0, NEAR, NEAR, NEAR), 3), ((1.0, FAR, FAR), 1)],
)
def test_sentences_are_given_until_the_next_falls_off(scores: tuple[float, ...], taken: int) -> None:
    assert len(pick(scored(*scores))) == taken


@pytest.mark.parametrize(("first", "taken"), [("It was built in 1890.", [0, 2]), ("| built | 1890 |", [0, 1, 2])])
def test_a_row_of_a_table_is_given_beside_rows_only_unless_it_comes_first(first: str, taken: list[int]) -> None:
    hits = [make_hit(text, doc_id) for text, doc_id in ((first, "a"), ("| built | 1891 |", "b"), ("It was built in 1892.", "c"))]
    ranked = [Scored(hit, 0, len(hit.chunk.text), 1.0, 1.0, False) for hit in hits]
    assert [ranked.index(sentence) for sentence in pick(ranked)] == taken


def test_a_sentence_of_two_documents_is_quoted_once() -> None:
    first, copy, other = (
        make_hit(text, doc_id) for text, doc_id in ((BRIDGE, "a"), ("- The  bridge was built in 1894.", "b"), (BRIDGE, "c"))
    )
    ranked = [Scored(first, 0, 29, 1.0, 1.0, False), Scored(copy, 0, 32, 0.99, 0.99, False), Scored(other, 30, 54, 0.98, 0.98, False)]
    assert [(sentence.hit.chunk.doc_id, sentence.start) for sentence in pick(ranked)] == [("a", 0), ("c", 30)]


@pytest.mark.parametrize(("style", "first", "second"), [("numbered", "[1]", "[2]"), ("footnote", "[^𝒷ridge]", "[^tower]")])
async def test_each_sentence_is_cited_at_its_marker(style: str, first: str, second: str) -> None:
    hits = (
        make_hit("🙂 The bridge was built in 1894. Its  paint\nis blue by now.", "𝒷ridge"),
        make_hit("The tower was built in 1894 too.", "tower"),
    )
    turn = make_turn("When was it built?", hits=hits)
    turn = with_(turn, profile=type(turn.profile)("p", live=False, citation_style=style, prompt="answer_numbered"))
    tokens, turn = await run(turn, Stored(*hits))
    answer = turn.answer
    assert answer is not None
    assert answer.extractive
    assert answer.text == f"🙂 The bridge was built in 1894. {first}\n\nThe tower was built in 1894 too. {second}"
    assert "".join(token.text for token in tokens if isinstance(token, Token)) == answer.text
    assert [(citation.number, citation.hit, citation.snippet) for citation in answer.citations] == [
        (1, hits[0], "🙂 The bridge was built in 1894."),
        (2, hits[1], "The tower was built in 1894 too."),
    ]
    assert [answer.text[slice(*citation.spans[0])] for citation in answer.citations] == [first, second]
    assert turn.outcome is None


async def test_sentences_of_one_passage_share_its_number() -> None:
    hit = make_hit("The bridge was built in 1894. It was built again in 1977.")
    _, turn = await run(make_turn("When was it built?", hits=(hit,)), Stored(hit))
    assert turn.answer is not None
    assert turn.answer.text == "The bridge was built in 1894. [1]\n\nIt was built again in 1977. [1]"
    assert [(citation.number, citation.spans) for citation in turn.answer.citations] == [(1, ((30, 33), (63, 66)))]


async def test_a_quoted_sentence_is_cited_with_its_page() -> None:
    """The passage begins on page 6 and ends on page 7."""
    text = "Nobody knows its maker.\n\nThe bridge was built in 1894."
    hit = make_hit(text, page=6, parts=(Part(0, 6, 0, 0), Part(25, 7, 1, 0)))
    _, turn = await run(make_turn("When was the bridge built?", hits=(hit,)), Stored(hit))
    assert turn.answer is not None
    assert [(citation.snippet, citation.page) for citation in turn.answer.citations] == [("The bridge was built in 1894.", 7)]


@pytest.mark.parametrize("lang", ["en", "de", "ko", "zh"])
async def test_a_question_that_nothing_answers_is_refused_in_its_language(lang: str) -> None:
    hit = make_hit(BRIDGE)
    tokens, turn = await run(make_turn("Quantum chromodynamics?", hits=(hit,), lang=lang), Stored(hit))
    text = message("refused", lang)
    assert tokens == [Token(text)]
    assert turn.answer is not None
    assert (turn.outcome, turn.answer.text, turn.answer.citations, turn.answer.extractive) == ("refused", text, (), True)
    assert turn.evidence.hits == (hit,)  # the nearest passages stay with it
    assert not await is_answerable(with_(turn, outcome=None), index=Stored(hit))  # type: ignore[arg-type]


async def test_a_question_is_answerable_when_extract_would_answer_it() -> None:
    hit = make_hit(BRIDGE)
    assert await is_answerable(make_turn("When was the bridge built?", hits=(hit,)), index=Stored(hit))  # type: ignore[arg-type]
    assert not await is_answerable(make_turn("When was the bridge built?"), index=Stored())  # type: ignore[arg-type]


# --- thresholds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "de", "ko", "zh"])
def test_the_best_sentence_is_given_from_its_language_s_threshold_on(lang: str) -> None:
    threshold = WORD_THRESHOLDS["en" if lang == "zh" else lang]
    hit = make_hit(BRIDGE)
    assert is_answer([Scored(hit, 0, 29, 0.0, threshold, False)], lang)
    assert not is_answer([Scored(hit, 0, 29, 1.0, np.nextafter(threshold, 0), False)], lang)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_where_vectors_were_compared_either_threshold_is_enough(lang: str) -> None:
    hit = make_hit(BRIDGE)
    assert is_answer([Scored(hit, 0, 29, VECTOR_THRESHOLD, 0.0, True)], lang)
    assert is_answer([Scored(hit, 0, 29, 0.0, SURE_BY_WORDS, True)], lang)
    assert not is_answer([Scored(hit, 0, 29, np.nextafter(VECTOR_THRESHOLD, 0), np.nextafter(SURE_BY_WORDS, 0), True)], lang)


RULES = {
    "en": "The library opens at nine and closes at six. Members borrow up to ten books for four weeks. "
    "A lost book costs its price and a fee of 5 euros.",
    "de": "Die Angestellten haben 26 Tage Urlaub im Jahr. Nicht genommene Tage verfallen Ende März. "
    "Urlaub wird zwei Wochen vorher im Portal beantragt.",
    "ko": "도서관은 아홉 시에 열고 여섯 시에 닫습니다. 회원은 책을 열 권까지 4주 동안 빌립니다. "
    "잃어버린 책은 책값과 수수료 5유로를 냅니다.",
}


@pytest.mark.parametrize(
    ("lang", "question", "answered"),
    [
        ("en", "How many members has the library?", True),  # .44 of .4
        ("en", "How many members has the village library?", False),  # .383
        ("de", "Wer genehmigt Urlaub?", True),  # .32 of .288
        ("de", "Wer genehmigt den Antrag auf Urlaub?", False),  # .283
        ("ko", "잃어버린 책은 얼마를 냅니까?", True),  # .6 of .38
        ("ko", "책은 얼마입니까?", False),
    ],
)
async def test_by_words_alone_a_question_is_answered_or_refused(lang: str, question: str, answered: bool) -> None:
    hit = make_hit(RULES[lang], lang=lang)
    turn = make_turn(question, lang=lang, hits=(hit,))
    assert await is_answerable(turn, index=Stored(hit, weights={"": 3.0})) is answered  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("What happens when a book is lost?", True),  # .729 of .66; its words alone would be refused
        ("What is the phone number of the library?", False),  # .607
    ],
)
async def test_by_vectors_a_question_is_answered_or_refused(question: str, answered: bool) -> None:
    embedder, hit = MiniLM(), make_hit(RULES["en"])
    (made,) = await embed_chunks(
        embedder, [PendingVector("a", hit.chunk.title, hit.chunk.text, "en", tuple(split_sentences(hit.chunk.text, "en")))]
    )
    index: Any = Stored(hit, vectors=made.sentences, passage=made.vector, weights={"": 3.0})
    turn = make_turn(question, hits=(hit,), vectors=((await embedder.embed([question], query=True))[0],))
    assert await is_answerable(turn, index=index) is answered


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("Is the tall bridge blue?", True),  # two of three words: .783 of .66
        ("Is the tall bridge wide and blue?", False),  # two of four
    ],
)
async def test_nearly_every_word_is_enough_whatever_the_vectors_say(question: str, answered: bool) -> None:
    hit = make_hit("The tall red bridge sways.")
    index: Any = Stored(hit, vectors=np.array([[0, -127]], np.int8), passage=np.array([1.0, 0.0], np.float32))
    turn = make_turn(question, hits=(hit,), vectors=(np.array([0.0, 1.0], np.float32),))
    assert await is_answerable(turn, index=index) is answered


TABLE = "| City | Population | |\n| --- | --- | --- |\n| Bonn | 335,000 | x |\n| Köln | | |\n| too | few |"


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("| Bonn | 335,000 | x |", "City: Bonn, Population: 335,000, x"),
        ("| Bonn | 335,000 | x |\n| Köln | | |", "City: Bonn, Population: 335,000, x; City: Köln"),
        (TABLE.removesuffix("\n| Köln | | |\n| too | few |"), "City: Bonn, Population: 335,000, x"),
        ("| City | Population | |\n| --- | --- | --- |", "City · Population"),
        ("| too | few |", "too · few"),
    ],
)
def test_a_row_of_a_table_is_shown_with_its_column_names(row: str, shown: str) -> None:
    start = TABLE.index(row)
    assert readable(Scored(make_hit(TABLE, kind="table"), start, start + len(row), 1.0, 1.0, False)) == shown


def test_other_text_is_shown_on_one_line() -> None:
    text = "A line |\nand   another."
    assert readable(Scored(make_hit(text), 0, len(text), 1.0, 1.0, False)) == "A line | and another."
