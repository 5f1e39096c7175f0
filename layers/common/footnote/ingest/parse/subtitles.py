"""Parses subtitles and transcripts of meetings (WebVTT, SubRip, SubStation Alpha) into paragraphs by speaker, with headings that tell the
time."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.plain import parse_text
from footnote.types import Block, Parsed

_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}")
_STYLED = re.compile(r"^\[Events\]\s*\n", re.MULTILINE | re.IGNORECASE)
"""The section of a SubStation Alpha file with what is shown."""
_CLOCK = re.compile(r"(\d+):(\d{1,2}):(\d{1,2})")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9][^{}]*\}.*?(?:\{[^{}]*\\p0[^{}]*\}|$)", re.DOTALL)
"""Shapes, which are written as text."""
_OVERRIDE = re.compile(r"\{[^{}]*\}")
"""How the text behind it looks, or a remark that is not shown."""
_HEADER = re.compile(r"\s*(WEBVTT|NOTE|STYLE|REGION|X-TIMESTAMP-MAP)\b")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s([^<>]+)>")
_TAG = re.compile(r"</?[a-z\d][^<>]*>|\{\\[^{}]*\}", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][\w.'’ -]{0,40}):\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?…。？！][\"'”’»)]*$")
_PARAGRAPH = 500
"""Characters from which a paragraph ends with the next sentence."""
_LONGEST = 1500
"""Characters at which a paragraph without punctuation ends."""
_PAUSE_S = 4
"""Between two sentences it starts a new paragraph."""
_SECTION_S = 300
"""Of a section with a heading of its own."""


@dataclass(slots=True)
class _Cue:
    """What is shown from `start` to `end`, in seconds. `speaker`: "" = not told, so the one before goes on."""

    start: int
    end: int
    speaker: str
    text: str


def parse(data: bytes) -> Parsed:
    """Parses WebVTT, SubRip or SubStation Alpha; a file without a single time is read as plain text."""
    text = decode(data)
    styled = _STYLED.search(text)
    cues = list(_without_repetition(_styled_cues(text[styled.end() :]) if styled else _cues(text)))
    return Parsed(tuple(_blocks(cues))) if cues else parse_text(text)


def _cues(text: str) -> Iterator[_Cue]:
    start = end = -1
    for group in re.split(r"\n[ \t]*\n", text.strip()):
        lines = group.split("\n")
        timing = next(((i, match) for i, line in enumerate(lines[:3]) if (match := _TIMING.match(line))), None)
        if timing:
            at, match = timing
            start, end = _seconds(*match.groups()[:3]), _seconds(*match.groups()[3:])
            lines = lines[at + 1 :]
        elif start < 0 or _HEADER.match(lines[0]):
            continue
        for speaker, said in _voices("\n".join(lines)):
            yield _Cue(start, end, speaker, said)


def _styled_cues(events: str) -> Iterator[_Cue]:
    """The cues of a SubStation Alpha file (.ass, .ssa), by time. A line `Format:` names the fields of the lines `Dialogue:`."""
    names: list[str] = []
    cues: list[_Cue] = []
    for line in events.split("\n"):
        kind, _, rest = line.partition(":")
        if line.startswith("["):
            break
        if kind.strip() == "Format":
            names = [name.strip() for name in rest.split(",")]
        elif kind.strip() == "Dialogue" and names:
            fields = dict(zip(names, rest.split(",", len(names) - 1), strict=False))
            start, end = _CLOCK.search(fields.get("Start", "")), _CLOCK.search(fields.get("End", ""))
            if start and end:
                text = re.sub(r"\\[Nn]", "\n", _OVERRIDE.sub("", _DRAWING.sub("", fields.get("Text", "")))).replace("\\h", " ")
                times, named = (_seconds(*start.groups()), _seconds(*end.groups())), fields.get("Name", "").strip()
                cues += [_Cue(*times, speaker or named, said) for speaker, said in _voices(text)]
    return iter(sorted(cues, key=lambda cue: cue.start))


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)


def _voices(text: str) -> Iterator[tuple[str, str]]:
    """The speakers of one cue, "" where none is told, and the lines of each."""
    first, *rest = _VOICE.split(text)
    for speaker, said in (("", first), *zip(rest[::2], rest[1::2], strict=True)):
        lines = [" ".join(html.unescape(_TAG.sub("", line)).split()) for line in said.split("\n")]
        told = "\n".join(line for line in lines if line)
        if not speaker and (match := _SPEAKER.match(told)):
            speaker, told = match[1], told[match.end() :]
        if told:
            yield html.unescape(speaker).strip(), told


def _without_repetition(cues: Iterator[_Cue]) -> Iterator[_Cue]:
    """Captions that scroll show each line twice."""
    shown: list[str] = []
    for cue in cues:
        lines = cue.text.split("\n")
        news = [line for line in lines if line not in shown]
        shown = lines
        if news:
            yield _Cue(cue.start, cue.end, cue.speaker, " ".join(news))


def _blocks(cues: list[_Cue]) -> Iterator[Block]:
    """Paragraphs that begin with their speaker, below a heading with their time every few minutes of a longer recording."""
    has_headings = cues[-1].end >= _SECTION_S
    section = -1
    for paragraph in _paragraphs(cues):
        first = paragraph[0]
        if has_headings and first.start // _SECTION_S > section:
            section = first.start // _SECTION_S
            yield Block("heading", f"{first.start // 3600}:{first.start // 60 % 60:02}:{first.start % 60:02}", 2)
        text = " ".join(cue.text for cue in paragraph)
        yield Block("paragraph", f"{first.speaker}: {text}" if first.speaker else text)


def _paragraphs(cues: list[_Cue]) -> Iterator[list[_Cue]]:
    """Cues of one speaker; what takes long is divided at the end of a sentence. Every first cue has its speaker."""
    paragraph: list[_Cue] = []
    length = 0
    for cue in cues:
        before = paragraph[-1] if paragraph else None
        if before:
            cue.speaker = cue.speaker or before.speaker
            is_end = _SENTENCE_END.search(before.text) is not None
            is_late = length >= _PARAGRAPH or cue.start - before.end >= _PAUSE_S
            if cue.speaker != before.speaker or (is_end and is_late) or length >= _LONGEST:
                yield paragraph
                paragraph, length = [], 0
        paragraph.append(cue)
        length += len(cue.text) + 1
    yield paragraph
