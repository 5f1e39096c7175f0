"""A question that asks several things is divided into them; one that asks a single thing stays whole."""

from __future__ import annotations

import pytest

from footnote.text.question_parts import MOST, question_parts

DIVIDED: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "en": [
        ("Who wrote Emil and when was the museum built?", ("Who wrote Emil?", "When was the museum built?")),
        ("Who wrote Emil? When was the museum built?", ("Who wrote Emil?", "When was the museum built?")),
        ("Who wrote Emil, when was the museum built and where is the harbour?",
         ("Who wrote Emil?", "When was the museum built?", "Where is the harbour?")),
        ("Please answer: 1. Who wrote Emil? 2. When was the museum built?",
         ("Please answer: Who wrote Emil?", "When was the museum built?")),
        ("1) Who wrote Emil\n2) When was the museum built\n", ("Who wrote Emil", "When was the museum built")),
        ("- Who wrote Emil?\n- Explain the opening hours of the museum", ("Who wrote Emil?", "Explain the opening hours of the museum")),
        ("How many days of leave do I get and how do I apply for them?", ("How many days of leave do I get?", "How do I apply for them?")),
        ("Is the hall heated and can I rent it for a wedding?", ("Is the hall heated?", "Can I rent it for a wedding?")),
        ("When did the hall open and is the museum heated?", ("When did the hall open?", "Is the museum heated?")),
        ("Where are the logs stored and which command restarts the server?",
         ("Where are the logs stored?", "Which command restarts the server?")),
        ("What forces act on a body; in which year did Newton die?", ("What forces act on a body?", "In which year did Newton die?")),
        ('Who wrote "Where are you? And why?" and when was the museum built?',
         ('Who wrote "Where are you? And why?"?', "When was the museum built?")),
    ],
    "de": [
        ("Wer schrieb Emil und wann wurde das Museum gebaut?", ("Wer schrieb Emil?", "Wann wurde das Museum gebaut?")),
        ("Wie hoch ist der Turm und welcher Architekt entwarf das Museum?",
         ("Wie hoch ist der Turm?", "Welcher Architekt entwarf das Museum?")),
        ("Wie viele Menschen leben in Warschau, und in welchem Jahr wurde die Stadt gegründet?",
         ("Wie viele Menschen leben in Warschau?", "In welchem Jahr wurde die Stadt gegründet?")),
        ("Was kostet die Halle und wie lange kann ich sie mieten?", ("Was kostet die Halle?", "Wie lange kann ich sie mieten?")),
        ("Wer hat das Turnier gewonnen und ist er noch Meister?", ("Wer hat das Turnier gewonnen?", "Ist er noch Meister?")),
        ("Wer schrieb Emil? Wann öffnet das Museum?", ("Wer schrieb Emil?", "Wann öffnet das Museum?")),
    ],
    "ko": [
        ("에밀은 누가 썼고 박물관은 언제 지어졌나요?", ("에밀은 누가 썼고", "박물관은 언제 지어졌나요?")),
        ("에밀은 누가 썼나요? 박물관은 언제 지어졌나요?", ("에밀은 누가 썼나요?", "박물관은 언제 지어졌나요?")),
        ("휴가는 며칠이고 신청은 어떻게 하나요?", ("휴가는 며칠이고", "신청은 어떻게 하나요?")),
        ("회사는 언제 설립되었으며, 대표는 누구인가?", ("회사는 언제 설립되었으며", "대표는 누구인가?")),
        ("에밀은 누가 썼고 박물관 입장료는?", ("에밀은 누가 썼고", "박물관 입장료는?")),
        ("1. 에밀은 누가 썼나요?\n2. 박물관은 언제 지어졌나요?", ("에밀은 누가 썼나요?", "박물관은 언제 지어졌나요?")),
    ],
}  # fmt: skip
WHOLE = {
    "en": [
        "Who wrote Emil?", "How and when did the war begin?", "Imperialism extends a country's power and what?",
        "The empire controlled land on three continents, Africa, Asia and which other?", "Which is cheaper, the hall or the museum?",
        "Who agreed to sign the charter and was exempt from the law?", "Who lived in Paris and was the first to fly?",
        "What is the name of the man who wrote Emil and who built the museum?",
        "Explain what a workspace is and how it differs from a file.",
        "What is the difference between what the council does and what does the court do?", "Who wrote Emil? And why?",
        "Can I take leave in May? Or only in June?", "Compare:\n- cats\n- dogs", "What is the price and what is the size of the hall?",
        'Who sang "Who are you and who am I?"', "When forces act on a body, what law gives symmetry?", "Hello? Anybody there?",
        "How do I pay the fee? from my salary?", "Is version 1. better than version 2. of the tool?", "", "?", "? ?", " and ",
    ],
    "de": [
        "Wer schrieb Emil?", "Wie und wann kam die Pest nach Europa?", "Wer schrieb Emil und wann er erschien?",
        "Wie heißt der Mann, der Emil schrieb und der das Museum baute?", "Wer entscheidet, wie Land genutzt werden darf?",
        "Kann ich im Mai Urlaub nehmen? Oder nur im Juni?", "Was haben Quallen nicht, was andere haben?",
        "Besteht ein Zusammenhang zwischen Kapitalismus und was gibt es noch?", "Gilt das für Angestellte und welche anderen Gruppen?",
    ],
    "ko": [
        "에밀은 누가 썼나요?", "가장 큰 도시이고 수도인 곳은 어디인가?", "언제 회의를 하고 누가 참석하나요?",
        "춤을 추고 있는 영화의 이름은 무엇인가?", "무엇과 무엇을 구분하지 못하였는가?", "광고 비용은 얼마인가요?",
    ],
    "fr": ["Qui a écrit Emil ? Quand le musée a-t-il été construit ?"],
}  # fmt: skip


@pytest.mark.parametrize(("lang", "question", "parts"), [(lang, *each) for lang, cases in DIVIDED.items() for each in cases])
def test_each_part_is_a_question(lang: str, question: str, parts: tuple[str, ...]) -> None:
    assert question_parts(question, lang) == parts


@pytest.mark.parametrize(("lang", "question"), [(lang, each) for lang, cases in WHOLE.items() for each in cases])
def test_what_asks_one_thing_stays_whole(lang: str, question: str) -> None:
    assert question_parts(question, lang) == ()


def test_what_exceeds_the_number_of_parts_stays_in_the_last() -> None:
    parts = question_parts(" ".join(f"Who built tower number {number}?" for number in range(8)), "en")
    assert len(parts) == MOST
    assert parts[-1].count("?") == 4


def test_a_long_text_is_not_looked_at() -> None:
    assert question_parts("Who wrote Emil? When was the museum built? " + "word " * 300, "en") == ()
