"""What is left out of chunks, and above all what is not."""

from __future__ import annotations

import pytest

from footnote.ingest.chunk import chunk_document, find_boilerplate
from footnote.types import Block, Parsed
from tests.fakes import make_document


def paged(*pages: list[str | Block], format: str = "text") -> Parsed:
    blocks = []
    for number, texts in enumerate(pages, start=1):
        for text in texts:
            block = Block("paragraph", text) if isinstance(text, str) else text
            blocks.append(Block(block.kind, block.text, block.level, number))
    return Parsed(tuple(blocks), "Rules", pages=len(pages), format=format)


def flat(*texts: str | Block, format: str = "html", title: str = "Rules") -> Parsed:
    return Parsed(tuple(Block("paragraph", each) if isinstance(each, str) else each for each in texts), title, format=format)


def left_out(parsed: Parsed) -> list[str]:
    return [parsed.blocks[number].text for number in find_boilerplate(parsed)]


BODY = ["The hall opens at nine.", "Dogs stay outside.", "The fee is five euros.", "The park closes at dusk."]


@pytest.mark.parametrize(
    "footer",
    [
        "ACME Confidential · Page {page} of 4",
        "Stadtwerke – vertraulich – Seite {page} von 4",
        "시청 안내문 | 페이지 {page} / 4",
        "시청 안내문 - {page}쪽",
        "Town hall {page}/4",
        "www.example.org",
    ],
)
def test_of_a_running_footer_the_first_stays(footer: str) -> None:
    parsed = paged(*([text, "More of it is written here.", footer.format(page=n)] for n, text in enumerate(BODY, start=1)))
    parsed = paged(*([f"Text {n}.", body, footer.format(page=n)] for n, body in enumerate(BODY, start=1)))
    assert left_out(parsed) == [footer.format(page=n) for n in (2, 3, 4)]


def test_of_a_running_header_the_first_stays() -> None:
    parsed = paged(*(["Town of Milford", body, f"Text {n}.", f"End {n}."] for n, body in enumerate(BODY)))
    assert left_out(parsed) == ["Town of Milford"] * 3


@pytest.mark.parametrize("number", ["Page 3 of 12", "page 3/12", "Seite 3 von 12", "페이지 3 / 12", "12쪽 중 3쪽"])
def test_a_page_number_of_all_is_left_out_wherever_it_stands(number: str) -> None:
    assert left_out(flat("The fee is five euros.", number, "Dogs stay outside.", format="docx")) == [number]


@pytest.mark.parametrize("form", ["{}", "- {} -", "Page {}", "Seite {}", "{}쪽", "페이지 {}", "{}/9"])
def test_a_number_that_counts_along_with_the_pages_is_left_out(form: str) -> None:
    numbers = [form.format(n + 5) for n in range(1, 5)]
    assert left_out(paged(*([body, number] for body, number in zip(BODY, numbers, strict=True)))) == numbers


@pytest.mark.parametrize("values", [("4", "8", "15", "16"), ("3/10", "5/10", "4/10", "9/10"), ("1984", "1990", "1991", "2004")])
def test_other_numbers_at_the_end_of_a_page_stay(values: tuple[str, ...]) -> None:
    assert left_out(paged(*([body, value] for body, value in zip(BODY, values, strict=True)))) == []


@pytest.mark.parametrize("line", ["See page {}.", "Siehe Seite {}.", "{}쪽 참조", "As of {}/31", "Rated {}/10"])
def test_lines_that_differ_in_a_number_that_is_not_of_the_page_stay(line: str) -> None:
    said = [line.format(n) for n in (9, 4, 7, 2)]
    assert left_out(paged(*([f"Text {body}", body, value] for body, value in zip(BODY, said, strict=True)))) == []


def test_lines_repeated_on_few_pages_stay() -> None:
    twice = paged(*([body, "Ask at the desk."] if n < 2 else [body, f"End {n}."] for n, body in enumerate(BODY)))
    rarely = paged(*([f"Text {n}.", "Ask at the desk."] if n % 3 == 0 else [f"Text {n}.", f"End {n}."] for n in range(12)))
    assert left_out(twice) == left_out(rarely) == []


@pytest.mark.parametrize(
    "block",
    [
        Block("table", "| Name | Fee |\n| --- | --- |\n| Hall | 5 |"),
        Block("list", "- Bring a towel."),
        Block("heading", "Results", 2),
        Block("code", "make run"),
        Block("paragraph", "What you need:"),
        Block("paragraph", "Answer:"),
    ],
)
def test_tables_lists_headings_code_and_labels_stay_however_often_they_repeat(block: Block) -> None:
    assert left_out(paged(*([block, body, f"Text {n}.", block] for n, body in enumerate(BODY)))) == []


def test_the_first_line_of_a_slide_is_its_title_and_the_last_may_be_its_footer() -> None:
    slides = paged(*(["Our results", body, "© ACME 2024"] for body in BODY), format="pptx")
    assert left_out(slides) == ["© ACME 2024"] * 3


CLAUSES = ["Each party keeps confidential what it learns under this part.", "§ 1302(c) Duty to report applies."]
LONG = ["This message is confidential. ", "this message confidential ", "This message, privileged: "]
RULES = [
    "Employees must not accept third-party cookies on company devices; exceptions are approved by the CISO.",
    "Mitarbeitende dürfen Cookies von Dritten nicht akzeptieren; Ausnahmen genehmigt die IT.",
    "직원은 회사 기기에서 타사 쿠키에 동의해서는 안 됩니다.",
]


@pytest.mark.parametrize(
    "parsed",
    [
        *(pytest.param(flat(*[BODY[0], clause] * 5, format="docx"), id=f"a clause that repeats: {clause}") for clause in CLAUSES),
        *(pytest.param(flat(*BODY, text * 4000, format="eml"), id=f"a long paragraph of a mail, read once: {text}") for text in LONG),
        *(pytest.param(flat(*BODY, rule, title="IT security rules"), id=f"a rule about cookies: {rule}") for rule in RULES),
        pytest.param(
            paged(*([body, f"1{' ' * 20_000}x{n}"] for n, body in enumerate(BODY))), id="a number with a long gap after it, read once"
        ),
        pytest.param(paged(*([body, "All values in thousands"] for body in BODY), format="xlsx"), id="the unit of every sheet"),
        pytest.param(flat("Skip to content", "Accept all cookies"), id="a document of boilerplate alone"),
    ],
)
def test_what_only_looks_like_boilerplate_stays(parsed: Parsed) -> None:
    assert left_out(parsed) == []


@pytest.mark.parametrize(
    "notice", ["© 2024 ACME. All rights reserved.", "Streng vertraulich – ACME", "무단 전재 및 재배포 금지", "Strictly confidential"]
)
def test_of_a_notice_that_repeats_the_first_stays(notice: str) -> None:
    assert left_out(flat(BODY[0], notice, BODY[1], notice, BODY[2], notice, format="docx")) == [notice, notice]
    assert left_out(flat(BODY[0], notice, BODY[1], notice, format="docx")) == []


BANNERS = [
    "We use cookies to improve this page. By continuing to browse you accept them.",
    "Diese Seite verwendet Cookies. Mit der Nutzung stimmen Sie dem zu.",
    "이 사이트는 쿠키를 사용합니다. 계속 이용하면 동의한 것으로 봅니다.",
]


@pytest.mark.parametrize("banner", [*BANNERS, "Skip to main content", "Zum Inhalt springen", "본문 바로가기", "Nach oben"])
def test_controls_and_banners_of_a_web_page_are_left_out(banner: str) -> None:
    assert left_out(flat(banner, *BODY)) == [banner]
    assert left_out(flat(banner, *BODY, format="docx")) == []


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize("title", ["Cookie policy", "Datenschutz", "개인정보 처리방침"])
def test_a_page_about_cookies_keeps_what_it_says(banner: str, title: str) -> None:
    assert left_out(flat(banner, *BODY, title=title)) == []
    assert left_out(flat("How we use cookies is written here.", *BODY)) == []


@pytest.mark.parametrize(
    "disclaimer",
    [
        "This e-mail is confidential. If you are not the intended recipient, delete it and notify the sender.",
        "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der Empfänger sind, vernichten Sie sie.",
        "본 메일은 지정된 수신인만을 위한 것이며 기밀 정보를 포함할 수 있습니다. 잘못 받으셨다면 삭제해 주십시오.",
    ],
)
def test_the_disclaimer_of_a_mail_is_left_out(disclaimer: str) -> None:
    assert left_out(flat(*BODY, disclaimer, format="eml")) == [disclaimer]
    assert left_out(flat(*BODY, disclaimer)) == []


@pytest.mark.parametrize(
    "disclaimer",
    [
        "CONFIDENTIALITY NOTICE: This message and any attachments are intended only for the named recipient.\r\n"
        "If you have received it in\r\nerror, please notify the sender and delete it. Any unauthorized copying is strictly prohibited.",
        "NOTICE:  This communication and its attachments, if any, may contain privileged or other confidential information.  "
        "If you are not the intended recipient, notify the sender.  Please do not print, copy or forward it.  Thank you.",
        "The information contained in this communication may be privileged; if you are not the addressee, destroy this message.",
        "Die in dieser E-Mail enthaltenen Informationen sind vertraulich. Haben Sie sie irrtümlich erhalten, informieren Sie den Absender. "
        "Die unbefugte Weitergabe ist nicht gestattet.",
        "이 메일은 기밀 정보를 포함합니다. 잘못 수신하신 경우 발신인에게 알려 주십시오. 무단 복사는 금지됩니다.",
    ],
)
def test_a_disclaimer_of_several_sentences_is_left_out(disclaimer: str) -> None:
    assert left_out(flat(*BODY, disclaimer, format="eml")) == [disclaimer]


@pytest.mark.parametrize(
    "text",
    [
        "The board meeting is moved to 3 May, 14:00, room 5.\r\n"
        "This message is confidential. If you are not the intended recipient, delete it.",
        "Please treat this message as confidential: the merger closes on 3 May, and only Ms Kim may notify the press.",
        "This message is confidential: the merger closes in May, and only Ms Kim may notify the press.",
        "This message is confidential. The board meeting is moved to May. If you are not the intended recipient, delete it.",
        "This e-mail is intended for the recipients of the grant, who have to notify the sender of the form by 3 May.",
        "This message is confidential.",
        "Diese Nachricht ist vertraulich: Die Fusion wird im Mai vollzogen, und nur Frau Kim darf die Presse informieren.",
        "이 메일은 기밀입니다. 합병은 오월에 마무리되며 언론에는 김 부장만 알릴 수 있습니다.",
    ],
)
def test_a_paragraph_of_a_mail_that_says_something_besides_stays(text: str) -> None:
    assert left_out(flat(*BODY, text, format="eml")) == []


def test_a_line_that_ends_the_pages_of_different_sections_stays() -> None:
    warning, heading = "Not approved for children under three.", "heading"
    one = [[Block(heading, f"Product {name}", 1), body, warning] for name, body in zip("ABCD", BODY, strict=True)]
    two = [page for name, body in zip("ABCD", BODY, strict=True) for page in ([Block(heading, name, 1), body], [f"More: {body}", warning])]
    headed = [["ACME", Block(heading, f"Part {n}", 1), "In million euros.", body, f"End {n}."] for n, body in enumerate(BODY)]
    assert left_out(paged(*one)) == left_out(paged(*two)) == []
    assert left_out(paged(*([*page, "ACME Toys"] if n % 2 else page for n, page in enumerate(two)))) == []
    assert left_out(paged(*(page[1:] for page in headed))) == []


def test_a_footer_below_a_heading_that_repeats_or_within_sections_is_left_out() -> None:
    same = [[Block("heading", "Town of Milford", 1), body, "www.example.org"] for body in BODY]
    within = [[Block("heading", f"Part {n}", 1) if n % 2 else f"Text {n}.", body, "www.example.org"] for n, body in enumerate(BODY)]
    numbered = [[Block("heading", f"Part {n}", 1), body, f"ACME {n}/4"] for n, body in enumerate(BODY, start=1)]
    assert left_out(paged(*same)) == left_out(paged(*within)) == ["www.example.org"] * 3
    assert left_out(paged(*numbered)) == ["ACME 2/4", "ACME 3/4", "ACME 4/4"]


def test_headings_tables_and_steps_with_a_number_like_the_page_stay() -> None:
    headings = paged(*([Block("heading", f"Step {n}/3", 2), body, f"End {n}."] for n, body in enumerate(BODY[:3], start=1)))
    tables = paged(*([f"Text {n}.", body, Block("table", f"| x | {n}/12 |")] for n, body in enumerate(BODY, start=1)))
    steps = paged(*([f"Text {n}.", body, f"Step {n}/3"] for n, body in enumerate(BODY, start=1)))
    ratings = paged(*([body, f"{n}/3"] for n, body in enumerate(BODY, start=1)))
    assert left_out(headings) == left_out(tables) == left_out(steps) == left_out(ratings) == []


def test_of_a_signature_that_is_quoted_again_the_first_stays() -> None:
    signature = "Anna Smith, Town Hall of Milford\nPhone 555 0100, anna@example.org"
    quoted = "\n".join(f"> {line}" for line in signature.split("\n"))
    assert left_out(flat(BODY[0], signature, f"> {BODY[1]}", quoted, format="eml")) == [quoted]


def test_boilerplate_is_in_no_chunk_and_other_places_stay_right() -> None:
    parsed = paged(*([f"Text {n}.", body, f"ACME – Page {n} of 4"] for n, body in enumerate(BODY, start=1)))
    made = chunk_document(make_document("d"), parsed, max_tokens=100, lang="en")
    assert [("Page 1" in chunk.text, "Page 2" in chunk.text) for chunk in made if chunk.level == 2] == [(True, False)]
    assert {part.block for chunk in made for part in chunk.parts} == {0, 1, 2, 3, 4, 6, 7, 9, 10}
