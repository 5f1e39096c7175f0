"""Words of the parsers against docling's own ground truth, the folder `tests/data` of its repository.

    python -m bench.docling_truth FOLDER [FORMAT …] [--below 0.9] [--docling]     docx, html, …

The truth is the Markdown that docling writes of a file, without its marks, so it is biased to what docling reads. Recall and precision
count words with their number, over all files of a format and as the mean of its files; `--below` names files with less.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path

from bench.formats import text_of, words
from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse, with_docling
from footnote.types import Parsed

FOLDERS = ("docx", "pptx", "xlsx", "xls", "odf", "html", "epub", "doc", "ppt", "asciidoc", "latex", "md", "csv", "webvtt")
MARKS = re.compile(
    r"<!--.*?-->|(?<=\])\((?:[^()\n]|\([^()\n]*\))*\)|\\(?=[_*#<>\[\]])|^\|[ :|-]+\|$|[*_]{2,3}|(?<!\w)[*_]|[*_](?!\w)", re.MULTILINE
)
"""What Markdown adds to the words: comments, the addresses of links, marks of emphasis and of tables."""
RUNS = 5


def pairs(folder: Path, only: Sequence[str]) -> Iterator[tuple[str, Path, Path]]:
    """(format, source, truth) of each source that has a truth."""
    for name in FOLDERS:
        for truth in sorted((folder / name / "groundtruth").glob("*.md")):
            source = folder / name / "sources" / truth.stem
            kind = source.suffix.lstrip(".")
            if source.is_file() and (not only or kind in only):
                yield kind, source, truth


def truth_words(text: str) -> Counter[str]:
    """The words of a Markdown text without its marks."""
    return words(unescape(MARKS.sub("", text)))


def read(source: Path, *, docling: bool) -> tuple[Parsed, float]:
    """(the parsed file, the least milliseconds of RUNS); an unreadable one has no text."""
    parser = with_docling.parse if docling else parse
    data, times = source.read_bytes(), []
    parsed = Parsed(())
    for _ in range(1 if docling else RUNS):
        started = time.perf_counter()
        try:
            parsed = parser(data, source.name)
        except UnreadableFile as exc:
            parsed = Parsed((), reason=exc.reason)
        times.append(1000 * (time.perf_counter() - started))
    return parsed, min(times)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a row for each format. → 0."""
    options = argparse.ArgumentParser(prog="python -m bench.docling_truth", description="Words against docling's own ground truth.")
    options.add_argument("folder", type=Path)
    options.add_argument("formats", nargs="*")
    options.add_argument("--below", type=float, default=0.0, help="name files whose recall or precision is lower")
    options.add_argument("--docling", action="store_true", help="read with docling what it is used for")
    chosen = options.parse_args(arguments)
    found: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    read_words: Counter[str] = Counter()
    times: dict[str, list[float]] = {}
    each: dict[str, list[tuple[float, float]]] = {}
    for kind, source, truth in pairs(chosen.folder, chosen.formats):
        parsed, took = read(source, docling=chosen.docling)
        right, got = truth_words(truth.read_text("utf-8")), words(text_of(parsed)[len(parsed.title) :])
        both = (right & got).total()
        found[kind] += both
        expected[kind] += right.total()
        read_words[kind] += got.total()
        times.setdefault(kind, []).append(took)
        recall, precision = both / max(right.total(), 1), both / max(got.total(), 1)
        if right:
            each.setdefault(kind, []).append((recall, precision))
        if right and min(recall, precision) < chosen.below:
            missed, added = " ".join((right - got).keys())[:200], " ".join((got - right).keys())[:200]
            print(f"{source.name}: {recall:.3f} / {precision:.3f} of {right.total()} words\n  missed {missed}\n  added {added}")
    print(f"{'format':10} {'files':>5} {'recall':>7} {'precision':>9} {'mean of files':>13} {'ms/file':>8}")
    for kind, took_each in times.items():
        recall, precision = found[kind] / max(expected[kind], 1), found[kind] / max(read_words[kind], 1)
        means = " / ".join(f"{statistics.mean(shares):.3f}" for shares in zip(*each[kind], strict=True))
        print(f"{kind:10} {len(took_each):5} {recall:7.3f} {precision:9.3f} {means:>13} {statistics.mean(took_each):8.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
