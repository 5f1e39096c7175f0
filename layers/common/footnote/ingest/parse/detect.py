"""Detects a file's format, first by its bytes, then by its name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from footnote.errors import OldFormat, UnreadableFile
from footnote.ingest.parse.foreign import foreign_archive, foreign_container, refuse_foreign
from footnote.ingest.parse.ole import Container
from footnote.ingest.parse.package import Package, needs_password

_HTML = re.compile(rb"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_CONFLUENCE = re.compile(rb"<ac:confluence[\s>]")
_MAIL_HEADER = re.compile(
    rb"^(From|To|Subject|Date|MIME-Version|Message-ID|Received|Return-Path|Content-Type): ?", re.IGNORECASE | re.MULTILINE
)
_MAILBOX = re.compile(rb"From \S+ [^\r\n]*\d{4}[^\r\n]*\r?\n[\w-]+:")
_CODE = (
    ".py .pyi .js .mjs .cjs .jsx .ts .tsx .vue .svelte .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .cxx .hpp .cs .swift "
    ".m .mm .php .rb .pl .pm .lua .r .jl .dart .ex .exs .erl .hs .clj .fs .vb .pas .f90 .sh .bash .zsh .fish .ps1 .bat .cmd .sql "
    ".yaml .yml .toml .ini .cfg .conf .properties .env .xml .xsl .xslt .xsd .css .scss .less .proto .graphql .tf .gradle .cmake "
    ".mk .diff .patch makefile dockerfile jenkinsfile"
)
_EXTENSIONS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".rst", ".rest"), "rst"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"), "json"),
    **dict.fromkeys((".eml", ".mht", ".mhtml"), "eml"),
    **dict.fromkeys((".vtt", ".srt"), "subtitles"),
    **dict.fromkeys(_CODE.split(), "code"),
}
"""Text formats by file extension; any other text file is plain text."""

_MIME = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
    "application/hwp+zip": "hwpx",
}
_FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_LOCKED_SLIDES = b"\xdf\xc4\xd1\xf3"
"""What the stream of the current user holds in a PowerPoint file with a password."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("__properties_version1.0", "msg"),
    ("\x05HwpSummaryInformation", "hwp"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
"""Streams that identify each of these formats."""
OLD_FORMATS = {
    "doc": ("an old Word file (.doc)", ".docx or PDF"),
    "ppt": ("an old PowerPoint file (.ppt)", ".pptx or PDF"),
    "hwp97": ("a Hangul 97 file (.hwp)", ".hwpx or PDF"),
    "wpd": ("a WordPerfect file (.wpd)", ".docx or PDF"),
    "sxw": ("an old OpenOffice file (.sxw)", ".odt or PDF"),
    "sxc": ("an old OpenOffice file (.sxc)", ".ods or CSV"),
    "sxi": ("an old OpenOffice file (.sxi)", ".odp or PDF"),
    "fodt": ("an OpenDocument file in one piece (.fodt)", ".odt or PDF"),
    "fods": ("an OpenDocument file in one piece (.fods)", ".ods or CSV"),
    "fodp": ("an OpenDocument file in one piece (.fodp)", ".odp or PDF"),
    "wordml": ("a Word 2003 XML file", ".docx or PDF"),
    "excelml": ("an Excel 2003 XML file", ".xlsx or CSV"),
}
"""Format that only LibreOffice reads, as in TARGETS of `footnote.ingest.convert` → (its name, what to save it as)."""
_OLD_MIME = {"writer": "sxw", "calc": "sxc", "impress": "sxi"}
_OLD_XML = re.compile(rb'progid="(Word|Excel)\.|office:mimetype="application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)"')
_OLD_XML_FORMATS = {b"Word": "wordml", b"Excel": "excelml", b"text": "fodt", b"spreadsheet": "fods", b"presentation": "fodp"}


def detect(data: bytes, file_name: str) -> str:
    """The format, a key of FORMATS. UnreadableFile for any other."""
    if not data:
        raise UnreadableFile("This file is empty.", "Check that it was saved completely and add it again.")
    name = PurePosixPath(file_name.replace("\\", "/"))
    extension = name.suffix.lower() or name.name.lower()
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _kind_of_zip(data)
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_OLE):
        return _kind_of_ole(data)
    if data.startswith(b"HWP Document File V"):
        raise _old("hwp97")
    if data.startswith(b"\xffWPC"):
        raise _old("wpd")
    if data.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    refuse_foreign(data, file_name)
    if extension == ".pdf" and _is_damaged_pdf(data):
        raise UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")
    return _kind_of_text(data, extension)


def _kind_of_text(data: bytes, extension: str) -> str:
    head = data[:4096].replace(b"\0", b"")  # so that UTF-16 is recognised too
    by_name = _EXTENSIONS.get(extension, "text")
    start = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if _CONFLUENCE.match(start):
        return "confluence"
    if start.startswith(b"<?xml") and (match := _OLD_XML.search(data, 0, 1 << 14)):
        raise _old(_OLD_XML_FORMATS[match[1] or match[2]])
    if _MAILBOX.match(head):
        return "mbox"
    if by_name in ("text", "html") and _is_mail(head):
        return "eml"
    if by_name in ("markdown", "rst", "csv", "json", "eml", "subtitles") or (by_name == "code" and extension != ".xml"):
        return by_name
    if _HTML.match(start) if extension == ".txt" else _HTML.search(head):
        return "html"
    return by_name


def _is_mail(head: bytes) -> bool:
    """Whether it starts with an e-mail header: with one field that only mail programs write and two well-known ones."""
    header = re.split(rb"\r?\n\r?\n", head.lstrip(), maxsplit=1)[0]
    names = {match[1].lower() for match in _MAIL_HEADER.finditer(header)}
    known = names & {b"from", b"to", b"subject", b"date"}
    return _MAIL_HEADER.match(header) is not None and len(known) >= 2 and len(names) > len(known)


def _is_damaged_pdf(data: bytes) -> bool:
    """Whether it is a PDF without its header, and not a different format with the extension of a PDF."""
    return b"endobj" in data or b"\0" in data[:4096] or b"startxref" in data[-2048:]


def _kind_of_ole(data: bytes) -> str:
    """The format in an OLE container, by its own streams, not by those of attachments and embedded files."""
    file = Container(data)
    names = {name.lower() for name in file.names}
    if "encryptedpackage" in names:
        raise needs_password()
    for stream, name in _OLE_STREAMS:
        if stream.lower() in names:
            return name
    if "worddocument" in names:
        raise needs_password() if _is_locked_word(file.read("WordDocument", 12)) else _old("doc")
    if "powerpoint document" in names:
        raise needs_password() if file.read("Current User", 16)[12:] == _LOCKED_SLIDES else _old("ppt")
    raise foreign_container(names)


def _is_locked_word(header: bytes) -> bool:
    """Whether the header of a Word file says that it is encrypted."""
    return len(header) == 12 and bool(header[11] & 1)


def _kind_of_zip(data: bytes) -> str:
    package = Package(data)
    mime = package.read("mimetype")[:200].decode("ascii", "replace").strip().removesuffix("-template")
    if mime in _MIME:
        return _MIME[mime]
    if old := _OLD_MIME.get(mime.removeprefix("application/vnd.sun.xml.").removesuffix(".template")):
        raise _old(old)
    if "xl/workbook.bin" in package:
        return "xlsb"
    for folder, name in _FOLDERS.items():
        if package.names(folder):
            return name
    raise foreign_archive(package, mime)


def _old(name: str) -> OldFormat:
    kind, newer = OLD_FORMATS[name]
    return OldFormat(f"This is {kind}, which is only read where LibreOffice is installed.", f"Save it as {newer} and add it again.", name)
