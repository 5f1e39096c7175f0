"""Questions that are suggested after an answer."""

from __future__ import annotations

import asyncio

import pytest

from footnote.errors import SearchUnavailable
from footnote.learn import follow_ups
from footnote.learn.candidates import make_candidates
from footnote.learn.follow_ups import TRIED, suggest_follow_ups
from footnote.types import Answer, Chunk, Citation, Conversation, Exchange, Hit, Turn, Verdict
from tests.fakes import make_chunk, make_document
from tests.turns import make_turn, with_

SAID = "Ask the people in the office on the second floor, who know it best and like to help everybody who comes."
"""No word of any question."""


def hit(doc_id: str, heading: str, ordinal: int = 0, *, lang: str = "en", score: float = 1.0, text: str = SAID) -> Hit:
    return Hit(make_chunk(make_document(doc_id), text, ordinal, lang=lang, headings=(heading,) if heading else ()), score)


def answered(question: str, *hits: Hit, cited: int = 1, text: str = "Thirty.", lang: str = "en") -> Turn:
    """The first `cited` hits are quoted in the answer."""
    citations = tuple(Citation(number, each, SAID, bounds=((0, 10),)) for number, each in enumerate(hits[:cited], start=1))
    return make_turn(question, hits=hits, answer=Answer(text, citations), lang=lang)


class Trial:
    """Every question is answered where it was made, but for those with the word `fails`."""

    def __init__(self, *chunks: Chunk, fails: str = "never") -> None:
        self.made = {each.question: each for each in make_candidates(chunks)}
        self.fails = fails
        self.tried: list[str] = []

    async def __call__(self, turn: Turn, question: str) -> list[tuple[str, int, int]]:
        self.tried.append(question)
        of = self.made[question]
        return [] if self.fails in question else [(of.chunk.chunk_id, of.start, of.start + len(SAID))]


async def suggested(turn: Turn, fails: str = "never") -> tuple[str, ...]:
    trial = Trial(*(each.chunk for each in turn.evidence.hits), fails=fails)
    return (await suggest_follow_ups(turn, trial=trial)).trace.suggested_questions


async def test_a_question_is_tried_before_it_is_shown() -> None:
    hits = [
        hit("handbook", "Holidays"),
        hit("handbook", "Request a parking space", 1),
        hit("handbook", "Who covers travel costs?", 2),
    ]
    assert await suggested(answered("How many holidays are there?", *hits), fails="parking") == ("Who covers travel costs?",)
    assert await suggested(answered("How many holidays are there?", *hits), fails="") == ()


@pytest.mark.parametrize(
    ("hits", "questions"),
    [
        pytest.param(
            [hit("handbook", "Request a parking space", 1), hit("handbook", "Who covers travel costs?", 2)],
            ("Who covers travel costs?", "What is there on “Request a parking space”?"),
            id="what is near the answer and not answered yet",
        ),
        pytest.param(
            [hit("other", "Use rich markdown"), hit("plan", "Move holidays")],
            ("What is there on “Move holidays”?",),
            id="another document must share a word with the question",
        ),
        pytest.param(
            [hit("plan", "Move holidays"), hit("handbook", "Sick leave", 1), hit("handbook", "Send a parcel", 2)],
            ("What is there on “Sick leave”?", "What is there on “Send a parcel”?", "What is there on “Move holidays”?"),
            id="the cited document comes first",
        ),
        pytest.param(
            [hit("handbook", "Send a parcel", 1), hit("handbook", "Send a big parcel", 2)],
            ("What is there on “Send a parcel”?",),
            id="no question repeats another",
        ),
    ],
)
async def test_what_the_other_hits_answer_can_be_asked_next(hits: list[Hit], questions: tuple[str, ...]) -> None:
    assert await suggested(answered("How many holidays are there?", hit("handbook", "Holidays"), *hits)) == questions


@pytest.mark.parametrize(
    ("heading", "why"),
    [
        ("How many holidays are there?", "is the question"),
        ("How many holidays do I get?", "was asked in other words"),
        ("Send thirty", "was said in the answer"),
        ("Introduction", "is in every document"),
        ("", "has no heading"),
    ],
)
async def test_questions_without_an_answer_are_not_suggested(heading: str, why: str) -> None:
    turn = answered("How many holidays are there?", hit("handbook", "Holidays"), hit("handbook", heading, 1), text="Send thirty.")
    assert await suggested(turn) == (), why


async def test_quoted_sentences_give_no_suggestion() -> None:
    assert await suggested(answered("How many holidays are there?", hit("handbook", "Send a parcel"))) == ()


async def test_earlier_questions_of_the_conversation_are_not_suggested() -> None:
    turn = answered("How many holidays are there?", hit("handbook", "Holidays"), hit("handbook", "Send a parcel", 1))
    asked = Conversation((Exchange("What is there on “Send a parcel”?", "By post."),))
    assert await suggested(turn) == ("What is there on “Send a parcel”?",)
    assert await suggested(with_(turn, conversation=asked)) == ()


async def test_a_hit_far_behind_the_best_suggests_nothing_unless_its_document_was_cited() -> None:
    hits = [hit("handbook", "Holidays", score=0.8), hit("plan", "Move holidays", score=0.4), hit("other", "Share holidays", score=0.39)]
    assert await suggested(answered("How many holidays are there?", *hits)) == ("What is there on “Move holidays”?",)
    cited = hit("handbook", "Send a parcel", 1, score=0.1)
    assert await suggested(answered("How many holidays are there?", hits[0], cited)) == ("What is there on “Send a parcel”?",)


async def test_questions_are_in_the_language_of_the_question() -> None:
    hits = [
        hit("handbuch", "Urlaub", lang="de"),
        hit(
            "handbuch",
            "Schlüssel kopieren",
            1,
            lang="de",
            text="Gehen Sie damit zum Empfang im Erdgeschoss, dort hilft man Ihnen gern, auch am Nachmittag.",
        ),
        hit("handbook", "Send a parcel about Urlaub"),
    ]
    trial = Trial(*(each.chunk for each in hits))
    turn = answered("Wie viel Urlaub habe ich?", *hits, lang="de", text="Dreißig.")
    assert (await suggest_follow_ups(turn, trial=trial)).trace.suggested_questions == ("Was gibt es zu „Schlüssel kopieren“?",)
    french = [hit("plan", "Congés", lang="fr"), hit("plan", "Envoyer un colis", 1, lang="fr")]
    assert await suggested(answered("Combien de jours ?", *french, lang="fr", text="Trente.")) == ("Envoyer un colis",)


async def test_suggestions_of_the_answering_model_are_tried_too() -> None:
    hits = (hit("handbook", "Holidays"), hit("handbook", "Send a parcel", 1))
    written = ("How many?", "Who said thirty?", "Where is the moon?", "May I post a letter?")
    answer = Answer("Thirty.", (Citation(1, hits[0], SAID),))
    turn = make_turn("How many?", hits=hits, answer=answer, suggested_questions=written)
    trial = Trial(*(each.chunk for each in hits))
    places = {each.question: [(each.chunk.chunk_id, each.start, each.end)] for each in trial.made.values()}
    places |= {"Who said thirty?": [(hits[0].chunk.chunk_id, 0, 9)], "May I post a letter?": [(hits[1].chunk.chunk_id, 0, 9)]}

    async def found(turn: Turn, question: str) -> list[tuple[str, int, int]]:
        assert question != "How many?"  # it has just been answered
        return places.get(question, [])

    async def left(turn: Turn) -> tuple[str, ...]:
        return (await suggest_follow_ups(turn, trial=found)).trace.suggested_questions

    assert await left(turn) == ("May I post a letter?",)
    assert await left(make_turn("How many?", hits=hits, answer=answer, suggested_questions=written, lang="fr")) == ("May I post a letter?",)
    assert await left(with_(turn, outcome="cached")) == ("May I post a letter?",)
    assert await left(with_(turn, outcome="refused")) == ("What is there on “Send a parcel”?",)
    del places["May I post a letter?"]
    assert await left(turn) == ("What is there on “Send a parcel”?",)


async def test_after_the_closest_passages_their_questions_are_asked_after_nothing_none() -> None:
    hits = (hit("handbook", "Send a parcel"), hit("plan", "Send a letter"))
    turn = answered("How do I send a parcel to Busan?", *hits)
    assert await suggested(with_(turn, outcome="closest", answer=Answer("Closest", turn.answer.citations if turn.answer else ()))) == (
        "What is there on “Send a letter”?",
    )
    nothing = Answer("Nothing.", verdict=Verdict("nothing", "unrelated", -2.0, 2.0, 0.5))
    assert await suggested(with_(turn, outcome="refused", answer=nothing)) == ()
    assert await suggested(make_turn("How many?")) == ()


async def test_no_more_than_a_few_are_tried() -> None:
    hits = [hit("handbook", "Holidays"), *(hit("handbook", f"Send {'x' * n}parcel", n) for n in range(1, 15))]
    trial = Trial(*(each.chunk for each in hits), fails="")
    await suggest_follow_ups(answered("How many holidays are there?", *hits), trial=trial)
    assert len(trial.tried) == TRIED == 8


@pytest.mark.parametrize("fails", [True, False], ids=["a search that fails ends the trials", "what was tried in time is suggested"])
async def test_what_cannot_be_tried_harms_nothing(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_ups, "TRYING_S", 0.5)
    hits = [hit("handbook", "Holidays"), hit("handbook", "Send a parcel", 1), hit("handbook", "Add a desk", 2)]
    quick = Trial(*(each.chunk for each in hits))

    async def trial(turn: Turn, question: str) -> list[tuple[str, int, int]]:
        if "desk" in question and fails:
            raise SearchUnavailable("The index is down.")
        if "desk" in question:
            await asyncio.Event().wait()
        return await quick(turn, question)

    turn = await suggest_follow_ups(answered("How many holidays are there?", *hits), trial=trial)
    assert (turn.trace.suggested_questions, turn.trace.degraded) == (("What is there on “Send a parcel”?",), False)
