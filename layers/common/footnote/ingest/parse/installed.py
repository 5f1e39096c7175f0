"""Formats that installed packages read. They run where Footnote's own parsers do: in a child process, within its limits."""

from __future__ import annotations

from pathlib import PurePosixPath

from footnote.errors import UnreadableFile
from footnote.plugins import BrokenPlugin, Plugin
from footnote.types import Block, Parsed

INSTALLED: dict[str, Plugin] = {}
"""File extension without its dot → the package that reads such files, whatever Footnote itself would make of them. Filled by the process
that parses (`footnote.ingest.child`), because looking for packages takes longer than reading a small file."""


def reader_of(file_name: str) -> Plugin | None:
    """The package that reads files of this name; None = none does."""
    return INSTALLED.get(PurePosixPath(file_name.replace("\\", "/")).suffix.lower().removeprefix(".")) if INSTALLED else None


def parse(plugin: Plugin, data: bytes, file_name: str) -> Parsed:
    """Parses a file by a package. UnreadableFile, naming the package, for whatever it does wrong."""
    try:
        parsed = plugin.load()(data, file_name)
        if not isinstance(parsed, Parsed) or not all(isinstance(block, Block) and isinstance(block.text, str) for block in parsed.blocks):
            raise TypeError
    except BrokenPlugin as exc:
        reason, _, remedy = str(exc).rpartition(". ")
        raise UnreadableFile(f"{reason}.", remedy) from exc
    except (UnreadableFile, MemoryError):
        raise
    except Exception as exc:  # without its text, which may hold that of the file
        why = f"The package {plugin.package} could not read this file ({type(exc).__name__})."
        raise UnreadableFile(why, "Check the file, or ask the authors of the package.") from exc
    return parsed
