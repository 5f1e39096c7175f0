"""A typo is corrected by the words of visible passages, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Profile, Request, Turn
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
    await put_document(core.index, make_document("handbook"), [TEXTS[lang]], lang=lang)
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
    ],
)
async def test_a_typo_is_corrected_in_its_case(tmp_path: Path, question: str, lang: str, corrected: str) -> None:
    turn = await ask(tmp_path, question, lang)
    assert turn.asked == corrected
    assert (turn.record.notes["original"], turn.record.notes["corrected"]) == (question, corrected)
    assert turn.request.question == question
    assert turn.answer is not None
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


def test_a_correction_that_makes_another_question_is_dropped() -> None:
    assert keeps_question("of them all", "of then all")
    assert not keeps_question("of them", "too java")
