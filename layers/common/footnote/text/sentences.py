"""Splits text into sentences in English, German and Korean, without a model. Returns bounds, so that citations can be highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

from footnote.text.words import ABBREVIATIONS
from footnote.types import Chunk

BOUNDARY = re.compile(
    r"""(?<![.!?。！？…])(?P<mark>[.!?。！？…]++["'”’»“)\]]*   # the mark, with what closes after it; a run is tried once
        (?:\[(?:\d{1,3}|[a-z])\])*)                         # numbers of notes: “… in 1903.[5]”
        (?:\s+|(?=["“«(]?[가-힣])|$)
      | (?P<gap>\n\s*\n+ | \n(?=\s*(?:[-*•|]|\d{1,3}[.)]\s)) )""",
    re.VERBOSE,
)
GAP = re.compile(r"[^\S\n]*\n(?:\s*\n|(?=\s*(?:[-*•|]|\d{1,3}[.)]\s)))")
EMPTY_LINES = re.compile(r"\n\s*\n")
ROMAN = frozenset("ivxlc")
"""Digits of small Roman numerals."""
HANGUL_END = re.compile(r"[가-힣][.!?。]+[\"'”’»)\]]*$")
HEADING = re.compile(r"(?![☐☑○◉])(?:[\dIVXivx]+[.)]\s*)*[^\d.!?:;…。！？|]{1,80}(?<!,)")
LONGEST_WORD = 64
"""Characters before a full stop that can be an abbreviation or a number."""
LONGEST = 600
"""Characters; a longer sentence is cut at a line end, a semicolon or a space, a row of a table between two cells."""


def split_sentences(text: str, lang: str = "en") -> list[tuple[int, int]]:
    """Character bounds (start, end) of the sentences, without surrounding white space.

    A sentence also ends at the end of a paragraph, list item or table row. Fragments of fewer than 15 characters (8 in
    Korean) are joined to the previous sentence of their paragraph.
    """
    bounds: list[tuple[int, int]] = []
    start = line = seen = 0
    for match in BOUNDARY.finditer(text):
        line, seen = max(line, text.rfind("\n", seen, match.start()) + 1), match.start()
        if match["mark"] and (_is_in_row(text, line, match) or not _ends_sentence(text, start, match, lang)):
            continue
        _append(bounds, text, start, match.end())
        start = match.end()
    _append(bounds, text, start, len(text))
    return _cut_long(text, _join_fragments(text, bounds, 8 if lang == "ko" else 15))


def split_chunk(chunk: Chunk) -> list[tuple[int, int]]:
    """The bounds of a chunk's sentences. A block of code is one; if it is longer than LONGEST, it is cut at its empty lines or lines."""
    bounds: list[tuple[int, int]] = []
    start = 0
    for code, ends in _code_of(chunk):
        bounds += _shifted(split_sentences(chunk.text[start:code], chunk.lang), start)
        bounds += _shifted(_split_code(chunk.text[code:ends]), code)
        start = ends
    return bounds + _shifted(split_sentences(chunk.text[start:], chunk.lang), start)


def looks_like_heading(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is a heading: a short line without number, end mark or comma at its end, followed by a paragraph break."""
    return text.startswith("\n\n", end) and HEADING.fullmatch(text, start, end) is not None


def _code_of(chunk: Chunk) -> Iterator[tuple[int, int]]:
    """(start, end) of the blocks of code in a chunk."""
    at = 0
    for (kind, _), group in groupby(chunk.parts, key=lambda part: (part.kind, part.block)):
        parts = list(group)
        at += len(parts)
        if kind == "code":
            yield parts[0].offset, chunk.parts[at].offset if at < len(chunk.parts) else len(chunk.text)


def _split_code(text: str) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    _append(bounds, text, 0, len(text))
    if not bounds or bounds[0][1] - bounds[0][0] <= LONGEST:
        return bounds
    cuts = [match.end() for match in EMPTY_LINES.finditer(text)]
    pieces: list[tuple[int, int]] = []
    for left, right in pairwise([0, *cuts, len(text)]):
        if pieces and right - pieces[-1][0] <= LONGEST:
            pieces[-1] = (pieces[-1][0], right)
        else:
            pieces.append((left, right))
    stripped: list[tuple[int, int]] = []
    for left, right in pieces:
        _append(stripped, text, left, right)
    return _cut_long(text, stripped)


def _shifted(bounds: Iterable[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    return [(start + by, end + by) for start, end in bounds]


def _is_in_row(text: str, line: int, match: re.Match[str]) -> bool:
    """Whether the mark is within a row of a table, which is one sentence. `line`: where its line begins."""
    return text.startswith("|", line) and "\n" not in text[match.end("mark") : match.end()] and match.end() < len(text)


def _ends_sentence(text: str, start: int, match: re.Match[str], lang: str) -> bool:
    if GAP.match(text, match.end("mark")):
        return True
    head = text[max(start, match.end("mark") - LONGEST_WORD) : match.end("mark")]
    following = text[match.end() : match.end() + 20].lstrip("\"'“„«([»")[:1]
    spaced = match.end() > match.end("mark") or match.end() == len(text)
    if match["mark"] == ".":
        word = re.split(r"[\s(\[\"'„“]", head[:-1].rstrip())[-1].lower()
        if word in ABBREVIATIONS or ("." in word and all(len(initial) == 1 for initial in word.split("."))):
            return False
        if len(word) == 1 and word.isalpha() and not "가" <= word <= "힣":
            return False  # an initial: J. Smith
        if not spaced and not HANGUL_END.search(head):
            return False  # 1.5, example.org
        if word.isdigit() and len(word) <= 2 and following.isalpha() and (lang == "de" or head.strip() == word + "."):
            return False  # a German ordinal (3. Mai), or the number of a list item
        if 0 < len(word) <= 5 and ROMAN.issuperset(word) and word not in ("i", "mix", "civil") and following.isalpha() and lang == "de":
            return False  # a German ordinal in Roman numerals: Karl V. war
    return not following.islower()


def _append(bounds: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if right > left:
        bounds.append((left, right))


def _join_fragments(text: str, bounds: list[tuple[int, int]], shortest: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for left, right in bounds:
        same_paragraph = joined and "\n\n" not in text[joined[-1][1] : left]
        if same_paragraph and (right - left < shortest or joined[-1][1] - joined[-1][0] < shortest):
            joined[-1] = (joined[-1][0], right)
        else:
            joined.append((left, right))
    return joined


def _cut_long(text: str, bounds: list[tuple[int, int]]) -> list[tuple[int, int]]:
    cut: list[tuple[int, int]] = []
    for left, right in bounds:
        is_row = text.startswith("|", left)
        while right - left > LONGEST:
            window = text[left : left + LONGEST]
            at = window.rfind(" |") + 1 if is_row else max(window.rfind("\n"), window.rfind("; ") + 1)
            if at < LONGEST // 4:
                at = window.rfind(" ")
            if at <= 0:
                at = LONGEST
            _append(cut, text, left, left + at)
            left += at
        _append(cut, text, left, right)
    return cut
