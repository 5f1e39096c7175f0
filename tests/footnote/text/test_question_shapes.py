"""The shape of a question, in three languages."""

from __future__ import annotations

import pytest

from footnote.text.question_shapes import NEGATION, Shape, shape_of


@pytest.mark.parametrize(
    "question",
    [
        "How do I reset my password?",
        "what are the steps to restore a backup",
        "reset the password",
        "Wie kann ich mein Passwort zurücksetzen?",
        "Wie beantrage ich Urlaub?",
        "Anleitung für den Drucker",
        "비밀번호는 어떻게 바꾸나요?",
        "휴가를 신청하려면?",
        "What is the command to delete a cookie?",
        "build it on Windows",
        "turn off telemetry",
        "Wie geht das Zurücksetzen?",
        "Wie beantragt man Urlaub?",
    ],
)
def test_a_question_how_to_do_something_asks_for_steps(question: str) -> None:
    assert shape_of(question) == "how_to"


@pytest.mark.parametrize(
    "question",
    [
        "What is a quorum?",
        "What does idempotent mean?",
        "Define latency",
        "Was ist ein Quorum?",
        "Was bedeutet Gleitzeit?",
        "정족수란?",
        "정족수의 뜻",
        "정족수가 무엇인가요?",
    ],
)
def test_a_question_what_something_is_asks_for_a_definition(question: str) -> None:
    assert shape_of(question) == "definition"


@pytest.mark.parametrize(
    "question",
    [
        "Which documents do I need?",
        "What kinds of leave are there?",
        "What benefits do employees get?",
        "List the holidays",
        "Welche Unterlagen brauche ich?",
        "Nenne die Feiertage",
        "Was für Urlaub gibt es?",
        "어떤 서류가 필요한가요?",
        "휴가의 종류",
        "Which commands manage clusters?",
        "Which AWS services does it use?",
        "Which of these are free?",
        "what file types can I upload",
    ],
)
def test_a_question_for_several_things_asks_for_a_list(question: str) -> None:
    assert shape_of(question) == "list"


@pytest.mark.parametrize(
    "question",
    [
        "Can I work from home?",
        "Is the library open on Sunday",
        "Darf ich von zu Hause arbeiten?",
        "Gibt es eine Kantine?",
        "집에서 일할 수 있나요?",
        "일요일에 도서관을 엽니까?",
        "Enthält das Paket ein Kabel?",
        "주차는 무료인가요?",
        "재택근무 가능한가요?",
        "회의에 안 가도 되나요?",
        "제주에서 일해도 돼?",
    ],
)
def test_a_question_for_yes_or_no_is_told_apart(question: str) -> None:
    assert shape_of(question) == "yes_no"


@pytest.mark.parametrize(
    "question", ["library hours", "parental leave", "Elternzeit", "Öffnungszeiten der Bibliothek", "육아 휴직", "도서관"]
)
def test_a_few_words_that_ask_nothing_name_a_topic(question: str) -> None:
    assert shape_of(question, "ko" if question > "가" else "en") == "topic"


@pytest.mark.parametrize(
    "question",
    [
        "When was the bridge built?",
        "How many books may I borrow?",
        "hours of the library",
        "library hours?",
        "wozu dient das",
        "누구 책임",
        "",
        "Wie viele Bücher darf ich leihen?",
        "Wie lange dauert die Probezeit?",
        "Wann schließt die Bibliothek?",
        "도서관은 언제 여나요?",
        "책을 몇 권 빌릴 수 있나요?",
        "What happens when a session is idle?",
        "Which port does it use?",
        "Which is the default model?",
        "which model works for Japanese documents?",
        "use cases of the cache",
        "start date of the course",
        "Wie lautet die Adresse?",
        "Wie breit ist der Fluss?",
        "What is the price of the small boat in summer?",
    ],
)
def test_other_questions_have_no_shape_of_their_own(question: str) -> None:
    assert shape_of(question) == "other"


@pytest.mark.parametrize("question", ["Was kostet es?", "Was passiert danach?"])
def test_german_was_asks_what_and_not_whether(question: str) -> None:
    assert shape_of(question, "de") == "other"


@pytest.mark.parametrize(
    ("question", "lang"),
    [("Is het kantoor open?", "nl"), ("Was heeft hij betaald", "nl"), ("要約して", "ja"), ("Merci beaucoup", "fr"), ("Ist", "tr")],
)
def test_in_a_language_without_patterns_no_shape_is_told(question: str, lang: str) -> None:
    assert shape_of(question, lang) == "other"


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("What are the steps to reset it?", "how_to"),
        ("Which kinds of leave can I take?", "list"),
        ("What are types of leave?", "definition"),
        ("Is it clear how to reset it?", "how_to"),
    ],
)
def test_how_to_wins_over_list_list_over_definition_definition_over_yes_or_no(question: str, shape: Shape) -> None:
    assert shape_of(question) == shape


@pytest.mark.parametrize("question", ["Why won't it start?", "What is not kept?", "Warum geht das nicht?", "왜 안 되나요?"])
def test_a_question_for_what_is_not_so_is_noticed(question: str) -> None:
    assert NEGATION.search(question)
