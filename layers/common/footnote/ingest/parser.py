"""Chooses the parser of this machine."""

from __future__ import annotations

from importlib.util import find_spec

from footnote.ingest.child import DOCLING, PARSER, ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, find_libreoffice
from footnote.ports import Parser
from footnote.settings import Ingest


def make_parser(limits: Ingest, *, docling: bool) -> Parser:
    """A parser in a process of its own, with a converter for old formats where LibreOffice is installed.

    `docling`: Docling parses what it can, where it is installed."""
    process = ParserProcess(limits.parse_limit_s, limits.parse_memory_mb, parser=DOCLING if docling and find_spec("docling") else PARSER)
    program = find_libreoffice()
    return ConvertingParser(process, Converter(program, limits.parse_limit_s)) if program else process
