"""Files of one megabyte in shapes that are hard to read: nested, repeated, unbalanced, in one line, in a million parts."""

from __future__ import annotations

from collections.abc import Iterator

from tests.hostile.megabytes.data import CODE, CSV, JSON, JSONL, NOTEBOOK
from tests.hostile.megabytes.markup import HTML, MARKDOWN, RST
from tests.hostile.megabytes.office import DOCX, PPTX
from tests.hostile.megabytes.packed import EPUB, HANGUL, ODF, OTHER, PDF, XLSX
from tests.hostile.megabytes.texts import ASCIIDOC, CALENDAR, CONTACTS, LATEX, MAIL, MAILBOX, ORG, RTF, SUBTITLES, TEXT
from tests.hostile.megabytes.tools import Shape, Shapes, series

BY_FILE: dict[str, Shapes] = {
    "a.html": HTML, "a.md": MARKDOWN, "a.rst": RST, "a.csv": CSV, "a.json": JSON, "a.jsonl": JSONL, "a.ipynb": NOTEBOOK,
    "a.tsv": {name: (lambda make=make: make().replace(b",", b"\t")) for name, make in CSV.items()},
    **CODE, "a.txt": TEXT, "a.eml": MAIL, "a.mbox": MAILBOX, "a.vtt": SUBTITLES,
    "a.adoc": ASCIIDOC, "a.org": ORG, "a.tex": LATEX, "a.ics": CALENDAR, "a.vcf": CONTACTS,
    "a.srt": {"of cues": lambda: series(lambda i: f"{i}\n00:00:01,000 --> 00:00:02,000\nHi.\n\n")},
    "a.rtf": RTF, "a.docx": DOCX, "a.pptx": PPTX, "a.xlsx": XLSX, **ODF, "a.epub": EPUB, "a.pdf": PDF, **HANGUL, **OTHER,
}  # fmt: skip


def shapes() -> Iterator[Shape]:
    """All shapes."""
    for file_name, made in BY_FILE.items():
        kind = file_name.partition(".")[2]
        for name, make in made.items():
            yield Shape(f"{kind} {name}", file_name, make)
