"""What a file is: by its bytes first, by its name second; and what is said of files that cannot be read."""

from __future__ import annotations

import io
import zipfile

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.title import name_for_people

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)


def zip_of(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


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
        (b"Just words", "words.txt", "text"),
        (b"Just words", "README", "text"),
        (b"Just words", "words.pdf", "text"),
    ],
)
def test_the_bytes_tell_the_format_before_the_name_does(data: bytes, file_name: str, expected: str) -> None:
    assert detect(data, file_name) == expected


def test_an_empty_file_is_named_as_such() -> None:
    assert reason_of(b"", "a.txt") == ("This file is empty.", "Check that it was saved completely and add it again.")


@pytest.mark.parametrize("data", [b" \n\t\r\n ", "\ufeff\u200b\u00a0".encode()])
def test_a_file_of_white_space_holds_no_text(data: bytes) -> None:
    assert reason_of(data, "a.txt")[0] == "This file holds no text, only white space."


def test_binary_data_named_txt_is_refused() -> None:
    assert reason_of(bytes(range(256)) * 20, "notes.txt")[0] == "This file holds binary data, not text."


def test_binary_data_without_zero_bytes_is_refused_too() -> None:
    assert reason_of(bytes(range(1, 32)) * 20, "notes.csv")[0] == "This file holds binary data, not text."


@pytest.mark.parametrize(
    ("data", "file_name", "kind"),
    [
        (zip_of(word__document=b"x"), "letter.docx", "a Word file (.docx)"),
        (zip_of(xl__workbook=b"x"), "figures.pdf", "an Excel file (.xlsx)"),
        (zip_of(ppt__slides=b"x"), "talk", "a PowerPoint file (.pptx)"),
        (zip_of(mimetype=b"application/epub+zip"), "book.epub", "an e-book (.epub)"),
        (zip_of(mimetype=b"application/vnd.oasis.opendocument.text"), "a.odt", "an OpenDocument text (.odt)"),
        (zip_of(photo=b"x"), "all.zip", "a ZIP archive"),
        (b"PK\x03\x04 cut off", "letter.docx", "a damaged ZIP archive"),
        (OLE, "old.doc", "an old Word file (.doc)"),
        (b"{\\rtf1 Hello}", "letter.doc", "an RTF file (.rtf)"),
        (b"\x89PNG\r\n\x1a\n", "scan.pdf", "an image (.png)"),
        (b"\xff\xd8\xff\xe0", "photo.txt", "an image (.jpg)"),
        (b"\x1f\x8b\x08", "a.txt", "a compressed archive (.gz)"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(data: bytes, file_name: str, kind: str) -> None:
    assert reason_of(data, file_name)[0] == f"This is {kind}, which this version cannot read."


@pytest.mark.parametrize(
    ("data", "file_name", "remedy"),
    [
        (zip_of(word__document=b"x"), "a.docx", "Save it as PDF and add it again."),
        (zip_of(xl__workbook=b"x"), "a.xlsx", "Save it as CSV or PDF and add it again."),
        (b"\x89PNG\r\n\x1a\n", "a.png", "Run OCR on it, save the result as PDF and add that."),
        (zip_of(photo=b"x"), "a.zip", "Unpack it and add the files in it."),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "Remove the password, save it as PDF and add it again."),
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
def test_a_file_name_becomes_a_title_that_people_read(file_name: str, expected: str) -> None:
    assert name_for_people(file_name) == expected


@pytest.mark.parametrize("title", ["Untitled", "Microsoft Word - draft.docx", "untitled document 3", "page.html", "***", "x"])
def test_a_title_that_a_program_made_up_is_not_used(title: str) -> None:
    assert parse(f"<title>{title}</title><p>Text".encode(), "annual_report.html").title == "annual report"
