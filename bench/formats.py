"""Reads files of every kind as the server does: is each READY or FAILED with a reason, and how much of its text is found?

    python -m bench.formats FOLDER … [--below 0.98]     files of any kind; each whose recall is below is listed
    python -m bench.formats --tables TABLE.csv …        the same table as LibreOffice and pandoc save it in other formats

The reference is the text that another program finds: pdftotext for PDF, pandoc for what it reads, LibreOffice for the rest of the
Office formats, and Python's codecs for text. A kind without one counts as read, without a recall. Recall is the share of the
reference's words (with their number) that the blocks hold; a table's is the share of cells that a passage holds with their headers.
What the parsers leave out on purpose counts as missed: menus of web pages, hidden sheets, page numbers.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import csv
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.documents import passages
from bench.figures import log_progress
from footnote.errors import UnreadableFile
from footnote.ingest.child import ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, find_libreoffice
from footnote.ports import Parser
from footnote.types import Parsed

PANDOC = {**{name: name for name in ("docx", "odt", "epub", "html", "rtf", "ipynb")}, "markdown": "gfm"}
"""Format → what pandoc calls it."""
OFFICE = {"doc": "txt:Text (encoded):UTF8", "fodt": "txt:Text (encoded):UTF8", "wordml": "txt:Text (encoded):UTF8"}
OFFICE |= dict.fromkeys(("ppt", "pptx", "odp", "fodp"), "pdf")
"""Format → what LibreOffice converts it to; a PDF is read with pdftotext."""
SHEETS = frozenset(("xlsx", "xls", "ods", "xlsb", "fods", "excelml"))
CSV = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,true,false,false,-1"
TABLES = {"html": "", "md": "", "docx": "", "odt": "", "rtf": "", "epub": "", "doc": "html", "pdf": "doc"}
"""Extension of a table's file → the format that LibreOffice makes it from; "" = pandoc makes it."""
CELL = re.compile(r"\w")
WORD = re.compile(r"[^\W\d_]{2,}|\d+|[\u3040-\u9fff\uac00-\ud7a3]")
"""Single letters are not counted: in scans they are often pieces of words."""
TEXT = frozenset(("text", "csv", "json", "code"))
"""Formats whose reference is the file itself."""


@dataclass
class Kind:
    """The results of the files of one kind."""

    ready: int = 0
    failed: int = 0
    seconds: float = 0
    found: int = 0
    words: int = 0
    recalls: list[float] = field(default_factory=list)


def words(text: str) -> Counter[str]:
    """The words with their number; a word divided at a line's end is one, and `12,553` is 12553."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "")
    text = re.sub(r"(\w)[-\u2010]\n\s*(?=[a-zäöü])", r"\1", text)
    return Counter(WORD.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text).casefold()))


def text_of(parsed: Parsed) -> str:
    """The text of all blocks."""
    return "\n".join([parsed.title, *(block.text for block in parsed.blocks)])


def reference(path: Path, kind: str, folder: Path) -> str | None:
    """The text that another program finds; None if there is none for this format, or if it fails."""
    with contextlib.suppress(subprocess.SubprocessError, OSError, UnicodeDecodeError):
        if kind == "pdf":
            return _run("pdftotext", "-q", str(path), "-")
        if kind in PANDOC:
            source = folder / f"source.{kind}"
            source.write_bytes(_decoded(path).encode() if kind == "html" else path.read_bytes())
            return _run("pandoc", "-f", PANDOC[kind], "-t", "plain", "--wrap=none", str(source))
        if kind in OFFICE:
            made = _office(path, OFFICE[kind], folder)
            return _run("pdftotext", "-q", str(made[0]), "-") if made[0].suffix == ".pdf" else made[0].read_text()
        if kind in SHEETS:
            return "\n".join(each.read_text() for each in _office(path, CSV, folder))
        if kind in TEXT:
            return _decoded(path)
    return None


def _decoded(path: Path) -> str:
    """The text of a file in a Unicode encoding."""
    data = path.read_bytes()
    for encoding in ("utf-32", "utf-16", "utf-16-be", "utf-16-le") if b"\0" in data[:100] else ():
        with contextlib.suppress(UnicodeDecodeError):
            if "e" in (text := data.decode(encoding)) and "\0" not in text:
                return text
    return data.decode("utf-8-sig")


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode("utf-8", "replace")


def _office(path: Path, target: str, folder: Path, *options: str) -> list[Path]:
    """The files that LibreOffice makes of one."""
    out = Path(tempfile.mkdtemp(dir=folder))
    source = out / f"source{path.suffix}"  # some names are refused
    shutil.copyfile(path, source)
    _run(
        str(find_libreoffice()),
        f"-env:UserInstallation={(folder / 'profile').as_uri()}",
        "--headless",
        *options,
        "--convert-to",
        target,
        "--outdir",
        str(out),
        str(source),
    )
    made = sorted(each for each in out.iterdir() if each != source or not each.exists())
    if not made:
        raise OSError("LibreOffice made nothing.")
    return made


def make_tables(table: Path, folder: Path) -> Iterator[Path]:
    """The table in each format; below a heading and a sentence."""
    rows = list(csv.reader(table.read_text().splitlines()))
    lines = ["# Tables", "", "This is the table.", "", "| " + " | ".join(rows[0]) + " |", "|" + " --- |" * len(rows[0])]
    lines += ["| " + " | ".join(row) + " |" for row in rows[1:]]
    source = folder / f"{table.stem}.md"
    source.write_text("\n".join(lines) + "\n")
    made = {"md": source}
    for kind, origin in TABLES.items():
        if kind not in made and not origin:
            made[kind] = folder / f"{table.stem}.{kind}"
            _run("pandoc", "-s", "--metadata", "title=Tables", str(source), "-o", str(made[kind]))
    made["html"].write_text(made["html"].read_text().replace("<table", '<table border="1"'))  # else LibreOffice draws no lines
    for kind, origin in TABLES.items():
        if origin:
            made[kind] = _office(made[origin], {"doc": "doc:MS Word 97"}.get(kind, kind), folder)[0]
    for kind in ("xlsx", "ods", "xls"):
        made[kind] = _office(table, kind, folder, "--infilter=CSV:44,34,76")[0]  # in UTF-8
    yield from made.values()


def cells_with_headers(parsed: Parsed, rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """(cells that a passage holds in the table's row with their column's header and the row's first cell, cells)."""
    texts = [" ".join(chunk.text.split()) for chunk in passages("table", parsed)]
    cells = [(row[0], header, cell) for row in rows[1:] for header, cell in zip(rows[0], row, strict=False) if CELL.search(cell)]
    return sum(any(all(part in text for part in each) for text in texts) for each in cells), len(cells)


async def measure(paths: Sequence[Path], below: float, tables: bool, table: Path | None) -> dict[str, Kind]:
    """Reads the files with the server's parser; prints those that are FAILED or below the recall."""
    program = find_libreoffice()
    process = ParserProcess()
    parser = ConvertingParser(process, Converter(program)) if program else process
    kinds: dict[str, Kind] = defaultdict(Kind)
    with tempfile.TemporaryDirectory() as name:
        for path in paths:
            label = path.suffix.lower().lstrip(".") or "none"
            kind = kinds[label]
            started = time.monotonic()
            parsed = await _parse(parser, path)
            kind.seconds += time.monotonic() - started
            if isinstance(parsed, UnreadableFile):
                kind.failed += 1
                assert parsed.reason, path
                assert parsed.remedy, path
                print(f"FAILED {path.name}: {parsed.reason} {parsed.remedy}")
                continue
            kind.ready += 1
            if tables and table:
                found, total = cells_with_headers(parsed, list(csv.reader(table.read_text().splitlines())))
            else:
                expected = words(reference(path, "ipynb" if label == "ipynb" else parsed.format, Path(name)) or "")
                found, total = (expected & words(text_of(parsed))).total(), expected.total()
            if total:
                kind.found, kind.words = kind.found + found, kind.words + total
                kind.recalls.append(found / total)
                if found < below * total:
                    missed = "" if tables else " ".join((expected - words(text_of(parsed))).keys())[:150]
                    print(f"{found / total:.3f} {path.name} ({total}) {missed}")
    await parser.close()
    return kinds


async def _parse(parser: Parser, path: Path) -> Parsed | UnreadableFile:
    try:
        return await parser.parse(path.read_bytes(), path.name)
    except UnreadableFile as exc:
        return exc


def show(kinds: dict[str, Kind]) -> None:
    """Prints a table of the kinds."""
    print(f"{'kind':10} {'READY':>6} {'FAILED':>7} {'recall':>7} {'lowest':>7} {'of':>6} {'s/file':>7}")
    for label, kind in sorted(kinds.items()):
        recall = (
            f"{kind.found / kind.words:7.3f} {min(kind.recalls):7.3f} {len(kind.recalls):6}" if kind.words else f"{'–':>7} {'–':>7} {0:6}"
        )
        print(f"{label:10} {kind.ready:6} {kind.failed:7} {recall} {kind.seconds / (kind.ready + kind.failed):7.2f}")
    found, total = sum(kind.found for kind in kinds.values()), sum(kind.words for kind in kinds.values())
    ready, failed = sum(kind.ready for kind in kinds.values()), sum(kind.failed for kind in kinds.values())
    print(f"{'all':10} {ready:6} {failed:7} {found / max(total, 1):7.3f}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0; a file that is neither READY nor FAILED with a reason and a remedy ends it with an error."""
    options = argparse.ArgumentParser(prog="python -m bench.formats", description="Reads files of every kind.")
    options.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    options.add_argument("--tables", action="store_true", help="the paths are tables (.csv), to be saved in other formats")
    options.add_argument("--below", type=float, default=0.98, help="list files whose recall is lower")
    chosen = options.parse_args(arguments)
    if not chosen.tables:
        files = [each for path in chosen.paths for each in ([path] if path.is_file() else sorted(path.rglob("*"))) if each.is_file()]
        show(asyncio.run(measure(files, chosen.below, False, None)))
        return 0
    for table in chosen.paths:
        with tempfile.TemporaryDirectory() as name:
            log_progress(f"— {table.name}")
            show(asyncio.run(measure(list(make_tables(table, Path(name))), chosen.below, True, table)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
