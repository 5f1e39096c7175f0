"""Shows a sentence of a passage: below its title and section, list items and rows of tables as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.answer.score_sentences import Scored
from footnote.text.code_spans import fenced_code
from footnote.text.tokens import content_terms

RULE = frozenset("-: ")
"""Characters of the line between a table's header and its rows."""
LONG_ROW = 300
"""Characters."""
LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
ITEMS = re.compile(r"\n(?=[-*•]\s|\d{1,3}[.)]\s)")
MARKUP = re.compile(r"([`*\[\]<>])")


def source_name(sentence: Scored) -> str:
    """Title and section of a sentence."""
    chunk = sentence.hit.chunk
    title, section = (" ".join((name or "").split()) for name in (chunk.title, sentence.heading or chunk.section_at(sentence.start)))
    return " › ".join(filter(None, (" ".join(chunk.shown_title.split()), section if section != title else "")))


def escaped(text: str) -> str:
    """Text whose characters mean nothing in Markdown."""
    return MARKUP.sub(r"\\\1", text)


def item_mark(sentence: Scored) -> str:
    """What stands before the sentence if it is an item or a row."""
    return "- " if _is_item(sentence) else ""


def _is_item(sentence: Scored) -> bool:
    return sentence.is_row or sentence.hit.chunk.kind_at(sentence.start) == "list"


def between(before: Scored | None, sentence: Scored) -> str:
    """What separates two sentences of a passage: adjacent ones stand in one paragraph, items of a list on lines of their own."""
    if before is None:
        return item_mark(sentence)
    if _is_item(sentence):
        return "\n- " if _is_item(before) else "\n\n- "
    prose = not _is_item(before) and "code" not in (before.hit.chunk.kind_at(before.start), sentence.hit.chunk.kind_at(sentence.start))
    return " " if prose and before.number + 1 == sentence.number else "\n\n"


def in_quotes(text: str) -> str:
    """A readable sentence in quotation marks; a block of code below the line instead."""
    return f"\n\n{text}" if text.startswith("```") else f" “{text}”"


def readable(sentence: Scored, asked: frozenset[str] = frozenset()) -> str:
    """The sentence for display: on one line, without list markers; code as code; cells of a table's row with their column names.
    `asked`: terms of the question; of a long row only the columns that it names are shown."""
    text = sentence.text
    if sentence.hit.chunk.kind_at(sentence.start) == "code":
        return fenced_code(text)
    if not sentence.is_row:
        return "; ".join(filter(None, (LIST_MARK.sub("", " ".join(item.split())).strip(" ;") for item in ITEMS.split(text))))
    passage = sentence.hit.chunk.text
    header = _cells(passage[: sentence.end].rsplit("\n\n", 1)[-1].split("\n", 1)[0])
    rows = [_cells(line) for line in text.splitlines()]
    if before := passage[passage.rfind("\n", 0, sentence.start) + 1 : sentence.start].strip():  # it goes on within a very long row
        label, *others = _cells(before)
        rows[0] = [label, *[""] * len(others), *rows[0]]
    if passage[sentence.end :].split("\n", 1)[0].strip():  # it ends within one
        rows[-1] += [""] * (len(header) - len(rows[-1]))
    shown = [_named(header, row, asked, sentence.hit.chunk.lang) for row in rows if row != header and not RULE.issuperset("".join(row))]
    return "; ".join(shown) or " · ".join(cell for cell in header if cell)


def _named(header: Sequence[str], row: Sequence[str], asked: frozenset[str], lang: str) -> str:
    if len(header) != len(row):
        return " · ".join(cell for cell in row if cell)
    columns = list(range(len(row)))
    if sum(map(len, row)) > LONG_ROW:
        named = [asked.intersection(content_terms(name, lang)) for name in header]
        most = max(map(len, named[1:]), default=0)
        best = [i for i in columns if i and len(named[i]) == most]
        if most and len(best) < len(header) - 1:
            in_best = frozenset[str]().union(*(named[i] for i in best))
            columns = [0, *(i for i in columns if i and (i in best or named[i] - in_best))]
    if not any(row[i] for i in columns[1:]):  # the named ones are in another part of the row
        columns = list(range(len(row)))
    return ", ".join(f"{header[i]}: {row[i]}" if header[i] else row[i] for i in columns if row[i])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
