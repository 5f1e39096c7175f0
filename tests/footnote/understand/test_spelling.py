"""A typo is corrected by the words of visible passages, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from rapidfuzz.distance import Hamming

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.text.tokens import index_tokens
from footnote.types import Caller, Profile, Request, Turn
from footnote.understand import spelling
from footnote.understand.spelling import keeps_question, nearest
from tests.fakes import make_document, put_document

LOCAL = Caller("local", sees_all=True)
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
TEXTS = {
    "en": "Employees may carry over five days of annual leave. The carryover ends in March.",
    "de": "Die Genehmigung der Dienstreise erteilt die Abteilungsleitung. Der Antrag hat zwei Seiten.",
    "ko": "연차휴가는 입사일을 기준으로 계산한다. 출장비는 승인 후 지급한다.",
}


async def ask(folder: Path, question: str, lang: str, **options: bool) -> Turn:
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await put_document(core.generations, make_document("handbook"), [TEXTS[lang]], lang=lang)
    options_: Any = options
    turn = await core.answer.finish(core.new_turn(Request(question, options=options_), LOCAL, PROFILE))
    await core.close()
    return turn


@pytest.mark.parametrize(
    ("question", "lang", "corrected"),
    [
        ("How many days of anual leave can I carry over?", "en", "How many days of annual leave can I carry over?"),
        ("How many days of annaul leave can I carry over?", "en", "How many days of annual leave can I carry over?"),
        ("How many days of ANUAL leave can I carry over?", "en", "How many days of ANNUAL leave can I carry over?"),
        ("What about the carryovver?", "en", "What about the carryover?"),  # nothing else to search for
        ("When does the carryovver of leave end?", "en", "When does the carryover of leave end?"),
        (
            "Wich leave ends in March? The annual one, or the carryover with it?",
            "en",
            "Which leave ends in March? The annual one, or the carryover with it?",
        ),
        ("Wlecher Antrag hat zwei Seiten?", "de", "Welcher Antrag hat zwei Seiten?"),
        ("Wer erteilt die Genemigung der Reise?", "de", "Wer erteilt die Genehmigung der Reise?"),
        ("Wie viele Seiten hat der Antarg der Abteilungsleitung?", "de", "Wie viele Seiten hat der Antrag der Abteilungsleitung?"),
        ("연차휴거는 무엇을 기준으로 계산하나요?", "ko", "연차휴가는 무엇을 기준으로 계산하나요?"),
        ("출장비는 언제 지귭한다고 하나요?", "ko", "출장비는 언제 지급한다고 하나요?"),
    ],
)
async def test_a_typo_is_corrected_in_its_case(tmp_path: Path, question: str, lang: str, corrected: str) -> None:
    turn = await ask(tmp_path, question, lang)
    assert turn.asked == corrected
    assert (turn.trace.notes["original"], turn.trace.notes["corrected"]) == (question, corrected)
    assert turn.request.question == question
    assert turn.answer.citations


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("How many days of annual leave can I carry over?", "en"),
        ("Can employers carry over leave?", "en"),  # a word of the dictionary, near to one of the passage
        ("Why hasn't the carryover ended?", "en"),
        ("Can I carry over my lave?", "en"),  # words of the dictionary, too
        ("Marhc anual daays?", "en"),  # more than half of it would change
        ("Wer genehmigt die Dienstreisen?", "de"),
        ("연차휴가를 계산하는 기준은 무엇인가요?", "ko"),
        ("출장비는 언제 지급한가요?", "ko"),
        ("출장비는 언제 지급했나요?", "ko"),
        ("연차휴가를 계산해도 되나요?", "ko"),
        ("출장비를 지급하려면 무엇이 필요한가요?", "ko"),
    ],
)
async def test_other_questions_stay_as_they_are(tmp_path: Path, question: str, lang: str) -> None:
    assert (await ask(tmp_path, question, lang)).asked == question


async def test_the_option_switches_it_off(tmp_path: Path) -> None:
    assert (await ask(tmp_path, "How many days of anual leave?", "en", spelling=False)).asked == "How many days of anual leave?"


@pytest.mark.parametrize(
    ("word", "written", "best"),
    [
        ("brigde", {"bridge": 1.0, "bride": 0.5}, "bridge"),
        ("bridgge", {"bridge": 1.0, "bridges": 0.5}, "bridge"),
        ("ridge", {"bridge": 1.0}, None),  # the first letter is seldom wrong
        ("bridges", {"bridge": 1.0}, None),  # a plural is no typo
        ("britgr", {"bridge": 1.0}, None),
        ("comunicatoin", {"communication": 1.0}, "communication"),
    ],
)
def test_the_nearest_word_differs_by_an_edit_or_in_long_words_by_two(word: str, written: dict[str, float], best: str | None) -> None:
    assert nearest(word, written) == best


VERBS = """
    참여하려면 참여하여   계산하려면 계산하여   취소하려고 취소하여   신청하면 신청히   제출하더라도 제출허가   사용하자마자 사용허가
    연장하는데 연장허가   출근하거나 출근허가   방문하세요 방문허가   변경하셔야 변경허가   조회하셨나요 조회허가   반납하지만 반남하지
    결재하고 결제하고   근무해도 근무하도록   공유해도 공유하도록   변경해야 변경하며   등록해서 등록하서   보고해야 보고하여
    지원되나요 지원대상   처리되는지 처리대상   지급되면 지급대상   발급되었나요 발급대장   적용될까요 적용된다   가능한가요 가능할
    필요한데 필요할   교육시키려면 교육시기   교육시켜도 교육시키도록   넘으면 넣으면   받으려면 밥으려면   받으시려면 받으시러
    먹어도 멱어도   늦어서 늘어서   찾아야 참아야   남아도 날아도   작은가요 적은가요   바꿔도 바뀌도록
    정규직이라면 정규직으로   정규직이면 정규직으로   찾아옵니까 찾아온다   내새웠나요 내세웠나요   걷는지요 걸는지요
"""


@pytest.mark.parametrize(("form", "near"), list(zip(VERBS.split()[::2], VERBS.split()[1::2], strict=True)))
def test_a_korean_verb_in_another_form_than_the_passages_is_no_typo(form: str, near: str) -> None:
    """Each would begin like the other word if one jamo were replaced."""
    beginnings = [(normalize("NFD", form[:size]), normalize("NFD", near[:size])) for size in range(3, len(form) + 1)]
    assert 1 in [Hamming.distance(one, other) for one, other in beginnings if len(one) == len(other)]
    assert nearest(form, {near: 1.0}, frozenset(index_tokens(near, "ko"))) is None


@pytest.mark.parametrize(
    ("word", "written", "corrected"),
    [
        ("츨장정산하려면", "출장정산", "출장정산하려면"),
        ("회의록작상했나요", "회의록작성을", "회의록작성했나요"),
        ("도챁하면", "도착하는", "도착하면"),  # no Korean word has the syllable
        ("계슌해도", "계산해야", "계산해도"),
        ("계신해도", "계산해야", None),  # another verb, perhaps
        ("연차휴거는", "연차휴가를", "연차휴가는"),
    ],
)
def test_a_typo_in_a_korean_stem_is_corrected_if_long_or_with_an_unknown_syllable(word: str, written: str, corrected: str | None) -> None:
    assert nearest(word, {written: 1.0}, frozenset(index_tokens(written, "ko"))) == corrected


def test_an_ending_is_found_in_linear_time() -> None:
    assert nearest("하도" * 20_000 + "가", {"나비가": 1.0}) is None


def test_a_correction_that_makes_another_question_is_dropped() -> None:
    assert keeps_question("of them all", "of then all")
    assert not keeps_question("of them", "too java")


@pytest.mark.parametrize(
    ("question", "lang", "unknown"),
    [
        ("How many days of qxleave can I carry over?", "en", ["qxleave"]),
        ("How many days of annual leave can I carry over?", "en", None),
        ("Wer erteilt die Gxxnemigung der Reise?", "de", ["Gxxnemigung"]),
        ("연차휴가는 무엇을 기준으로 곚챁하나요?", "ko", ["곚챁하나요"]),
        ("셔틀은 몇 시에 출발하나요?", "ko", None),
    ],
)
async def test_a_word_that_cannot_be_corrected_is_noted(tmp_path: Path, question: str, lang: str, unknown: list[str] | None) -> None:
    turn = await ask(tmp_path, question, lang)
    assert (turn.reading.unknown_words, turn.trace.notes.get("unknown_words")) == (tuple(unknown or ()), unknown)


@pytest.mark.parametrize("lang", sorted(spelling.LANGUAGES))
def test_a_word_is_known_if_the_dictionary_of_its_language_has_it(lang: str) -> None:
    words = [word for word in json.loads(spelling._dictionary(lang)) if word.isalpha()]
    some = [*words[:50], *words[50:-50:500], *words[-50:]]
    assert [word for word in some if not spelling._is_word(word, lang)] == []
    others = {f"{word}{end}" for word in some for end in ("", "q", "\ufffd")}.union(word[1:] for word in some) - {*words}
    assert [word for word in others if spelling._is_word(word, lang)] == []
