"""Finds the parts of a page that a click shows: the panels of accordions and tabs.

They are hidden until then, and people see them, so they are text of the page. Whatever else is hidden is not: a template, a menu, an
instruction for whoever reads the page by machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.html_frame import is_linked, letters

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CONTROLS = (
    "button, summary, label[for], [role=button], [role=tab], [aria-controls], [data-bs-target], [data-target], a[href^='#']:not([href='#'])"
)
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href", "for")
_SITE_TAGS = frozenset(("nav", "header", "form", "dialog"))
_SITE_ROLES = frozenset(("navigation", "banner", "search", "dialog", "alertdialog", "menu", "menubar", "listbox", "tooltip"))
_PANELS = frozenset(("div", "section", "article", "p", "dd", "ul", "ol", "table"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LINKED = 0.5
"""Share of a panel's text in links from which it is a menu."""
_LONGEST_LABEL = 120
_HIGHEST = 3
"""Elements that a button may be alone in, one in another: a heading, a frame for its style."""
_MOST_EXAMINED = 500_000
"""Characters of hidden panels that are looked at for links: panels may be nested."""
_MOST_ANCESTORS = 30


class Panels:
    """The panels of one page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._by_id: dict[str, LexborNode] = {}
        self._by_place: dict[int, LexborNode] = {}
        self._examined = 0
        beside: list[tuple[LexborNode, LexborNode]] = []
        labels: dict[str, set[str]] = {}
        for control in tree.css(_CONTROLS):
            attributes = control.attributes
            if own := attributes.get("id"):
                self._by_id.setdefault(f"#{own}", control)
            for target in {name for key in _TARGETS for name in _ids(key, attributes.get(key))}:
                self._by_id.setdefault(target, control)
            if _is_button(control, attributes) and (panel := _next_to(control)) is not None:
                beside.append((control, panel))
                labels.setdefault(attributes.get("class") or "", set()).add(label_of(control))
        for control, panel in beside:
            # a button that shows a part says so, or asks, or is one of several alike; "Copy" beside each piece of code is none
            look = control.attributes.get("class") or ""
            if _says_so(control) or (look and len(labels[look]) > 1) or is_hidden(panel.attributes):
                self._by_place[panel.mem_id] = control

    def opens(self, node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
        """Whether a click shows this hidden element, and it is no menu."""
        control = self._control_of(node, attributes)
        if control is None and attributes.get("role") != "tabpanel" and not _is_beside_shown(node, attributes):
            return False
        if _is_of_site(node) or (control is not None and _is_of_site(control)):
            return False
        if self._examined > _MOST_EXAMINED:
            return True
        self._examined += len(node.text())
        if node.css_first("form, nav, [role=menu], [role=navigation]") is not None:
            return False
        return letters(node) > 0 and not is_linked(node, _LINKED)

    def heading_of(self, node: LexborNode, attributes: Mapping[str, str | None]) -> str:
        """The text of the control that shows this element; "" if there is none, or if the element is shown and only linked to."""
        control = self._control_of(node, attributes)
        if control is None or node.tag not in _PANELS or _is_of_site(control):
            return ""
        if not (_is_button(control, control.attributes) or is_hidden(attributes)):
            return ""
        label = label_of(control)
        return label if len(label) <= _LONGEST_LABEL and any(map(str.isalpha, label)) else ""

    def _control_of(self, node: LexborNode, attributes: Mapping[str, str | None]) -> LexborNode | None:
        found = self._by_place.get(node.mem_id)
        if found is None and (own := attributes.get("id")):
            found = self._by_id.get(own)
        if found is None and (by := attributes.get("aria-labelledby")):
            found = next((each for name in by.split() if (each := self._by_id.get(f"#{name}")) is not None), None)
        return found


def is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """Whether the element's own attributes hide it."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = "".join((attributes.get("style") or "").lower().split())
    return "display:none" in style or "visibility:hidden" in style


def label_of(control: LexborNode) -> str:
    """What a control says, in one line."""
    return " ".join(spaced(control.text(separator=" ")).split())


def _ids(key: str, value: str | None) -> Iterator[str]:
    if not value or (key in ("href", "data-target", "data-bs-target") and not value.startswith("#")):
        return
    yield from (name.removeprefix("#") for name in value.split())


def _is_button(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    if node.tag == "button":
        return (attributes.get("type") or "") not in ("submit", "reset")
    return attributes.get("role") in ("button", "tab") or any(each in attributes for each in ("data-bs-target", "data-target"))


def _next_to(control: LexborNode) -> LexborNode | None:
    """The element after a button, or after the heading that is nothing but the button."""
    for _ in range(_HIGHEST):
        following = _beside(control, "next")
        if following is not None:
            return following if following.tag in _PANELS else None
        parent = control.parent
        if parent is None or parent.tag not in (*_HEADINGS, "div", "dt") or _beside(control, "prev") is not None:
            return None
        control = parent
    return None


def _beside(node: LexborNode, way: str) -> LexborNode | None:
    """The next sibling that is more than white space."""
    found: LexborNode | None = getattr(node, way)
    while found is not None and ((found.tag == "-text" and not (found.text_content or "").strip()) or found.tag == "-comment"):
        found = getattr(found, way)
    return found


def _is_beside_shown(node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
    """Whether an element that is hidden from screen readers only is one of several alike, of which the one beside it is shown."""
    names = (attributes.get("class") or "").split()
    if not names or node.tag not in _PANELS or "hidden" in attributes or "style" in attributes:
        return False
    for way in ("prev", "next"):
        other = _beside(node, way)
        if other is not None and other.tag == node.tag and (other.attributes.get("class") or "").split()[:1] == names[:1]:
            return not is_hidden(other.attributes)
    return False


def _says_so(control: LexborNode) -> bool:
    return "aria-expanded" in control.attributes or label_of(control).endswith(("?", "？"))


def _is_of_site(node: LexborNode) -> bool:
    """Whether an element is in what the site puts around the text, or in a window above it."""
    above: LexborNode | None = node
    for _ in range(_MOST_ANCESTORS):
        if above is None or above.tag in ("main", "article", "body"):
            return False
        attributes = above.attributes
        if above.tag in _SITE_TAGS or attributes.get("role") in _SITE_ROLES or attributes.get("aria-modal") == "true":
            return True
        above = above.parent
    return False
