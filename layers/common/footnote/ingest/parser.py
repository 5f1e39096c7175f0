"""Chooses the parser of this machine."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from footnote.ingest.child import DOCLING, PARSER, ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, find_libreoffice
from footnote.ports import Ocr, Parser
from footnote.settings import Ingest

if TYPE_CHECKING:
    from footnote.ingest.scans import ScanParser

log = logging.getLogger(__name__)

NO_DOCLING = "DOCLING_ENABLED is set, but docling is not installed: Footnote's own parsers read all files."
DOCLING_REMEDY = "Install docling where the server runs, or set DOCLING_ENABLED to false."


def lacks_docling(*, enabled: bool) -> bool:
    """Whether docling is wanted and not installed."""
    return enabled and find_spec("docling") is None


def make_parser(limits: Ingest, *, docling: bool, ocr: Ocr | None = None) -> Parser:
    """A parser in a process of its own, with a converter for old formats where LibreOffice is installed.

    `ocr`: reads what only images show; None = nothing does.
    `docling`: Docling parses what it can, where it is installed."""
    if missing := lacks_docling(enabled=docling):
        log.warning("%s %s", NO_DOCLING, DOCLING_REMEDY)
    process = ParserProcess(limits.parse_limit_s, limits.parse_memory_mb, parser=DOCLING if docling and not missing else PARSER)
    parser = _with_ocr(process, ocr, limits) if ocr else process
    program = find_libreoffice()
    return ConvertingParser(parser, Converter(program, limits.parse_limit_s)) if program else parser


def _with_ocr(parser: ParserProcess, ocr: Ocr, limits: Ingest) -> ScanParser:
    from footnote.ingest.scans import ScanParser  # loads a part of the PDF parser, which AWS Lambda needs in the child only

    return ScanParser(parser, ocr, limits.parse_limit_s, limits.parse_memory_mb, with_pictures=limits.ocr == "images")
