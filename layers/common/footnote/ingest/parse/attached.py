"""Files within a file (attached to a mail or a PDF, embedded in an Office file), each parsed like any other: they become sections of the
outer file, under their names.

So they have its permissions, and are replaced and deleted with it. What is not read is said, and does not keep the outer file from being
read: a file that takes too long is given up before the time for the whole is over."""

from __future__ import annotations

import base64
import binascii
import contextlib
import mimetypes
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType

from footnote.errors import Scan, UnreadableFile
from footnote.types import Block, Parsed
from footnote.types.documents import UNITS

MAX_DEPTH = 3
"""Files within files that are read; the outermost is the first."""
MOST_FILES = 1_000
MOST_TEXT = 10_000_000
"""Characters of all attachments together."""
SHOWN, NAMED = 3, 5
"""Attachments whose reasons are told, and how many further ones are named."""
SHARE, LEAST_S = 0.5, 0.2
"""What a file may take of the time that is left, and the seconds that must be left to begin one."""
_SOON_S = 0.001
LONGEST_NAME = 120
_OTHER_REMEDY = "Save these attachments, and add them in a format that is read."


class _TooSlow(BaseException):
    """Not an Exception, which parsers catch when a part of a file is damaged."""


@dataclass(slots=True)
class Attached:
    """A file within a mail: its name as given, and its bytes, a mail, or why it is neither."""

    name: str
    content: bytes | Letter | UnreadableFile
    content_type: str = ""
    page: int | None = None
    """Of the outer file, if that has pages."""

    @property
    def shown_name(self) -> str:
        """The name without folders; if it has none, a mail's subject, or a name by its type."""
        name = " ".join(re.split(r"[/\\]", self.name)[-1].split())
        if not name and isinstance(self.content, Letter):
            name = self.content.subject
        if not name:
            return f"attachment{mimetypes.guess_extension(self.content_type) or ''}"
        return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME // 2]}…{name[-LONGEST_NAME // 2 :]}"


@dataclass(slots=True)
class Letter:
    """What is read of a mail. `fields`: lines such as `From: …`."""

    subject: str
    fields: list[str]
    body: list[Block]
    attached: list[Attached] = field(default_factory=list)


@dataclass(slots=True)
class Attachments:
    """Reads the files within one file, within the limits for all of them, and collects what was not read."""

    files: int = MOST_FILES
    text: int = MOST_TEXT
    not_read: list[tuple[str, UnreadableFile]] = field(default_factory=list)
    in_part: list[tuple[str, UnreadableFile]] = field(default_factory=list)

    def blocks(self, letter: Letter, depth: int = 1, *, is_one_of_many: bool = False) -> Iterator[Block]:
        """A mail's subject, header and text, then what is attached to it, each file under its name, and under its mail's subject too where
        that is not the title."""
        if letter.subject or is_one_of_many:
            yield Block("heading", letter.subject or "–", depth)
        names = ", ".join(each.shown_name for each in letter.attached if not isinstance(each.content, Letter))
        if fields := [*letter.fields, *([f"Attachments: {names}"] if names else [])]:
            yield Block("metadata", "\n".join(fields))
        yield from letter.body
        for each in letter.attached:
            yield from self.section(each, depth, letter.subject if is_one_of_many else "")

    def section(self, file: Attached, depth: int, subject: str = "", *, level: int = 0, has_pages: bool = False) -> Iterator[Block]:
        """The blocks of a file under its name; none if it is not read. `level`: of its heading, 0 = one below the mail that it is attached
        to; `has_pages`: whether pages are those of the file that it is in."""
        try:
            yield from self._read(file, depth, subject, level or depth + 1, has_pages=has_pages)
        except UnreadableFile as exc:
            self.not_read.append((file.shown_name, exc))

    def parsed(self, blocks: Sequence[Block], title: str = "", records: Sequence[int] = ()) -> Parsed:
        """The result for the whole file, which says what was not read."""
        reason, remedy = self.said()
        return Parsed(tuple(blocks), title, reason=reason or None, remedy=remedy, records=tuple(records))

    def said(self) -> tuple[str, str | None]:
        """What was not read, "" if all was, and what the user can do."""
        told = [*_told(self.not_read, is_whole=True), *_told(self.in_part, is_whole=False)]
        remedies = dict.fromkeys(exc.remedy for _, exc in (*self.not_read, *self.in_part))
        return " ".join(told), _OTHER_REMEDY if len(remedies) > 1 else next(iter(remedies), None)

    def _read(self, file: Attached, depth: int, subject: str, level: int, *, has_pages: bool) -> list[Block]:
        if isinstance(file.content, UnreadableFile):
            raise file.content
        if self.files <= 0 or self.text <= 0:
            raise UnreadableFile("There are too many attachments.", _OTHER_REMEDY)
        self.files -= 1
        content = _opened(file.content, file.shown_name, self, depth + 1) if isinstance(file.content, bytes) else file.content
        if isinstance(content, Letter):
            if depth >= MAX_DEPTH:
                raise too_deep()
            letter = list(self.blocks(content, depth + 1, is_one_of_many=True))
            return [replace(block, page=file.page) for block in letter] if has_pages else letter
        self.text -= sum(len(block.text) for block in content.blocks)
        if content.reason:
            remedy = _OTHER_REMEDY if content.scans else content.remedy or _OTHER_REMEDY
            self.in_part.append((file.shown_name, UnreadableFile(content.reason, remedy)))
        below = _below(content, " › ".join(filter(None, (subject, file.shown_name))), level)
        return [replace(block, page=file.page) for block in below] if has_pages else list(below)


def from_base64(text: str) -> bytes:
    """The content of a file that is written as text; b"" if that is damaged."""
    try:
        return base64.b64decode(text)
    except binascii.Error:
        return b""


def with_files(parsed: Parsed, outer: Attachments | None, depth: int) -> Parsed:
    """A file followed by the files within it, each a section, and with what of them was not read. UnreadableFile if there is no text in
    any. `outer`, `depth`: see `footnote.ingest.parse.parse`."""
    attachments = outer or Attachments()
    before = len(attachments.not_read)
    files = [Attached(each.name, each.content, page=each.page) for each in parsed.files]
    if depth >= MAX_DEPTH:
        attachments.not_read += [(each.shown_name, too_deep()) for each in files]
        files = []
    has_pages = parsed.pages is not None
    sections = [block for each in files for block in attachments.section(each, depth, level=1, has_pages=has_pages)]
    whole = replace(parsed, blocks=(*parsed.blocks, *sections), files=())
    if not whole.blocks and parsed.scans:
        raise Scan(parsed.reason or "", parsed.remedy or "", parsed.pages or 0, parsed.scans.pages)
    if not whole.blocks and (unread := attachments.not_read[before:]):
        del attachments.not_read[before:]
        raise UnreadableFile(" ".join(_told(unread, is_whole=True)), unread[0][1].remedy if len(unread) == 1 else _OTHER_REMEDY)
    if outer is not None:
        return whole
    reason, remedy = attachments.said()
    reasons, remedies = filter(None, (parsed.reason, reason)), filter(None, (parsed.remedy, remedy))
    return replace(whole, reason=" ".join(reasons) or None, remedy=" ".join(dict.fromkeys(remedies)) or None)


def too_deep() -> UnreadableFile:
    """The error for a file within one of MAX_DEPTH."""
    return UnreadableFile(f"Attachments of attachments are read {MAX_DEPTH} deep.", _OTHER_REMEDY)


def _below(parsed: Parsed, path: str, level: int) -> Iterator[Block]:
    """A file's blocks under its path, which its headings repeat, because a citation names the last one. Only pages keep their numbers."""
    are_pages = UNITS.get(parsed.format, "page") == "page"
    yield Block("heading", path, level)
    for block in parsed.blocks:
        page = block.page if are_pages else None
        if block.kind == "heading":
            yield replace(block, text=f"{path} › {block.text}", level=level + block.level, page=page, places=())
        else:
            yield replace(block, page=page, places=())


def _told(files: Sequence[tuple[str, UnreadableFile]], *, is_whole: bool) -> Iterator[str]:
    for name, exc in files[:SHOWN]:
        yield f"The attachment {name} was {'not read' if is_whole else 'read in part'}."
        yield exc.reason
    if more := [name for name, _ in files[SHOWN:]]:
        names = ", ".join((*more[:NAMED], *(["…"] if len(more) > NAMED else [])))
        yield f"{len(more):,} more attachments were {'not read' if is_whole else 'read in part'}: {names}."


def _opened(data: bytes, name: str, outer: Attachments, depth: int) -> Parsed | Letter:
    """A file's text, or the mail that it is. UnreadableFile for whatever else is the matter with it."""
    from footnote.ingest.parse import installed, mail, msg, parse
    from footnote.ingest.parse.detect import detect

    try:
        with _limited():
            kind = "" if installed.reader_of(name) else detect(data, name)
            if kind == "eml":
                return mail.read_letter(data)
            if kind == "msg":
                return msg.read_letter(data)
            if kind == "mbox":
                raise UnreadableFile("This is a mailbox within another file.", _OTHER_REMEDY)
            return parse(data, name, outer, depth)
    except Scan as exc:  # OCR reads whole files only
        raise UnreadableFile(exc.reason, _OTHER_REMEDY) from None
    except UnreadableFile:
        raise
    except _TooSlow as exc:
        raise UnreadableFile(f"Reading this file took longer than {exc.args[0]:.3g} s.", _OTHER_REMEDY) from None
    except MemoryError:
        raise UnreadableFile("Reading this file takes more memory than allowed.", _OTHER_REMEDY) from None
    except Exception as exc:  # a defect of a parser
        raise UnreadableFile("This file could not be read; it may be damaged.", _OTHER_REMEDY) from exc


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Gives up what takes more than a share of the time that is left to this process for the whole file, if there is a limit."""
    left, outer = signal.getitimer(signal.ITIMER_PROF)[0], signal.getitimer(signal.ITIMER_VIRTUAL)[0]
    if not left or threading.current_thread() is not threading.main_thread():
        yield
        return
    limit = min(SHARE * left, outer or left)
    if left < LEAST_S:
        raise _TooSlow(limit)

    def give_up(number: int, frame: FrameType | None) -> None:
        raise _TooSlow(limit)

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        unused = signal.setitimer(signal.ITIMER_VIRTUAL, 0)[0]
        signal.signal(signal.SIGVTALRM, before)
        if outer:  # the limit of the file that this one is in goes on
            signal.setitimer(signal.ITIMER_VIRTUAL, max(outer - limit + unused, _SOON_S))
