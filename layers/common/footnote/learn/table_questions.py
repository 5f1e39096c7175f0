"""Makes questions from tables whose first column names the rows: for their cells, and for tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from footnote.learn.question_templates import EXPLAINING, HOW_TO, TASK_COLUMNS, ask_cell
from footnote.text.words import QUESTION_WORDS, STOP_WORDS

ROWS_OF_A_TABLE = 2
COLUMNS_OF_A_ROW = 3
RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")
PLAIN = re.compile(r"[^\W\d_][^/\\{}<>|=`_*#@“”„\"…;:()\[\]]{1,39}")
"""A name in a cell."""
NOUNS = frozenset({"name", "type", "year", "kind", "jahr"})
GENERIC = frozenset(
    """feature features aspect property properties option options setting settings parameter parameters criterion
    eigenschaft merkmal aspekt kriterium einstellung 항목 특징 구분 기능 설정 옵션""".split()
)
"""Names of first columns whose rows are properties of what the other columns name."""
LONGEST_VALUE = 6
"""Words; a longer cell is a sentence and no property."""
OF_CONTENTS = frozenset({"page", "seite", "쪽", "페이지"})
CODE = re.compile(r"^[^a-z가-힣]+$|[a-z][A-Z]|\d$")
"""No capitals alone, no two names in one."""


def ask_table(text: str, lang: str) -> Iterator[tuple[str, bool, int, int]]:
    """Yields (question, whether it asks for a task, start and end of the row that answers it in the text). For cells: of the
    first ROWS_OF_A_TABLE rows, each beginning with another column."""
    lines = text.splitlines()
    if len(lines) < 3 or not RULE.fullmatch(lines[1].strip()):
        return
    columns, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
    names = [row[0] for row in rows]
    tasks, task = TASK_COLUMNS[lang]
    if columns[0].lower() in tasks:
        for line, name in zip(lines[2:], names, strict=True):
            if task.fullmatch(name):
                yield HOW_TO[lang].format(task=name), True, (at := text.index(line)), at + len(line)
        return
    if len(rows) == 1 or not all(columns[1:]) or not OF_CONTENTS.isdisjoint(map(str.lower, columns)):
        return  # cut out of a sheet, or a table of contents
    if len(set(names)) < len(names) or any(len(row) != len(columns) for row in rows) or not all(_names(name, lang) for name in names):
        return
    if columns[0].lower() in GENERIC:
        return
    at, made, used = len(lines[0]) + len(lines[1]) + 2, list[tuple[str, int, int]](), Counter[int]()
    for line, row in zip(lines[2:], rows, strict=True):
        usable = [n for n in range(1, len(columns)) if _is_column(columns[n], lang) and _is_value(row[n], columns[n])]
        if usable and used.total() < ROWS_OF_A_TABLE:
            usable.sort(key=lambda n: used[n])
            made += [(ask_cell(columns[n], row[0], row[n], lang), at, at + len(line)) for n in usable[:COLUMNS_OF_A_ROW]]
            used[usable[0]] += 1
        at += len(line) + 1
    for question, start, end in made:
        yield question, False, start, end


def _is_value(cell: str, column: str) -> bool:
    """Whether a cell tells a property, and is no sentence unless it explains the row."""
    return any(map(str.isalnum, cell)) and (len(cell.split()) <= LONGEST_VALUE or EXPLAINING.fullmatch(column.lower()) is not None)


def _cells(line: str) -> Sequence[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _names(cell: str, lang: str) -> bool:
    """Whether a cell is a name: a few words, in Latin script with a capital."""
    few = PLAIN.fullmatch(cell) is not None and len(cell.split()) <= 5 and CODE.search(cell) is None
    return few and (lang == "ko" or cell[0].isupper())


def _is_column(cell: str, lang: str) -> bool:
    """Whether a column's name is a noun, as far as a list of words can tell."""
    if EXPLAINING.fullmatch(cell.lower()):
        return True
    first = cell.split(" ")[0].lower()
    few = PLAIN.fullmatch(cell) is not None and len(cell.split()) <= 3 and CODE.search(cell) is None
    return few and first not in (STOP_WORDS[lang] | QUESTION_WORDS[lang]) - NOUNS
