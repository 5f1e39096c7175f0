"""Questions made from passages, and the place that answers each."""

from __future__ import annotations

import pytest

from footnote.learn.candidates import Candidate, make_candidates
from footnote.types import BlockKind, Chunk, Part
from tests.fakes import make_chunk, make_document

Blocks = tuple[tuple[BlockKind, str], ...]


def passage(*blocks: tuple[BlockKind, str], lang: str = "en", doc_id: str = "shop", headings: tuple[str, ...] = ()) -> Chunk:
    """A chunk of these blocks."""
    text, parts = "", []
    for number, (kind, said) in enumerate(blocks):
        text += "\n\n" if text else ""
        parts.append(Part(len(text), None, number, 0, kind))
        text += said
    return make_chunk(make_document(doc_id), text, lang=lang, headings=headings, parts=tuple(parts), kind=blocks[0][0])


def made(*blocks: tuple[BlockKind, str], lang: str = "en") -> dict[str, str]:
    """Question → the text that answers it."""
    found = make_candidates([passage(*blocks, lang=lang)])
    return {each.question: each.chunk.text[each.start : each.end].strip() for each in found}


PRICES = "| Model | Price | Weight |\n| --- | --- | --- |\n| Breeze | 4,690 euros | 31 kg |\n| Cutter | 6,350 euros | 48 kg |"
PREISE = "| Modell | Preis |\n| --- | --- |\n| Brise | 4.690 Euro |\n| Kutter | 6.350 Euro |"
GAGYEOK = "| 모델 | 가격 |\n| --- | --- |\n| 브리제 | 620만 원 |\n| 쿠터 | 840만 원 |"


@pytest.mark.parametrize(
    ("lang", "table", "question", "row"),
    [
        ("en", PRICES, "What is the price of Cutter?", "| Cutter | 6,350 euros | 48 kg |"),
        ("de", PREISE, "Was ist bei Brise als Preis angegeben?", "| Brise | 4.690 Euro |"),
        ("ko", GAGYEOK, "쿠터의 가격은 얼마인가요?", "| 쿠터 | 840만 원 |"),
        ("en", "| Team | Players |\n| --- | --- |\n| Blues | 12 |\n| Flyers | 14 |", "How many players does Flyers have?",
         "| Flyers | 14 |"),
        ("en", "| Word | Meaning |\n| --- | --- |\n| Hub | the centre |\n| Rim | the edge |", "What is Rim?", "| Rim | the edge |"),
        ("de", "| Wort | Bedeutung |\n| --- | --- |\n| Nabe | die Mitte |\n| Felge | der Rand |", "Was ist Nabe?", "| Nabe | die Mitte |"),
        ("ko", "| 말 | 뜻 |\n| --- | --- |\n| 바퀴 | 둥근 것 |\n| 바퀴살 | 가운데 막대 |", "바퀴란 무엇인가요?", "| 바퀴 | 둥근 것 |"),
        ("en", "| task | how |\n| --- | --- |\n| delete a document | press the bin |", "How do I delete a document?",
         "| delete a document | press the bin |"),
        ("de", "| Aufgabe | wie |\n| --- | --- |\n| ein Dokument löschen | im Menü |", "Wie kann ich ein Dokument löschen?",
         "| ein Dokument löschen | im Menü |"),
        ("ko", "| 작업 | 방법 |\n| --- | --- |\n| 문서 삭제하기 | 휴지통 |", "문서 삭제하기는 어떻게 하나요?",
         "| 문서 삭제하기 | 휴지통 |"),
    ],
)  # fmt: skip
def test_a_cell_is_asked_for_by_its_column_and_its_row(lang: str, table: str, question: str, row: str) -> None:
    assert made(("table", table), lang=lang)[question] == row


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("| A | Price |\n| --- | --- |\n| 2019 | 3 |\n| 2020 | 4 |", "the first column holds numbers"),
        ("| A | Price |\n| --- | --- |\n| Blue | 3 |\n| Blue | 4 |", "the first column repeats a name"),
        ("| A | Price |\n| --- | --- |\n| LLM_URL | 3 |\n| LLM_KEY | 4 |", "the first column holds code"),
        ("| A |  | Price |\n| --- | --- | --- |\n| Hub |  | 4 |\n| Rim |  | 4 |", "a column has no name"),
        ("| A | Topic | Page |\n| --- | --- | --- |\n| Hub | Wheels | 4 |\n| Rim | Wheels | 5 |", "it is a table of contents"),
        ("| A | Price |\n| --- | --- |\n| Hub | – |\n| Rim | – |", "its cells are empty"),
        ("| A | what it is |\n| --- | --- |\n| Hub | 4 |\n| Rim | 4 |", "the column's name is no noun"),
        ("| A | Price |\n| --- | --- |\n| Hub | 4 |", "it has one row"),
        ("| Feature | Video | Tracing |\n| --- | --- | --- |\n| Output | WebM | Trace |\n| Sound | no | no |", "its rows name properties"),
        (
            "| A | Kind |\n| --- | --- |\n| Hub | the part in the middle that everything turns around |\n| Rim | the part at the edge that"
            " holds the tyre in its place |",
            "its cells are sentences",
        ),
    ],
)
def test_a_table_that_names_nothing_is_not_asked_for(table: str, why: str) -> None:
    assert made(("table", table)) == {}, why


@pytest.mark.parametrize(
    ("lang", "blocks", "question", "answer"),
    [
        ("en", (("heading", "Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("heading", "Q: Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("paragraph", "**Can I pay by card?**"), ("paragraph", "Yes, at the desk and in the online shop.")), "Can I pay by card?",
         "Yes, at the desk and in the online shop."),
        ("en", (("paragraph", "Q1: Can I pay by card?\nA: Yes, at the desk.\nQ2: Do you ship abroad?\nA: Yes, to all of Europe."),),
         "Do you ship abroad?", "A: Yes, to all of Europe."),
        ("de", (("paragraph", "Frage: Kann ich mit Karte zahlen?\nAntwort: Ja, an der Kasse und im Laden."),), "Kann ich mit Karte zahlen?",
         "Antwort: Ja, an der Kasse und im Laden."),
        ("de", (("paragraph", "Wann kommt mein Paket?"), ("paragraph", "In der Regel nach zwei bis drei Werktagen.")),
         "Wann kommt mein Paket?", "In der Regel nach zwei bis drei Werktagen."),
        ("ko", (("paragraph", "질문: 카드로 결제할 수 있나요?\n답: 네, 카드로 결제하실 수 있습니다."),), "카드로 결제할 수 있나요?",
         "답: 네, 카드로 결제하실 수 있습니다."),
        ("ko", (("paragraph", "카드로 결제할 수 있나요?"), ("paragraph", "네, 카드로 결제하실 수 있습니다.")), "카드로 결제할 수 있나요?",
         "네, 카드로 결제하실 수 있습니다."),
    ],
)  # fmt: skip
def test_a_documents_own_questions_are_taken_as_they_are(lang: str, blocks: Blocks, question: str, answer: str) -> None:
    assert made(*blocks, lang=lang)[question] == answer


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ((("heading", "How does it work?"), ("paragraph", "It turns, and the wheel turns with it.")), "it depends on what was said before"),
        ((("paragraph", "How are you?"), ("paragraph", "I am fine, thank you very much for asking.")), "it is small talk"),
        ((("paragraph", "Can I pay by card?"), ("paragraph", "And can I pay by cheque, or in cash?")), "another question follows"),
        ((("paragraph", "Can I pay by card?"),), "nothing follows"),
        ((("list", "- Can I pay by card?"), ("paragraph", "Yes, at the desk and in the online shop.")), "it is an item of a list"),
        ((("paragraph", "“Well, Prince, who told you that?”"), ("paragraph", "The prince said nothing and went away.")), "it is speech"),
    ],
)
def test_a_question_that_a_newcomer_cannot_ask_is_left_out(blocks: Blocks, why: str) -> None:
    assert made(*blocks) == {}, why


@pytest.mark.parametrize(
    ("lang", "text", "question"),
    [
        ("en", "A normal inspection costs 89 euros.", "How much does a normal inspection cost?"),
        ("en", "Bring it in. The check takes about two hours.", "How long does the check take?"),
        ("en", "A full charge takes four and a half hours.", "How long does a full charge take?"),
        ("de", "Eine Inspektion kostet 89 Euro.", "Was kostet eine Inspektion?"),
        ("de", "Die Probezeit dauert sechs Monate.", "Wie lange dauert die Probezeit?"),
        ("de", "Die regelmäßige Wochenarbeitszeit beträgt bei Vollzeit 37,5 Stunden.", "Wie hoch ist die regelmäßige Wochenarbeitszeit?"),
        ("ko", "배송비는 수도권 6만 원입니다.", "배송비는 얼마인가요?"),
        ("ko", "출산 휴가는 90일이며 나누어 쓸 수 있습니다.", "출산 휴가는 얼마나 되나요?"),
        ("en", "A collection is a set of documents. It has a name.", "What is a collection?"),
        ("en", "Read this first. The drop bucket is a folder in S3.", "What is the drop bucket?"),
        ("de", "Ein Vertrag ist eine Vereinbarung.", "Was ist ein Vertrag?"),
        ("de", "Die Komplexitätstheorie ist ein Teilgebiet der Informatik.", "Was ist die Komplexitätstheorie?"),
        ("ko", "서울은 대한민국의 수도이다.", "서울이란 무엇인가요?"),
        ("ko", "경제는 사람들의 활동입니다.", "경제란 무엇인가요?"),
    ],
)
def test_prices_durations_and_definitions_are_asked_for(lang: str, text: str, question: str) -> None:
    (answer,) = made(("paragraph", text), lang=lang).items()
    assert answer[0] == question
    assert answer[1] in text


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "We say that the core is the part that matters."),
        ("en", "The window is the one on the left."),
        ("en", "The first step is a click."),
        ("en", "A search costs one call."),
        ("en", "A GB of documents takes about 3 GB in the store."),
        ("en", "Reading the same documents again costs 0.13 for ingest."),
        ("en", "The default collection is a 409."),
        ("de", "Die Region ist die größte im Land."),
        ("de", "Das nächste Ziel ist die Stadt."),
        ("ko", "영역에 일치하는 프로세스의 목록입니다."),
        ("ko", "주소를 입력하는 사람의 이름입니다."),
        ("ko", "목록은 콜론 또는 쉼표로 구분한 섹션 목록입니다."),
        ("ko", "오른쪽의 그림은 체크메이트의 예시이다."),
        ("ko", "모이는 곳은 정문 건너편 공터입니다."),
        ("ko", "외국에서 일하는 것은 한 해 10일, 더는 안 됩니다."),
    ],
)
def test_a_sentence_that_tells_nothing_by_itself_is_not_asked_for(lang: str, text: str) -> None:
    assert made(("paragraph", text), lang=lang) == {}


BELOW = (
    "paragraph",
    "Press the bin beside the document in the list, and confirm it. 목록에서 문서 옆의 휴지통을 누르고 확인하십시오. Danach ist es weg.",
)


@pytest.mark.parametrize(
    ("lang", "heading", "question"),
    [
        ("en", "Delete a document", "How do I delete a document?"),
        ("en", "How to delete a document", "How do I delete a document?"),
        ("en", "Deleting a document", "How do I delete a document?"),
        ("en", "Backing up files", "How do I back up files?"),
        ("en", "Delete Document States", "How do I delete document states?"),
        ("en", "Connect Open WebUI", "How do I connect Open WebUI?"),
        ("en", "2.1 Document states", "What should I know about document states?"),
        ("en", "Open WebUI", "What should I know about Open WebUI?"),
        ("de", "Dokumente löschen", "Wie kann ich Dokumente löschen?"),
        ("de", "IV) Kündigungsfristen", "Was sollte ich über Kündigungsfristen wissen?"),
        ("ko", "문서 삭제하기", "문서 삭제하기는 어떻게 하나요?"),
        ("ko", "휴가 신청 기준", "휴가 신청 기준에 대해 알려 주세요."),
    ],
)
def test_a_heading_becomes_a_question_that_the_text_below_it_answers(lang: str, heading: str, question: str) -> None:
    below = (BELOW[0], f"{BELOW[1]} There are document states.")
    assert made(("heading", heading), below, ("heading", "Other"), lang=lang) == {question: below[1]}


@pytest.mark.parametrize(
    ("lang", "heading"),
    [
        ("en", "Table of contents"),
        ("en", "Start it with your documents"),
        ("en", "As user joe, you should now be able to sign in"),
        ("en", "What does not start"),
        ("en", "How a document is deleted"),
        ("en", "What is embedded"),
        ("en", "Merge Requests of 2021"),
        ("en", "On one machine"),
        ("en", "Ask"),
        ("en", "Logs"),
        ("en", "Reverse Q’s"),
        ("en", "eastern mediterranean"),
        ("en", "One of the highest contributors to the economy"),
        ("de", "Der Vertrag"),
        ("de", "Wichtiger Hinweis"),
        ("de", "Was nicht startet"),
        ("ko", "옵션"),
        ("ko", "문서를 삭제할 수 있습니다"),
    ],
)
def test_a_heading_of_which_no_natural_question_can_be_made_is_not_asked_for(lang: str, heading: str) -> None:
    assert made(("heading", heading), BELOW, ("heading", "Other"), lang=lang) == {}


def test_a_heading_above_a_few_words_is_not_asked_for_unless_it_names_a_task() -> None:
    assert made(("heading", "Document states"), ("paragraph", "Here is a lovely sentence."), ("heading", "Other")) == {}
    assert made(("heading", "Delete a document"), ("paragraph", "Press the bin beside it."), ("heading", "Other")) != {}


@pytest.mark.parametrize(
    ("lang", "text", "question"),
    [
        ("en", "Shop is a program that rents bikes.", "What is Shop?"),
        ("de", "Shop ist ein Programm, das Räder vermietet.", "Was ist Shop?"),
    ],
)
def test_a_document_is_asked_what_the_thing_is_that_it_is_named_after(lang: str, text: str, question: str) -> None:
    (answer,) = made(("paragraph", text), lang=lang).items()
    assert answer[0] == question
    assert text.startswith(answer[1])


def test_a_section_that_is_longer_than_its_passage_answers_with_any_of_its_text() -> None:
    begins = passage(("heading", "Delete a document"), BELOW)
    goes_on = make_chunk(make_document("shop"), "Deleting takes a moment.", 1, headings=("Delete a document",))
    (task,) = (each for each in make_candidates([begins, goes_on]) if each.kind == "task")
    assert task.places == (("shop|1|0", 19, len(begins.text)), ("shop|1|1", 0, 24))


def test_a_documents_questions_are_in_its_main_language_if_that_has_templates() -> None:
    german = passage(("paragraph", "Ein Vertrag ist eine Vereinbarung. " * 3), lang="de")
    table = passage(("table", PREISE), lang="en")
    french = passage(("heading", "Congés"), ("paragraph", "Les congés sont de trente jours par an."), lang="fr", doc_id="statuts")
    questions = [each.question for each in make_candidates([german, table, french])]
    assert questions == [
        "Was ist ein Vertrag?",
        "Was ist bei Brise als Preis angegeben?",
        "Was ist bei Kutter als Preis angegeben?",
    ]


def test_documents_for_newcomers_are_known_by_their_names() -> None:
    def rank(doc_id: str, **metadata: str) -> int:
        made_of = make_chunk(make_document(doc_id), "text", metadata=metadata)
        return Candidate("?", "topic", "en", made_of, 0, 4).rank

    assert [rank("quick-start"), rank("a", file_name="README.md"), rank("a", file_name="Handbuch.docx"), rank("이용 안내")] == [0] * 4
    assert [rank("report"), rank("a", file_name="prices.xlsx")] == [1] * 2
    assert [rank("changelog"), rank("a", file_name="decisions/0001-one-core.md"), rank("아키텍처")] == [2] * 3
