"""Reads corpora in which people marked names or proper nouns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from footnote.text import names
from footnote.text.names import Part

UNKNOWN = "?"
"""A word of which it is not known whether it is part of a name."""

Sentence = tuple[list[str], list[Part | str | None]]
"""The words of a sentence, and of each its part of a name."""


def of_columns(path: Path, word: int, label: int) -> Iterator[Sentence]:
    """The sentences of a file with a word and its tags in a line; derived adjectives are no names."""
    words: list[str] = []
    parts: list[Part | str | None] = []
    for line in [*path.read_text("utf-8").split("\n"), ""]:
        cells = line.split("\t")
        if len(cells) > label and cells[word].strip():
            words.append(cells[word])
            parts.append(None if cells[label] == "O" or "deriv" in cells[label] else Part(cells[word], ""))
        elif words:
            yield words, parts
            words, parts = [], []


def of_characters(path: Path) -> Iterator[Sentence]:
    """The sentences of a file with a character and its tag in a line."""
    for block in path.read_text("utf-8").split("\n\n"):
        pairs = [line.split("\t") for line in block.split("\n") if not line.startswith("##") and "\t" in line]
        text = "".join(char for char, _ in pairs)
        words: list[str] = []
        parts: list[Part | str | None] = []
        for found in names.WORD.finditer(text):
            tags = [tag[2:] in ("PS", "LC", "OG") for _, tag in pairs[found.start() : found.end()]]
            size = tags.index(False) if False in tags else len(tags)
            words.append(found[0])
            parts.append(Part(found[0][:size], found[0][size:]) if size else None)
        yield words, parts


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


def of_treebank(path: Path) -> Iterator[Sentence]:
    """The English sentences of a treebank (CoNLL-U), where proper nouns are names."""
    for block in path.read_text("utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
        rows = [cells for cells in rows if cells[0].isdigit()]
        yield [cells[1] for cells in rows], [Part(cells[1], "") if cells[3] == "PROPN" else None for cells in rows]


def of_spans(path: Path) -> Iterator[Sentence]:
    """Texts with the places of their names (Presidio's format)."""
    for row in json.loads(path.read_text("utf-8")):
        kinds: dict[int, str] = {}
        for span in row["spans"]:
            kind = span["entity_type"]
            what = "name" if kind in ("PERSON", "GPE", "ORGANIZATION") else UNKNOWN if kind in ("STREET_ADDRESS", "TITLE", "NRP") else ""
            kinds |= dict.fromkeys(range(span["start_position"], span["end_position"]), what)
        found = list(names.WORD.finditer(row["full_text"]))
        told = [kinds.get(each.start(), "") for each in found]
        yield (
            [each[0] for each in found],
            [Part(each[0], "") if kind == "name" else kind or None for each, kind in zip(found, told, strict=True)],
        )
