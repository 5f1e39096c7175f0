"""Chooses the parser of this machine."""

from __future__ import annotations

import logging
from importlib.util import find_spec

from footnote.ingest.child import DOCLING, PARSER, ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, PackageConverter, find_libreoffice, find_packages
from footnote.ports import Parser
from footnote.settings import Ingest

log = logging.getLogger(__name__)

NO_DOCLING = "DOCLING_ENABLED is set, but docling is not installed: Footnote's own parsers read all files."
DOCLING_REMEDY = "Install docling where the server runs, or set DOCLING_ENABLED to false."


def lacks_docling(*, enabled: bool) -> bool:
    """Whether docling is wanted and not installed."""
    return enabled and find_spec("docling") is None


def make_parser(limits: Ingest, *, docling: bool) -> Parser:
    """A parser in a process of its own, with a converter for old formats where LibreOffice, or a package that converts some, is installed.

    `docling`: Docling parses what it can, where it is installed."""
    if missing := lacks_docling(enabled=docling):
        log.warning("%s %s", NO_DOCLING, DOCLING_REMEDY)
    process = ParserProcess(limits.parse_limit_s, limits.parse_memory_mb, parser=DOCLING if docling and not missing else PARSER)
    if program := find_libreoffice():
        return ConvertingParser(process, Converter(program, limits.parse_limit_s))
    packages = find_packages()
    return ConvertingParser(process, PackageConverter(packages, limits.parse_limit_s)) if packages else process
