"""Answers that only say what is missing, and answers that say no."""

from __future__ import annotations

import re

import pytest

from footnote.answer.flaws import lacks_information
from footnote.types import Answer, Citation
from tests.fakes import make_hit

HIT = make_hit("The bridge was built in 1894.")

SILENT = {
    "en": [
        "The context does not contain information about the fee.",
        "The provided documents don't mention parking [1].",
        "Unfortunately, the given sources do not say when it was built.",
        "I don't know.",
        "There is no information about dogs in the provided context.",
        "Not enough information is given in the documents.",
        "The fee is not specified in the documents [1].",
        "I could not find an answer to this.",
        "I’m sorry, but I cannot answer this from the documents.",
        "The documents do not say who may park there. They only describe the bridge [1].",
        "I looked everywhere. The documents do not mention a fee [1].",
    ],
    "de": [
        "Die Dokumente enthalten keine Informationen dazu.",
        "In den Dokumenten finden sich keine Angaben zu Hunden [1].",
        "Es gibt keine Informationen in den Dokumenten.",
        "Leider liefert der Kontext keine ausreichenden Informationen.",
        "Das wird in den Dokumenten nicht erwähnt.",
        "Aus den Unterlagen geht nicht hervor, wann das war.",
        "Die Quellen nennen den Preis nicht.",
        "Ich weiß es nicht.",
        "Diese Frage kann ich anhand der Dokumente nicht beantworten.",
    ],
    "ko": [
        "제공된 문서에는 주차에 대한 정보가 없습니다.",
        "문서에서 답을 찾을 수 없습니다 [1].",
        "해당 내용은 문서에 언급되어 있지 않습니다.",
        "제공된 자료만으로는 알 수 없습니다.",
        "제공된 문서에는 관련 내용이 포함되어 있지 않습니다.",
        "죄송하지만 잘 모르겠습니다.",
    ],
}
SAID = {
    "en": [
        "Smoking is not permitted [1].",
        "No information may be passed to third parties [1].",
        "There is no information desk on the first floor [1].",
        "The contract does not contain a clause on smoking [1].",
        "You do not need documents [1].",
        "He said that he did not know the answer [1].",
        "The bridge was built in 1894 [1]. The documents do not say who built it.",
    ],
    "de": [
        "Rauchen ist nicht gestattet [1].",
        "Die Unterlagen enthalten keine personenbezogenen Daten [1].",
        "Ohne Dokumente erhalten Sie keine Auskunft [1].",
        "Dokumente werden nicht aufbewahrt [1].",
        "Die Brücke wurde 1894 gebaut [1]. Wer sie baute, geht aus den Dokumenten nicht hervor.",
    ],
    "ko": [
        "흡연은 허용되지 않습니다 [1].",
        "다리는 일요일에 열리지 않습니다 [1].",
        "신분증이 없는 방문객은 들어갈 수 없습니다 [1].",
        "원인은 알 수 없습니다 [1].",
        "다리는 1894년에 지어졌습니다 [1]. 건축가는 문서에 나와 있지 않습니다.",
    ],
}


def answer(text: str) -> Answer:
    spans = tuple(marker.span() for marker in re.finditer(r"\[1\]", text))
    return Answer(text, (Citation(1, HIT, "x", spans=spans),) if spans else ())


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in SILENT.items() for text in texts])
def test_an_answer_that_says_the_documents_lack_the_information_is_recognised(lang: str, text: str) -> None:
    assert lacks_information(answer(text), lang)


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in SAID.items() for text in texts])
def test_an_answer_that_says_no_or_leaves_a_part_open_is_an_answer(lang: str, text: str) -> None:
    assert not lacks_information(answer(text), lang)


def test_citations_without_markers_speak_for_all_but_the_first_sentence() -> None:
    cited = (Citation(1, HIT, "x"),)
    assert lacks_information(Answer("The documents do not say who built it. It is blue.", cited), "en")
    assert not lacks_information(Answer("It was built in 1894. The documents do not say who built it.", cited), "en")
