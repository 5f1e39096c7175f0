"""What the style sheets of a page or an e-book say about struck, raised and lowered text.

Word processors, converters and e-books name such text by classes. Of CSS this reads selectors of elements, classes and ids, and of those
around them; rules for a state (`:hover`) or a neighbour (`+`) say nothing about the text as it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_STYLE = re.compile(r"(?P<struck>text-decoration[\w-]*\s*:[^;]*line-through)|vertical-align\s*:\s*(?P<raised>super|sub)\b", re.IGNORECASE)
_COMPOUND = re.compile(r"(?P<tag>[\w-]*)(?P<names>(?:[.#][\w-]+)*)")
LONGEST_SHEETS = 2_000_000
"""Characters of style sheets that are read."""
_LONGEST_STYLE = 2_000
_LONGEST_SELECTOR = 200
_LONGEST_CLASSES = 1_000
_MOST_RULES = 1_000
_MOST_ALIKE = 20
"""Rules whose innermost name is the same."""
_MOST_EXAMINED = 1_000_000
"""Elements around others that are compared with selectors, so that no page of nested elements takes long."""


class _Compound(NamedTuple):
    """One part of a selector. `names`: its classes and ids, with their signs."""

    tag: str
    names: frozenset[str]

    def matches(self, tag: str, names: frozenset[str]) -> bool:
        return (not self.tag or self.tag == tag) and self.names <= names


class _Rule(NamedTuple):
    mark: str
    element: _Compound
    around: tuple[_Compound, ...]
    """From the inside out."""


class Styles:
    """The rules of style sheets that mark text, on top of those of `base`."""

    def __init__(self, sheets: Iterable[str], base: Styles | None = None) -> None:
        self._rules: dict[str, list[_Rule]] = {key: [*rules] for key, rules in base._rules.items()} if base else {}
        self._examined = 0
        length = number = 0
        for sheet in sheets:
            length += len(sheet)
            if length > LONGEST_SHEETS:
                break
            if "line-through" not in sheet and "vertical-align" not in sheet:
                continue
            for rule in _without_comments(sheet).split("}"):
                selectors, _, style = rule.rpartition("{")
                if number < _MOST_RULES and (mark := style_mark(style)):
                    number += 1
                    self._add(selectors, mark)

    def _add(self, selectors: str, mark: str) -> None:
        for selector in re.split(r"[{;]", selectors)[-1].split(","):  # `@media … {` and `@import …;` may stand before it
            if len(selector) > _LONGEST_SELECTOR:
                continue
            parts = [_COMPOUND.fullmatch(part) for part in re.split(r"[\s>]+", selector.strip())]
            compounds = [_Compound(part["tag"].lower(), frozenset(re.findall(r"[.#][\w-]+", part["names"]))) for part in parts if part]
            if len(compounds) < len(parts):
                continue
            *around, element = compounds
            alike = self._rules.setdefault(min(element.names, default=element.tag), [])
            if len(alike) < _MOST_ALIKE:
                alike.append(_Rule(mark, element, tuple(reversed(around))))

    def mark_of(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> str:
        """`struck`, `super` or `sub`; "" if no rule for the element says so."""
        if not self._rules or not (attributes or tag in self._rules):
            return ""
        names = _names(attributes)
        if self._rules.keys().isdisjoint(names) and tag not in self._rules:
            return ""
        rules = [rule for key in (tag, *names) for rule in self._rules.get(key, ())]
        found = {
            rule.mark for rule in rules if rule.element.matches(tag, names) and (not rule.around or self._is_within(node, rule.around))
        }
        return "struck" if "struck" in found else min(found, default="")

    def _is_within(self, node: LexborNode, around: tuple[_Compound, ...]) -> bool:
        left = list(reversed(around))
        outer = node.parent
        while left and outer is not None and self._examined < _MOST_EXAMINED:
            attributes = outer.attributes
            self._examined += 1 + len(attributes.get("class") or "") // _LONGEST_CLASSES
            if left[-1].matches(outer.tag or "", _names(attributes)):
                left.pop()
            outer = outer.parent
        return not left


def style_mark(style: str) -> str:
    """What the declarations of a style make of text: `struck`, `super`, `sub` or ""."""
    found = _STYLE.search(style[:_LONGEST_STYLE])
    return "" if found is None else "struck" if found["struck"] else found["raised"].lower()


def _names(attributes: Mapping[str, str | None]) -> frozenset[str]:
    names = ["." + name for name in classes[:_LONGEST_CLASSES].split()] if (classes := attributes.get("class")) else []
    if id_ := attributes.get("id"):
        names.append("#" + id_)
    return frozenset(names)


def _without_comments(sheet: str) -> str:
    first, *others = sheet.replace("<!--", "").split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)
