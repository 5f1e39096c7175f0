"""Each claim against the passages that it cites."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.answer import assess
from footnote.answer.assess import claims_of, find_support
from footnote.answer.citation_styles import cite
from footnote.answer.messages import message
from footnote.answer.unsupported import check_support, has_sources
from footnote.settings import Rag
from footnote.types import Answer, Hit, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
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

PLAIN = make_hit("신청은 3월에 마감한다. 비용은 회사가 부담한다.", lang="ko")
"""Its sentences end plainly, those of a model politely."""
BIBEON = make_hit("비밀번호를 본인이 변경할 수 있습니다.", lang="ko")
HALL = make_hit("Guests can rent the hall on Sundays.")


class Weights:
    """An index in which all terms have the same weight."""

    async def term_weights(self, caller: Any, collection: str, terms: list[str]) -> dict[str, float]:
        return dict.fromkeys(terms, 1.0)


SILENT = replace(HELD, options={"quotes": False})
"""Without quotes instead of what is unfounded."""


async def check(
    text: str, *hits: Hit, lang: str = "en", output_check: Any = "warn", profile: Any = SILENT, question: str = "Tell me."
) -> Turn:
    said, citations = cite(text, hits or (BRIDGE, FERRY), profile.citation_style, lang)
    turn = make_turn(question, profile, lang=lang, answer=Answer(said, citations, model="m"))
    index: Any = Weights()
    deps = FakeDeps(index=index, rag=Rag(output_check=output_check))
    return [item async for item in call_step(check_support, turn, deps)][-1] if has_sources(turn) else turn  # type: ignore[return-value]


def warnings(turn: Turn) -> tuple[str, ...]:
    assert turn.answer is not None
    return turn.answer.warnings


@pytest.mark.parametrize(
    ("text", "lang", "hits"),
    [
        ("Anna Krogh built the old bridge in 1894 [1].", "en", (BRIDGE, FERRY)),
        ("The bridge carries 300 cars a day. [1] The ferry leaves every hour. [2]", "en", (BRIDGE, FERRY)),
        ("Cyclists may not cross the bridge at night [1].", "en", (BRIDGE, FERRY)),
        ("A ferry ticket costs 4.50 euros [2].", "en", (BRIDGE, FERRY)),
        ("A ticket is valid for 2 days [2].", "en", (BRIDGE, FERRY)),
        ("Die alte Brücke wurde 1894 gebaut [1].", "de", (BRUECKE,)),
        ("옛 다리는 1894년에 지어졌습니다 [1].", "ko", (DARI,)),
        ("IBM이 설계를 맡았습니다 [1].", "ko", (DARI,)),
        ("3월에 마감됩니다 [1].", "ko", (PLAIN,)),
        ("회사에서 부담해 드립니다 [1].", "ko", (PLAIN,)),
        ("비밀번호를 본인이 변경할 수 있습니다 [1].", "ko", (BIBEON,)),
    ],
)
async def test_what_the_source_says_is_not_doubted(text: str, lang: str, hits: tuple[Hit, ...]) -> None:
    assert warnings(await check(text, *hits, lang=lang)) == ()


@pytest.mark.parametrize(
    ("text", "lang", "hits"),
    [
        ("Anna Krogh built the old bridge in 1897 [1].", "en", (BRIDGE, FERRY)),
        ("Anna Krogh built the old bridge in Bergen in 1910 [1].", "en", (BRIDGE, FERRY)),
        ("The old bridge in Bergen was built by Peter Krogh in 1894 [1].", "en", (BRIDGE, FERRY)),
        ("Cyclists may cross it at night [1].", "en", (BRIDGE, FERRY)),
        ("It does not carry 300 cars a day [1].", "en", (BRIDGE, FERRY)),
        ("The ferry leaves every hour [1].", "en", (BRIDGE, FERRY)),
        ("Die alte Brücke wurde 1895 von Anna Krogh gebaut [1].", "de", (BRUECKE,)),
        ("Radfahrer dürfen nachts fahren [1].", "de", (BRUECKE,)),
        ("옛 다리는 1984년에 베르겐에서 지어졌습니다 [1].", "ko", (DARI,)),
        ("SAP이 설계를 맡았습니다 [1].", "ko", (DARI,)),
        ("Guests cannot rent the hall on Sundays [1].", "en", (HALL,)),
        ("비밀번호를 본인이 변경할 수 없습니다 [1].", "ko", (BIBEON,)),
    ],
)
async def test_numbers_names_negations_and_texts_from_elsewhere_are_doubted(text: str, lang: str, hits: tuple[Hit, ...]) -> None:
    turn = await check(text, *hits, lang=lang)
    misplaced = text.startswith("Anna Krogh built the old bridge in Bergen in 1910")  # a number of the passage, beside other words
    assert warnings(turn) == (("unsupported",) if misplaced else ("unfounded",))
    assert turn.record.notes["unsupported"] == [text.replace(" [1]", "    ")]


PASS = {
    "en": make_hit("The annual pass costs 142 euros. Ask the porter."),
    "de": make_hit("Die Jahreskarte kostet 142 Euro. Fragen Sie den Pförtner.", lang="de"),
    "ko": make_hit("연간 이용권은 142유로입니다. 경비원에게 문의하십시오.", lang="ko"),
}
NEVER = {
    "en": make_hit("The gate is never locked. Ask the porter."),
    "de": make_hit("Das Tor ist nie verschlossen. Fragen Sie den Pförtner.", lang="de"),
    "ko": make_hit("문은 절대 열려 있지 않습니다. 경비원에게 문의하십시오.", lang="ko"),
}
ALWAYS = {
    "en": make_hit("The gate is always locked. Ask the porter."),
    "de": make_hit("Das Tor ist immer verschlossen. Fragen Sie den Pförtner.", lang="de"),
    "ko": make_hit("문은 항상 열려 있습니다. 경비원에게 문의하십시오.", lang="ko"),
}


@pytest.mark.parametrize("marker", [" [1]", "\nSOURCES_USED: 1"])
@pytest.mark.parametrize(
    ("text", "lang", "hits", "doubted"),
    [
        ("It is 999 euros.", "en", PASS, True),
        ("It is 142 euros.", "en", PASS, False),
        ("Es sind 999 Euro.", "de", PASS, True),
        ("Es sind 142 Euro.", "de", PASS, False),
        ("999유로입니다.", "ko", PASS, True),
        ("142유로입니다.", "ko", PASS, False),
        ("It is always locked.", "en", NEVER, True),
        ("It is never locked.", "en", NEVER, False),
        ("It is never locked.", "en", ALWAYS, True),
        ("No, it is always locked.", "en", ALWAYS, False),
        ("Es ist immer verschlossen.", "de", NEVER, True),
        ("Es ist niemals verschlossen.", "de", NEVER, False),
        ("Es ist nie verschlossen.", "de", ALWAYS, True),
        ("Nein, es ist stets verschlossen.", "de", ALWAYS, False),
        ("항상 열려 있습니다.", "ko", NEVER, True),
        ("결코 열려 있지 않습니다.", "ko", NEVER, False),
        ("절대 열려 있지 않습니다.", "ko", ALWAYS, True),
        ("아니요, 언제나 열려 있습니다.", "ko", ALWAYS, False),
    ],
)
async def test_a_number_or_a_never_counts_in_the_shortest_sentence(
    text: str, lang: str, hits: dict[str, Hit], doubted: bool, marker: str
) -> None:
    style = "references" if marker.startswith("\n") else "numbered"
    turn = await check(text + marker, hits[lang], lang=lang, profile=replace(SILENT, citation_style=style))
    assert warnings(turn) == (("unfounded",) if doubted else ())


async def test_pleasantries_and_numbers_of_steps_claim_nothing() -> None:
    text = "Yes.\n\nThe annual pass costs 142 euros.\n\n2. Ask the porter.\n\nStep 3: Ask!\n\nHope this helps!\nSOURCES_USED: 1"
    turn = await check(text, PASS["en"], profile=replace(HELD, citation_style="references"))
    assert warnings(turn) == ()
    assert turn.record.notes["groundedness"] > 1


async def test_what_the_question_names_is_not_doubted() -> None:
    text = "The bridge of Old Haven was built in 1894 [1]."
    assert warnings(await check(text, question="When was the bridge of Old Haven built?")) == ()
    assert warnings(await check(text)) == ("unfounded",)


async def test_what_cites_nothing_is_judged_and_another_language_is_not() -> None:
    text = "Cyclists may cross the river at night."
    turn = make_turn("Who may cross?", hits=(BRUECKE,))
    ((_, alone),) = await find_support(turn, Answer(text), Weights())
    assert (alone.measured, alone.doubted) == (True, True)
    assert warnings(await check(f"{text[:-1]} [1].", BRUECKE)) == ()


async def test_a_passage_that_several_claims_cite_is_split_once(monkeypatch: pytest.MonkeyPatch) -> None:
    split = list[str]()
    sentences_of = assess.sentences_of
    monkeypatch.setattr(assess, "sentences_of", lambda chunk, lang: split.append(chunk.doc_id) or sentences_of(chunk, lang))
    await check("The old bridge carries 300 cars a day [1]. Cyclists may not cross it at night [1]. The ferry leaves every hour [2].")
    assert split == ["bridge", "ferry"]


async def test_several_sources_support_a_claim_together() -> None:
    assert warnings(await check("The bridge carries 300 cars a day and the ferry leaves every hour [1][2].")) == ()


async def test_how_well_all_claims_are_supported_is_noted() -> None:
    turn = await check("The ferry leaves every hour [2].")
    assert turn.record.notes["groundedness"] == pytest.approx(2.0, abs=0.05)
    assert (await check("The tea is green [2].")).record.notes["groundedness"] < 0.6


async def test_an_unsupported_answer_is_replaced_if_configured_and_not_yet_streamed() -> None:
    text = "The bridge was built in 1897 [1]."
    turn = await check(text, output_check="reject")
    assert (turn.outcome, turn.answer) == ("refused", Answer(message("unsupported", "en"), model="m"))
    assert turn.record.notes["rejected_answer"] == text
    live = await check(f"The old bridge carries 300 cars a day [1]. {text}", output_check="reject", profile=LIVE)
    assert (live.outcome, warnings(live)) == (None, ("unsupported",))


async def test_an_answer_of_which_nothing_is_supported_is_none() -> None:
    """And so nothing that its sources do not say is certain; a part of it that they do not say is a warning."""
    for profile in (SILENT, replace(SILENT, live=True)):
        turn = await check("The bridge was built in 1897 [1]. Queen Sonja opened it [1].", profile=profile)
        assert (turn.outcome, warnings(turn)) == ("refused", ("unfounded",))
    notice = await check("The bridge was built in 1897 [1].", profile=replace(HELD, options={"reject_uncited": True}))
    assert (notice.outcome, notice.answer) == ("refused", Answer(message("unsupported", "en"), model="m"))
    partly = await check("The old bridge carries 300 cars a day [1]. Queen Sonja opened it [1].")
    assert (partly.outcome, warnings(partly)) == (None, ("unsupported",))


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    text, citations = cite("The bridge carries cars. [1] The ferry leaves often. The ferry is slow. [2]", (BRIDGE, FERRY), "numbered", "en")
    claims = [(claim.strip(), [c.chunk_id for c in cited]) for claim, cited, _ in claims_of(Answer(text, citations), "en")]
    assert claims == [("The bridge carries cars.", ["bridge|1|0"]), ("The ferry leaves often.", []), ("The ferry is slow.", ["ferry|1|1"])]


def test_without_markers_every_sentence_is_held_against_all_sources() -> None:
    text, citations = cite("Yes. The old bridge carries 300 cars.\nSOURCES_USED: 1, 2", (BRIDGE, FERRY), "references", "en")
    claims = [(claim, [c.chunk_id for c in cited]) for claim, cited, _ in claims_of(Answer(text, citations), "en")]
    assert claims == [("Yes. The old bridge carries 300 cars.", ["bridge|1|0", "ferry|1|1"])]


def test_answers_that_cite_nothing_or_quote_are_not_checked() -> None:
    text, citations = cite("It carries cars [1].", (BRIDGE,), "numbered", "en")
    answer = Answer(text, citations)
    assert has_sources(make_turn(answer=answer))
    assert not has_sources(make_turn(answer=replace(answer, extractive=True)))
    assert not has_sources(make_turn(answer=Answer(text)))
    assert not has_sources(make_turn())
