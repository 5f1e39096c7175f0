"""Reads what stands on a PDF page besides its content: values of form fields, texts typed onto the page, and comments."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from html import unescape
from typing import Any, Literal, NamedTuple

from footnote.ingest.parse.decode import clean
from footnote.ingest.parse.notes import check_mark
from footnote.ingest.parse.pdf.lines import Box

_MOST = 5_000
"""Annotations of a page that are read."""
_LONGEST = 1 << 20
"""Bytes of a value."""
_PASSWORD = 1 << 13
"""The flag of a text field that shows no letters."""
_LARGEST_SIZE = 14.0
"""Points; the font height of a text is not larger, if it is not known."""
_LINE_PITCH = 1.2
_BREAK = re.compile(r"</(?:p|div|li|h\d)>\s*|<br\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


class Entry(NamedTuple):
    """What someone filled in. `mark`: of a check box or radio button; `typed`: a text that belongs to no field."""

    kind: Literal["value", "mark", "typed"]
    text: str
    box: Box
    size: float
    label: str
    """The name of the field that its author wrote for readers; "" if there is none."""
    name: str = ""
    """That for programs, whose words are often those of a label on the page."""


class Note(NamedTuple):
    """A comment and its replies as (author, text)."""

    box: Box
    remarks: list[tuple[str, str]]


class Annotations(NamedTuple):
    """The annotations of a page that say something. Boxes in points, x from the left, y upwards."""

    entries: list[Entry]
    notes: list[Note]
    struck: list[Box]
    """Where text is struck."""
    files: list[tuple[str, bytes]]
    """(name, content) of the files that are attached to a place of the page."""


NONE = Annotations([], [], [], [])


@contextmanager
def opened_form(document: Any) -> Iterator[Any]:
    """The handle with which pdfium reads the fields of the document; None if it has none."""
    import pypdfium2.raw as pdfium

    form = None
    if pdfium.FPDF_GetFormType(document) != pdfium.FORMTYPE_NONE:
        settings = pdfium.FPDF_FORMFILLINFO(version=2)
        form = pdfium.FPDFDOC_InitFormFillEnvironment(document, settings)
    try:
        yield form or None
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def is_dynamic(document: Any) -> bool:
    """Whether the pages are drawn from an XFA form by the program that opens them."""
    import pypdfium2.raw as pdfium

    return bool(pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL)


def read_annotations(page: Any, form: Any) -> Annotations:
    """Reads the annotations of a page that can be seen. `form`: see `opened_form`."""
    import pypdfium2.raw as pdfium

    count = min(pdfium.FPDFPage_GetAnnotCount(page), _MOST)
    if count <= 0:
        return NONE
    comments = {
        getattr(pdfium, f"FPDF_ANNOT_{name}")
        for name in (
            *("TEXT", "HIGHLIGHT", "UNDERLINE", "SQUIGGLY", "STRIKEOUT", "CARET", "STAMP", "INK", "LINE", "SQUARE", "CIRCLE"),
            *("POLYGON", "POLYLINE", "FILEATTACHMENT"),
        )
    }
    entries: list[Entry] = []
    struck: list[Box] = []
    files: list[tuple[str, bytes]] = []
    notes: dict[int, Note] = {}
    replies: list[tuple[int, int, tuple[str, str]]] = []
    for number in range(count):
        item = pdfium.FPDFPage_GetAnnot(page, number)
        if not item:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(item)
        if kind == pdfium.FPDF_ANNOT_STRIKEOUT and _is_shown(item):
            struck += _marked(item)
        if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT and _is_shown(item) and (file := pdfium.FPDFAnnot_GetFileAttachment(item)):
            files.append(attachment(file))
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            if form and _is_shown(item) and (entry := _field(item, form)):
                entries.append(entry)
        elif kind == pdfium.FPDF_ANNOT_FREETEXT and _is_shown(item):
            entries += _typed(item)
        elif kind in comments and _is_shown(item) and (text := _contents(item).strip()):
            remark = (_value(item, b"T"), text)
            if (answered := _answered(page, item)) is None:
                notes[number] = Note(_box(item), [remark])
            elif not _value(item, b"StateModel"):  # else it only says that the comment was read or accepted
                replies.append((answered, number, remark))
        pdfium.FPDFPage_CloseAnnot(item)
    _add_replies(notes, replies)
    return Annotations(entries, list(notes.values()), struck, files)


def _add_replies(notes: dict[int, Note], replies: Iterable[tuple[int, int, tuple[str, str]]]) -> None:
    """Adds each reply to the comment with which its thread begins; a reply to what has no text begins one itself."""
    thread: dict[int, int] = {}
    for answered, number, remark in replies:
        first = thread.get(answered, answered)
        if first in notes:
            notes[first].remarks.append(remark)
            thread[number] = first
        else:
            notes[number] = Note(Box(0, 0, 0, 0), [remark])


def _is_shown(item: Any) -> bool:
    import pypdfium2.raw as pdfium

    return not pdfium.FPDFAnnot_GetFlags(item) & (pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW)


def _field(item: Any, form: Any) -> Entry | None:
    """The value of a field; None if it is empty or takes up no space."""
    import pypdfium2.raw as pdfium

    box = _box(item)
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, item)
    if box.x1 - box.x0 < 1 or box.y1 - box.y0 < 1:
        return None
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return Entry("mark", check_mark(checked=_is_checked(item, form)), box, box.y1 - box.y0, _label(item, form))
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
        text = _chosen(item, form)
    elif kind == pdfium.FPDF_FORMFIELD_TEXTFIELD and not pdfium.FPDFAnnot_GetFormFieldFlags(form, item) & _PASSWORD:
        text = ""
    else:
        return None
    text = text or text_of(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, item))
    lines = [line for line in (" ".join(line.split()) for line in clean(text).split("\n")) if line]
    size = ctypes.c_float()
    pdfium.FPDFAnnot_GetFontSize(form, item, size)
    if not lines:
        return None
    label, name = _label(item, form), text_of(partial(pdfium.FPDFAnnot_GetFormFieldName, form, item))
    return Entry("value", "\n".join(lines), box, size.value or _size(box, len(lines)), label, name)


def attachment(file: Any) -> tuple[str, bytes]:
    """(name, content) of an attached file that pdfium has opened; without content if it is damaged."""
    import pypdfium2.raw as pdfium

    name = text_of(partial(pdfium.FPDFAttachment_GetName, file))
    size = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(file, None, 0, size) or not size.value:
        return name, b""
    buffer = ctypes.create_string_buffer(size.value)
    pdfium.FPDFAttachment_GetFile(file, buffer, size, size)
    return name, buffer.raw


def _is_checked(item: Any, form: Any) -> bool:
    """By the state in which it is shown, or by the value of a field that does not say it."""
    import pypdfium2.raw as pdfium

    state = _value(item, b"AS")
    if not state and pdfium.FPDFAnnot_GetFormControlCount(form, item) == 1:
        state = text_of(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, item))
    return state not in ("", "Off")


def _label(item: Any, form: Any) -> str:
    import pypdfium2.raw as pdfium

    return " ".join(clean(text_of(partial(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, item))).split())


def _chosen(item: Any, form: Any) -> str:
    """The shown names of the options that are selected; their values may be codes."""
    import pypdfium2.raw as pdfium

    names = []
    for number in range(min(pdfium.FPDFAnnot_GetOptionCount(form, item), _MOST)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, item, number):
            names.append(text_of(partial(pdfium.FPDFAnnot_GetOptionLabel, form, item, number)))
    return ", ".join(names)


def _typed(item: Any) -> Iterator[Entry]:
    """Each line of a text that was typed onto the page."""
    lines = [" ".join(line.split()) for line in clean(_contents(item)).split("\n")]
    box = _box(item)
    height = (box.y1 - box.y0) / len(lines)
    for i, line in enumerate(lines):
        part = Box(box.x0, box.y1 - (i + 1) * height, box.x1, box.y1 - i * height)
        if line:
            yield Entry("typed", line, part, _size(part, 1), "")


def _size(box: Box, lines: int) -> float:
    return min((box.y1 - box.y0) / max(lines, 1) / _LINE_PITCH, _LARGEST_SIZE)


def _box(item: Any) -> Box:
    import pypdfium2.raw as pdfium

    found = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(item, found)
    return Box(min(found.left, found.right), min(found.bottom, found.top), max(found.left, found.right), max(found.bottom, found.top))


def _marked(item: Any) -> Iterator[Box]:
    """The boxes of the lines of text that an annotation marks."""
    import pypdfium2.raw as pdfium

    lines = min(pdfium.FPDFAnnot_CountAttachmentPoints(item), _MOST)
    quad = pdfium.FS_QUADPOINTSF()
    for number in range(lines):
        if pdfium.FPDFAnnot_GetAttachmentPoints(item, number, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield Box(min(xs), min(ys), max(xs), max(ys))
    if not lines:
        yield _box(item)


def _answered(page: Any, item: Any) -> int | None:
    """The number of the annotation to which this one is a reply."""
    import pypdfium2.raw as pdfium

    other = pdfium.FPDFAnnot_GetLinkedAnnot(item, b"IRT")
    if not other:
        return None
    number = pdfium.FPDFPage_GetAnnotIndex(page, other)
    pdfium.FPDFPage_CloseAnnot(other)
    return int(number)


def _contents(item: Any) -> str:
    """The text of an annotation; what has none as such may have one with formatting, as XHTML."""
    return _value(item, b"Contents") or unescape(_TAG.sub("", _BREAK.sub("\n", _value(item, b"RC")))).strip()


def _value(item: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    return text_of(partial(pdfium.FPDFAnnot_GetStringValue, item, key))


def text_of(read: Callable[[Any, int], int]) -> str:
    """A string that pdfium writes into a buffer as UTF-16 with a zero at the end."""
    import pypdfium2.raw as pdfium

    size = read(None, 0)
    if not 2 < size <= _LONGEST:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")
