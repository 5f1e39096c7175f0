"""Flattens HTML that nests deeper than any page: parsers and searches of its tree take time that grows with the square of its depth.

Browsers limit the depth, too: Chrome to 512 elements.
"""

from __future__ import annotations

import re
from collections import Counter

MOST_DEEP = 300
"""Open elements. Further ones are left out; what is in them is kept."""
_TAG = re.compile(r"<(?:(!--)|(/?)([A-Za-z][^\s/>]*))")
# fmt: off
_UNNESTED = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",  # without content
    "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "rp", "rt",  # end by themselves
))
# fmt: on
_RAW = ("script", "style", "textarea", "title", "noscript", "template", "iframe", "xmp")
"""Elements whose content is read as text, or not at all."""


def flatten(html: str) -> str:
    """The page without the tags of elements that more than MOST_DEEP others are open around."""
    if html.count("<") <= MOST_DEEP:
        return html
    lower = html.lower()
    open_: list[str] = []
    left_out: Counter[str] = Counter()
    kept: list[str] = []
    start = at = 0
    while match := _TAG.search(html, at):
        at = match.end()
        if match[1]:
            at = lower.find("-->", at)
            if at < 0:
                break
            continue
        tag, first = match[3].lower(), at - len(match[0])
        if tag in _UNNESTED:
            continue
        if match[2]:
            if left_out[tag]:
                left_out[tag] -= 1
            else:
                if tag in open_:
                    while open_.pop() != tag:
                        pass
                continue
        elif tag in _RAW:
            at = lower.find(f"</{tag}", at)
            if at < 0:
                break
            continue
        elif len(open_) < MOST_DEEP:
            open_.append(tag)
            continue
        else:
            left_out[tag] += 1
        end = html.find(">", at)
        if end < 0:
            break
        kept += [html[start:first], " "]
        start = at = end + 1
    return "".join([*kept, html[start:]]) if kept else html
