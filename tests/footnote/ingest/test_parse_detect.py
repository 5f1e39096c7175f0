"""Format detection, first by bytes, then by name; and messages for files that cannot be read."""

from __future__ import annotations

import zipfile

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.detect import detect
from footnote.ingest.parse.title import name_for_people
from tests.footnote.ingest import ole_files
from tests.footnote.ingest.packages import zip_of

MAIL = b"MIME-Version: 1.0\r\nFrom: a@example.org\r\nSubject: Hi\r\n\r\nText"
JPEG = b"\xff\xd8\xff\xe0"


def ole(*streams: str) -> bytes:
    """A file in an old Office format with streams of these names."""
    return ole_files.ole(dict.fromkeys(streams, b"x"))


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
        (b"Title\n=====\n\n<html> is a tag", "index.rst", "rst"),
        (b"WEBVTT\n\n<html>", "talk.vtt", "subtitles"),
        (b"BEGIN:VCALENDAR\nDESCRIPTION:<html>", "dates.ICS", "calendar"),
        (b"= Crane\n\n<html>", "crane.adoc", "asciidoc"),
        (b"* Crane\n\n<html>", "crane.org", "org"),
        (b"\\section{Crane}<html>", "crane.tex", "latex"),
        (b"BEGIN:VCARD\nNOTE:<html>", "crew.vcf", "contacts"),
        (b"a\tb\n", "list.tsv", "csv"),
        (zip_of({"word/document.xml": "x"}), "letter.pdf", "docx"),
        (zip_of({"xl/workbook.xml": "x"}), "figures", "xlsx"),
        (zip_of({"ppt/presentation.xml": "x"}), "talk.docx", "pptx"),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.text-template"}), "a.ott", "odt"),
        (zip_of({"mimetype": "application/epub+zip"}), "book.zip", "epub"),
        (zip_of({"word/document.xml": "%PDF-1.7"}, zipfile.ZIP_STORED), "polyglot.pdf", "docx"),
        (ole("Workbook"), "old.xls", "xls"),
        (ole("Book", "\x05SummaryInformation"), "old.xls", "xls"),
        (ole("__properties_version1.0", "__substg1.0_0037001F"), "mail.msg", "msg"),
        (ole("FileHeader", "\x05HwpSummaryInformation"), "문서.hwp", "hwp"),
        (zip_of({"mimetype": "application/hwp+zip"}), "문서.hwpx", "hwpx"),
        (zip_of({"xl/workbook.bin": "x"}), "a.xlsb", "xlsb"),
        (b"{\\rtf1 Hello}", "letter.doc", "rtf"),
        (MAIL, "mail.eml", "eml"),
        (MAIL, "mail.txt", "eml"),
        (b"From here on: go left.\n\nTo: the pier", "way.txt", "text"),
        (b'{"a": 1}', "a.json", "json"),
        (b'{"a": 1}', "a.txt", "text"),
        (b"x = '<html>'", "page.py", "code"),
        (b"FROM scratch", "Dockerfile", "code"),
        (b"<?xml version='1.0'?><html><body>x</body></html>", "page.xml", "html"),
        (b"<?xml version='1.0'?><lake/>", "lake.xml", "xml"),
        (b"<ac:confluence><p>x</p></ac:confluence>", "page.xml", "confluence"),
        (b"<ac:confluence><p>x</p></ac:confluence>", "page.txt", "confluence"),
        (b"Just words", "words.txt", "text"),
        (b"Just words", "README", "text"),
        (b"Just words", "words.pdf", "text"),
    ],
)
def test_the_bytes_take_precedence_over_the_name(data: bytes, file_name: str, expected: str) -> None:
    assert detect(data, file_name) == expected


@pytest.mark.parametrize(
    "text", ["MZ is the code of a village.", "BM 25 is a ranking.", "BZhan writes.", "ID3 tags", "PAR1 of the plan", "GIF8"]
)
def test_words_that_begin_like_a_foreign_format_are_text(text: str) -> None:
    assert detect(text.encode() * 20, "notes.txt") == "text"


@pytest.mark.parametrize(
    ("data", "file_name", "reason", "remedy"),
    [
        (b"\3Ann".ljust(162), "plans/~$budget.docx", None, "Add the document itself."),
        (b"", "a.txt", "This file is empty.", "Check that it was saved completely and add it again."),
        (b" \n\t\r\n ", "a.txt", "This file contains no text, only white space.", None),
        ("\ufeff\u200b\u00a0".encode(), "a.txt", "This file contains no text, only white space.", None),
        (bytes(range(256)) * 20, "notes.txt", "This file contains binary data, not text.", None),
        (bytes(range(1, 32)) * 20, "notes.csv", "This file contains binary data, not text.", None),
    ],
    ids=["a lock file", "an empty file", "white space", "invisible characters", "binary data", "binary data without zero bytes"],
)
def test_a_file_without_text_is_refused(data: bytes, file_name: str, reason: str | None, remedy: str | None) -> None:
    told = reason_of(data, file_name)
    assert told == (reason or told[0], remedy or told[1])


@pytest.mark.parametrize(
    ("data", "file_name", "kind"),
    [
        (zip_of({"photo": "x"}), "all.zip", "a ZIP archive"),
        (ole("x"), "a.doc", "an old Office file"),
        (ole("VisioDocument"), "a.vsd", "a Visio drawing (.vsd)"),
        (zip_of({"Index/Document.iwa": "x"}), "a.pages", "a file of Apple Pages, Numbers or Keynote"),
        (zip_of({"visio/document.xml": "x"}), "a.vsdx", "a Visio drawing (.vsdx)"),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.graphics"}), "a.odg", "an OpenDocument drawing (.odg)"),
        (zip_of({"META-INF/MANIFEST.MF": "x"}), "a.jar", "a program (.jar)"),
        (b"BM" + bytes([99, 0, 0, 0, 0, 0, 0, 0, 54]), "a.bmp", "an image (.bmp)"),
        (b"\0\0\0\x18ftypheic" + bytes(9), "IMG_1.HEIC", "a photo (.heic or .avif)"),
        (b"\0\0\0\x18ftypM4A " + bytes(9), "a.m4a", "a sound file (.m4a)"),
        (b"\0\0\0\x18ftypisom" + bytes(9), "a.mp4", "a film (.mp4 or .mov)"),
        (b"\x9c\0\x11\xfe" * 90, "day 1/a.MP4", "a film or sound file"),
        (b"RIFF" + bytes(4) + b"WAVE", "a.wav", "a sound file (.wav)"),
        (b"MZ\x90\0\3" + bytes(90), "setup.exe", "a program"),
        (b"\0\1\0\0Standard Jet DB\0", "a.mdb", "an Access database"),
        (b"PAR1\x15\4\x15\0", "a.parquet", "a table file (.parquet)"),
        (bytes(60) + b"BOOKMOBI", "a.mobi", "an e-book (.mobi or .azw3)"),
        (b"!BDN" + bytes(9), "a.pst", "an Outlook mailbox (.pst)"),
        (b"a.txt".ljust(257, b"\0") + b"ustar", "a.tar", "an archive (.tar)"),
        (b"%!PS-Adobe-3.0", "a.ps", "a PostScript file"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><text>Hi</text></svg>", "a.SVG", "a drawing (.svg)"),
        (b"-----BEGIN PGP MESSAGE-----", "a.asc", "an encrypted message"),
        (b"\x89PNG\r\n\x1a\n", "scan.pdf", "an image (.png)"),
        (JPEG, "photo.txt", "an image (.jpg)"),
        (b"\x1f\x8b\x08", "a.txt", "a compressed archive (.gz)"),
    ],
)
def test_an_unsupported_format_is_named(data: bytes, file_name: str, kind: str) -> None:
    assert reason_of(data, file_name)[0] == f"This is {kind}, which is not supported."


@pytest.mark.parametrize(
    ("data", "file_name", "kind"),
    [
        (ole("WordDocument"), "letter.xls", "an old Word file (.doc)"),
        (ole("PowerPoint Document"), "talk", "an old PowerPoint file (.ppt)"),
        (b"HWP Document File V3.00 \x1a\1\2\3\4\5", "문서.hwp", "a Hangul 97 file (.hwp)"),
        (b"\xffWPC\x10", "letter.wpd", "a WordPerfect file (.wpd)"),
        (zip_of({"mimetype": "application/vnd.sun.xml.writer"}), "a.sxw", "an old OpenOffice file (.sxw)"),
        (zip_of({"mimetype": "application/vnd.sun.xml.calc.template"}), "a.stc", "an old OpenOffice file (.sxc)"),
        (b'<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?><w:x/>', "a.doc", "a Word 2003 XML file"),
        (b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?><Workbook/>', "a.xls", "an Excel 2003 XML file"),
        (
            b'<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text">',
            "a.fodt",
            "an OpenDocument file in one piece (.fodt)",
        ),
    ],
)
def test_an_old_format_needs_libreoffice(data: bytes, file_name: str, kind: str) -> None:
    assert reason_of(data, file_name)[0] == f"This is {kind}, which is only read where LibreOffice is installed."


@pytest.mark.parametrize(
    "data",
    [
        ole_files.ole({"WordDocument": bytes(11) + b"\1" + bytes(20), "1Table": b"x"}),
        ole_files.ole({"PowerPoint Document": b"x", "Current User": bytes(12) + b"\xdf\xc4\xd1\xf3"}),
    ],
)
def test_an_old_file_with_a_password_is_not_converted(data: bytes) -> None:
    assert reason_of(data, "a.doc")[0] == "This file needs a password."


@pytest.mark.parametrize(
    ("data", "file_name", "remedy"),
    [
        (ole("WordDocument"), "a.doc", "Save it as .docx or PDF and add it again."),
        (b"HWP Document File V3.00", "a.hwp", "Save it as .hwpx or PDF and add it again."),
        (b"8BPS\x00\x01", "a.psd", "Run OCR on it, save the result as PDF and add that."),
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
