"""An answer without a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.choose import MOST
from footnote.answer.extract import PASSAGES, certain_quotes, extract, read_sentences
from footnote.answer.messages import message
from footnote.answer.score_sentences import Scored
from footnote.errors import ModelUnavailable
from footnote.events import Event, Token
from footnote.types import EXTERNAL_IDS, Hit, Part, Tier, Turn
from tests.deps import FakeDeps, call_step, pinned
from tests.fakes import FakeEmbedder, make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import make_turn, with_

BRIDGE = "The bridge was built in 1894. It is painted blue today. Nobody lives on it."


async def run(turn: Turn, index: Any, tier: Tier = "answer") -> tuple[list[Event], Turn]:
    with pinned(tier):
        events = [event async for event in call_step(extract, turn, FakeDeps(index=index))]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1]  # type: ignore[return-value]


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("style", "first", "second"), [("numbered", "[1]", "[2]"), ("footnote", "[^𝒷ridge]", "[^tower]")])
async def test_each_excerpt_stands_below_its_title_and_is_cited_once_at_its_end(style: str, first: str, second: str) -> None:
    hits = (
        make_hit("🙂 The bridge was built in 1894. Its  paint\nis blue by now.", "𝒷ridge"),
        make_hit("The tower was built of red bricks in 1894 too.", "tower"),
    )
    turn = make_turn("When was it built?", hits=hits)
    turn = with_(turn, profile=type(turn.profile)("p", live=False, citation_style=style, prompt="answer_numbered"))
    tokens, turn = await run(turn, Stored(*hits))
    answer = turn.answer
    assert answer.extractive
    assert answer.text == (
        f"**𝒷ridge**\n\n🙂 The bridge was built in 1894. Its paint is blue by now. {first}\n\n"
        f"**Tower**\n\nThe tower was built of red bricks in 1894 too. {second}"
    )
    assert "".join(token.text for token in tokens if isinstance(token, Token)) == answer.text
    assert [(citation.number, citation.hit, citation.snippet) for citation in answer.citations] == [
        (1, hits[0], "🙂 The bridge was built in 1894."),
        (2, hits[1], "The tower was built of red bricks in 1894 too."),
    ]
    assert [answer.text[slice(*citation.spans[0])] for citation in answer.citations] == [first, second]
    assert (turn.outcome, answer.verdict and (answer.verdict.tier, answer.verdict.because)) == (None, ("answer", "sure"))


@pytest.mark.parametrize(
    ("between", "shown", "bounds"),
    [
        pytest.param(" ", " ", ((0, 37), (38, 74)), id="the sentences that answer are the bounds of the citation"),
        pytest.param("\n\n", " [1]\n\n", ((0, 37), (39, 75)), id="excerpts of one passage share its number"),
    ],
)
async def test_one_passage_is_one_citation(between: str, shown: str, bounds: tuple[tuple[int, int], ...]) -> None:
    first, second = "The bridge was built in 1894 of wood.", "It was built again in 1977 of steel."
    hit = make_hit(f"{first}{between}{second}")
    _, turn = await run(make_turn("When was it built?", hits=(hit,)), Stored(hit))
    assert turn.answer.text == f"**Plan**\n\n{first}{shown}{second} [1]"
    (citation,) = turn.answer.citations
    assert (citation.number, citation.bounds) == (1, bounds)
    assert [turn.answer.text[slice(*span)] for span in citation.spans] == ["[1]"] * turn.answer.text.count("[1]")


async def test_a_quoted_sentence_is_cited_with_its_page() -> None:
    """The passage begins on page 6 and ends on page 7."""
    text = "Nobody knows its maker.\n\nThe bridge was built in 1894."
    hit = make_hit(text, page=6, parts=(Part(0, 6, 0, 0), Part(25, 7, 1, 0)))
    _, turn = await run(make_turn("When was the bridge built?", hits=(hit,)), Stored(hit))
    assert [(citation.snippet, citation.page) for citation in turn.answer.citations] == [("The bridge was built in 1894.", 7)]


STEPS = "Painting\n\nPaint the bridge like this:\n\n1. Wash it.  Wash it well.\n2. Paint the bridge blue."
STEP_PARTS = (Part(0, None, 0, 0, "heading"), Part(10, None, 1, 0, "paragraph"), Part(39, None, 2, 0, "list"))
CODE_PARTS = (Part(0, None, 0, 0, "paragraph"), Part(31, None, 1, 0, "code"))


@pytest.mark.parametrize(
    ("question", "hit", "text"),
    [
        pytest.param(
            "How do I paint the bridge?",
            make_hit(STEPS, parts=STEP_PARTS),
            "**Plan › Painting**\n\nPaint the bridge like this:\n\n1. Wash it. Wash it well.\n2. Paint the bridge blue. [1]",
            id="steps are a list below their section",
        ),
        *(
            pytest.param(
                "How do I serve on a port?",
                make_hit(f"Start the server on its port:\n\n{code}", parts=CODE_PARTS),
                f"**Plan**\n\nStart the server on its port:\n\n```\n{code}\n```\n[1]",
                id=f"code has its citation below: {code}",
            )
            for code in ("footnote serve --port 8080", "| footnote serve --port 8080 |")
        ),
        pytest.param(
            "When was the bridge built?",
            make_hit("The bridge was built in `1894."),
            "**Plan**\n\nThe bridge was built in \\`1894. [1]",
            id="a marker is no code where a sentence leaves code open",
        ),
    ],
)
async def test_an_answer_is_given_in_the_form_of_its_passage(question: str, hit: Hit, text: str) -> None:
    _, turn = await run(make_turn(question, hits=(hit,)), Stored(hit))
    assert turn.answer.text == text


async def test_a_title_cannot_format_the_answer() -> None:
    hit = make_hit(BRIDGE)
    hit = replace(hit, chunk=replace(hit.chunk, title="*[x]* <b>`y`"))
    _, turn = await run(make_turn("When was the bridge built?", hits=(hit,)), Stored(hit))
    assert turn.answer.text.startswith(
        "**\\*\\[x\\]\\* \\<b\\>\\`y\\`**\n\nThe bridge was built in 1894. It is painted blue today. Nobody lives on it. [1]"
    )


# --- no answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "de", "ko", "zh"])
async def test_a_question_that_nothing_answers_is_refused_in_its_language(lang: str) -> None:
    hit = make_hit(BRIDGE)
    tokens, turn = await run(make_turn("Quantum chromodynamics?", hits=(hit,), lang=lang), Stored(hit), "nothing")
    text = message("refused", lang)
    assert tokens == [Token(text)]
    assert (turn.outcome, turn.answer.text, turn.answer.citations, turn.answer.extractive) == ("refused", text, (), True)
    assert (turn.answer.verdict.tier, turn.answer.verdict.missing) == ("nothing", ("Quantum", "chromodynamics"))
    assert turn.evidence.hits == (hit,)  # the nearest passages stay with it


@pytest.mark.parametrize(("lang", "written"), [("en", ""), ("de", " (Englisch)"), ("ko", " (영어)"), ("fr", " (English)")])
async def test_without_a_certain_answer_the_closest_excerpts_are_shown(lang: str, written: str) -> None:
    hits = tuple(make_hit(f"The bridge number {i} is at the harbour today. It is painted blue.", f"d{i}") for i in range(MOST + 1))
    tokens, turn = await run(make_turn("bridge harbour today", hits=hits, lang=lang), Stored(*hits), "closest")
    assert turn.answer is not None
    shown = [f"\n\n**D{i}**{written}\n\nThe bridge number {i} is at the harbour today. It is painted blue. [{i + 1}]" for i in range(MOST)]
    assert [token.text for token in tokens if isinstance(token, Token)] == [message("closest", lang), *shown]
    assert turn.answer.text == "".join([message("closest", lang), *shown])
    assert (turn.outcome, turn.answer.verdict and turn.answer.verdict.tier) == ("closest", "closest")
    assert [citation.hit for citation in turn.answer.citations] == list(hits[:MOST])
    assert [turn.answer.text[slice(*citation.spans[0])] for citation in turn.answer.citations] == ["[1]", "[2]", "[3]"]


async def test_the_quotes_of_a_certain_answer_are_those_of_the_answer() -> None:
    hit = make_hit(BRIDGE)
    turn = make_turn("When was the bridge built?", hits=(hit,))
    with pinned("answer"):
        quotes = await certain_quotes(turn, index=Stored(hit))  # type: ignore[arg-type]
    _, answered = await run(turn, Stored(hit))
    assert tuple((each.start, each.end) for quote in quotes for each in quote.marked) == answered.answer.citations[0].bounds != ()
    for tier in ("closest", "nothing"):
        with pinned(tier):
            assert await certain_quotes(turn, index=Stored(hit)) == []  # type: ignore[arg-type]
    assert await certain_quotes(make_turn("When?"), index=Stored()) == []  # type: ignore[arg-type]


# --- what is read --------------------------------------------------------------------------------


async def read(turn: Turn, index: Any, embedder: Any = None) -> list[Scored]:
    return (await read_sentences(turn, index, embedder))[1]


async def test_only_the_first_passages_that_may_be_read_are_looked_at() -> None:
    hits = tuple(make_hit(f"The bridge number {i} is here.", f"d{i}") for i in range(PASSAGES + 2))
    found = await read(make_turn("Which bridge?", hits=hits), Stored(*hits[1:]))
    assert [each.hit.chunk.doc_id for each in found] == [f"d{i}" for i in range(1, PASSAGES)]


async def test_passages_from_other_systems_are_split_and_scored_by_words() -> None:
    hit = make_hit(BRIDGE)
    outside = replace(hit, chunk=replace(hit.chunk, chunk_id=f"{EXTERNAL_IDS[0]}1", title="Bridge"))
    found = await read(make_turn("Is the bridge painted?", hits=(outside,)), Stored())
    assert [(each.text, each.features.total) for each in found] == [
        ("The bridge was built in 1894.", 0.5),
        ("It is painted blue today.", 1.0),
        ("Nobody lives on it.", 0.5),
    ]


async def test_passages_without_vectors_are_embedded_with_headings_in_a_known_language() -> None:
    embedder = FakeEmbedder()
    vector = embedder.vector("Is the bridge painted?")
    hits = (make_hit(BRIDGE, "a"), make_hit("Die Brücke ist blau gestrichen.", "b", lang="de"))
    turn = make_turn("Is the bridge painted?", hits=hits, vectors=(vector,))
    found = await read(turn, Stored(*hits), embedder)
    assert len(embedder.embedded) == 4  # a passage and its three sentences
    assert all("A" in text for text in embedder.embedded)
    assert [each.features.cosine != 0 for each in found] == [True, True, True, False]
    embedder.embedded.clear()
    assert {each.features.cosine for each in await read(make_turn("Is it?", hits=hits), Stored(*hits), embedder)} == {0.0}
    assert embedder.embedded == []  # the question has no vector


class Stuck(FakeEmbedder):
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        await asyncio.Event().wait()


class Broken(FakeEmbedder):
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        raise ModelUnavailable("Down.")


@pytest.mark.parametrize("embedder", [Stuck(), Broken()])
async def test_passages_that_cannot_be_embedded_in_time_are_scored_by_words(embedder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.answer.extract.EMBED_S", 0.01)
    hits = (make_hit(BRIDGE),)
    turn = make_turn("Is the bridge painted?", hits=hits, vectors=(embedder.vector("bridge"),))
    question, found = await read_sentences(turn, Stored(*hits), embedder)  # type: ignore[arg-type]
    assert question.by_vectors is False
    assert [each.score for each in found] == [
        each.score for each in await read(make_turn("Is the bridge painted?", hits=hits), Stored(*hits))
    ]
