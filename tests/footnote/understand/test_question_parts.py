"""A question that asks several things is divided into them; one that asks a single thing stays whole."""

from __future__ import annotations

import pytest

from footnote.understand.split import MOST, question_parts

DIVIDED: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "en": [
        ("Who wrote Emil? When was the museum built?", ("Who wrote Emil?", "When was the museum built?")),
        ("who wrote emil? when was the museum built?", ("who wrote emil?", "when was the museum built?")),
        ("Please answer: 1. Who wrote Emil? 2. When was the museum built?",
         ("Please answer: 1. Who wrote Emil?", "When was the museum built?")),
        ("- Who wrote Emil?\n- When was the museum built?", ("Who wrote Emil?", "When was the museum built?")),
        ("Who wrote Emil? We liked the book. When was the museum built?",
         ("Who wrote Emil?", "We liked the book. When was the museum built?")),
    ],
    "de": [("Wer schrieb den Roman Emil? Wann öffnet das Museum?", ("Wer schrieb den Roman Emil?", "Wann öffnet das Museum?"))],
    "ko": [("에밀은 누가 썼나요? 박물관은 언제 지어졌나요?", ("에밀은 누가 썼나요?", "박물관은 언제 지어졌나요?"))],
}  # fmt: skip
STORIES: dict[str, list[tuple[str, str]]] = {
    "en": [
        ("We moved to Bern last summer. My neighbour has two cats. How much is the dog tax?", "How much is the dog tax?"),
        ("we moved to bern last summer. my neighbour has two cats. how much is the dog tax", "how much is the dog tax"),
        ("We moved to Bern. We have a dog. How much is the dog tax? My neighbour has two cats.", "How much is the dog tax?"),
        ("I took the train home. I lost my card. What do I have to do?", "I lost my card. What do I have to do?"),
    ],
    "de": [("Wir sind nach Bern gezogen. Im Mai kam ein Hund dazu. Wie hoch ist die Steuer für Hunde?",
            "Wie hoch ist die Steuer für Hunde?")],
    "ko": [("작년에 베른으로 이사했어요. 이웃은 고양이를 키워요. 박물관은 언제 지어졌나요", "박물관은 언제 지어졌나요")],
}  # fmt: skip
WHOLE = {
    "en": [
        "Who wrote Emil?", "Who wrote Emil and when was the museum built?", "Who wrote Emil? And why?", "I lost my card. What do I do?",
        "My card is lost. How long does a new one take to arrive?", "Compare:\n- cats\n- dogs", 'Who sang "Who are you?" in 1978?',
        "Hello? Anybody there?", "Is version 1. better than version 2. of the tool?", "I lost my card. I need a new one. It is urgent.",
        "When was it built? harbour museum", "", "?", "? ?", " and ",
    ],
    "de": ["Wer schrieb Emil?", "Wann war das 25. Konzert am 3. Mai?", "Mein Hund ist blind. Muss ich trotzdem zahlen?"],
    "ko": ["에밀은 누가 썼나요?", "회비가 밀렸어요. 어떻게 되나요?"],
    "fr": ["Qui a écrit Emil ? Quand le musée a-t-il été construit ?"],
}  # fmt: skip


@pytest.mark.parametrize(("lang", "question", "parts"), [(lang, *each) for lang, cases in DIVIDED.items() for each in cases])
def test_each_part_is_a_question(lang: str, question: str, parts: tuple[str, ...]) -> None:
    assert question_parts(question, lang) == parts


@pytest.mark.parametrize(("lang", "message", "question"), [(lang, *each) for lang, cases in STORIES.items() for each in cases])
def test_a_question_is_found_without_the_story_around_it(lang: str, message: str, question: str) -> None:
    assert question_parts(message, lang) == (question,)


@pytest.mark.parametrize(("lang", "question"), [(lang, each) for lang, cases in WHOLE.items() for each in cases])
def test_a_single_question_is_not_split(lang: str, question: str) -> None:
    assert question_parts(question, lang) == ()


def test_surplus_parts_stay_in_the_last() -> None:
    parts = question_parts(" ".join(f"Who built tower number {number}?" for number in range(8)), "en")
    assert len(parts) == MOST
    assert parts[-1].count("?") == 4


def test_a_long_text_is_not_looked_at() -> None:
    assert question_parts("Who wrote Emil? When was the museum built? " + "word " * 300, "en") == ()
