"""Detects a file's format, first by its bytes, then by its name; of a format that is not read, what it is called and what to do."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from footnote.errors import OldFormat, Scan, UnreadableFile
from footnote.ingest.parse.ole import SIGNATURE, Container
from footnote.ingest.parse.package import Package, needs_password

if TYPE_CHECKING:
    from footnote.ingest.parse.package import Package


_HTML = re.compile(rb"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_CONFLUENCE = re.compile(rb"<ac:confluence[\s>]")
_MAIL_HEADER = re.compile(
    rb"^(From|To|Subject|Date|MIME-Version|Message-ID|Received|Return-Path|Content-Type): ?", re.IGNORECASE | re.MULTILINE
)
_MAILBOX = re.compile(rb"From \S+ [^\r\n]*\d{4}[^\r\n]*\r?\n[\w-]+:")
_CODE = (
    ".py .pyi .js .mjs .cjs .jsx .ts .tsx .vue .svelte .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .cxx .hpp .cs .swift "
    ".m .mm .php .rb .pl .pm .lua .r .jl .dart .ex .exs .erl .hs .clj .fs .vb .pas .f90 .sh .bash .zsh .fish .ps1 .bat .cmd .sql "
    ".toml .ini .cfg .conf .properties .env .xsl .xslt .xsd .css .scss .less .proto .graphql .tf .gradle .cmake "
    ".mk .diff .patch makefile dockerfile jenkinsfile"
)
_EXTENSIONS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".mdx", ".markdown"), "markdown"),
    **dict.fromkeys((".rst", ".rest"), "rst"),
    **dict.fromkeys((".adoc", ".asciidoc", ".asc"), "asciidoc"),
    ".org": "org",
    **dict.fromkeys((".tex", ".latex"), "latex"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"), "json"),
    **dict.fromkeys((".eml", ".mht", ".mhtml"), "eml"),
    **dict.fromkeys((".vtt", ".srt", ".ass", ".ssa"), "subtitles"),
    **dict.fromkeys((".ics", ".ical", ".ifb", ".vcs"), "calendar"),
    **dict.fromkeys((".vcf", ".vcard"), "contacts"),
    **dict.fromkeys(_CODE.split(), "code"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    ".xml": "xml",
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
_OCR = "Run OCR on it, save the result as PDF and add that."
_INSTALL = "Install Tesseract with the language of the text where the server runs, or run OCR on it and add the result."
_UNPACK = "Unpack it and add the files in it."
_DESCRIBE = "Add a text of its contents instead."
_TRANSCRIBE = "Add a transcript or its subtitles (.srt, .vtt) instead."
_AS_PDF = "Save it as PDF and add it again."
_AS_CSV = "Export its tables as CSV and add those."
_AS_EPUB = "Convert it to .epub or PDF and add that."
_DECRYPT = "Decrypt it and add the result."

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (rb"\x89PNG\r\n", "an image (.png)", _INSTALL),
    (rb"\xff\xd8\xff", "an image (.jpg)", _INSTALL),
    (rb"GIF8[79]a", "an image (.gif)", _INSTALL),
    (rb"II\*\0|MM\0\*", "an image (.tif)", _INSTALL),
    (rb"BM.{4}\0\0\0\0", "an image (.bmp)", _INSTALL),
    (rb"RIFF.{4}WEBP", "an image (.webp)", _INSTALL),
    (rb"8BPS\x00\x01", "an image (.psd)", _OCR),
    (rb"....ftyp(?:heic|heix|mif1|msf1|avif)", "a photo (.heic or .avif)", _OCR),
    (rb"AT&TFORM", "a scan (.djvu)", "Save it as PDF with recognised text and add that."),
    (rb"\x1f\x8b", "a compressed archive (.gz)", _UNPACK),
    (rb"BZh[1-9]", "a compressed archive (.bz2)", _UNPACK),
    (rb"\xfd7zXZ\0", "a compressed archive (.xz)", _UNPACK),
    (rb"\(\xb5/\xfd", "a compressed archive (.zst)", _UNPACK),
    (rb"7z\xbc\xaf'\x1c", "a compressed archive (.7z)", _UNPACK),
    (rb"Rar!\x1a\x07", "a compressed archive (.rar)", _UNPACK),
    (rb".{257}ustar", "an archive (.tar)", _UNPACK),
    (rb"MSCF\0\0\0\0", "a compressed archive (.cab)", _UNPACK),
    (rb"\x7fELF|MZ.{1,30}\0|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\0asm", "a program", _DESCRIBE),
    (rb"ID3[\x02-\x04]|\xff[\xfb\xf3\xf2]", "a sound file (.mp3)", _TRANSCRIBE),
    (rb"OggS\0", "a sound file (.ogg)", _TRANSCRIBE),
    (rb"fLaC\0", "a sound file (.flac)", _TRANSCRIBE),
    (rb"RIFF.{4}WAVE", "a sound file (.wav)", _TRANSCRIBE),
    (rb"....ftypM4A", "a sound file (.m4a)", _TRANSCRIBE),
    (rb"RIFF.{4}AVI ", "a film (.avi)", _TRANSCRIBE),
    (rb"....ftyp", "a film (.mp4 or .mov)", _TRANSCRIBE),
    (rb"\x1a\x45\xdf\xa3", "a film (.mkv or .webm)", _TRANSCRIBE),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a film or sound file (.wmv or .wma)", _TRANSCRIBE),
    (rb"SQLite format 3\0", "a database (.sqlite)", _AS_CSV),
    (rb"\x00\x01\x00\x00Standard (?:Jet|ACE) DB", "an Access database", _AS_CSV),
    (rb"PAR1.{0,200}\0", "a table file (.parquet)", _AS_CSV),
    (rb".{60}BOOKMOBI", "an e-book (.mobi or .azw3)", _AS_EPUB),
    (rb"ITSF\x03", "a help file (.chm)", "Convert it to HTML or PDF and add that."),
    (rb"!BDN", "an Outlook mailbox (.pst)", "Export its messages as .eml, .msg or .mbox and add those."),
    (rb"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote file", _AS_PDF),
    (rb"AC10\d\d\0", "a drawing (.dwg)", _AS_PDF),
    (rb"%!PS", "a PostScript file", _AS_PDF),
    (rb"bplist00", "a file of settings or a web archive of Apple", "Save it as PDF, HTML or text and add it again."),
    (rb"\x00\x01\x00\x00\x00|OTTO\0|wOF[F2]", "a font", _DESCRIBE),
    (rb"-----BEGIN PGP MESSAGE-----", "an encrypted message", _DECRYPT),
)
"""The first bytes of a format, what it is called, and what to do."""
_PARTS: tuple[tuple[str, str, str], ...] = (
    ("Index/Document.iwa", "a file of Apple Pages, Numbers or Keynote", "Export it as PDF, .docx, .xlsx or .pptx and add that."),
    ("buildVersionHistory.plist", "a file of Apple Pages, Numbers or Keynote", "Export it as PDF, .docx, .xlsx or .pptx and add that."),
    ("visio/", "a Visio drawing (.vsdx)", _AS_PDF),
    ("FixedDoc", "an XPS file", _AS_PDF),
    ("META-INF/MANIFEST.MF", "a program (.jar)", _DESCRIBE),
    ("AndroidManifest.xml", "a program (.apk)", _DESCRIBE),
)
"""The beginning of a part's name in a ZIP archive, what the archive is called, and what to do."""
_RECORDINGS = tuple(f".{kind}" for kind in "mp3 mp4 m4a m4b m4v mov avi mkv webm wma wmv mpg mpeg wav ogg opus flac aac".split())
_OWNER = re.compile(r"(?:^|[/\\])~\$[^/\\]*$")


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
    if data.startswith(SIGNATURE):
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
    if by_name not in ("text", "html", "xml"):
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
    said = package.read("mimetype")[:200].decode("ascii", "replace").strip()
    mime = said or package.media_type("/")  # some programs only write it into the manifest
    mime = mime.removesuffix("-template")
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


def refuse_foreign(data: bytes, file_name: str) -> None:
    """Raises UnreadableFile if the file has a format that is not read."""
    if _OWNER.search(file_name) and len(data) < 1000:
        raise UnreadableFile("This is a lock file that Office makes while a document is open.", "Add the document itself.")
    if file_name.lower().endswith(".svg"):  # by its name: a page or Markdown file may begin with a drawing, too
        raise unsupported("a drawing (.svg)", _AS_PDF)
    for magic, kind, remedy in _MAGIC:
        if re.match(magic, data[:300], re.DOTALL):
            refused = unsupported(kind, remedy)
            raise Scan(refused.reason, remedy) if remedy == _INSTALL else refused
    if file_name.lower().endswith(_RECORDINGS):  # some begin with other bytes, and a part of one with any
        raise unsupported("a film or sound file", _TRANSCRIBE)


def foreign_archive(package: Package, mime: str) -> UnreadableFile:
    """The error for a ZIP archive that is no document. `mime`: what the archive says it is."""
    if mime == "application/vnd.oasis.opendocument.graphics":
        return unsupported("an OpenDocument drawing (.odg)", _AS_PDF)
    if mime.startswith("application/vnd.oasis.opendocument."):
        return unsupported("an OpenDocument file of a kind without text", _AS_PDF)
    found = next(((kind, remedy) for part, kind, remedy in _PARTS if package.names(part)), ("a ZIP archive", _UNPACK))
    return unsupported(*found)


def foreign_container(streams: set[str]) -> UnreadableFile:
    """The error for an OLE container that is no document. `streams`: the names of its streams, in small letters."""
    kind = (
        "an equation of an old Office version"
        if "equation native" in streams
        else "a Visio drawing (.vsd)"
        if "visiodocument" in streams
        else "a Publisher file (.pub)"
        if "quill" in str(streams)
        else "an old Office file"
    )
    return unsupported(kind, _AS_PDF)


def unsupported(kind: str, remedy: str) -> UnreadableFile:
    """The error for a format that is not read."""
    return UnreadableFile(f"This is {kind}, which is not supported.", remedy)
