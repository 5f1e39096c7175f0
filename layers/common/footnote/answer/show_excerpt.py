"""Shows an excerpt of a passage: below its title and section, lists and rows of tables as people read them, with a sign where something
of its block is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.answer.choose import Quote
from footnote.answer.excerpts import ITEM
from footnote.answer.messages import message
from footnote.text.code_spans import fenced_code
from footnote.text.tokens import content_terms
from footnote.types import Chunk

RULE = frozenset("-: ")
"""Characters of the line between a table's header and its rows."""
LONG_ROW = 300
"""Characters."""
LEFT_OUT = "…"
BULLET = re.compile(r"^[*•◦▪]\s+")
MARKUP = re.compile(r"([`*\[\]<>])")


def source_name(quote: Quote) -> str:
    """Title and section of an excerpt."""
    chunk = quote.hit.chunk
    names = (chunk.title, quote.best.heading or chunk.section_at(quote.best.start))
    title, section = (" ".join((name or "").split()) for name in names)
    return " › ".join(filter(None, (" ".join(chunk.shown_title.split()), section if section != title else "")))


def escaped(text: str) -> str:
    """Text whose characters mean nothing in Markdown."""
    return MARKUP.sub(r"\\\1", text)


def shown(quote: Quote, question_terms: frozenset[str], lang: str) -> str:
    """The excerpt in Markdown. Of a long row only the columns that the question names are shown. `lang`: of the question."""
    excerpt = quote.excerpt
    lead = " ".join(_line(quote.blocks.text(number)) for number in excerpt.lead)
    if excerpt.kind == "table":
        body = [*(f"- {row}" for number in excerpt.numbers for row in rows(quote, number, question_terms)), *_more(excerpt.more, lang)]
    elif excerpt.kind == "list":
        body = [*_list(quote), *_more(excerpt.more, lang)]
    elif excerpt.kind == "code":
        body = [fenced_code(_code(quote, excerpt.numbers)), *([LEFT_OUT] if excerpt.more else [])]
    else:
        signs = LEFT_OUT if excerpt.more_before else "", LEFT_OUT if excerpt.more_after else ""
        said = (_line(_fields(quote, number)) for number in excerpt.numbers)
        return " ".join(filter(None, (lead, signs[0], *said, signs[1])))
    return "\n\n".join(filter(None, (lead, "\n".join(body))))


def _fields(quote: Quote, number: int) -> str:
    """A sentence; the lines of metadata, each of which is a field, are set apart."""
    text = quote.blocks.text(number)
    is_metadata = quote.blocks.chunk.kind_at(quote.blocks.bounds[number][0]) == "metadata"
    return text.replace("\n", " · ") if is_metadata else text


def _more(count: int, lang: str) -> list[str]:
    return [f"- {message('more', lang, count=str(count))}"] if count else []


def _line(text: str) -> str:
    return " ".join(text.split())


def _code(quote: Quote, numbers: Sequence[int]) -> str:
    """Code as it is in the passage, with the white space before its lines and between its parts."""
    text, pieces = quote.blocks.chunk.text, list[str]()
    for before, number in zip((None, *numbers), numbers, strict=False):
        start, end = quote.blocks.bounds[number]
        white = start - len(text[:start]) + len(text[:start].rstrip())
        if before != number - 1:
            white = max(white, text.rfind("\n", 0, start) + 1)
            pieces.append("\n" if pieces else "")
        pieces.append(text[white:end])
    return "".join(pieces)


def _list(quote: Quote) -> list[str]:
    """The lines of a list, indented as far as its first ones are not; code between them as code."""
    chunk, lines = quote.blocks.chunk, list[tuple[int, str]]()
    for number in quote.excerpt.numbers:
        start, text = quote.blocks.bounds[number][0], quote.blocks.text(number)
        if chunk.kind_at(start) == "code":
            lines.append((-1, fenced_code(_code(quote, [number]))))
            continue
        before = chunk.text[chunk.text.rfind("\n", 0, start) + 1 : start]
        for at, line in enumerate(text.split("\n")):  # several short items may be one sentence
            goes_on = bool(before.strip()) if at == 0 else ITEM.match(line.lstrip()) is None
            if goes_on and lines and lines[-1][0] >= 0:
                lines[-1] = lines[-1][0], f"{lines[-1][1]} {_line(line)}"
            else:
                lines.append((len(before) if at == 0 else len(line) - len(line.lstrip()), BULLET.sub("- ", _line(line))))
    least = min((indent for indent, _ in lines if indent >= 0), default=0)
    return [" " * (indent - least) + text if indent >= 0 else f"\n{text}\n" for indent, text in lines]


def rows(quote: Quote, number: int, question_terms: frozenset[str]) -> list[str]:
    """The rows of a table in a sentence, each on one line, its cells with their column names."""
    chunk, (start, end) = quote.blocks.chunk, quote.blocks.bounds[number]
    header = _cells(chunk.text[:end].rsplit("\n\n", 1)[-1].split("\n", 1)[0])
    cells = [_cells(line) for line in chunk.text[start:end].splitlines()]
    if before := chunk.text[chunk.text.rfind("\n", 0, start) + 1 : start].strip():  # it goes on within a very long row
        label, *others = _cells(before)
        cells[0] = [label, *[""] * len(others), *cells[0]]
    if chunk.text[end:].split("\n", 1)[0].strip():  # it ends within one
        cells[-1] += [""] * (len(header) - len(cells[-1]))
    shown = [_named(header, row, question_terms, chunk) for row in cells if row != header and not RULE.issuperset("".join(row))]
    return shown or [" · ".join(cell for cell in header if cell)]


def _named(header: Sequence[str], row: Sequence[str], question_terms: frozenset[str], chunk: Chunk) -> str:
    if len(header) != len(row):
        return " · ".join(cell for cell in row if cell)
    columns = every = list(range(len(row)))
    if sum(map(len, row)) > LONG_ROW:
        named = [question_terms.intersection(content_terms(name, chunk.lang)) for name in header]
        most = max(map(len, named[1:]), default=0)
        best = [i for i in columns if i and len(named[i]) == most]
        if most and len(best) < len(header) - 1:
            in_best = frozenset[str]().union(*(named[i] for i in best))
            columns = [0, *(i for i in columns if i and (i in best or named[i] - in_best))]
    if not any(row[i] for i in columns[1:]):  # the named ones are in another part of the row
        columns = every
    if len(row) == 2 and all(row) and not any(header):
        return _pair(*row)
    cells = [_pair(header[i], row[i]) if header[i] else row[i] for i in columns if row[i]]
    return ", ".join([*cells, *([LEFT_OUT] if any(row[i] for i in every if i not in columns) else [])])


def _pair(name: str, value: str) -> str:
    return f"{name.rstrip(':：')}: {value}"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
