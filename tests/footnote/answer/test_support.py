"""Each sentence of a model's answer against the passages that it cites, and those that it was shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.answer.check import check_answer, check_support, is_checked
from footnote.answer.citation_styles import cite
from footnote.answer.messages import message
from footnote.answer.support import claims_something
from footnote.settings import Rag
from footnote.types import Answer, Hit, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import HELD, LIVE, make_turn

BRIDGE = make_hit(
    "The old bridge in Bergen was built by Anna Krogh in 1894. It carries 300 cars a day. Cyclists may not cross it at night."
    " A second bridge was planned for 1910, but the town council never paid for it.",
    "bridge",
)
FERRY = make_hit("The ferry leaves every hour. A ticket costs 4.50 euros and is valid for two days.", "ferry", 1)
BRUECKE = make_hit(
    "Die alte Brücke wurde 1894 von Anna Krogh gebaut. Sie trägt täglich 300 Autos. Radfahrer dürfen nachts nicht fahren.", lang="de"
)
DARI = make_hit("옛 다리는 1894년에 베르겐에서 지어졌습니다. 하루에 자동차 300대가 지나갑니다. IBM이 설계를 맡았습니다.", lang="ko")
POOL = make_hit("The pool closes at 22:00 from May to September. A day pass is 5 euros.", "pool", 2)
SILENT = replace(HELD, options={"quotes": False})
"""Without quotes instead of what is unfounded."""


async def check(
    text: str, *hits: Hit, lang: str = "en", output_check: Any = "warn", profile: Any = SILENT, question: str = "Tell me."
) -> Turn:
    hits = hits or (BRIDGE, FERRY)
    said, citations = cite(text, hits, profile.citation_style, lang)
    turn = make_turn(question, profile, lang=lang, hits=hits, answer=Answer(said, citations, model="m"))
    index: Any = Stored(*hits)
    deps = FakeDeps(index=index, rag=Rag(output_check=output_check))
    for step in (check_answer, check_support):
        turn = [item async for item in call_step(step, turn, deps)][-1] if step is check_answer or is_checked(turn) else turn  # type: ignore[assignment]
    return turn


def answer_of(turn: Turn) -> Answer:
    assert turn.answer is not None
    return turn.answer


@pytest.mark.parametrize(
    ("text", "lang", "hits"),
    [
        ("Anna Krogh built the old bridge in 1894 [1].", "en", (BRIDGE, FERRY)),
        ("The bridge carries 300 cars a day. [1] The ferry leaves every hour. [2]", "en", (BRIDGE, FERRY)),
        ("Cyclists may not cross the bridge at night [1].", "en", (BRIDGE, FERRY)),
        ("A ferry ticket costs €4.50 [2].", "en", (BRIDGE, FERRY)),
        ("A ticket is valid for 2 days [2].", "en", (BRIDGE, FERRY)),
        ("The pool closes at 10 pm, and a day pass is EUR 5.00 [1].", "en", (POOL,)),
        ("The bridge carries 300 cars a day and the ferry leaves every hour [1][2].", "en", (BRIDGE, FERRY)),
        ("Die alte Brücke wurde 1894 gebaut [1].", "de", (BRUECKE,)),
        ("옛 다리는 1894년에 지어졌습니다 [1].", "ko", (DARI,)),
    ],
)
async def test_supported_statements_are_not_doubted(text: str, lang: str, hits: tuple[Hit, ...]) -> None:
    assert answer_of(await check(text, *hits, lang=lang)).warnings == ()


@pytest.mark.parametrize(
    ("text", "lang", "hits"),
    [
        ("Anna Krogh built the old bridge in 1897 [1].", "en", (BRIDGE, FERRY)),
        ("Cyclists may cross it at night [1].", "en", (BRIDGE, FERRY)),
        ("It does not carry 300 cars a day [1].", "en", (BRIDGE, FERRY)),
        ("Queen Sonja opened it [1].", "en", (BRIDGE, FERRY)),
        ("Die alte Brücke wurde 1895 von Anna Krogh gebaut [1].", "de", (BRUECKE,)),
        ("Radfahrer dürfen nachts fahren [1].", "de", (BRUECKE,)),
        ("서울에서는 입장료가 5만 원입니다 [1].", "ko", (DARI,)),
    ],
)
async def test_an_answer_without_support_is_refused(text: str, lang: str, hits: tuple[Hit, ...]) -> None:
    turn = await check(text, *hits, lang=lang)
    assert (turn.outcome, answer_of(turn).warnings) == ("refused", ("unfounded",))
    assert turn.trace.notes["unsupported"] == [text.replace(" [1]", "    ")]


@pytest.mark.parametrize("profile", [SILENT, LIVE])
async def test_a_sentence_without_a_marker_is_checked_where_it_stands(profile: Any) -> None:
    text = "The old bridge carries 300 cars a day [1]. In Madrid it is 999 euros, and Marta pays it."
    answer = answer_of(await check(text, profile=profile))
    assert answer.warnings == ("unsupported",)
    assert [(answer.text[claim.start : claim.end], claim.is_doubted) for claim in answer.claims] == [
        ("The old bridge carries 300 cars a day [1].", False),
        ("In Madrid it is 999 euros, and Marta pays it.", True),
    ]


async def test_a_statement_without_citation_gets_its_passage() -> None:
    text = "The old bridge carries 300 cars a day [1]. The ferry leaves every hour."
    held, live = answer_of(await check(text)), answer_of(await check(text, profile=replace(LIVE, citation_style=SILENT.citation_style)))
    assert (held.text, live.text) == (f"{text} [2]", text)
    for answer, spans in ((held, ((72, 75),)), (live, ())):
        assert [(each.number, each.hit.chunk.doc_id, each.is_added) for each in answer.citations] == [
            (1, "bridge", False),
            (2, "ferry", True),
        ]
        assert (answer.citations[1].snippet, answer.citations[1].spans) == ("The ferry leaves every hour.", spans)
        assert answer.warnings == ()


async def test_a_text_that_cites_nothing_is_an_answer_where_passages_support_it() -> None:
    held = answer_of(await check("The old bridge carries 300 cars a day.", profile=replace(SILENT, citation_style="numbered")))
    assert (held.text, held.warnings) == ("The old bridge carries 300 cars a day. [1]", ("citations_added",))
    turn = await check("Unicorns sing in the valley of glass.")
    assert (turn.outcome, answer_of(turn).warnings) == ("refused", ("uncited",))


async def test_a_wrong_citation_gains_the_supporting_passage() -> None:
    answer = answer_of(await check("The old bridge carries 300 cars a day [1]. A ticket costs 4.50 euros [1]."))
    assert [(each.hit.chunk.doc_id, each.is_added) for each in answer.citations] == [("bridge", False), ("ferry", True)]
    assert answer.warnings == ()


@pytest.mark.parametrize("said", ["Yes.", "Here is what applies:", "## Prices", "Would you like to know more?", "네.", "Ja."])
def test_sentences_without_a_claim_are_not_checked(said: str) -> None:
    assert not claims_something(said, "de" if said == "Ja." else "ko" if said == "네." else "en")


async def test_names_from_the_question_are_not_doubted() -> None:
    text = "The bridge of Old Haven was built in 1894 [1]."
    (asked,) = answer_of(await check(text, question="When was the bridge of Old Haven built?")).claims
    (alone,) = answer_of(await check(text)).claims
    assert asked.support is not None
    assert alone.support is not None
    assert asked.support > alone.support


async def test_passages_in_another_language_are_not_compared_without_vectors() -> None:
    answer = answer_of(await check("Cyclists may cross the river at night [1].", BRUECKE))
    assert [(claim.support, claim.is_doubted) for claim in answer.claims] == [(None, False)]
    assert answer.warnings == ()


async def test_an_answer_that_is_doubted_is_replaced_if_configured_and_not_yet_streamed() -> None:
    text = "The old bridge carries 300 cars a day [1]. In Madrid it is 999 euros, and Marta pays it."
    turn = await check(text, output_check="reject")
    assert (turn.outcome, turn.answer) == ("refused", Answer(message("unsupported", "en"), model="m"))
    assert turn.trace.notes["rejected_answer"] == text
    live = await check(text, output_check="reject", profile=LIVE)
    assert (live.outcome, answer_of(live).warnings) == (None, ("unsupported",))
    notice = await check("The bridge was built in 1897 [1].", profile=replace(HELD, options={"reject_uncited": True}))
    assert (notice.outcome, notice.answer) == ("refused", Answer(message("unsupported", "en"), model="m"))


async def test_the_mean_support_is_noted() -> None:
    assert (await check("The ferry leaves every hour [2].")).trace.notes["groundedness"] > 0.7
    assert (await check("Queen Sonja opened it [1].")).trace.notes["groundedness"] < 0.3


async def test_each_marker_leads_to_the_sentences_that_support_its_claim() -> None:
    said = "Anna Krogh built the old bridge in 1894 [1]. The bridge carries 300 cars a day. Cyclists may not cross the bridge at night [1]."
    answer = answer_of(await check(said, BRIDGE, profile=LIVE))
    (citation,) = answer.citations
    shown = [BRIDGE.chunk.text[slice(*bounds)] for bounds in citation.bounds]
    assert shown[0] == citation.snippet == "The old bridge in Bergen was built by Anna Krogh in 1894."
    assert len(shown) == len(citation.spans) == 2
    assert "Cyclists may not cross it at night." in shown[1]
    places = [claim.place for claim in answer.claims]
    assert [BRIDGE.chunk.text[place.start : place.end] for place in places if place][1] == "It carries 300 cars a day."
