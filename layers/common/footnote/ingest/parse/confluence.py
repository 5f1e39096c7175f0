"""Parses a Confluence page in storage format: XHTML with elements for macros (`ac:`) and resources (`ri:`).

A stored page is an `<ac:confluence>` element with the page's title and body. It is translated to HTML, which the HTML parser
turns into blocks. What Confluence computes when it shows a page, such as a table of contents or a list of issues, is not in it.
"""

from __future__ import annotations

import html as entities
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape

from footnote.errors import UnreadableFile
from footnote.ingest.parse import html
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.notes import check_mark
from footnote.ingest.parse.package import Element, attr, damaged, local
from footnote.types import Parsed

NAMESPACES = 'xmlns:ac="http://atlassian.com/content" xmlns:ri="http://atlassian.com/resource/identifier"'
INCOMPLETE = (
    "Parts of this page could not be read: it is not well-formed, nested too deeply, or has more than 10 MB of text in one element."
)
_ENTITY = re.compile(r"<!\[CDATA\[.*?\]\]>|&(?!(?:amp|lt|gt|quot|apos);)(?:#?\w+;)?", re.DOTALL)
_CELL = frozenset(("p", "div", "pre", "blockquote", "ul", "ol", "li", "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6"))
"""Blocks that become plain lines in a cell of a table; the HTML parser takes a table that contains them for a layout."""
_HTML = _CELL | frozenset(
    "a abbr b big caption cite code col colgroup dd del dl dt em figcaption figure i ins kbd q s samp section small span strike strong"
    " sub sup tbody td tfoot th thead u var".split()
)
_VOID = frozenset(("br", "hr"))
_BLOCKS = frozenset(("rich-text-body", "layout", "layout-section", "layout-cell"))
_UNSHOWN = frozenset(("parameter", "default-parameter", "placeholder", "task-id", "task-status", "task-uuid"))
_SIGNS = {"tick": "✔", "cross": "✘", "warning": "⚠", "information": "ℹ", "plus": "+", "minus": "−", "question": "?"}
"""Emoticons that say something, for example whether a feature is supported."""


def make_file(page_id: str, title: str, body: str) -> bytes:
    """A page as it is stored and parsed. It contains the id, so that two pages with the same text are two documents."""
    return f'<ac:confluence {NAMESPACES} ac:id="{escape(page_id)}"><title>{escape(title)}</title>\n{body}\n</ac:confluence>\n'.encode()


def parse(data: bytes) -> Parsed:
    """Parses a page that was stored by `make_file`."""
    root, is_whole = _read(decode(data, "utf-8"))
    title = next(("".join(node.itertext()) for node in root if node.tag == "title"), "")
    parsed = html.parse_text(f"<title>{escape(title)}</title><body>{_inside(root, False)}</body>")
    return parsed if is_whole else replace(parsed, reason=INCOMPLETE, remedy="Check the page in Confluence, or split it, and add it again.")


def _read(text: str) -> tuple[Element, bool]:
    """The root, and whether all of the text is in it."""
    from lxml import etree

    # The namespaces of templates and other plugins may be undeclared, hence `recover`.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True)
    root: Element | None = etree.fromstring(_ENTITY.sub(_named, text).encode(), parser)
    if root is None:
        raise damaged()
    if root.getroottree().docinfo.internalDTD is not None:
        raise UnreadableFile("This file defines entities, which a page of Confluence does not.", "Export the page again and add that.")
    return root, not parser.error_log.filter_from_fatals()  # undeclared namespaces are mere errors


def _named(match: re.Match[str]) -> str:
    """XML knows five named entities only, and not every character; code in CDATA stays as it is."""
    return match[0] if match[0].startswith("<") else escape(entities.unescape(match[0]))


def _inside(node: Element, in_cell: bool) -> str:
    """The HTML of a node's text and children."""
    parts = [escape(node.text or "")]
    for child in node:
        parts += (_html(child, in_cell), escape(child.tail or ""))
    return "".join(parts)


def _html(node: Element, in_cell: bool) -> str:
    if not isinstance(node.tag, str):  # a reference to an entity
        return ""
    tag = local(node)
    if node.tag == tag:
        return _element(node, tag, in_cell)
    if tag in ("structured-macro", "macro"):
        return _macro(node, in_cell)
    if tag in _UNSHOWN:
        return ""
    if write := _WRITERS.get(tag):
        return write(node, in_cell)
    inside = _inside(node, in_cell)
    return f"<div>{inside}</div>" if tag in _BLOCKS else inside


def _element(node: Element, tag: str, in_cell: bool) -> str:
    if tag in _VOID:
        return f"<{tag}>"
    if tag == "title":
        return ""
    if tag == "time":
        return escape(attr(node, "datetime") or "") + _inside(node, in_cell)
    if tag == "img":
        return _image(attr(node, "alt"))
    if in_cell and tag in _CELL:
        return f"<div>{'• ' if tag == 'li' else ''}{_inside(node, True)}</div>"
    if tag not in _HTML:
        return _inside(node, in_cell)
    kept = "".join(f' {name}="{escape(value)}"' for name in ("colspan", "rowspan", "style") if (value := attr(node, name)))
    return f"<{tag}{kept}>{_inside(node, in_cell or tag in ('td', 'th'))}</{tag}>"


# --- macros --------------------------------------------------------------------------------------


def _macro(node: Element, in_cell: bool) -> str:
    """A macro's title and body. One without a body is computed by Confluence, except for those whose parameters are shown."""
    name = attr(node, "name") or ""
    parameters = {attr(child, "name"): "".join(child.itertext()) for child in node if local(child) == "parameter"}
    title = escape(parameters.get("title", ""))
    if name == "status":
        return title
    if name == "jira":
        return escape(parameters.get("key", ""))
    bodies = [child for child in node if local(child) in ("rich-text-body", "plain-text-body")]
    if not bodies or name == "style":
        return ""
    if parameters.get("atlassian-macro-output-type") == "INLINE" and local(bodies[0]) == "rich-text-body":
        return _inside(bodies[0], in_cell)
    head = f"<div>{title}</div>" if title else ""
    return head + "".join(_body(body, name, in_cell) for body in bodies)


def _body(body: Element, name: str, in_cell: bool) -> str:
    if local(body) == "rich-text-body":
        return _html(body, in_cell)
    text = "".join(body.itertext())
    if name == "html":
        return f"<div>{text}</div>"
    # The HTML parser drops a line break at the start of <pre>, so the indent of the first line is kept.
    return f"<div>{escape(text)}</div>" if in_cell else f"<pre>\n{escape(text)}</pre>"


# --- other elements ------------------------------------------------------------------------------


def _link(node: Element, in_cell: bool) -> str:
    """The link's text, else the name of its target. A mentioned user has a key only, and no name."""
    for child in node:
        if local(child) in ("plain-text-link-body", "link-body") and "".join(child.itertext()).strip():
            return _inside(child, in_cell)
    names = ("content-title", "filename", "username", "space-key", "value")
    target = next((value for child in node for name in names if (value := attr(child, name))), None)
    return escape(target or attr(node, "anchor") or "")


def _picture(node: Element, in_cell: bool) -> str:
    captions = [escape("".join(child.itertext())) for child in node if local(child) == "caption"]
    shown = "".join(f"<div>{caption}</div>" if in_cell else f"<figcaption>{caption}</figcaption>" for caption in captions)
    return _image(attr(node, "alt") or attr(node, "title")) + shown


def _image(alt: str | None) -> str:
    return f'<img alt="{escape(alt)}">' if alt else ""


def _emoticon(node: Element, in_cell: bool) -> str:
    sign = attr(node, "emoji-fallback") or ""
    return _SIGNS.get(attr(node, "name") or "") or ("" if sign.isascii() else escape(sign))


def _tasks(node: Element, in_cell: bool) -> str:
    """A task list as a list whose items begin with ☐ or ☑."""
    items = []
    for task in (child for child in node if local(child) == "task"):
        parts = {local(child): child for child in task}
        sign = check_mark(checked="task-status" in parts and (parts["task-status"].text or "").strip() == "complete")
        items.append(f"{sign} " + (_inside(parts["task-body"], in_cell) if "task-body" in parts else ""))
    if in_cell:
        return "".join(f"<div>{item}</div>" for item in items)
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


_WRITERS: dict[str, Callable[[Element, bool], str]] = {
    "link": _link,
    "image": _picture,
    "emoticon": _emoticon,
    "task-list": _tasks,
}
