"""Questions about all documents, and questions that only sound like them."""

from __future__ import annotations

import pytest

from footnote.retrieve.about_collection import asks_about_collection


@pytest.mark.parametrize(
    "question",
    """What are these documents about?
what is in here
What's this about?
what topics are covered?
Which files are there?
what documents do you have?
Summarize the documents.
give me an overview of the documents
Can you give me a summary of all files?
What can I ask?
what do you know?
What does the collection contain?
Worum geht es hier?
worum geht's in den Dokumenten?
Was steht in den Dateien?
Welche Dokumente gibt es?
Wovon handeln diese Unterlagen?
Fasse die Dokumente zusammen
Gib mir einen Überblick über die Dokumente.
Was kann ich dich fragen?
이 문서들은 무엇에 대한 것인가요?
문서를 요약해 주세요
어떤 문서가 있나요?
무슨 내용이에요?
무엇을 물어볼 수 있나요?""".splitlines(),
)
def test_questions_about_all_documents(question: str) -> None:
    assert asks_about_collection(question)


@pytest.mark.parametrize(
    "question",
    """What is this clause about?
What documents do I need for a visa?
Which files does the build write?
Summarize the travel policy.
What do you know about leave?
What can I ask the council for?
give me an overview of the benefits
What is the document retention period?
List all documents that an applicant needs
Worum geht es in Kapitel 3?
Welche Dokumente brauche ich?
Welche Unterlagen muss ich einreichen?
Fasse die Reiseregeln zusammen
어떤 문서가 필요한가요?
휴가 규정을 요약해 주세요
문서 보존 기간은 얼마인가요?""".splitlines(),
)
def test_questions_about_something_in_them(question: str) -> None:
    assert not asks_about_collection(question)


@pytest.mark.parametrize(
    ("question", "stays"), [("What is this about?", False), ("What are these documents about?", True), ("Worum geht es?", False)]
)
def test_a_pronoun_refers_to_what_was_said(question: str, stays: bool) -> None:
    assert asks_about_collection(question, goes_on=True) is stays
