"""Reads corpora in which people marked names or proper nouns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from footnote.text import names
from footnote.text.name_kinds import Kind
from footnote.text.names import Part

UNKNOWN = "?"
"""A word of which it is not known whether it is part of a name."""
Marked = tuple[str, list[tuple[int, int, str]]]
"""A text, and (start, end, kind in the corpus's own terms) of what is marked in it."""
Sentence = tuple[list[str], list[Part | str | None]]
"""The words of a sentence, and of each its part of a name."""
KINDS: dict[str, Kind] = {
    **dict.fromkeys(("PER", "person", "PS", "PERSON"), "person"),
    **dict.fromkeys(
        ("ORG", "corporation", "group", "OG", "OGG", "ORGANIZATION", "Organization", "UN", "INN", "GRT", "MRK"), "organisation"
    ),
    **dict.fromkeys(("LOC", "location", "LC", "LCP", "LCG", "GPE", "LD", "ST", "STR"), "place"),
    **dict.fromkeys(("product", "TMI", "AFW", "Application", "Library", "Operating_System", "Device", "Language"), "product"),
    **dict.fromkeys(("OTH", "MISC", "creative-work", "AFA", "EV"), "other"),
}
"""Tags of names, or how they begin, → kinds."""
UNSURE = frozenset("MISC LOCpart ORGpart PERpart OTHpart STREET_ADDRESS TITLE NRP".split())
"""Tags of words that may be names: with adjectives among them, and compounds of names and nouns."""
CLOSING = re.compile(r"[.,;:!?)\]}%…”’]+|['’](?:s|re|ve|ll|d|m)|n't", re.IGNORECASE)
OPENING = tuple("([{„‚#$")


def of_columns(path: Path, word: int, label: int, between: str = "\t") -> Iterator[Marked]:
    """The sentences of a file with a word and its tag (`B-PER`, or `PER` alone) in a line."""
    rows: list[tuple[str, str]] = []
    for line in [*path.read_text("utf-8").split("\n"), ""]:
        cells = line.split(between)
        if line.startswith(("# ", "#\t")):
            continue
        if len(cells) > label and cells[word].strip():
            rows.append((cells[word].strip(), cells[label].strip()))
        elif rows:
            yield _joined(rows)
            rows = []


def _joined(rows: list[tuple[str, str]]) -> Marked:
    """The text of words, with spaces where they are usual."""
    text, spans, quoted, before = "", list[tuple[int, int, str]](), False, "O"
    for word, tag in rows:
        quoted ^= word == '"'
        tight = CLOSING.fullmatch(word) or text.endswith(OPENING) or (word == '"' and not quoted) or (text.endswith('"') and quoted)
        text += word if tight or not text else f" {word}"
        kind = tag.removeprefix("B-").removeprefix("I-")
        if tag != "O":
            joins = kind == before and not tag.startswith("B-")
            spans.append((spans.pop()[0] if joins else len(text) - len(word), len(text), kind))
        before = kind
    return text, spans


def of_characters(path: Path) -> Iterator[Marked]:
    """The sentences of a file with a character and its tag in a line."""
    for block in path.read_text("utf-8").split("\n\n"):
        pairs = [line.split("\t") for line in block.split("\n") if not line.startswith("##") and "\t" in line]
        spans: list[tuple[int, int, str]] = []
        for at, (_, tag) in enumerate(pairs):
            if tag.startswith("B-"):
                spans.append((at, at + 1, tag[2:]))
            elif tag.startswith("I-") and spans:
                spans[-1] = (spans[-1][0], at + 1, spans[-1][2])
        if pairs:
            yield "".join(char for char, _ in pairs), spans


def of_spans(path: Path) -> Iterator[Marked]:
    """Texts with the places of their names (Presidio's format)."""
    for row in json.loads(path.read_text("utf-8")):
        yield row["full_text"], [(span["start_position"], span["end_position"], span["entity_type"]) for span in row["spans"]]


def of_morphemes(path: Path, columns: tuple[int, int, int], between: str, proper: str) -> Iterator[Sentence]:
    """The Korean sentences of a file with a word, its morphemes and their tags in a line; `proper`: the tag of a proper noun."""
    word, lemma, tag = columns
    for block in path.read_text("utf-8").split("\n\n"):
        words: list[str] = []
        parts: list[Part | str | None] = []
        for cells in (line.split("\t") for line in block.split("\n") if not line.startswith("#") and line.count("\t") > 3):
            stem = ""
            for morpheme, kind in zip(cells[lemma].split(between), cells[tag].split("+"), strict=False):
                if kind == proper or (stem and kind in ("SL", "SN")):
                    stem += morpheme
                elif stem:
                    break
            for found in names.WORD.findall(cells[word]):
                words.append(found)
                parts.append(Part(stem, found[len(stem) :]) if stem and found.startswith(stem) else None)
        if words:
            yield words, parts


def kind_of_tag(tag: str) -> Kind | None:
    """The kind of what has this tag; None = it is no name."""
    return KINDS.get(tag) or KINDS.get(tag.partition("_")[0])


def in_words(marked: Marked) -> Sentence:
    """The words of a text as `names` reads it."""
    text, spans = marked
    words: list[str] = []
    parts: list[Part | str | None] = []
    for found in names.WORD.finditer(text):
        span = next((span for span in spans if span[0] < found.end() and found.start() < span[1]), None)
        size = min(span[1] - found.start(), len(found[0])) if span else 0
        words.append(found[0])
        if span is None or (kind_of_tag(span[2]) is None and span[2] not in UNSURE):
            parts.append(None)
        else:
            parts.append(UNKNOWN if span[2] in UNSURE or span[0] > found.start() else Part(found[0][:size], found[0][size:]))
    return words, parts
