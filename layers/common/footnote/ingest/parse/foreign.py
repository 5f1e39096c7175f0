"""Formats that are not read: how they are recognised, what they are called, and what to do with such a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnote.errors import UnreadableFile

if TYPE_CHECKING:
    from footnote.ingest.parse.package import Package

_OCR = "Run OCR on it, save the result as PDF and add that."
_UNPACK = "Unpack it and add the files in it."
_DESCRIBE = "Add a text of its contents instead."
_TRANSCRIBE = "Add a transcript or its subtitles (.srt, .vtt) instead."
_AS_PDF = "Save it as PDF and add it again."
_AS_CSV = "Export its tables as CSV and add those."
_AS_EPUB = "Convert it to .epub or PDF and add that."
_DECRYPT = "Decrypt it and add the result."

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (rb"\x89PNG\r\n", "an image (.png)", _OCR),
    (rb"\xff\xd8\xff", "an image (.jpg)", _OCR),
    (rb"GIF8[79]a", "an image (.gif)", _OCR),
    (rb"II\*\0|MM\0\*", "an image (.tif)", _OCR),
    (rb"BM.{4}\0\0\0\0", "an image (.bmp)", _OCR),
    (rb"RIFF.{4}WEBP", "an image (.webp)", _OCR),
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
_OWNER = re.compile(r"(?:^|[/\\])~\$[^/\\]*$")


def refuse_foreign(data: bytes, file_name: str) -> None:
    """Raises UnreadableFile if the file has a format that is not read."""
    if _OWNER.search(file_name) and len(data) < 1000:
        raise UnreadableFile("This is a lock file that Office makes while a document is open.", "Add the document itself.")
    if file_name.lower().endswith(".svg"):  # by its name: a page or Markdown file may begin with a drawing, too
        raise unsupported("a drawing (.svg)", _AS_PDF)
    for magic, kind, remedy in _MAGIC:
        if re.match(magic, data[:300], re.DOTALL):
            raise unsupported(kind, remedy)


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
        "a Visio drawing (.vsd)"
        if "visiodocument" in streams
        else "a Publisher file (.pub)"
        if "quill" in str(streams)
        else "an old Office file"
    )
    return unsupported(kind, _AS_PDF)


def unsupported(kind: str, remedy: str) -> UnreadableFile:
    """The error for a format that is not read."""
    return UnreadableFile(f"This is {kind}, which is not supported.", remedy)
