"""The common parts of drawings generated from code: size, style, and text. They are readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "assets"
WIDTH, LEFT = 1090, 180
"""Of a drawing, and where its second column begins, in pixels."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#424a53}.h{font-weight:600;font-size:13px;fill:#1f2328}.s{font-size:11px;fill:#57606a}"
    ".n{fill:#7c2d12;font-weight:600;font-family:ui-monospace,monospace}.f{fill:#9a3412;font-size:11px}"
    "rect{fill:#ffedd5;stroke:#fdba74}.o{stroke-dasharray:4 3}path{stroke:#a8b3bd;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#adbac7}.h{fill:#e6edf3}.s{fill:#9198a1}rect{fill:#431407;stroke:#9a3412}"
    ".n{fill:#fed7aa}.f{fill:#fdba74}}"
)


def text(x: int, y: int, words: str, kind: str = "", *, anchor: str = "") -> str:
    """`kind`: a class of STYLE, h = heading, s = small, n = name in code, f = failure."""
    chosen = "".join(f' {name}="{value}"' for name, value in (("text-anchor", anchor), ("class", kind)) if value)
    return f'<text x="{x}" y="{y}"{chosen} xml:space="preserve">{escape(words)}</text>'


def line(y: int) -> str:
    """Across the drawing."""
    return f'<path d="M24 {y}H{WIDTH - 24}"/>'


def svg(label: str, height: int, parts: Sequence[str]) -> str:
    """The whole file; `label` describes it for screen readers."""
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>\n"])
