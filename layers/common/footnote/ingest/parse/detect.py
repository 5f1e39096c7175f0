"""Which format is it? What the bytes say comes first, the file's name second."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePosixPath

from footnote.errors import UnreadableFile

_HTML = re.compile(rb"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_EXTENSIONS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
}
"""Of text files; every other name is plain text."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "an RTF file (.rtf)"),
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
_OFFICE = {
    "word": "a Word file (.docx)",
    "excel": "an Excel file (.xlsx)",
    "powerpoint": "a PowerPoint file (.pptx)",
    "odt": "an OpenDocument text (.odt)",
    "ods": "an OpenDocument spreadsheet (.ods)",
    "odp": "an OpenDocument presentation (.odp)",
    "epub": "an e-book (.epub)",
}
_OLE_NAMES = {
    ".doc": "an old Word file (.doc)",
    ".xls": "an old Excel file (.xls)",
    ".ppt": "an old PowerPoint file (.ppt)",
    ".msg": "an Outlook message (.msg)",
    ".hwp": "a Hangul file (.hwp)",
}
_SPREADSHEETS = ("Excel", "spreadsheet")


def detect(data: bytes, file_name: str) -> str:
    """The format's name: pdf, html, markdown, csv or text. Raises UnreadableFile for every other."""
    if not data:
        raise UnreadableFile("This file is empty.", "Check that it was saved completely and add it again.")
    extension = PurePosixPath(file_name.replace("\\", "/")).suffix.lower()
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if kind := _foreign(data, extension):
        raise _unsupported(kind)
    head = data[:4096].replace(b"\0", b"")  # so that UTF-16 is seen as well
    if extension not in (".md", ".markdown", ".txt", ".csv", ".tsv") and _HTML.search(head):
        return "html"
    if extension == ".txt" and _HTML.match(head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")):
        return "html"
    if extension == ".pdf" and _is_damaged_pdf(data):
        raise UnreadableFile("This PDF is damaged.", "Open it in a PDF reader, save it again and add the new file.")
    return _EXTENSIONS.get(extension, "text")


def _is_damaged_pdf(data: bytes) -> bool:
    """No header, and yet not something else that only bears the name."""
    return b"endobj" in data or b"\0" in data[:4096] or b"startxref" in data[-2048:]


def _foreign(data: bytes, extension: str) -> str | None:
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data.startswith(b"RIFF") and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "an image (.webp)", b"WAVE": "a sound file (.wav)"}.get(data[8:12], "a film (.avi)")
    if data[4:8] == b"ftyp":
        return "a film or photo (.mp4, .mov or .heic)"
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnreadableFile("This Office file needs a password.", "Remove the password, save it as PDF and add it again.")
        return _OLE_NAMES.get(extension, "an old Office file")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _kind_of_zip(data)
    return None


def _kind_of_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                mime = archive.read("mimetype").decode("ascii", "replace")
                for part, name in (("opendocument.text", "odt"), ("spreadsheet", "ods"), ("presentation", "odp"), ("epub", "epub")):
                    if part in mime:
                        return _OFFICE[name]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return "a damaged ZIP archive"
    for folder, name in (("word/", "word"), ("xl/", "excel"), ("ppt/", "powerpoint")):
        if any(entry.startswith(folder) for entry in names):
            return _OFFICE[name]
    return "a ZIP archive"


def _unsupported(kind: str) -> UnreadableFile:
    reason = f"This is {kind}, which this version cannot read."
    if "archive" in kind:
        return UnreadableFile(reason, "Unpack it and add the files in it.")
    if "image" in kind or "photo" in kind:
        return UnreadableFile(reason, "Run OCR on it, save the result as PDF and add that.")
    if any(word in kind for word in _SPREADSHEETS):
        return UnreadableFile(reason, "Save it as CSV or PDF and add it again.")
    if any(word in kind for word in ("program", "sound", "film", "database")):
        return UnreadableFile(reason, "Add a text of its contents instead.")
    return UnreadableFile(reason, "Save it as PDF and add it again.")
