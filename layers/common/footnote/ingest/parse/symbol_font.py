"""The characters of the fonts Symbol and Wingdings, which office files name by their codes in the font."""

from __future__ import annotations

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + "\0" * 33
    + "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
"""From code 32."""
_WINGDINGS = {0x6F: "☐", 0x71: "☐", 0xA8: "☐", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑", 0xE0: "→", 0xDF: "←", 0xF0: "⇨", 0x4A: "☺"}
"""Those that mean something in a text: check marks and arrows."""
_FIRST = 0x20
_PRIVATE = 0xF000
"""Office also writes the codes within Unicode's private use area."""


def is_symbol_font(name: str) -> bool:
    """Whether a font of this name has characters of its own at the codes of letters."""
    return name.casefold() in ("symbol", "wingdings")


def symbol(font: str, code: int) -> str:
    """The character of a symbol font; "" if it is only decoration, or the font is another one."""
    code -= _PRIVATE if code >= _PRIVATE else 0
    if font.casefold() == "symbol":
        return _SYMBOL[code - _FIRST].strip("\0") if 0 <= code - _FIRST < len(_SYMBOL) else ""
    return _WINGDINGS.get(code, "") if font.casefold() == "wingdings" else ""
