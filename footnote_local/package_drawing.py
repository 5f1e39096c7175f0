"""`python -m footnote_local.package_drawing` draws assets/packages.svg: the packages in the layers that import-linter enforces."""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from footnote_local.drawing import ASSETS, LEFT, ROOT, WIDTH, line, svg, text

DRAWING = ASSETS / "packages.svg"
SOURCES = (ROOT / "layers" / "common", *(ROOT / "functions").iterdir(), ROOT)
GAP, CHARACTER = 10, 5.6
"""Between two boxes, and the mean width of a letter, in pixels."""
NEVER = "They do not import one another."


def draw() -> str:
    """The SVG: higher packages import lower ones, never the other way round."""
    outside, inside = layers_of("")[:-1], layers_of("footnote")
    parts = [text(24, 26, "Every import points down. A solid box is a package, a dashed one a module.", "s")]
    y = 46
    for title, prefix, layers in (("Programs", "", outside), ("The core: footnote", "footnote.", inside)):
        parts += [line(y), text(24, y + 27, title, "h")]
        for names, separate in layers:
            drawn, height = _layer([f"{prefix}{name}" for name in names], y + 12)
            parts += drawn
            if separate:
                parts += [text(24, y + 45 + place * 15, words, "s") for place, words in enumerate(textwrap.wrap(NEVER, 24))]
            y += height + GAP
        y += 14
    return svg("The packages of Footnote in their layers, each with the question that it answers", y, parts)


def layers_of(container: str) -> list[tuple[list[str], bool]]:
    """Top first: the names of a layer, and whether they may not import one another. `container`: "" = the programs themselves."""
    contracts: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    containers = [container] if container else []
    (contract,) = (candidate for candidate in contracts if candidate["type"] == "layers" and candidate.get("containers", []) == containers)
    return [(re.split(r"\s*[|:]\s*", layer), "|" in layer) for layer in contract["layers"]]


def summary_of(name: str) -> str:
    """The first sentence of the docstring of a package or a module: its question, or its content."""
    docstring = ast.get_docstring(ast.parse(source_of(name).read_text("utf-8"))) or ""
    paragraph = " ".join(docstring.split("\n\n")[0].split()).replace("`", "")
    return re.split(r"(?<=[.?]) (?=[A-Z])", paragraph)[0]


def source_of(name: str) -> Path:
    """Of a package, its `__init__.py`."""
    place = Path(*name.split("."))
    candidates = (path for base in SOURCES for path in (base / place / "__init__.py", base / place.with_suffix(".py")))
    return next(path for path in candidates if path.is_file())


def _layer(names: Sequence[str], y: int) -> tuple[list[str], int]:
    """Its boxes, at most four beside one another, and how high they are together."""
    columns = min(4, len(names))
    width = (WIDTH - 24 - LEFT - GAP * (columns - 1)) // columns
    rows = [names[first : first + columns] for first in range(0, len(names), columns)]
    parts: list[str] = []
    start = y
    for row in rows:
        words = {name: textwrap.wrap(summary_of(name), int((width - 20) / CHARACTER)) for name in row}
        height = 30 + 14 * max(map(len, words.values()))
        for place, name in enumerate(row):
            parts += _box(name, words[name], LEFT + place * (width + GAP), y, width, height)
        y += height + GAP
    return parts, y - start - GAP


def _box(name: str, words: Sequence[str], x: int, y: int, width: int, height: int) -> Iterator[str]:
    shape = "" if source_of(name).name == "__init__.py" else ' class="o"'
    yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5"{shape}/>'
    yield text(x + 10, y + 18, name.removeprefix("footnote."), "n")
    yield from (text(x + 10, y + 34 + place * 14, line, "s") for place, line in enumerate(words))


if __name__ == "__main__":
    DRAWING.write_text(draw(), "utf-8")
