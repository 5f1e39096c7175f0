"""The passages of a file of voices: one for each row, record or mail, with what is known of it as metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote.ingest.chunk.passages import Passage, Section
from footnote.ingest.chunk.structure import pack
from footnote.ingest.pieces import Piece, piece_of, render
from footnote.ingest.voices.columns import Columns, find_columns
from footnote.ingest.voices.rows import Cell, Mail, Table, mails_of, tables_of
from footnote.ingest.voices.values import read_date, read_rating
from footnote.types import MAILS, Parsed
from footnote.types.voices import PART, SAID, VOICE, VOICE_FIELDS, Role

MAIL = "mail"
"""The channel of mails."""
SHOWN = 8
"""Columns that a note names."""


@dataclass(frozen=True, slots=True)
class Voices:
    """The passages of a file of voices. `reason`, `remedy`: what could not be understood of it, None if everything was."""

    passages: tuple[Passage, ...]
    reason: str | None = None
    remedy: str | None = None


@dataclass(slots=True)
class _Notes:
    voices: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unread: dict[str, int] = field(default_factory=dict)
    scale: float = 5.0
    outside: bool = False


def read_voices(parsed: Parsed, given: Mapping[Role, str], max_tokens: int, lang: str) -> Voices:
    """`given`: role → name of its column, as the collection's settings say; the rest is recognised. Nothing of the file is left out: what
    belongs to no voice is in passages of its own."""
    notes = _Notes()
    if parsed.format in MAILS or parsed.records:
        found = [_of_mail(mail) for mail in mails_of(parsed)]
        return Voices(tuple(_numbered(found, max_tokens, lang)))
    tables, rest = tables_of(parsed)
    if not any(table.rows for table in tables):
        pieces = [piece_of(number, parsed.blocks[number], None) for number in rest if parsed.blocks[number].text.strip()]
        return Voices(tuple(_numbered([((), pieces, {})], max_tokens, lang)))
    voices: list[tuple[tuple[str, ...], list[Piece], dict[str, Any]]] = []
    for table in tables:
        texts = [[cell.value if cell else "" for cell in row] for row in table.rows]
        columns = find_columns(table.header, texts, given, lang)
        _note(notes, table, columns)
        voices += [_of_row(row, table.header, columns, notes) for row in table.rows if any(row)]
    passages = list(_numbered(voices, max_tokens, lang))
    if left := [piece_of(number, parsed.blocks[number], None) for number in rest if parsed.blocks[number].text.strip()]:
        notes.outside = True
        passages += pack([Section((), tuple(left))], max_tokens, lang)
    notes.voices = len(voices)
    return Voices(tuple(passages), *_said(notes))


def _numbered(
    voices: Sequence[tuple[tuple[str, ...], Sequence[Piece], Mapping[str, Any]]], max_tokens: int, lang: str
) -> Iterator[Passage]:
    """One passage for each voice; several for a longer one, of which the first counts."""
    for number, (path, pieces, known) in enumerate(voices, start=1):
        packed = pack([Section(path, tuple(pieces))], max_tokens, lang) if pieces else []
        for part, passage in enumerate(packed, start=1):
            yield replace_metadata(passage, {**known, VOICE: number, **({PART: part} if part > 1 else {})})


def replace_metadata(passage: Passage, metadata: Mapping[str, Any]) -> Passage:
    """The passage with this metadata."""
    passage.metadata = metadata
    return passage


def _of_row(
    row: Sequence[Cell | None], header: Sequence[str], columns: Columns, notes: _Notes
) -> tuple[tuple[str, ...], list[Piece], dict[str, Any]]:
    at: dict[Role, Cell] = {role: cell for role, i in columns.of.items() if (cell := row[i]) is not None}
    known: dict[str, Any] = {}
    others = [(i, row[i]) for i in columns.others if row[i] is not None]
    for name in VOICE_FIELDS:
        cell = at.get(name)
        if cell is None:
            continue
        value: Any = " ".join(cell.value.split())
        if name == "date":
            value = read_date(cell.value, day_first=columns.day_first)
        elif name == "rating":
            value = read_rating(cell.value, columns.scale)
        if value is None:
            notes.unread[name] = notes.unread.get(name, 0) + 1
        else:
            known[name] = value
        if value is None or (name == "rating" and columns.scale != 5.0):  # what it says is kept as text
            others.append((columns.of[name], cell))
    pieces = []
    if title := at.get("title"):
        pieces.append(Piece(title.block, "heading", title.text, title.page, title.start, keep_with_next="text" in at))
    if text := at.get("text"):
        pieces.append(Piece(text.block, "paragraph", text.text, text.page, text.start, glue="\n"))
    if others and pieces:
        known[SAID] = len(render(pieces))
    for i, other in others:
        if other is not None:
            label = header[i].strip()
            glue = f"\n{label}: " if label else "\n"
            if label and not pieces:
                pieces.append(Piece(-1, "paragraph", f"{label}:", other.page, keep_with_next=True))
            pieces.append(Piece(other.block, "paragraph", other.text, other.page, other.start, glue=glue))
    if not pieces:  # a row with a rating and nothing else is a voice too
        cells = [cell for cell in row if cell is not None]
        pieces = [Piece(cell.block, "paragraph", cell.text, cell.page, cell.start, glue=" · ") for cell in cells]
    return ((at["title"].value,) if "title" in at else ()), pieces, known


def _of_mail(mail: Mail) -> tuple[tuple[str, ...], list[Piece], dict[str, Any]]:
    known: dict[str, Any] = {"channel": MAIL}
    if (date := read_date(mail.fields.get("Date", ""), day_first=True)) is not None:
        known["date"] = date
    if sender := mail.fields.get("From"):
        known["customer"] = sender
    subject = [mail.subject] if mail.subject else []
    return ((mail.subject.text,) if mail.subject else ()), [*subject, *mail.body], known


def _note(notes: _Notes, table: Table, columns: Columns) -> None:
    notes.columns = {**notes.columns, **{role: table.header[i] for role, i in columns.of.items()}}
    notes.others += tuple(table.header[i] for i in columns.others if table.header[i] and table.header[i] not in notes.others)
    notes.missing += tuple(name for name in columns.missing if name not in notes.missing)
    notes.scale = max(notes.scale, columns.scale)


def _said(notes: _Notes) -> tuple[str | None, str | None]:
    """(what is to be told about the file, what can be done)."""
    told: list[str] = []
    columns = notes.columns
    if notes.missing:
        told.append(f"The file has no column {_listed(notes.missing)}, which the collection's settings name.")
    if absent := [name for name in ("text", "date", "rating") if name not in columns]:
        told.append(f"No column was recognised as {' or '.join(absent)}.")
    for name, count in notes.unread.items():
        told.append(f"{count:,} of {notes.voices:,} rows have a {name} that cannot be read; it is kept as text.")
    if notes.others:
        told.append(f"Kept as text: {_listed(notes.others)}.")
    if notes.scale != 5.0:
        told.append(f"Ratings of up to {notes.scale:g} were brought to a scale of 5.")
    if notes.outside:
        told.append("Text outside the tables is found, but is no voice.")
    if not told:
        return None, None
    read = ", ".join(f"{role} = {_quoted(name)}" for role, name in columns.items())
    return f"{notes.voices:,} voices were read ({read or 'text alone'}). {' '.join(told)}", (
        "If a column was meant otherwise, name it in the setting columns of the collection and add the file again."
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(_quoted, names[:SHOWN])) + more


def _quoted(name: str) -> str:
    return f"“{name[:60]}”"
