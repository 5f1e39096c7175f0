"""Titles among the properties of files: of this document, or left over from a template or another document."""

from __future__ import annotations

import io
import zipfile

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.title import is_supported
from footnote.types import Block
from tests.footnote.ingest.packages import core, workbook, xml, zip_of
from tests.footnote.ingest.pdf_files import Text, make_pdf, paragraph

HEADING, SENTENCE = "Boat hire on the lake", "A kayak costs five euros an hour."


def docx(title: str) -> bytes:
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    body = f"<w:p>{style}<w:r><w:t>{HEADING}</w:t></w:r></w:p><w:p><w:r><w:t>{SENTENCE}</w:t></w:r></w:p>"
    return zip_of({"word/document.xml": xml("w:document", f"<w:body>{body}</w:body>"), "docProps/core.xml": core(title)})


def odt(title: str) -> bytes:
    body = f'<text:h text:outline-level="1">{HEADING}</text:h><text:p>{SENTENCE}</text:p>'
    return zip_of(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": xml("office:document-content", f"<office:body><office:text>{body}</office:text></office:body>"),
            "meta.xml": xml("office:document-meta", f"<office:meta><dc:title>{title}</dc:title></office:meta>"),
        }
    )


def pdf(title: str) -> bytes:
    lines = [SENTENCE] * 3
    return make_pdf([[Text(60, 740, HEADING, 20), *paragraph(*lines)], paragraph(*lines)], title)


def html(title: str) -> bytes:
    return f"<html><head><title>{title}</title></head><body><h1>{HEADING}</h1><p>{SENTENCE}</p></body></html>".encode()


def rtf(title: str) -> bytes:
    return f"{{\\rtf1 {{\\info{{\\title {title}}}}}{{\\stylesheet{{\\s1 heading 1;}}}}\\s1 {HEADING}\\par\\s0 {SENTENCE}\\par}}".encode()


MADE = {"docx": docx, "odt": odt, "pdf": pdf, "html": html, "rtf": rtf}


@pytest.mark.parametrize("extension", MADE)
def test_the_title_of_another_document_is_not_taken(extension: str) -> None:
    assert parse(MADE[extension]("Minutes of the annual meeting"), f"file_7.{extension}").title == HEADING


@pytest.mark.parametrize("extension", MADE)
@pytest.mark.parametrize("title", ["(anonymous)", "Doc3", "Layout 2", "IMG_20230817", "Druck", "Blank form", "Kopie von Vorlage"])
def test_a_name_that_a_program_gave_is_no_title(extension: str, title: str) -> None:
    assert parse(MADE[extension](title), f"file_7.{extension}").title == HEADING


@pytest.mark.parametrize("extension", MADE)
def test_a_title_that_the_text_supports_is_taken(extension: str) -> None:
    assert parse(MADE[extension]("Boat hire: prices and rules"), f"file_7.{extension}").title == "Boat hire: prices and rules"


@pytest.mark.parametrize("extension", MADE)
def test_a_title_that_the_name_of_the_file_supports_is_taken(extension: str) -> None:
    assert parse(MADE[extension]("Summer Season 2025"), f"season_2025.{extension}").title == "Summer Season 2025"


def test_a_sheet_with_the_title_of_another_file_is_named_after_its_file() -> None:
    file = io.BytesIO(workbook(Boats=[["boat", "fee"], ["kayak", "5"]]))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("docProps/core.xml", core("Minutes of the annual meeting"))
    assert parse(file.getvalue(), "hire_2025.xlsx").title == "hire 2025"


def test_a_page_keeps_its_title_with_the_site_and_where_it_has_no_heading() -> None:
    assert parse(html("Boat hire – Harbour Office Northern District"), "index.html").title == "Boat hire – Harbour Office Northern District"
    page = f"<title>Harbour Office</title><p>{SENTENCE}</p>".encode()
    assert parse(page, "index.html").title == "Harbour Office"


@pytest.mark.parametrize(
    ("title", "text", "supported"),
    [
        ("The rules of the house", "The end of the road, of the", False),
        ("보트 대여 안내", "호수의 보트 대여는 5월부터입니다.", True),
        ("회의록", "호수의 보트 대여는 5월부터입니다.", False),
        ("Vertragsbedingungen", "Alle Vertragsbedingungen gelten ab Mai.", True),
        ("FAQ", "FAQ of the club", True),
    ],
)
def test_the_words_of_a_title_count_but_not_short_latin_ones(title: str, text: str, supported: bool) -> None:
    assert is_supported(title, [Block("paragraph", text)], "a.pdf") is supported
