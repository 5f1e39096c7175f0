"""Styles of an OpenDocument file: a heading's level, an item's marker, hidden text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.docx.styles import style_of_name
from footnote.ingest.parse.package import attr, child, count, local

if TYPE_CHECKING:
    from lxml.etree import _Element

_CODE = frozenset(("Preformatted_20_Text", "Preformatted Text"))


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


@dataclass
class Styles:
    """The styles of a file by name."""

    found: dict[str, Style] = field(default_factory=dict)
    numbered: set[tuple[str, int]] = field(default_factory=set)
    """(list style, depth from 0) of numbered lists."""
    headers: list[str] = field(default_factory=list)
    """The lines of page headers and footers."""

    def of(self, name: str | None) -> Style:
        """A style by name; the default style if it is unknown."""
        return self.found.get(name or "", _NONE)

    def marker(self, style: str, depth: int, number: int) -> str:
        """A list item's marker: its number, or `-` if the list has none."""
        return f"{number}." if (style, depth) in self.numbered else "-"


_NONE = Style()


def read_styles(*roots: _Element | None) -> Styles:
    """Reads the styles. `roots`: of styles.xml and content.xml."""
    styles = Styles()
    nodes: dict[str, _Element] = {}
    for root in roots:
        for node in root.iter("{*}style", "{*}list-style", "{*}master-page") if root is not None else ():
            tag, name = local(node), attr(node, "name") or ""
            if tag == "style":
                nodes[name] = node
            elif tag == "list-style":
                levels = (level for level in node if local(level) == "list-level-style-number" and attr(level, "num-format"))
                styles.numbered.update((name, count(level, "level", 10) - 1) for level in levels)
            else:
                lines = (
                    spaced("".join(p.itertext())) for part in node if local(part) in ("header", "footer") for p in part.iter("{*}p", "{*}h")
                )
                styles.headers += [line for line in lines if sum(sign.isalpha() for sign in line) > 3 and line not in styles.headers]
    for name in nodes:
        chain: list[_Element] = []
        at: str | None = name
        while at in nodes and nodes[at] not in chain:
            chain.append(nodes[at])
            at = attr(nodes[at], "parent-style-name")
        styles.found[name] = _style(chain, at or "")
    return styles


def _style(chain: list[_Element], last: str) -> Style:
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
        breaks=any(attr(child(node, "paragraph-properties"), "break-before") == "page" for node in chain[:1]),
    )
