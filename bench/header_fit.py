"""Fits the weights by which the header of a table is found: layers/common/footnote/ingest/parse/header_weights.py.

    python -m bench.header_fit PAGES
    python -m bench.header_fit PAGES --measure FOLDER ...     the share that is right, by kind of table

PAGES and FOLDER hold web pages: `page/` of WikiTableQuestions (2,108 pages of Wikipedia, CC BY-SA 4.0) is what is fitted to. Their header
cells are marked: leading rows of nothing else are the header, and a table whose rows all begin with the only one has labels and values.
With `--measure`, it fits on half of the pages, and prints the figures on the other half and on each FOLDER, of which the first rows of
`.csv` files are taken for their headers, too. The marks are left out of the tables, which are told apart by how they are written:

    merged     cells over several columns are known, as in a Word file or a spreadsheet; a name over several rows is repeated or not
    gaps       they are not, as in delimited text: empty cells follow the name, and those below a name over several rows are empty
    repeats    nor here, and the name is repeated in each column
"""

from __future__ import annotations

import argparse
import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import md5
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.figures import log_progress
from footnote.errors import UnreadableFile
from footnote.ingest.parse import header, header_weights, html_tables
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.table import Merged, divide

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

WEIGHTS = Path(header_weights.__file__)
KEPT = 40
"""Weights of the first row; those that do least are left out."""
UNSEEN = "sup, style, script, [style*='display:none'], [style*='display: none']"
MOST_HEADS, MOST_ROWS, MOST_COLUMNS, LONGEST = 3, 2000, 40, 1_000_000
RIDGE, LEAST_SCALE = 15.0, 0.2
SHARES = {"header": 1.0, "header of two": 1.0, "labels": 0.3, "labels of two": 1.0, "list": 0.15, "list of two": 0.1}
"""What each kind counts in the fit, however many tables of it there are. Few files have a list without a header, and nothing tells one of
names and ports from a table whose first row names them."""
UNLABELLED = 0.03
"""The share of tables whose first record is given no label, as a total above the others has none."""
JOINED_SHARES = {"1 merged": 2.0, "1 gaps": 3.0, "2 merged": 1.0, "2 gaps": 1.0, "2 repeats": 1.0}

Rows = list[list[str]]


class Labelled(NamedTuple):
    """A table without its marks. `heads`: how many of its rows are its header."""

    source: str
    kind: str
    heads: int
    rows: Rows
    merged: Merged


class Example(NamedTuple):
    """What the fit is given: `group` is a key of the shares."""

    group: str
    found: dict[str, float]
    is_header: bool


def tables_of(folder: Path) -> Iterator[Labelled]:
    """The labelled tables of web pages and delimited text, each once."""
    from selectolax.lexbor import LexborHTMLParser

    seen: set[str] = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".csv" and path.stat().st_size < LONGEST and (table := _delimited(path)):
            found: Iterator[Labelled] = iter([table])
        elif path.suffix == ".html":
            page = LexborHTMLParser(path.read_bytes().decode("utf-8", "replace"))
            for unseen in page.css(UNSEEN):
                unseen.decompose()
            found = (table for node in page.css("table") if not html_tables.is_layout(node) and (table := _marked(node, str(path))))
        else:
            continue
        for table in found:
            known = repr([table.rows[:3], len(table.rows[0])])
            if 1 < len(table.rows[0]) <= MOST_COLUMNS and len(table.rows) <= MOST_ROWS and known not in seen:
                seen.add(known)
                yield table


def _marked(node, source: str) -> Labelled | None:  # type: ignore[no-untyped-def]
    rows = [
        row for row in html_tables.rows_of(node, lambda cell: " ".join(cell.text(separator=" ").split())) if any(cell.text for cell in row)
    ]
    rows = [row for row in rows if sum(cell.is_first for cell in row) > 1]
    if len(rows) < 3 or max(map(len, rows)) < 2:
        return None
    heads = len(list(takewhile(lambda row: all(cell.is_header or not cell.text for cell in row), rows[:-1])))
    marked = [[cell.is_header for cell in row] for row in rows]
    if heads == 0 and all(row[0] and not any(row[1:]) for row in marked):
        return Labelled(source, "labels", 0, *_plain(rows))
    if (
        0 < heads <= MOST_HEADS
        and len(rows) > heads + 1
        and not any(all(cell.is_header for cell in row if cell.text) for row in rows[heads:])
    ):
        return Labelled(source, "header", heads, *_plain(rows))
    return None


def _text(cell: LexborNode) -> str:
    return " ".join(cell.text(separator=" ").split())


def _plain(rows: Sequence[Sequence[html_tables.Cell]]) -> tuple[Rows, Merged]:
    """The texts, without empty columns, and which cells are merged."""
    width = max(map(len, rows))
    texts = [[cell.text if cell.is_first else "" for cell in row] + [""] * (width - len(row)) for row in rows]
    used = [i for i in range(width) if any(row[i] for row in texts)]
    merged: dict[int, dict[int, int]] = {}
    for number, row in enumerate(rows):
        for place, column in enumerate(used):
            end = place
            while end + 1 < len(used) and used[end + 1] < len(row) and not row[used[end + 1]].is_first:
                end += 1
            if end > place and column < len(row) and row[column].is_first:
                merged.setdefault(number, {})[place] = end
    return [[row[i] for i in used] for row in texts], merged


def _delimited(path: Path) -> Labelled | None:
    try:
        text = decode(path.read_bytes())
        found = list(csv.reader(io.StringIO(text, newline=""), csv.Sniffer().sniff(text[:50_000], ",;\t|")))
    except (csv.Error, UnreadableFile):
        return None
    rows = [list(map(str.strip, row)) for row in found[:200] if any(row)]
    if len(rows) < 3:
        return None
    width = max(map(len, rows))
    return Labelled(str(path), "header", 1, [row + [""] * (width - len(row)) for row in rows], {})


def written(table: Labelled) -> Iterator[tuple[str, Labelled]]:
    """(how it is written, the table) for each way in which a table can be written."""
    yield "merged", table
    gaps = [list(row) for row in table.rows]
    repeats = [list(row) for row in table.rows]
    for number in range(table.heads):
        for column in range(len(gaps[0])):
            if number and table.rows[number][column] == table.rows[number - 1][column]:
                gaps[number][column] = ""
            for right in range(column + 1, table.merged.get(number, {}).get(column, column) + 1):
                repeats[number][right] = repeats[number][column]
    if gaps != table.rows:
        yield "merged", table._replace(rows=gaps)
    if any(number >= table.heads for number in table.merged):
        return
    yield "gaps", table._replace(rows=gaps, merged={})
    if table.heads > 1:
        yield "repeats", table._replace(rows=repeats, merged={})


def varied(table: Labelled, random: Random) -> Iterator[Labelled]:
    """The table, without its header as a list, and smaller ones that are cut from it: few rows, two columns, or a part of the labels."""
    heads, rows = table.heads, table.rows
    yield table
    if len(rows) > 6:
        yield table._replace(rows=rows[: random.randint(max(heads, 1) + 1, 6)])
    if table.kind == "labels" and len(rows[0]) == 2:
        start = random.randrange(max(1, len(rows) - 4))
        yield table._replace(rows=rows[start : start + random.randint(2, 9)])
    if table.kind != "header" or heads > 1 or table.merged:
        return
    parts = [table, table._replace(kind="list", heads=0, rows=rows[1:])] if len(rows) > 3 else [table]
    for part in parts:
        if part.kind == "list":
            yield part
            yield part._replace(rows=part.rows[: random.randint(2, 6)])
        column = random.randrange(1, len(rows[0]))
        for most in (6, 14):
            two = [[row[0], row[column]] for row in part.rows[: random.randint(part.heads + 1, most)]]
            two = [row for row in two if any(row)]
            if len(rows[0]) > 2 and len(two) > 1 and all(map(any, zip(*two, strict=True))):
                yield part._replace(rows=two)


def examples(tables: Sequence[Labelled]) -> Iterator[Example]:
    """The first rows of the tables."""
    random = Random(1)
    for table in tables:
        for how, each in written(table):
            if how == "repeats" or (how == "merged") != bool(table.merged):
                continue
            for part in varied(each, random):
                if len(part.rows) > 1:
                    yield Example(group_of(part), header.features(part.rows), part.heads > 0)


def group_of(table: Labelled) -> str:
    return f"{table.kind} of two" if len(table.rows[0]) == 2 else table.kind


def pairs(tables: Sequence[Labelled]) -> Iterator[Example]:
    """The first two rows of the tables with a header."""
    random = Random(2)
    for table in tables:
        for how, each in written(table) if table.heads else ():
            if how == "merged" and not table.merged:
                continue
            rows = each.rows if random.random() < 0.6 else each.rows[: random.randint(each.heads + 1, 8)]
            if each.heads == 1 and random.random() < UNLABELLED:
                rows = [rows[0], ["", *rows[1][1:]], *rows[2:]]
            if len(rows) > 2:
                found = header.of_pair(rows, each.merged.get(0, {}))
                yield Example(f"{min(each.heads, 2)} {how}", found, each.heads > 1)


def fit(examples: Sequence[Example], shares: dict[str, float], most: int) -> dict[str, float]:
    """The weights of a logistic regression with the `most` features that do most; "" is the constant."""
    count = Counter(example.group for example in examples)
    weights = np.array([shares[example.group] / count[example.group] for example in examples])
    weights *= len(weights) / weights.sum()
    right = np.array([example.is_header for example in examples], float)
    names = sorted({name for example in examples for name in example.found})
    values = np.array([[example.found.get(name, 0.0) for name in names] for example in examples])
    mean, scale = values.mean(0), np.maximum(values.std(0), LEAST_SCALE)  # what is rare gets no great weight
    values = np.clip((values - mean) / scale, -3, 3)
    kept = list(range(len(names)))
    while True:
        found = _solve(np.column_stack([values[:, kept], np.ones(len(right))]), right, weights)
        if len(kept) <= most:
            break
        kept.pop(int(np.abs(found[:-1]).argmin()))
    fitted = {names[i]: float(found[place] / scale[i]) for place, i in enumerate(kept)}
    constant = found[-1] - sum(fitted[names[i]] * mean[i] for i in kept)
    return {"": round(float(constant), 2), **{name: round(weight, 2) for name, weight in fitted.items()}}


def _solve(values: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    found = np.zeros(values.shape[1])
    ridge = RIDGE * np.eye(len(found))
    ridge[-1, -1] = 0
    for _ in range(12):
        likely = 1 / (1 + np.exp(-values @ found))
        slope = values.T @ (weights * (likely - right)) + ridge @ found
        curve = (values * (weights * likely * (1 - likely))[:, None]).T @ values + ridge + 1e-6 * np.eye(len(found))
        found -= np.linalg.solve(curve, slope)
    return found


def use(tables: Sequence[Labelled]) -> None:
    """Fits to the tables; what is read from now on is decided by these weights."""
    header_weights.FIRST = fit(list(examples(tables)), SHARES, KEPT)  # also a feature of the second
    log_progress("the first row is fitted")
    header_weights.SECOND = fit(list(pairs(tables)), JOINED_SHARES, KEPT)


def told(table: Labelled, how: str) -> int | None:
    """How many rows the table's header is said to have; None if one was taken for a title above it."""
    parts = divide(table.rows, table.merged, is_sheet=how != "merged")
    if parts.above:
        return None
    return len(table.rows) - len(parts.below) - len(parts.rows) + 1 if any(parts.rows[0]) else 0


def measure(name: str, tables: Sequence[Labelled]) -> None:
    """Prints the share of tables whose number of header rows is right."""
    random = Random(3)
    right: defaultdict[tuple[str, int, str], list[bool]] = defaultdict(list)
    for table in tables:
        for how, each in written(table):
            for part in varied(each, random):
                if len(part.rows) > part.heads + 1:
                    right[group_of(part), part.heads, how].append(told(part, how) == part.heads)
    for (kind, heads, how), found in sorted(right.items()):
        print(f"{name}: {kind}, {heads} rows, {how}: {sum(found) / len(found):.3f} of {len(found)}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.header_fit", description="Fits the weights that tell the header of a table.")
    parser.add_argument("pages", type=Path, help="folder of web pages")
    parser.add_argument("--measure", type=Path, nargs="*", metavar="FOLDER", help="fit on half of the pages, and print the figures")
    parser.add_argument("--as-is", action="store_true", help="measure without a fit")
    options = parser.parse_args(arguments)
    tables = list(tables_of(options.pages))
    log_progress(f"{len(tables)} tables")
    if options.measure is None:
        use(tables)
        WEIGHTS.write_text(_module(), "utf-8")
        return 0
    is_first = [md5(table.source.encode()).digest()[0] % 2 == 0 for table in tables]
    if not options.as_is:
        use([table for table, first in zip(tables, is_first, strict=True) if first])
    measure("other half", [table for table, first in zip(tables, is_first, strict=True) if not first])
    for folder in options.measure:
        measure(folder.name, list(tables_of(folder)))
    return 0


def _module() -> str:
    lines = [header_weights.__doc__ or ""]
    text = f'"""{lines[0]}"""\n'
    for name in ("FIRST", "SECOND"):
        text += f"\n{name} = {{\n" + "".join(f'    "{key}": {value},\n' for key, value in getattr(header_weights, name).items()) + "}\n"
    return text


if __name__ == "__main__":
    raise SystemExit(main())
