"""How many cells of known tables stand in a passage below the header of their column.

Another reader knows the tables: `csv` for delimited text, and the plain XML of Word, PowerPoint and web files. Only tables that leave no
doubt count: at least two rows, all equally long, no joined cells, no table within a table, and a first row without empty cells that
differ from each other. A cell counts if one passage has a Markdown table in which the same text stands in a column with the same header.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from footnote.errors import UnreadableFile
from footnote.ingest.chunk import Aids
from footnote.ingest.parse import parse
from footnote.ingest.parse.decode import decode
from footnote.ingest.prepare import cut
from footnote.types import Chunker, Document

CHUNKERS: tuple[Chunker, ...] = ("structure", "table", "fixed_size")
CHUNK_TOKENS = 320
Table = list[list[str]]


def measure_tables(folder: Path) -> Iterator[str]:
    """A line for each file and the totals."""
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        tables = [table for table in known_tables(path) if is_plain(table)] if path.is_file() else []
        cells = Counter(cell for table in tables for cell in cells_of(table))
        if not cells:
            continue
        try:
            parsed = parse(path.read_bytes(), path.name)
        except UnreadableFile:
            continue
        document = Document("d", parsed.title, "default", path.name, "PROCESSING", "", 0, frozenset())
        row = [f"{path.name[:44]:44} {len(tables):3} tables {cells.total():5} cells"]
        for chunker in CHUNKERS:
            texts = [chunk.text for chunk in cut(document, parsed, "en", CHUNK_TOKENS, aids=Aids(chunker)) if chunk.level == 2]
            kept = (Counter(cell for text in texts for table in markdown_tables(text) for cell in cells_of(table)) & cells).total()
            found[chunker] += kept
            row.append(f"{chunker} {kept / cells.total():.3f}")
        found["cells"] += cells.total()
        found["files"] += 1
        yield "  ".join(row)
    shares = ", ".join(f"{chunker} {found[chunker] / found['cells']:.3f}" for chunker in CHUNKERS) if found["cells"] else "none"
    yield f"{found['files']} files, {found['cells']} cells with their header in one passage: {shares}"


def known_tables(path: Path) -> Iterator[Table]:
    """The tables of a file as another reader reads them; none for other kinds of files and damaged ones."""
    data = path.read_bytes()
    try:
        match path.suffix.lower():
            case ".csv":
                text = decode(data)
                yield [row for row in csv.reader(io.StringIO(text, newline=""), csv.Sniffer().sniff(text, ",;\t")) if any(row)]
            case ".html":
                for node in lxml_html.document_fromstring(data).iter("table"):
                    if not node.xpath(".//table | ancestor::table | .//*[@colspan or @rowspan] | .//ul | .//h1 | .//h2 | .//h3"):
                        yield [[spaced(" ".join(cell.itertext())) for cell in row.xpath("./td | ./th")] for row in node.iter("tr")]
            case ".docx":
                yield from _in_package(data, "word/document.xml", "tbl", "tr", "tc", "p", ("gridSpan", "vMerge", "tbl"))
            case ".pptx":
                with zipfile.ZipFile(io.BytesIO(data)) as package:
                    slides = [name for name in package.namelist() if re.fullmatch(r"ppt/slides/slide\d+\.xml", name)]
                for name in slides:
                    yield from _in_package(data, name, "tbl", "tr", "tc", "p", ())
    except (csv.Error, zipfile.BadZipFile, KeyError, etree.LxmlError, ValueError, UnreadableFile):
        return


def _in_package(data: bytes, part: str, table: str, row: str, cell: str, paragraph: str, joined: Sequence[str]) -> Iterator[Table]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        root = etree.fromstring(package.read(part))
    for node in root.iter(f"{{*}}{table}"):
        inside = {etree.QName(each).localname for each in node.iterdescendants("{*}*")}
        if node.xpath("ancestor::*[local-name()='tbl']"):
            continue
        if inside.isdisjoint(joined) and not node.xpath(".//*[@gridSpan or @rowSpan or @hMerge or @vMerge]"):
            yield [[_text(each, paragraph) for each in line.iter(f"{{*}}{cell}")] for line in node.iter(f"{{*}}{row}")]


def _text(node: Any, paragraph: str) -> str:
    return spaced(" ".join("".join(each.text or "" for each in p.iter("{*}t")) for p in node.iter(f"{{*}}{paragraph}")))


def is_plain(table: Table) -> bool:
    """Whether it is clear what the header of each cell is."""
    if len(table) < 2 or len({len(row) for row in table}) != 1 or len(table[0]) < 2:
        return False
    header = [spaced(cell) for cell in table[0]]
    return all(header) and len(set(header)) == len(header)


def cells_of(table: Table) -> Iterator[tuple[str, str]]:
    """(header, text) of every cell that has text."""
    header = [spaced(cell) for cell in table[0]]
    for row in table[1:]:
        yield from ((name, said) for name, cell in zip(header, row, strict=False) if (said := spaced(cell)))


def markdown_tables(text: str) -> Iterator[Table]:
    """The tables of a passage."""
    rows: Table = []
    for line in [*text.split("\n"), ""]:
        if re.fullmatch(r"\|(?: --- \|)+", line):
            continue
        if line.startswith("| ") and line.endswith("|"):
            rows.append([cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            yield rows
            rows = []


def spaced(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())
