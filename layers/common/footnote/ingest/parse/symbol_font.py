"""The characters of the fonts Symbol and Wingdings, which office files and PDFs name by their codes in the font."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + "\0" * 33
    + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
"""From code 32."""
_BOXES = {0x6F: "☐", 0x71: "☐", 0xA8: "☐", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"}
_WINGDINGS = _BOXES | {0xFB: "✗", 0xE0: "→", 0xDF: "←", 0xF0: "⇨", 0x4A: "☺"}
"""Those that mean something in a text: check marks and arrows."""
_CODES = range(0x20, 0x100)
_PRIVATE = 0xF000
"""Office also writes the codes within Unicode's private use area."""
_PRIVATE_BOX = re.compile(f"[{''.join(chr(_PRIVATE + code) for code in _BOXES)}]")
_SUBSET = re.compile(r"[A-Z]{6}\+")
CODES = frozenset(map(chr, _WINGDINGS))
"""The signs of Wingdings as they look where a file gives their codes as letters."""


def _table(signs: Mapping[int, str]) -> dict[int, str]:
    """Code, also as a private character → the sign; "" for decoration."""
    return {base + code: signs.get(code, "").strip("\0") for base in (0, _PRIVATE) for code in _CODES} | {0x20: " "}


_SYMBOLS = _table(dict(enumerate(_SYMBOL, _CODES[0])))
_TABLES = {"symbol": _SYMBOLS, "symbolmt": _SYMBOLS, "wingdings": _table(_WINGDINGS)}


def symbol_font(name: str) -> str:
    """The name of the font if it has characters of its own at the codes of letters, else "". `name`: also of an embedded part of the font,
    or with a style: `ABCDEF+Wingdings-Regular`."""
    base = _SUBSET.sub("", name.strip(" ;'\""), count=1).partition("-")[0].partition(",")[0].casefold()
    return base if base in _TABLES else ""


def symbol(font: str, code: int) -> str:
    """The character of a symbol font; "" if it is only decoration, or the font is another one."""
    return _TABLES.get(symbol_font(font), {}).get(code, "")


def with_symbols(text: str, font: str = "") -> str:
    """Text as its font shows it. `font`: from `symbol_font`; in any other, the boxes of Wingdings are read all the same, because programs
    keep their codes where they lose the font."""
    if font:
        return text.translate(_TABLES[font])
    return text if text.isascii() else _PRIVATE_BOX.sub(lambda box: _BOXES[ord(box[0]) - _PRIVATE], text)
