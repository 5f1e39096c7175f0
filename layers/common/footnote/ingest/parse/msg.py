"""Parses Outlook messages (.msg) like other e-mails: subject, sender, recipients, date, text, attachments.

Read with olefile: python-oxmsg reads neither messages that are attached nor texts in RTF, and extract-msg is under the GPL.
RTF is unpacked as Outlook stores it (MS-OXRTFCP).
"""

from __future__ import annotations

import codecs
import re
import struct
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, formataddr

from footnote.ingest.parse import rtf
from footnote.ingest.parse.attached import MAX_DEPTH, Attached, Letter, too_deep
from footnote.ingest.parse.decode import binary, clean, decode, spaced
from footnote.ingest.parse.mail import encrypted_texts, shows, to_parsed
from footnote.ingest.parse.mail_text import without_pgp
from footnote.ingest.parse.ole import Container
from footnote.ingest.parse.picture_size import is_small
from footnote.ingest.parse.quoted_mail import html_body, plain_body, set_apart
from footnote.types import Block, Parsed

# property ids, in hexadecimal as in the names of streams
_SUBJECT, _BODY, _HTML, _RTF, _TO, _CC = "0037", "1000", "1013", "1009", "0E04", "0E03"
_SENDER, _ADDRESSES = "0C1A", ("5D01", "0C1F")
_FILE_NAMES = ("3707", "3704", "3001")
_MESSAGE_CODEPAGE, _INTERNET_CODEPAGE = 0x3FFD, 0x3FDE
_DATES = (0x0039, 0x0E06)
"""When it was sent, when it arrived."""
_DATA, _CONTENT_ID, _HIDDEN = "3701", "3712", 0x7FFE
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF", b"\xd7\xcd\xc6\x9a", b"\x01\0\0\0")
"""How the images begin that Outlook shows within a text."""
_MAX_PROPERTIES = 1 << 16
"""Maximum bytes of a stream of numbers that are read."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What references may point to before anything is unpacked."""
_WINDOW = 4096


def parse(data: bytes) -> Parsed:
    """Parses an Outlook message (.msg)."""
    return to_parsed(read_letter(data))


def read_letter(data: bytes) -> Letter:
    """Reads an Outlook message, with what is attached to it."""
    return _letter(Container(data), "", 1)


def _letter(file: Container, folder: str, depth: int) -> Letter:
    """`folder`: the storage of an attached message, with a slash at its end."""
    numbers = _numbers(file.read(f"{folder}__properties_version1.0", _MAX_PROPERTIES), 24 if folder else 32)
    page = _encoding(numbers.get(_MESSAGE_CODEPAGE, b""))
    fields = {"From": _sender(file, folder, page), "To": _text(file, folder, _TO, page), "Cc": _text(file, folder, _CC, page)}
    fields["Date"] = next((shown for key in _DATES if (shown := _date(numbers.get(key, b"")))), "")
    source = _html(file, folder, page, _encoding(numbers.get(_INTERNET_CODEPAGE, b"")) or page)
    body, encrypted = _body(file, folder, page, source)
    letter = Letter(
        spaced(_text(file, folder, _SUBJECT, page)),
        [f"{name}: {text}" for name, value in fields.items() if (text := spaced(value))],
        body,
    )
    start = re.compile(re.escape(folder) + r"(__attach_version1\.0_#[^/]+/)")
    for storage in dict.fromkeys(match[1] for name in file.names if (match := start.match(name))):
        if (attached := _attached(file, folder + storage, page, source, depth)) is not None:
            letter.attached.append(attached)
    letter.attached += encrypted_texts(encrypted)
    return letter


def _attached(file: Container, folder: str, page: str | None, source: str, depth: int) -> Attached | None:
    """What is attached in a storage; None if it is a small image that the text shows, such as a logo in a signature."""
    name = next((found for key in _FILE_NAMES if (found := spaced(_text(file, folder, key, page)))), "")
    inner = f"{folder}__substg1.0_{_DATA}000D/"
    if f"{inner}__properties_version1.0" in file:
        return Attached(name, _letter(file, inner, depth + 1) if depth < MAX_DEPTH else too_deep(), "message/rfc822")
    if any(stream.startswith(inner) for stream in file.names):
        return Attached(name, binary())  # an object of another program
    data = file.read(f"{folder}__substg1.0_{_DATA}0102")
    hidden = _numbers(file.read(f"{folder}__properties_version1.0", _MAX_PROPERTIES), 8).get(_HIDDEN, b"\0")[0]
    is_shown = hidden or shows(source, spaced(_text(file, folder, _CONTENT_ID, page)))
    return None if is_shown and data.startswith(_IMAGES) and is_small(data) else Attached(name, data)


def _html(file: Container, folder: str, page: str | None, html_page: str | None) -> str:
    source = file.read(f"{folder}__substg1.0_{_HTML}0102")
    return decode(source, html_page) if source.strip(b"\0 \r\n") else _text(file, folder, _HTML, page)


def _body(file: Container, folder: str, page: str | None, source: str) -> tuple[list[Block], list[str]]:
    """The HTML text, because it keeps headings, lists and tables; else the RTF text, unless it only wraps another; else the plain one, with
    what is encrypted in it."""
    encrypted: list[str] = []
    found = html_body(source)
    if not found:
        packed = unpack(file.read(f"{folder}__substg1.0_{_RTF}0102"))
        wraps = b"\\fromhtml" in packed[:2000] or b"\\fromtext" in packed[:2000]
        text = _text(file, folder, _BODY, page)
        if packed.startswith(b"{\\rtf") and not (wraps and text.strip()):
            found = set_apart(rtf.parse(packed).blocks)
        if not found:
            text, encrypted = without_pgp(clean(text))
            found = plain_body(text)
    return found, encrypted


def _sender(file: Container, folder: str, page: str | None) -> str:
    name = spaced(_text(file, folder, _SENDER, page))
    address = next((found for key in _ADDRESSES if "@" in (found := spaced(_text(file, folder, key, page)))), "")
    if not address or address == name:
        return name
    return formataddr((name, address)) if name.isascii() and address.isascii() else f"{name} <{address}>"


def _text(file: Container, folder: str, key: str, page: str | None) -> str:
    name = f"{folder}__substg1.0_{key}"
    if wide := file.read(f"{name}001F"):
        return wide.decode("utf-16-le", "replace").rstrip("\0")
    narrow = file.read(f"{name}001E").rstrip(b"\0")
    return decode(narrow, page) if narrow else ""


def _numbers(data: bytes, start: int) -> dict[int, bytes]:
    """Property → its eight bytes, of those that have no stream of their own."""
    entries = (data[at : at + 16] for at in range(start, len(data) - 15, 16))
    return {int.from_bytes(entry[2:4], "little"): entry[8:] for entry in entries}


def _encoding(value: bytes) -> str | None:
    """Python's name of a Windows code page."""
    number = int.from_bytes(value[:4], "little")
    name = {65001: "utf-8", 20127: "ascii", 28591: "latin-1", 51949: "euc-kr", 50220: "iso2022_jp"}.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name if number else None
    except LookupError:
        return None


def _date(value: bytes) -> str:
    """A time in units of 100 ns since 1601, as e-mails write it; "" if there is none."""
    try:
        return format_datetime(_EPOCH + timedelta(microseconds=int.from_bytes(value, "little") // 10)) if any(value) else ""
    except OverflowError:
        return ""


def unpack(data: bytes) -> bytes:
    """The RTF; b"" if it cannot be unpacked. At most 9 times as long as `data`."""
    if len(data) < 16:
        return b""
    _, size, kind, _ = struct.unpack_from("<4I", data)
    if kind == _PLAIN:
        return data[16 : 16 + size]
    if kind != _PACKED:
        return b""
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    write, at = len(_START), 16
    out = bytearray()
    while at < len(data) and len(out) < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if control >> bit & 1:
                if at + 1 >= len(data):
                    return bytes(out)
                offset, length = data[at] << 4 | data[at + 1] >> 4, (data[at + 1] & 15) + 2
                at += 2
                if offset == write:
                    return bytes(out)
                found = range(offset, offset + length)
            elif at < len(data):
                found = range(0)
                out.append(data[at])
                window[write] = data[at]
                write = (write + 1) % _WINDOW
                at += 1
            else:
                return bytes(out)
            for place in found:  # byte by byte, because a reference may overlap what it writes
                char = window[place % _WINDOW]
                out.append(char)
                window[write] = char
                write = (write + 1) % _WINDOW
    return bytes(out[:size])
