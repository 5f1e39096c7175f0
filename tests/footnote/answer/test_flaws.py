"""What makes a model's text no answer."""

from __future__ import annotations

import pytest

from footnote.answer.flaws import find_flaw
from footnote.types import Answer, Citation, Flaw
from tests.fakes import make_hit
from tests.turns import make_turn

HIT = make_hit("The bridge was built in 1894.", "bridge")
EN, DE, KO = "When was the bridge built?", "Wann wurde die Brücke gebaut?", "다리는 언제 지어졌나요?"


def flaw_of(text: str, question: str = EN, lang: str = "en") -> Flaw | None:
    """Of a text with one marker at its end."""
    marker = f"{text} [1]"
    answer = Answer(marker, (Citation(1, HIT, "x", spans=((len(marker) - 3, len(marker)),)),))
    return find_flaw(make_turn(question, lang=lang), answer)


@pytest.mark.parametrize(
    ("text", "question", "lang", "flaw"),
    [
        ("", EN, "en", "empty"),
        ("…", EN, "en", "empty"),
        ("The answer to this question is:", EN, "en", "preamble"),
        ("**Here is the answer:**", EN, "en", "preamble"),
        ("Sure, here is what the documents say about the bridge:", EN, "en", "preamble"),
        ("Die Antwort auf die Frage lautet:", DE, "de", "preamble"),
        ("물론입니다. 질문에 대한 답변입니다:", KO, "ko", "preamble"),
        ("Rick's last day", "Rick’s last day", "en", "preamble"),
        ("Die Brücke wurde im Jahr 1894 gebaut und ist blau.", EN, "en", "other_language"),
        ("The bridge was built in 1894 and it is blue.", DE, "de", "other_language"),
        ("The bridge was built in 1894 and it is blue.", KO, "ko", "other_language"),
        ("다리는 1894년에 지어졌으며 지금도 파란색으로 칠해져 있습니다.", EN, "en", "other_language"),
        ("Elle est longue et bleue, et les voitures y passent le jour.", EN, "en", "other_language"),
    ],
)
def test_a_text_with_a_citation_may_be_no_answer(text: str, question: str, lang: str, flaw: Flaw) -> None:
    assert flaw_of(text, question, lang) == flaw


@pytest.mark.parametrize(
    ("text", "question", "lang"),
    [
        ("In 1894.", EN, "en"),
        ("Yes.", "Is the bridge blue?", "en"),
        ("1894", KO, "ko"),
        ("The bridge is blue.", "Is the bridge blue?", "en"),
        ("Die Firma bezahlt das Frühstück.", "Bezahlt die Firma das Frühstück?", "de"),
        ("조식은 지급됩니다.", "조식은 지급됩니까?", "ko"),
        ("The bridge was never built.", EN, "en"),
        ("The train is cheaper.", "Which is cheaper, the train or the ferry?", "en"),
        ("It was built in two parts:\n\n- 1894: the piers\n- 1896: the deck", EN, "en"),
        ("Settings > Export > Download as CSV", "설정은 어디에 있나요?", "ko"),
        ("다음 명령을 실행하세요.\n```sh\nfootnote serve --port 8000 --data data --ingest docs\nfootnote doctor --json\n```", KO, "ko"),
        ("Laut „Vacation policy and time off for all of the employees in the US“ 20 Tage.", "Wie viele Tage Urlaub gibt es?", "de"),
        ("Die Brücke wurde im Jahr 1894 gebaut und ist blau.", "When was the bridge built? Answer in German.", "en"),
    ],
)
def test_short_answers_code_and_quotations_have_no_flaw(text: str, question: str, lang: str) -> None:
    assert flaw_of(text, question, lang) is None


def test_a_loop_and_a_text_without_citation_are_flawed() -> None:
    assert find_flaw(make_turn(EN), Answer("In 1894.", cut="repetition")) == "repetition"
    assert find_flaw(make_turn(EN), Answer("In 1894.")) == "uncited"
