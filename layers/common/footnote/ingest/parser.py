"""Chooses the parser of this machine."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from footnote.ingest.child import DOCLING, PARSER, ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, PackageConverter, find_libreoffice, find_packages
from footnote.ports import Ocr, Parser
from footnote.settings import Ingest

if TYPE_CHECKING:
    from footnote.ingest.scans import ScanParser

log = logging.getLogger(__name__)

NO_DOCLING = "DOCLING_ENABLED is set, but docling is not installed: Footnote's own parsers read all files."
DOCLING_REMEDY = "Install docling where the server runs, or set DOCLING_ENABLED to false."


def has_docling(*, enabled: bool | None) -> bool:
    """Whether docling is used: where it is installed, unless it is turned off."""
    return enabled is not False and find_spec("docling") is not None


def lacks_docling(*, enabled: bool | None) -> bool:
    """Whether docling is asked for and not installed."""
    return enabled is True and find_spec("docling") is None


def make_parser(limits: Ingest, *, docling: bool | None, ocr: Ocr | None = None) -> Parser:
    """A parser in a process of its own, with a converter for old formats where LibreOffice, or a package that converts some, is installed.

    `docling`: DOCLING_ENABLED. `ocr`: reads what only images show; None = nothing does."""
    if lacks_docling(enabled=docling):
        log.warning("%s %s", NO_DOCLING, DOCLING_REMEDY)
    process = ParserProcess(limits.parse_limit_s, limits.parse_memory_mb, parser=DOCLING if has_docling(enabled=docling) else PARSER)
    parser = _with_ocr(process, ocr, limits) if ocr else process
    if program := find_libreoffice():
        return ConvertingParser(parser, Converter(program, limits.parse_limit_s))
    packages = find_packages()
    return ConvertingParser(parser, PackageConverter(packages, limits.parse_limit_s)) if packages else parser


def _with_ocr(parser: ParserProcess, ocr: Ocr, limits: Ingest) -> ScanParser:
    from footnote.ingest.scans import ScanParser  # loads a part of the PDF parser, which AWS Lambda needs in the child only

    return ScanParser(parser, ocr, limits.parse_limit_s, limits.parse_memory_mb, with_pictures=limits.ocr == "images")
