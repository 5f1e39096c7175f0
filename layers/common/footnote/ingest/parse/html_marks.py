"""What marks of a page mean for its text: raised and lowered text, struck text, check boxes, links to notes and to their own place.

Marks are elements, inline styles, and classes that style sheets explain, as word processors export them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from footnote.ingest.parse.html_styles import Styles, style_mark
from footnote.ingest.parse.superscript import subscript, superscript

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_ELEMENTS = {**dict.fromkeys(("s", "strike", "del"), "struck"), "sup": "super", "sub": "sub", "input": "box"}
_INPUTS = {"checkbox": ("☐", "☑"), "radio": ("○", "◉")}
"""Kind of input → what stands for it where it is off and on."""
_BOXES = frozenset(("checkbox-on", "checkbox-off"))
"""Classes of the empty elements that are check boxes in pages that Notion exports."""
_HOLDERS = frozenset(("label", "li", "td", "th", "p", "dd"))
"""Elements of which a check box is a part. One that stands elsewhere, without a label and without text beside it, opens a menu."""
# fmt: off
_INLINE = frozenset((
    "a", "abbr", "b", "bdi", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s", "small", "span", "strong",
    "sub", "sup", "time", "u",
))
# fmt: on
_NOTE_ROLES = frozenset(("doc-noteref", "noteref"))
_MARKER = re.compile(r"[\[(]?\s*(?P<number>\d{1,4}|[a-z](?=\s*[\])]))\s*(?P<bracket>[\])])?")
"""The whole text of a link that is the marker of a note."""
_ENDS = '.,;:!?…"”“’»›%€$£)]'
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_LONGEST_RAISED = 40
"""Characters of raised text. Longer text that a style moves is a part of a page that is aligned."""
_NEAR = 8
"""Neighbours and elements within each other that are looked at for the text beside a box, and for the beginning of a note."""
_BEFORE, _AFTER = 8, 20
"""Pieces of text before a mark, and characters behind it, that say what it means."""


class Marks:
    """The marks of one page. `struck`: characters of struck text so far."""

    def __init__(self, tree: LexborHTMLParser, styles: Styles) -> None:
        self.struck = 0
        self._tree = tree
        self._styles = styles
        self._labels = {node.attributes.get("for") for node in tree.css("label[for]")} - {None}
        self._notes = frozenset(text for node in tree.css("sup") if _begins_block(node) and (text := node.text().strip("[]() \n")))

    def text_of(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], before: Sequence[str]) -> str | None:
        """The text that an element becomes; None = it has no such mark. `before`: the pieces of text before it in its paragraph."""
        mark = _ELEMENTS.get(tag) or self._mark(node, tag, attributes, before)
        if not mark or (mark == "struck" and "".join(before[-_BEFORE:]).rstrip().endswith(_INPUTS["checkbox"][1])):
            return None  # what is struck beside a checked box is done
        if mark == "struck":
            self.struck += len(node.text().strip())
            return ""
        if mark in ("super", "sub"):
            text = node.text()
            if tag not in _ELEMENTS and (not text.strip() or len(text) > _LONGEST_RAISED) and tag != "a":
                return None
            close = _close(before)
            if mark == "sub":
                return subscript(text, close)
            return superscript(text, close, _after(node), is_link=_is_reference(node), notes=self._notes)
        return self._box(node, attributes, before)

    def _mark(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None], before: Sequence[str]) -> str:
        if not attributes:
            return self._styles.mark_of(node, tag, attributes)
        if tag == "a":
            if attributes.get("role") in _NOTE_ROLES or attributes.get("epub:type") in _NOTE_ROLES:
                return "super"
            if _is_to_place(node):
                text = node.text().strip()
                if not any(map(str.isalnum, text)) and node.css_first("img, svg, math") is None:
                    return "super"  # ¶ beside a heading, ↩ below a note
                if len(text) <= _AFTER and self._is_marker(node, text, _close(before)):
                    return "super"
        if attributes.get("role") == "checkbox" and "aria-checked" in attributes:
            return "box"
        if (style := attributes.get("style")) and (mark := style_mark(style)):
            return mark
        if (names := attributes.get("class")) and "checkbox" in names and _BOXES.intersection(names.split()):
            return "box"
        return self._styles.mark_of(node, tag, attributes)

    def _is_marker(self, link: LexborNode, text: str, before: str) -> bool:
        """Whether a link that is not raised is the marker of a note: a number without a space before it. After a full stop it may also be
        the number of a figure (Fig.3), unless it is in brackets, follows a number or leads to a note."""
        marker = _MARKER.fullmatch(text)
        href = link.attributes.get("href") or ""
        if marker is None or not before or "//" in href:
            return False
        if before[-1].isalnum():
            return True
        if before[-1] not in _ENDS:
            return False
        return marker["bracket"] is not None or before[-2:-1].isdigit() or self._leads_to_note(href.partition("#")[2], marker["number"])

    def _leads_to_note(self, place: str, number: str) -> bool:
        """Whether a place of the page is an item of a list, or text that begins with the number."""
        node = self._places.get(place)
        if node is None or node.tag in _HEADINGS:
            return False
        return node.tag == "li" or _first_text(node).lstrip("[( ").startswith(number)

    @cached_property
    def _places(self) -> dict[str | None, LexborNode]:
        """Id or name → element."""
        return {node.attributes.get("id") or node.attributes.get("name"): node for node in self._tree.css("[id], a[name]")}

    def _box(self, node: LexborNode, attributes: Mapping[str, str | None], before: Sequence[str]) -> str | None:
        if node.tag != "input":
            is_on = attributes.get("aria-checked") == "true" or "checkbox-on" in (attributes.get("class") or "").split()
            return f" {_INPUTS['checkbox'][is_on]} "
        signs = _INPUTS.get((attributes.get("type") or "").lower())
        if signs is None or "role" in attributes:
            return None
        parent = node.parent
        is_part = attributes.get("id") in self._labels or (parent is not None and parent.tag in _HOLDERS)
        if not is_part and not _close(before).strip() and not _has_text_after(node):
            return None
        return f" {signs['checked' in attributes]} "


def _close(before: Sequence[str]) -> str:
    """The text before a mark, in the same line."""
    return "".join(before[-_BEFORE:]).rpartition("\0")[2]


def _has_text_after(node: LexborNode) -> bool:
    """Whether text follows in the same line, though it may be in another element."""
    at: LexborNode | None = node
    for _ in range(_NEAR):
        if at is None:
            return False
        following = at.next
        if following is None:
            at = at.parent if at.parent is not None and at.parent.tag in _INLINE else None
            continue
        at = following
        if at.tag == "-text" or at.tag in _INLINE:
            if at.text().strip():
                return True
        elif not (at.tag or "").startswith(("-", "!")):
            return False
    return False


def _first_text(node: LexborNode) -> str:
    """The text at the begin of an element, or behind it if it is empty."""
    at: LexborNode | None = node
    for _ in range(_NEAR):
        if at is None:
            break
        if at.tag == "-text" and (text := (at.text_content or "").strip()):
            return text
        at = at.child or at.next
    return ""


def _begins_block(node: LexborNode) -> bool:
    """Whether raised text is the first of a paragraph, as the number of a note is."""
    before = node.prev
    return before is None or (before.tag == "-text" and not (before.text_content or "").strip() and before.prev is None)


def _is_to_place(link: LexborNode) -> bool:
    return "#" in (link.attributes.get("href") or "")


def _is_reference(node: LexborNode) -> bool:
    """Whether raised text is a link to a place of a page."""
    if node.tag == "a":
        return _is_to_place(node) or "role" in node.attributes or "epub:type" in node.attributes
    if (link := node.css_first("a[href]")) is not None:
        return _is_to_place(link)
    parent = node.parent
    return parent is not None and parent.tag == "a" and _is_to_place(parent) and node.prev is None and node.next is None


def _after(node: LexborNode) -> str:
    """The text that follows in the same element."""
    following = node.next
    return (following.text_content or "")[:_AFTER] if following is not None and following.tag == "-text" else ""
