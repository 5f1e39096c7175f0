"""What marks of a page mean for its text: raised and lowered text, struck text, check boxes, links to notes and to their own place.

Marks are elements, inline styles, and classes that a page's own style sheet explains, as word processors export them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from footnote.ingest.parse.superscript import subscript, superscript

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_ELEMENTS = {**dict.fromkeys(("s", "strike", "del"), "struck"), "sup": "super", "sub": "sub", "input": "box"}
_INPUTS = {"checkbox": ("☐", "☑"), "radio": ("○", "◉")}
"""Kind of input → what stands for it where it is off and on."""
_BOXES = frozenset(("checkbox-on", "checkbox-off"))
"""Classes of the empty elements that are check boxes in pages that Notion exports."""
_HOLDERS = frozenset(("label", "li", "td", "th", "p", "dd"))
"""Elements of which a check box is a part. One that stands elsewhere and has no label opens a menu."""
_NOTE_ROLES = frozenset(("doc-noteref", "noteref"))
_STYLE = re.compile(r"(?P<struck>text-decoration[\w-]*\s*:[^;]*line-through)|vertical-align\s*:\s*(?P<raised>super|sub)\b", re.IGNORECASE)
_RULE = re.compile(r"(?:^|[{},;>])\s*\.([\w-]+)\s*(?:,[^{}]{0,200})?\{([^{}]{0,500})\}")
_MOST_RULES = 5_000
_BEFORE, _AFTER = 8, 20
"""Pieces of text before a mark, and characters behind it, that say what it means."""


class Marks:
    """The marks of one page. `struck`: characters of struck text so far."""

    def __init__(self, tree: LexborHTMLParser, sheets: Sequence[str] = ()) -> None:
        self.struck = 0
        self._labels = {node.attributes.get("for") for node in tree.css("label[for]")} - {None}
        self._notes = frozenset(text for node in tree.css("sup") if _begins_block(node) and (text := node.text().strip("[]() \n")))
        self._classes: dict[str, str] = {}
        for sheet in sheets:
            if "line-through" in sheet or "vertical-align" in sheet:
                for rule in islice(_RULE.finditer(sheet), _MOST_RULES):
                    if mark := _style_mark(rule[2]):
                        self._classes[rule[1]] = mark

    def text_of(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], before: Sequence[str]) -> str | None:
        """The text that an element becomes; None = it has no such mark. `before`: the pieces of text before it in its paragraph."""
        mark = _ELEMENTS.get(tag) or self._mark(node, tag, attributes)
        if not mark or (mark == "struck" and "".join(before[-_BEFORE:]).rstrip().endswith(_INPUTS["checkbox"][1])):
            return None  # what is struck beside a checked box is done
        if mark == "struck":
            self.struck += len(node.text().strip())
            return ""
        if mark in ("super", "sub"):
            text = node.text()
            close = "".join(before[-_BEFORE:]).rpartition("\0")[2]
            if mark == "sub":
                return subscript(text, close)
            return superscript(text, close, _after(node), is_link=_is_reference(node), notes=self._notes)
        return self._box(node, attributes)

    def _mark(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> str:
        if not attributes:
            return ""
        if tag == "a":
            if attributes.get("role") in _NOTE_ROLES or attributes.get("epub:type") in _NOTE_ROLES:
                return "super"
            if (
                "#" in (attributes.get("href") or "")
                and not any(map(str.isalnum, node.text()))
                and node.css_first("img, svg, math") is None
            ):
                return "super"  # ¶ beside a heading, ↩ below a note
        if attributes.get("role") == "checkbox" and "aria-checked" in attributes:
            return "box"
        if (style := attributes.get("style")) and (mark := _style_mark(style)):
            return mark
        if names := attributes.get("class"):
            found = _BOXES.intersection(names.split()) if "checkbox" in names else ()
            return "box" if found else next((self._classes[name] for name in names.split() if name in self._classes), "")
        return ""

    def _box(self, node: LexborNode, attributes: Mapping[str, str | None]) -> str | None:
        if node.tag != "input":
            is_on = attributes.get("aria-checked") == "true" or "checkbox-on" in (attributes.get("class") or "").split()
            return f" {_INPUTS['checkbox'][is_on]} "
        signs = _INPUTS.get((attributes.get("type") or "").lower())
        if signs is None or "role" in attributes:
            return None
        parent = node.parent
        if attributes.get("id") not in self._labels and (parent is None or parent.tag not in _HOLDERS):
            return None
        return f" {signs['checked' in attributes]} "


def _style_mark(style: str) -> str:
    found = _STYLE.search(style)
    return "" if found is None else "struck" if found["struck"] else found["raised"].lower()


def _begins_block(node: LexborNode) -> bool:
    """Whether raised text is the first of a paragraph, as the number of a note is."""
    before = node.prev
    return before is None or (before.tag == "-text" and not (before.text_content or "").strip() and before.prev is None)


def _is_to_place(link: LexborNode) -> bool:
    return "#" in (link.attributes.get("href") or "")


def _is_reference(node: LexborNode) -> bool:
    """Whether raised text is a link to a place of a page."""
    if node.tag == "a":
        return True
    if (link := node.css_first("a[href]")) is not None:
        return _is_to_place(link)
    parent = node.parent
    return parent is not None and parent.tag == "a" and _is_to_place(parent) and node.prev is None and node.next is None


def _after(node: LexborNode) -> str:
    """The text that follows in the same element."""
    following = node.next
    return (following.text_content or "")[:_AFTER] if following is not None and following.tag == "-text" else ""
