"""Detects a file's format, first by its bytes, then by its name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from footnote.errors import UnreadableFile
from footnote.ingest.parse.package import Package, needs_password

_HTML = re.compile(rb"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_MAIL_HEADER = re.compile(
    rb"^(From|To|Subject|Date|MIME-Version|Message-ID|Received|Return-Path|Content-Type): ?", re.IGNORECASE | re.MULTILINE
)
_CODE = (
    ".py .pyi .js .mjs .cjs .jsx .ts .tsx .vue .svelte .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .cxx .hpp .cs .swift "
    ".m .mm .php .rb .pl .pm .lua .r .jl .dart .ex .exs .erl .hs .clj .fs .vb .pas .f90 .sh .bash .zsh .fish .ps1 .bat .cmd .sql "
    ".yaml .yml .toml .ini .cfg .conf .properties .env .xml .xsl .xslt .xsd .css .scss .less .proto .graphql .tf .gradle .cmake "
    ".mk .diff .patch makefile dockerfile jenkinsfile"
)
_EXTENSIONS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"), "json"),
    **dict.fromkeys((".eml", ".mht", ".mhtml"), "eml"),
    **dict.fromkeys(_CODE.split(), "code"),
}
"""Text formats by file extension; any other text file is plain text."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "an image (.png)"),
    (b"\xff\xd8\xff", "an image (.jpg)"),
    (b"GIF8", "an image (.gif)"),
    (b"II*\0", "an image (.tif)"),
    (b"MM\0*", "an image (.tif)"),
    (b"\x1f\x8b", "a compressed archive (.gz)"),
    (b"BZh", "a compressed archive (.bz2)"),
    (b"\xfd7zXZ\0", "a compressed archive (.xz)"),
    (b"(\xb5/\xfd", "a compressed archive (.zst)"),
    (b"7z\xbc\xaf'\x1c", "a compressed archive (.7z)"),
    (b"Rar!\x1a\x07", "a compressed archive (.rar)"),
    (b"\x7fELF", "a program"),
    (b"ID3", "a sound file (.mp3)"),
    (b"OggS", "a sound file (.ogg)"),
    (b"SQLite format 3\0", "a database"),
)
_MIME = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
}
_FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("WordDocument", "an old Word file (.doc)"),
    ("PowerPoint Document", "an old PowerPoint file (.ppt)"),
    ("__substg1.0_", "an Outlook message (.msg)"),
    ("HwpSummaryInformation", "a Hangul file (.hwp)"),
)
"""Signatures that identify each of these formats."""
_NEWER = {".doc": ".docx or PDF", ".ppt": ".pptx or PDF", ".xlsb": ".xlsx or CSV", ".msg": ".eml or PDF"}


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
    if data.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if kind := _foreign(data):
        raise _unsupported(kind)
    if extension == ".pdf" and _is_damaged_pdf(data):
        raise UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")
    return _kind_of_text(data, extension)


def _kind_of_text(data: bytes, extension: str) -> str:
    head = data[:4096].replace(b"\0", b"")  # so that UTF-16 is recognised too
    by_name = _EXTENSIONS.get(extension, "text")
    if by_name in ("text", "html") and _is_mail(head):
        return "eml"
    if by_name in ("markdown", "csv", "json", "eml") or (by_name == "code" and extension != ".xml"):
        return by_name
    start = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
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


def _foreign(data: bytes) -> str | None:
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data.startswith(b"RIFF") and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "an image (.webp)", b"WAVE": "a sound file (.wav)"}.get(data[8:12], "a film (.avi)")
    return "a film or photo (.mp4, .mov or .heic)" if data[4:8] == b"ftyp" else None


def _kind_of_ole(data: bytes) -> str:
    """The format in an OLE container: an old Office format, or a new one with a password."""
    if _utf16("EncryptedPackage") in data:
        raise needs_password()
    for stream, kind in _OLE_STREAMS:
        if _utf16(stream) in data:
            raise _unsupported(kind)
    if _utf16("Workbook") in data or _utf16("Book\0") in data:
        return "xls"
    raise _unsupported("an old Office file")


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le")


def _kind_of_zip(data: bytes) -> str:
    package = Package(data)
    mime = package.read("mimetype")[:200].decode("ascii", "replace").strip().removesuffix("-template")
    if mime in _MIME:
        return _MIME[mime]
    if "xl/workbook.bin" in package:
        raise _unsupported("a binary Excel file (.xlsb)")
    for folder, name in _FOLDERS.items():
        if package.names(folder):
            return name
    raise _unsupported("a ZIP archive")


def _unsupported(kind: str) -> UnreadableFile:
    reason = f"This is {kind}, which is not supported."
    if "archive" in kind:
        return UnreadableFile(reason, "Unpack it and add the files in it.")
    if "image" in kind or "photo" in kind:
        return UnreadableFile(reason, "Run OCR on it, save the result as PDF and add that.")
    if any(word in kind for word in ("program", "sound", "film", "database")):
        return UnreadableFile(reason, "Add a text of its contents instead.")
    newer = next((name for old, name in _NEWER.items() if old in kind), "PDF")
    return UnreadableFile(reason, f"Save it as {newer} and add it again.")
