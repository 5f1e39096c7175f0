"""Styles and numberings of a Word file: a heading's level, an item's number, what of a run is not shown as plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from footnote.ingest.parse.package import Element, attr, child, count, local
from footnote.ingest.parse.symbol_font import symbol_font

# Word stores the English names of its built-in styles in every language; other programs store localised names.
_HEADING = re.compile(
    r"(?:heading|überschrift|제목|titre|título|titolo|kop|rubrik|overskrift|nagłówek|заголовок|otsikko|标题|標題|見出し)\s*([1-9])"
)
_TITLES = frozenset(("title", "titel", "제목", "titre", "título", "titolo", "название", "标题", "標題", "表題"))
_CODE = re.compile(r"html preformatted|(?:source )?code(?: block)?|macro(?: text)?|plain code|quelltext")
_TOC = re.compile(r"(?:toc|verzeichnis|목차|tm|índice)\s*(\d)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SYLLABLES = "가나다라마바사아자차카타파하"
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
_MAX_LEVEL = 8
_RISE = 0.15
"""The share of its font size from which text is raised rather than adjusted to its neighbours."""
_USUAL_SIZE = 22
"""Half points."""
_NUMBER = re.compile(r"-?[0-9]{1,6}")


@dataclass(frozen=True)
class Style:
    """A paragraph's or run's style. `level`: a heading's level from 1, 0 = not a heading. `toc`: depth in a table of contents. `num`: (list
    id, level). `hidden`, `struck`: None = not specified. `position`: superscript, subscript, baseline; "" = not specified. `font`: a symbol
    font; "" = another one, None = not specified."""

    level: int = 0
    toc: int = 0
    caption: bool = False
    code: bool = False
    num: tuple[str, int] | None = None
    hidden: bool | None = None
    struck: bool | None = None
    position: str = ""
    font: str | None = None


class Look(NamedTuple):
    """How a run is shown. `position`: as in Style. `font`: the symbol font that it is in, if it is one."""

    hidden: bool = False
    struck: bool = False
    bold: bool = False
    position: str = ""
    font: str = ""


class Styles:
    """A document's styles. Each is read on first use, since most files define hundreds that are not used."""

    def __init__(self, root: Element | None) -> None:
        self._nodes = {attr(node, "styleId") or "": node for node in root if local(node) == "style"} if root is not None else {}
        self._found: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """A style with its inherited properties; by its name alone if the file does not define it."""
        if style_id not in self._found:
            chain: list[Element] = []
            at: str | None = style_id
            while at in self._nodes and self._nodes[at] not in chain:
                chain.append(self._nodes[at])
                at = attr(child(chain[-1], "basedOn"), "val")
            self._found[style_id] = _style(chain) if chain else style_of_name(re.sub(r"(?<=\D)(?=\d)", " ", style_id))
        return self._found[style_id]

    def look(self, properties: Element | None, paragraph: Style) -> Look:
        """How a run is shown: by its own properties, else by its style, else by that of its paragraph."""
        if properties is None:
            return Look(bool(paragraph.hidden), bool(paragraph.struck), False, paragraph.position, paragraph.font or "")
        found = {local(node): node for node in properties}
        style = self.of(attr(found["rStyle"], "val") or "") if "rStyle" in found else _PLAIN
        hidden = _first(_switch(found.get("vanish")), _toggled(style.hidden, paragraph.hidden))
        struck = _first(_switches(found), _toggled(style.struck, paragraph.struck))
        position = _position(found) or style.position or paragraph.position
        font = next((font for font in (_font(found), style.font, paragraph.font) if font is not None), "")
        return Look(bool(hidden), bool(struck), bool(_switch(found.get("b"))), position, font)


_PLAIN = Style()


def _switch(node: Element | None) -> bool | None:
    """A property that is on or off; None = not specified."""
    return None if node is None else attr(node, "val") not in ("0", "false", "off")


def _switches(properties: Mapping[str, Element]) -> bool | None:
    """Whether text is struck, with one line or two."""
    lines = [is_on for name in ("strike", "dstrike") if (is_on := _switch(properties.get(name))) is not None]
    return any(lines) if lines else None


def _position(properties: Mapping[str, Element]) -> str:
    """Whether a run is raised or lowered, by an alignment or by a distance from the line; "" = not specified."""
    if value := attr(properties.get("vertAlign"), "val"):
        return value
    if "position" not in properties:
        return ""
    rise = _half_points(properties["position"], 0)
    if abs(rise) < _RISE * _half_points(properties.get("sz"), _USUAL_SIZE):
        return "baseline"
    return "superscript" if rise > 0 else "subscript"


def _half_points(node: Element | None, default: float) -> float:
    value = attr(node, "val") or ""
    return float(value) if _NUMBER.fullmatch(value) else default


def _font(properties: Mapping[str, Element]) -> str | None:
    """The symbol font of a run; "" = another font, None = not specified."""
    names = {name for key in ("ascii", "hAnsi", "asciiTheme", "hAnsiTheme") if (name := attr(properties.get("rFonts"), key))}
    return symbol_font(names.pop()) if len(names) == 1 else "" if names else None


def _first(direct: bool | None, inherited: bool | None) -> bool | None:
    return inherited if direct is None else direct


def _toggled(run: bool | None, paragraph: bool | None) -> bool | None:
    """A run's style that switches on what its paragraph's has on switches it off."""
    return paragraph if run is None else run and not paragraph


def style_of_name(name: str) -> Style:
    """The style implied by a name, for files without style definitions."""
    name = name.lower().strip()
    heading, toc = _HEADING.fullmatch(name), _TOC.fullmatch(name)
    level = int(heading[1]) if heading else int(name in _TITLES)
    return Style(level, int(toc[1]) if toc else 0, name in ("caption", "beschriftung", "캡션"), bool(_CODE.fullmatch(name)))


def _style(chain: list[Element]) -> Style:
    """`chain`: from the style itself to its root."""
    names = [style_of_name(attr(child(node, "name"), "val") or "") for node in chain]
    outline = next((level for node in chain if (level := outline_level(child(node, "pPr"))) is not None), None)
    named = next((style.level for style in names if style.level), 0)
    runs = [{local(each): each for each in properties} for node in chain if (properties := child(node, "rPr")) is not None]
    return Style(
        level=named if outline is None else outline,
        toc=names[0].toc,
        caption=any(style.caption for style in names),
        code=any(style.code for style in names),
        num=next((num for node in chain if (num := numbering_of(child(node, "pPr")))), None),
        hidden=next((is_on for run in runs if (is_on := _switch(run.get("vanish"))) is not None), None),
        struck=next((is_on for run in runs if (is_on := _switches(run)) is not None), None),
        position=next((value for run in runs if (value := _position(run))), ""),
        font=next((font for run in runs if (font := _font(run)) is not None), None),
    )


def outline_level(properties: Element | None) -> int | None:
    """1 to 9; 0 = explicitly body text; None = not specified."""
    value = attr(child(properties, "outlineLvl"), "val")
    return (int(value) + 1) % 10 if value is not None and value.isdecimal() and int(value) <= 9 else None


def numbering_of(properties: Element | None) -> tuple[str, int] | None:
    """(list id, level) in these paragraph properties; None = not specified."""
    numbering = child(properties, "numPr")
    if numbering is None:
        return None
    return attr(child(numbering, "numId"), "val") or "", count(child(numbering, "ilvl"), "val", _MAX_LEVEL, 0)


@dataclass
class Numbering:
    """Counts the items of a document's lists."""

    formats: dict[str, dict[int, tuple[str, str, int]]] = field(default_factory=dict)
    """List id → level → (number format, pattern such as `%1.%2`, start)."""
    shared: dict[str, str] = field(default_factory=dict)
    """List id → id of the list whose counters it continues."""
    counters: dict[str, list[int]] = field(default_factory=dict)

    def marker(self, list_id: str, level: int) -> str:
        """The next item's number as displayed, `-` for a bullet, "" for none."""
        formats = self.formats.get(list_id, {})
        kind, pattern, start = formats.get(level, ("bullet", "", 1))
        counters = self.counters.setdefault(self.shared.get(list_id, list_id), [-1] * (_MAX_LEVEL + 1))
        counters[level] = counters[level] + 1 if counters[level] >= 0 else start
        counters[level + 1 :] = [-1] * (_MAX_LEVEL - level)
        if kind == "bullet":
            return "-"

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of_kind, _, first = formats.get(at, ("decimal", "", 1))
            return _written(counters[at] if counters[at] >= 0 else first, of_kind)

        return re.sub(r"%([1-9])", number, pattern) if kind != "none" else ""


def read_numbering(root: Element | None) -> Numbering:
    """Reads the numberings of `numbering.xml`."""
    numbering = Numbering()
    nodes = list(root) if root is not None else []
    abstract = {attr(node, "abstractNumId") or "": node for node in nodes if local(node) == "abstractNum"}
    for node in nodes:
        if local(node) != "num":
            continue
        list_id = attr(node, "numId") or ""
        base = attr(child(node, "abstractNumId"), "val") or ""
        levels = dict(_level(lvl) for lvl in abstract.get(base, ()) if local(lvl) == "lvl")
        overrides = [over for over in node if local(over) == "lvlOverride"]
        for over in overrides:
            at = count(over, "ilvl", _MAX_LEVEL, 0)
            if (lvl := child(over, "lvl")) is not None:
                levels[at] = _level(lvl)[1]
            if at in levels:
                levels[at] = (*levels[at][:2], count(child(over, "startOverride"), "val", 10_000, levels[at][2]))
        numbering.formats[list_id] = levels
        numbering.shared[list_id] = f"num {list_id}" if overrides else base
    return numbering


def _level(node: Element) -> tuple[int, tuple[str, str, int]]:
    kind, pattern = attr(child(node, "numFmt"), "val") or "decimal", attr(child(node, "lvlText"), "val") or ""
    return count(node, "ilvl", _MAX_LEVEL, 0), (kind, pattern, count(child(node, "start"), "val", 10_000))


def _written(number: int, kind: str) -> str:
    if number < 1 or number > 10_000:
        return str(number)
    if kind in ("lowerLetter", "upperLetter"):
        text = _LETTERS[(number - 1) % 26] * ((number - 1) // 26 + 1)
    elif kind in ("lowerRoman", "upperRoman"):
        text = ""
        for value, sign in _ROMAN:
            text += sign * (number // value)
            number %= value
    elif kind == "ganada":
        text = _SYLLABLES[(number - 1) % len(_SYLLABLES)]
    else:
        text = f"{number:02d}" if kind == "decimalZero" else str(number)
    return text.upper() if kind.startswith("upper") else text
