"""The characters of the fonts Symbol and Wingdings, which office files and PDFs name by their codes in the font."""

from __future__ import annotations

import re

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + "\0" * 33
    + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
"""From code 32."""
_BOXES = {0x6F: "☐", 0x71: "☐", 0xA8: "☐", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑"}
_WINGDINGS = _BOXES | {0xFB: "✗", 0xE0: "→", 0xDF: "←", 0xF0: "⇨", 0x4A: "☺"}
"""Those that mean something in a text: check marks and arrows."""
_FIRST = 0x20
_LAST = 0xFF
_PRIVATE = 0xF000
"""Office also writes the codes within Unicode's private use area."""
_PRIVATE_BOX = re.compile(f"[{''.join(chr(_PRIVATE + code) for code in _BOXES)}]")
_SUBSET = re.compile(r"[A-Z]{6}\+")
_NAMES = {"symbol": _SYMBOL, "symbolmt": _SYMBOL, "wingdings": _WINGDINGS}
CODES = frozenset(map(chr, _WINGDINGS))
"""The signs of Wingdings as they look where a file gives their codes as letters."""


def symbol_font(name: str) -> str:
    """The name of the font if it has characters of its own at the codes of letters, else "". `name`: also of an embedded part of the font,
    or with a style: `ABCDEF+Wingdings-Regular`."""
    base = _SUBSET.sub("", name.strip(" ;'\""), count=1).partition("-")[0].partition(",")[0].casefold()
    return base if base in _NAMES else ""


def symbol(font: str, code: int) -> str:
    """The character of a symbol font; "" if it is only decoration, or the font is another one."""
    code -= _PRIVATE if code >= _PRIVATE else 0
    base = symbol_font(font)
    if base == "wingdings":
        return _WINGDINGS.get(code, "")
    return _SYMBOL[code - _FIRST].strip("\0") if base and 0 <= code - _FIRST < len(_SYMBOL) else ""


def with_symbols(text: str, font: str = "") -> str:
    """Text as its font shows it. `font`: the symbol font that it is in; "" for any other, in which the boxes of Wingdings are read all the
    same: programs keep their codes where they lose the font."""
    if font:
        return "".join(symbol(font, ord(char)) if _is_code(char) else char for char in text)
    if text.isascii():
        return text
    return _PRIVATE_BOX.sub(lambda box: _BOXES[ord(box[0]) - _PRIVATE], text)


def _is_code(char: str) -> bool:
    code = ord(char)
    return _FIRST < code <= _LAST or _PRIVATE + _FIRST <= code <= _PRIVATE + _LAST
