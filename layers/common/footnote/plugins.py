"""What do installed packages add? File formats and embedders, which they declare as entry points.

    [project.entry-points."footnote.formats"]      file extension → parse(data: bytes, file_name: str) -> footnote.types.Parsed
    ics = "footnote_calendar:parse"

    [project.entry-points."footnote.embedders"]    EMBEDDING__PROVIDER → a factory, called with the settings that name it (`model`,
    trigrams = "footnote_calendar:Trigrams"        `dimension`, `base_url`, `api_key`), of a `footnote.ports.Embedder`

Packages are listed without being imported. One is imported when a file of its format, or its embedder, is asked for.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

FORMATS, EMBEDDERS = "footnote.formats", "footnote.embedders"


class BrokenPlugin(Exception):
    """A package cannot be loaded; the text names it and says why and what to do."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of an installed package."""

    name: str
    """A file extension without its dot, or the name of an embedder; in lower case."""
    package: str
    """With its version: `footnote-calendar 0.1.0`."""
    value: str
    """`module:attribute`."""

    def load(self) -> Any:
        """What it stands for. BrokenPlugin if the package cannot be imported."""
        module, _, attribute = self.value.partition(":")
        try:
            return getattr(import_module(module.strip()), attribute.strip())
        except Exception as exc:  # importing runs the package's code
            why = f"{type(exc).__name__}: {exc}".split("\n")[0][:200]
            raise BrokenPlugin(f"The package {self.package} cannot be loaded ({why}). Reinstall or remove it, then restart.") from exc

    def problem(self) -> str:
        """Why it cannot be loaded; "" = it can."""
        try:
            self.load()
        except BrokenPlugin as exc:
            return str(exc)
        return ""


def installed(group: str) -> dict[str, Plugin]:
    """Name → entry point of this group. If two packages take a name, the first by its own name has it."""
    return dict(_installed(group, tuple(sys.path)))


@lru_cache(maxsize=8)
def _installed(group: str, path: tuple[str, ...]) -> tuple[tuple[str, Plugin], ...]:
    from importlib.metadata import entry_points

    plugins: dict[str, Plugin] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.dist.name if entry.dist else ""):
        name = entry.name.lower().removeprefix(".")
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        plugins.setdefault(name, Plugin(name, package, entry.value.partition("[")[0]))
    return tuple(sorted(plugins.items()))
