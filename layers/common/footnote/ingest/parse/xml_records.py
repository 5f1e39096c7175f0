"""Parses XML: a file of records, which are repeated elements without text between their parts, as JSON with the same content; any other,
such as a style sheet, as code."""

from __future__ import annotations

from collections import Counter
from typing import Any

from footnote.ingest.parse import code
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.records import blocks_of
from footnote.types import Block, Parsed

_SHARE = 0.5
"""Of the elements of a file of records, at least so many are in repeated ones."""


def parse(data: bytes) -> Parsed:
    """Parses XML; what is not well-formed is read as code."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True, huge_tree=False)
    try:
        root = etree.fromstring(data.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return code.parse(data)
    if not _has_records(root):
        return code.parse(data)
    above = [spaced(node.text or "") for node in root.itersiblings(preceding=True) if node.tag is etree.Comment]
    comments = [Block("paragraph", text) for text in reversed(above) if text]
    return Parsed((*comments, *blocks_of(_value(root))))


def _has_records(root: Any) -> bool:
    """Whether the elements of one name, below one parent, are most of the file, and no element mixes text with other elements."""
    from lxml import etree

    sizes: dict[Any, int] = {}
    best = 0
    stack = [(root, False)]
    while stack:
        element, is_done = stack.pop()
        children = [child for child in element if child.tag is not etree.Comment]
        if any(not isinstance(child.tag, str) for child in children):  # an entity
            return False
        if children and any(text and text.strip() for text in (element.text, *(child.tail for child in element))):
            return False
        if not is_done:
            stack.append((element, True))
            stack.extend((child, False) for child in children)
            continue
        sizes[element] = 1 + sum(sizes[child] for child in children)
        repeated: Counter[str] = Counter()
        for child in children:
            repeated[child.tag] += sizes[child]
        count = Counter(child.tag for child in children)
        is_record = {child.tag: len(child) > 0 or len(child.attrib) > 0 for child in children}
        best = max([best, *(size for tag, size in repeated.items() if count[tag] > 1 and is_record[tag])])
    return best >= _SHARE * sizes[root]


def _value(element: Any) -> Any:
    """The element as JSON would hold it: its attributes and the elements in it by their names, lists of those that are repeated; a text if
    it has neither. An element with nothing but repeated ones is a list."""
    from lxml import etree

    found: dict[str, list[Any]] = {}
    for name, text in element.attrib.items():
        found.setdefault(_local(name), []).append(text)
    for child in element:
        name = "comment" if child.tag is etree.Comment else _local(child.tag)
        value = child.text if child.tag is etree.Comment else _value(child)
        if value not in (None, "", {}, []):
            found.setdefault(name, []).append(value)
    text = (element.text or "").strip()
    if not found:
        return text
    if text and len(element) == 0:
        found.setdefault(_local(element.tag), []).append(text)
    if len(found) == 1 and len(element) > 1 and not element.attrib and len(values := next(iter(found.values()))) > 1:
        return values
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _local(name: str) -> str:
    return str(name).rpartition("}")[2]
