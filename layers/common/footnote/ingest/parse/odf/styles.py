"""The styles of OpenDocument files by name, and what they say about text: headings, lists, hidden, struck and raised text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from footnote.ingest.parse.docx.styles import style_of_name
from footnote.ingest.parse.package import Element, attr, child, count, local
from footnote.ingest.parse.symbol_font import symbol_font

_CODE = frozenset(("Preformatted_20_Text", "Preformatted Text"))
_HEADERS = frozenset(("header", "header-left", "header-first", "footer", "footer-left", "footer-first"))


@dataclass(frozen=True)
class Style:
    """A paragraph or text style with its inherited properties."""

    level: int = 0
    """A heading's level, from 1."""
    code: bool = False
    caption: bool = False
    bold: bool = False
    hidden: bool = False
    breaks: bool = False
    """Whether a page break precedes it."""
    struck: bool | None = None
    """None = not specified: as the text around it."""
    position: str | None = None
    """`super`, `sub` or, on the line, ""; None = not specified."""
    font: str | None = None
    """A symbol font; "" = another one, None = not specified."""

    def within(self, outer: Style) -> Style:
        """This style of text within other text."""
        return replace(
            self,
            struck=outer.struck if self.struck is None else self.struck,
            position=outer.position if self.position is None else self.position,
            font=outer.font if self.font is None else self.font,
        )


@dataclass
class Styles:
    """The styles of a file by name. Each is read on first use."""

    nodes: dict[str, Element] = field(default_factory=dict)
    found: dict[str, Style] = field(default_factory=dict)
    numbered: set[tuple[str, int]] = field(default_factory=set)
    """(list style, depth from 0) of numbered lists."""
    fonts: dict[str, str] = field(default_factory=dict)
    """Name → family of the fonts."""
    headers: list[Element] = field(default_factory=list)
    """Page headers and footers."""

    def of(self, name: str | None) -> Style:
        """A style by name; the default style if it is unknown."""
        name = name or ""
        if name not in self.nodes:
            return _NONE
        if name not in self.found:
            chain: list[Element] = []
            at: str | None = name
            while at in self.nodes and self.nodes[at] not in chain:
                chain.append(self.nodes[at])
                at = attr(chain[-1], "parent-style-name")
            self.found[name] = _style(chain, at or "", self.fonts)
        return self.found[name]

    def marker(self, style: str, depth: int, number: int) -> str:
        """A list item's marker: its number, or `-` if the list has none."""
        return f"{number}." if (style, depth) in self.numbered else "-"


_NONE = Style()


def read_styles(*roots: Element | None) -> Styles:
    """Reads the styles. `roots`: of styles.xml and content.xml."""
    styles = Styles()
    for root in roots:
        for node in root.iter("{*}style", "{*}list-style", "{*}master-page", "{*}font-face") if root is not None else ():
            tag, name = local(node), attr(node, "name") or ""
            if tag == "style":
                styles.nodes[name] = node
            elif tag == "font-face":
                styles.fonts[name] = attr(node, "font-family") or name
            elif tag == "list-style":
                levels = (level for level in node if local(level) == "list-level-style-number" and attr(level, "num-format"))
                styles.numbered.update((name, count(level, "level", 10) - 1) for level in levels)
            else:
                styles.headers += [part for part in node if local(part) in _HEADERS and attr(part, "display") != "false"]
    return styles


def _style(chain: list[Element], last: str, fonts: Mapping[str, str]) -> Style:
    """`chain`: from the style itself to its root. `last`: the root's name, which may be all that is known of it."""
    names = [*(attr(node, "display-name") or attr(node, "name") or "" for node in chain), last]
    weight = next((value for node in chain if (value := attr(child(node, "text-properties"), "font-weight"))), "")
    return Style(
        level=next((level for name in names if (level := style_of_name(name.replace("_20_", " ")).level)), 0),
        code=not _CODE.isdisjoint(names),
        caption="Caption" in names,
        bold=weight == "bold",
        hidden=any(attr(child(node, "text-properties"), "display") == "none" for node in chain)
        or attr(child(chain[0], "table-properties"), "display") == "false",
        struck=next((is_on for node in chain if (is_on := _struck(child(node, "text-properties"))) is not None), None),
        position=next((value for node in chain if (value := _position(child(node, "text-properties"))) is not None), None),
        font=next((value for node in chain if (value := _font(child(node, "text-properties"), fonts)) is not None), None),
        breaks=any(attr(child(node, "paragraph-properties"), "break-before") == "page" for node in chain[:1]),
    )


def _font(properties: Element | None, fonts: Mapping[str, str]) -> str | None:
    name = attr(properties, "font-name")
    family = fonts.get(name, name) if name else attr(properties, "font-family")
    return symbol_font(family) if family else None


def _struck(properties: Element | None) -> bool | None:
    lines = [value for name in ("style", "type") if (value := attr(properties, f"text-line-through-{name}"))]
    return any(value != "none" for value in lines) if lines else None


def _position(properties: Element | None) -> str | None:
    """`super 58%`, `33% 58%` → super."""
    value = attr(properties, "text-position")
    if not value:
        return None
    how = value.split()[0]
    return how if how in ("super", "sub") else "sub" if how.startswith("-") else "super" if how.strip("0.%") else ""
