"""Questions about attached files."""

from __future__ import annotations

import pytest

from footnote.text.attached_files import asks_for_whole, names_attached, without_reference


@pytest.mark.parametrize(
    ("question", "lang", "rest"),
    [
        ("What does the attached file say about leave?", "en", "What does it say about leave?"),
        ("Who signed the contract in this PDF?", "en", "Who signed the contract in it?"),
        ("Which dates are in the attachments?", "en", "Which dates are in it?"),
        ("When does the document I uploaded end?", "en", "When does it end?"),
        ("Was steht in der angehängten Datei zum Urlaub?", "de", "Was steht in es zum Urlaub?"),
        ("Wer hat das Dokument unterschrieben?", "de", "Wer hat es unterschrieben?"),
        ("첨부 파일에서 휴가는 며칠인가요?", "ko", "휴가는 며칠인가요?"),
        ("이 문서의 저자는 누구인가요?", "ko", "저자는 누구인가요?"),
    ],
)
def test_names_of_attached_files_are_not_searched_for(question: str, lang: str, rest: str) -> None:
    assert names_attached(question)
    assert without_reference(question, lang) == rest


@pytest.mark.parametrize(
    "question",
    [
        "How many days of leave do employees have?", "How do I delete a document?", "Which file formats can be read?",
        "Wie viele Tage Urlaub gibt es?", "Wie lösche ich ein Dokument?", "Welche Dateien kann man lesen?",
        "휴가는 며칠인가요?", "문서를 어떻게 삭제하나요?",
    ],
)  # fmt: skip
def test_other_questions_name_no_attached_file(question: str) -> None:
    assert not names_attached(question)


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("Summarise the attached file.", "en"), ("Please summarize this document in three sentences.", "en"), ("Summarize it.", "en"),
        ("What is in the attachment?", "en"), ("What are the key points?", "en"),
        ("Fasse die Datei bitte kurz zusammen.", "de"), ("Worum geht es im Anhang?", "de"), ("Was steht in der Datei?", "de"),
        ("이 문서를 요약해 줘", "ko"), ("첨부 파일의 핵심 내용을 알려 주세요", "ko"), ("이 파일은 무엇에 대한 내용인가요?", "ko"),
    ],
)  # fmt: skip
def test_a_question_that_names_nothing_besides_the_files_is_about_all_they_say(question: str, lang: str) -> None:
    assert asks_for_whole(question, lang)


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("Summarise what the attached file says about leave.", "en"), ("Who wrote the attached file?", "en"),
        ("What is the main risk of the project?", "en"), ("Was steht im Anhang zum Urlaub?", "de"),
        ("이 문서의 휴가 규정을 요약해 줘", "ko"),
        ("Hello", "en"), ("", "en"),
    ],
)  # fmt: skip
def test_a_question_that_names_something_is_not(question: str, lang: str) -> None:
    assert not asks_for_whole(question, lang)
