"""Parses XML: a file of values, such as a list of records or an invoice, as JSON with the same content; any other, such as a style sheet,
as code. A file of values has no text between elements. Either most of it is repeated elements, or most elements hold a text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from footnote.ingest.parse import code
from footnote.ingest.parse.attached import Attached, Attachments, Letter, from_base64
from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.records import blocks_of
from footnote.types import Block, Parsed

_SHARE = 0.5
"""Of the elements of a file of records, at least so many are in repeated ones."""
_SHARE_OF_TEXTS = 0.7
"""Of the elements without others in a document, at least so many hold a text. In settings and layouts attributes hold the values."""
_UNITS = ("currencyID", "unitCode")
"""Attributes that hold the unit of a number, in the data types that invoices and orders share (UN/CEFACT)."""
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)")
_OFFICE = "schemas-microsoft-com:office"
"""In the namespace of Word and Excel 2003, whose XML is mostly looks: LibreOffice reads it where it is installed."""
_DATE_FORMAT = "102"
"""The format of a date without hyphens, in these data types."""


def parse(data: bytes) -> Parsed:
    """Parses XML; what is not well-formed is read as code."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True, huge_tree=False)
    try:
        root = etree.fromstring(data.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return code.parse(data)
    has_records = _has_records(root)
    if _OFFICE in (root.nsmap.get(root.prefix) or "") or not (has_records or _is_document(root)):
        return code.parse(data)
    above = [spaced(node.text or "") for node in root.itersiblings(preceding=True) if node.tag is etree.Comment]
    comments = [Block("paragraph", text) for text in reversed(above) if text]
    files: list[Attached] = []
    value = _value(root, files)
    attachments = Attachments()
    blocks = [*comments, *blocks_of(value, "" if has_records else _local(root.tag))]
    return attachments.parsed([*blocks, *(attachments.blocks(Letter("", [], [], files)) if files else ())])


def _is_document(root: Any) -> bool:
    """Whether most elements hold a text, and no element mixes text with other elements."""
    from lxml import etree

    texts = leaves = 0
    for element in root.iter():
        if element.tag is etree.Comment:
            continue
        if not isinstance(element.tag, str):  # an entity
            return False
        if len(element) == 0:
            leaves += 1
            texts += bool((element.text or "").strip())
        elif any(text and text.strip() for text in (element.text, *(child.tail for child in element))):
            return False
    return leaves > 1 and texts >= _SHARE_OF_TEXTS * leaves


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


def _value(element: Any, files: list[Attached]) -> Any:
    """The element as JSON would hold it: its attributes and the elements in it by their names, lists of those that are repeated; a text if
    it has neither. An element with nothing but repeated ones is a list, one with nothing but a part that is named like it is this part.

    `files`: collects the files in it."""
    from lxml import etree

    text = (element.text or "").strip()
    attributes = dict(element.attrib)
    if len(element) == 0 and "mimeCode" in attributes:
        return _file(text, attributes, files)
    if len(element) == 0 and text:
        text = " ".join((text, *(attributes.pop(name) for name in _UNITS if name in attributes)))
        if attributes.get("format") == _DATE_FORMAT and (date := _DATE.fullmatch(text)):
            del attributes["format"]
            text = "-".join(date.groups())
    found: dict[str, list[Any]] = {}
    for name, value in attributes.items():
        found.setdefault(_local(name), []).append(value)
    for child in element:
        name = "comment" if child.tag is etree.Comment else _local(child.tag)
        value = child.text if child.tag is etree.Comment else _value(child, files)
        if value not in (None, "", {}, []):
            found.setdefault(name, []).append(value)
    if not found:
        return text
    if text and len(element) == 0:
        found.setdefault(_local(element.tag), []).append(text)
    if len(found) == 1 and not attributes:
        (name, values), *_ = found.items()
        if len(element) > 1 and len(values) > 1:
            return values
        if len(values) == 1 and _local(element.tag).endswith(name):
            return values[0]
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _file(text: str, attributes: dict[str, str], files: list[Attached]) -> str:
    """The name of a file that an element holds."""
    if text:
        files.append(Attached(attributes.get("filename", ""), from_base64(text), attributes["mimeCode"]))
    return attributes.get("filename", "")


def _local(name: str) -> str:
    return str(name).rpartition("}")[2]
