"""Format detection, first by bytes, then by name; and messages for files that cannot be read."""

from __future__ import annotations

import zipfile

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.title import name_for_people
from tests.footnote.ingest.packages import zip_of

MAIL = b"MIME-Version: 1.0\r\nFrom: a@example.org\r\nSubject: Hi\r\n\r\nText"
JPEG = b"\xff\xd8\xff\xe0"


def ole(stream: str) -> bytes:
    """A file in an old Office format with a stream of this name."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + stream.encode("utf-16-le") + bytes(500)


def reason_of(data: bytes, file_name: str) -> tuple[str, str]:
    with pytest.raises(UnreadableFile) as caught:
        parse(data, file_name)
    return caught.value.reason, caught.value.remedy


@pytest.mark.parametrize(
    ("data", "file_name", "expected"),
    [
        (b"%PDF-1.7\n", "report.pdf", "pdf"),
        (b"\n\n%PDF-1.4\n", "report.txt", "pdf"),
        (b"<!DOCTYPE html><html><body>Hi</body></html>", "report.pdf", "html"),
        (b"<p>A fragment</p>", "page.HTM", "html"),
        ("<html>Grüße</html>".encode("utf-16"), "page", "html"),
        (b"# Notes\n\n<html> is a tag", "notes.md", "markdown"),
        (b"a;b\n1;2\n", "list.csv", "csv"),
        (b"a\tb\n", "list.tsv", "csv"),
        (zip_of({"word/document.xml": "x"}), "letter.pdf", "docx"),
        (zip_of({"xl/workbook.xml": "x"}), "figures", "xlsx"),
        (zip_of({"ppt/presentation.xml": "x"}), "talk.docx", "pptx"),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.text-template"}), "a.ott", "odt"),
        (zip_of({"mimetype": "application/epub+zip"}), "book.zip", "epub"),
        (zip_of({"word/document.xml": "%PDF-1.7"}, zipfile.ZIP_STORED), "polyglot.pdf", "docx"),
        (ole("Workbook"), "old.xls", "xls"),
        (b"{\\rtf1 Hello}", "letter.doc", "rtf"),
        (MAIL, "mail.eml", "eml"),
        (MAIL, "mail.txt", "eml"),
        (b"From here on: go left.\n\nTo: the pier", "way.txt", "text"),
        (b'{"a": 1}', "a.json", "json"),
        (b'{"a": 1}', "a.txt", "text"),
        (b"x = '<html>'", "page.py", "code"),
        (b"FROM scratch", "Dockerfile", "code"),
        (b"<?xml version='1.0'?><html><body>x</body></html>", "page.xml", "html"),
        (b"<?xml version='1.0'?><lake/>", "lake.xml", "code"),
        (b"Just words", "words.txt", "text"),
        (b"Just words", "README", "text"),
        (b"Just words", "words.pdf", "text"),
    ],
)
def test_the_bytes_take_precedence_over_the_name(data: bytes, file_name: str, expected: str) -> None:
    assert detect(data, file_name) == expected


def test_an_empty_file_is_refused() -> None:
    assert reason_of(b"", "a.txt") == ("This file is empty.", "Check that it was saved completely and add it again.")


@pytest.mark.parametrize("data", [b" \n\t\r\n ", "\ufeff\u200b\u00a0".encode()])
def test_a_file_of_white_space_contains_no_text(data: bytes) -> None:
    assert reason_of(data, "a.txt")[0] == "This file contains no text, only white space."


def test_binary_data_named_txt_is_refused() -> None:
    assert reason_of(bytes(range(256)) * 20, "notes.txt")[0] == "This file contains binary data, not text."


def test_binary_data_without_zero_bytes_is_refused_too() -> None:
    assert reason_of(bytes(range(1, 32)) * 20, "notes.csv")[0] == "This file contains binary data, not text."


@pytest.mark.parametrize(
    ("data", "file_name", "kind"),
    [
        (zip_of({"photo": "x"}), "all.zip", "a ZIP archive"),
        (zip_of({"xl/workbook.bin": "x"}), "a.xlsb", "a binary Excel file (.xlsb)"),
        (ole("WordDocument"), "letter.xls", "an old Word file (.doc)"),
        (ole("PowerPoint Document"), "talk", "an old PowerPoint file (.ppt)"),
        (ole("__substg1.0_0037"), "mail.msg", "an Outlook message (.msg)"),
        (ole("HwpSummaryInformation"), "문서.hwp", "a Hangul file (.hwp)"),
        (ole("x"), "a.doc", "an old Office file"),
        (b"\x89PNG\r\n\x1a\n", "scan.pdf", "an image (.png)"),
        (JPEG, "photo.txt", "an image (.jpg)"),
        (b"\x1f\x8b\x08", "a.txt", "a compressed archive (.gz)"),
    ],
)
def test_an_unsupported_format_is_named(data: bytes, file_name: str, kind: str) -> None:
    assert reason_of(data, file_name)[0] == f"This is {kind}, which is not supported."


@pytest.mark.parametrize(
    ("data", "file_name", "remedy"),
    [
        (ole("WordDocument"), "a.doc", "Save it as .docx or PDF and add it again."),
        (ole("__substg1.0_0037"), "a.msg", "Save it as .eml or PDF and add it again."),
        (zip_of({"xl/workbook.bin": "x"}), "a.xlsb", "Save it as .xlsx or CSV and add it again."),
        (b"\x89PNG\r\n\x1a\n", "a.png", "Run OCR on it, save the result as PDF and add that."),
        (zip_of({"photo": "x"}), "a.zip", "Unpack it and add the files in it."),
        (ole("EncryptedPackage"), "a.xlsx", "Remove the password, save it again and add the new file."),
    ],
)
def test_the_remedy_fits_the_kind_of_file(data: bytes, file_name: str, remedy: str) -> None:
    assert reason_of(data, file_name)[1] == remedy


@pytest.mark.parametrize(
    ("file_name", "expected"),
    [
        ("handbook_2024.pdf", "handbook 2024"),
        ("reports/2024/Q1-results.final.html", "Q1 results.final"),
        ("C:\\Users\\me\\Übersicht.txt", "Übersicht"),
        ("README", "README"),
        (".env", ".env"),
    ],
)
def test_a_file_name_becomes_a_readable_title(file_name: str, expected: str) -> None:
    assert name_for_people(file_name) == expected


@pytest.mark.parametrize(
    "title",
    ["Untitled", "Slide 1", "PowerPoint Presentation", "Microsoft Word - draft.docx", "untitled document 3", "page.html", "***", "x"],
)
def test_a_generated_title_is_not_used(title: str) -> None:
    assert parse(f"<title>{title}</title><p>Text".encode(), "annual_report.html").title == "annual report"
