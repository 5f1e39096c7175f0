"""Parses HTML: the main text, without menus, scripts and footers.

HTML that nests deeper than any page is flattened first: parsers and searches of its tree take time that grows with the square of its
depth. Browsers limit the depth, too: Chrome to 512 elements.

Pairs of question and answer are those that the markup names: `details`, terms that ask, and schema.org's Question, as attributes or as data
for search engines (JSON-LD)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnote.ingest.parse import html_tables, mathml
from footnote.ingest.parse.decode import clean, decode, spaced
from footnote.ingest.parse.html_frame import Frame, footers, main_part
from footnote.ingest.parse.html_marks import Marks
from footnote.ingest.parse.html_panels import Panels, is_hidden
from footnote.ingest.parse.html_styles import Styles
from footnote.ingest.parse.html_tables import children
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, BlockKind, Pair, Parsed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CHARSET = re.compile(rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
# fmt: off
_DROPPED = frozenset((
    "script", "style", "noscript", "template", "head", "nav", "svg", "canvas", "iframe", "object", "embed", "audio", "video", "map",
    "select", "option", "button", "input", "textarea", "dialog",
))
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt", "fieldset", "figure",
    "footer", "form", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
))
# fmt: on
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_BOLD = frozenset(("b", "strong"))
_CAPTIONS = frozenset(("figcaption", "caption"))
_PARTS = ("article", "main", "section", "blockquote")
_SITE_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "menubar"))
_WINDOW_ROLES = frozenset(("dialog", "alertdialog"))
_LONGEST_DEFINITION = 300
"""Of a definition that is written behind its term."""
_LONGEST_HEADING = 120
_LONGEST_NUMBER = 6
_FEW = 10
"""Blocks of a page that may have no text but links."""
_DEEPEST_INDENT = 6  # of a list in lists; a page of small items may nest them hundreds deep
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
_MOST_PAIRS = 500
"""Pairs of a page that are read from its data."""
_ASKING = ("?", "？")
_PAIRED = frozenset(("details", "dt", "dl"))
"""Elements at whose ends blocks end."""


def parse(data: bytes) -> Parsed:
    """Parses an HTML page, without what its site puts around the text."""
    return reported(*read(decoded(data), is_page=True))


def decoded(data: bytes) -> str:
    """The text of a page, in the encoding that it declares."""
    declared = _CHARSET.search(data[:4096])
    return decode(data, declared[1].decode("ascii") if declared else None)


def parse_text(html: str) -> Parsed:
    """Parses a fragment, or a page that all of is text."""
    return reported(*read(html))


def read(html: str, *, is_page: bool = False, styles: Styles | None = None) -> tuple[Parsed, int]:
    """(the parsed page or fragment, number of characters that are struck through). The title is its <title>, else its first <h1>, else a
    heading at the start. `is_page`: a site may have put menus around the text. `styles`: of style sheets in other files."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(flatten(html))
    named = _pairs_of(tree)
    sheets = [node.text() for node in tree.css("style")]
    tree.strip_tags(["script", "style", "noscript", "template"])  # so that text() does not include them
    title_node = tree.css_first("title")
    marks = Marks(tree, Styles(sheets, styles) if sheets or styles is None else styles)
    body = tree.body
    panels = Panels(tree)
    flow, blocks = _Flow(marks, panels), list[Block]()
    if body is not None and is_page:
        root = main_part(tree, body)
        flow = _Flow(marks, panels, Frame(root))
        if root.mem_id != body.mem_id and root.css_first("h1") is None and (heading := body.css_first("h1")) is not None:
            flow.run(heading)  # that of the main part stands above it
        blocks = flow.run(root)
        if not _has_only_links(blocks, body):
            blocks += _footer(body, marks, panels)
    if body is not None and (not is_page or _has_only_links(blocks, body)):
        flow = _Flow(marks, panels, with_menus=is_page)  # the menu is the page
        blocks = flow.run(body)
    _add_hidden(named, blocks, flow.pairs)
    title = usable_title(spaced(title_node.text())) if title_node is not None else ""
    return Parsed(tuple(blocks), title or first_heading(blocks), pairs=tuple(flow.pairs)), marks.struck


def _footer(body: LexborNode, marks: Marks, panels: Panels) -> list[Block]:
    """The text of the page's footers beside their links: an address, opening hours, who is responsible for the page."""
    blocks: list[Block] = []
    for footer in footers(body):
        found = _Flow(marks, panels, Frame(footer, is_footer=True)).run(footer, only_children=True)
        texts = [block for block in found if any(map(str.isalnum, block.text))]
        followed = [block.kind != "heading" for block in texts[1:]]  # a heading of links that are left out has no text below it
        blocks += [block for i, block in enumerate(texts) if block.kind != "heading" or any(followed[i : i + 1])]
    return blocks


def _has_only_links(blocks: Sequence[Block], body: LexborNode) -> bool:
    """Whether a page has nothing beside its menus, or other links only."""
    if len(blocks) > _FEW:
        return False
    links = {spaced(link.text()) for link in body.css("a")}
    return all(line.strip().removeprefix("- ") in links for block in blocks for line in block.text.split("\n"))


def first_heading(blocks: Sequence[Block]) -> str:
    """The first top-level heading, else a heading at the start of the text, else ""."""
    top = next((block.text for block in blocks if block.kind == "heading" and block.level == 1), "")
    return top or (blocks[0].text if blocks and blocks[0].kind == "heading" else "")


class _Flow:
    """Walks a tree and collects blocks, with its own stack because pages may nest deeper than Python's recursion limit."""

    def __init__(self, marks: Marks, panels: Panels, frame: Frame | None = None, *, with_menus: bool = False) -> None:
        self.blocks: list[Block] = []
        self._marks = marks
        self._panels = panels
        self._terms = _Terms(self.blocks)
        self._frame = frame
        self._with_menus = with_menus
        self._marked = _MarkedPairs(self.blocks)
        self.pairs = self._marked.found
        self._inline: list[str] = []
        self._items: list[str] = []  # lines of the open list
        self._lists: list[str] = []  # markers of the enclosing lists: "-" or the next number
        self._marker = ""
        self._kind: BlockKind = "paragraph"
        self._level = 0
        self._bold = 0  # number of open <b>
        self._plain = False  # whether anything since the last flush was not bold
        self._within: Counter[str] = Counter()  # open elements, by tag

    def run(self, root: LexborNode, *, only_children: bool = False) -> list[Block]:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        if only_children:
            stack = [(child, False) for child in reversed(list(children(root)))]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node.tag or "")
                self._within[node.tag or ""] -= 1
                if node.tag in _PAIRED:
                    self._end_block()
                self._marked.leave(node)
                if not self._lists:
                    self._terms.leave(node.tag or "", self.pairs)
            elif self._enter(node):
                self._within[node.tag or ""] += 1
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(list(children(node))))
        self._flush()
        return self.blocks

    def _enter(self, node: LexborNode) -> bool:
        """Handles a start tag; returns whether to walk the children."""
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
            return False
        if tag == "math":
            self._equation(node)
            return False
        attributes = node.attributes
        if (text := self._marks.text_of(node, tag, attributes, self._inline)) is not None:
            self._say(text)
            return False
        if self._is_dropped(tag) or tag.startswith(("-", "!")) or self._is_unseen(node, tag, attributes):
            if (math := node.css_first("math")) is not None and math.text().strip() == node.text().strip():
                self._equation(math)  # an image of it is shown
            return False
        if tag in _PAIRED and not self._lists:
            self._end_block()
        self._marked.enter(node, inside_list=bool(self._lists))
        if not self._lists:
            self._terms.enter(tag)
        if heading := self._panels.heading_of(node, attributes):
            self._name_panel(heading)
        if tag == "br":
            self._inline.append("\0")  # a line break that survives the collapsing of white space
        elif tag in _BOLD:
            self._bold += 1
        elif tag == "img":
            self._image(node)
        elif tag == "pre":
            self._code(node)
            return False
        elif tag == "table" and not html_tables.is_layout(node):
            self._table(node)
            return False
        elif tag in _HEADINGS or tag in _CAPTIONS:
            self._flush()
            self._kind, self._level = ("heading", _HEADINGS[tag]) if tag in _HEADINGS else ("caption", 0)
        elif tag in _LISTS:
            self._flush()
            self._lists.append(_number(attributes.get("start")) or "1" if tag == "ol" else "-")
        elif tag == "li" and self._lists:
            self._flush()
            if self._lists[-1] != "-":
                self._lists[-1] = _number(attributes.get("value")) or self._lists[-1]
            self._marker = self._next_marker()
        elif tag in _BLOCKS:
            self._flush()
        return True

    def _name_panel(self, heading: str) -> None:
        """Begins the part of the page that a control of this text shows."""
        self._end_block()
        if self.blocks and self.blocks[-1].text == heading:
            if self.blocks[-1].kind == "heading":
                return
            self.blocks.pop()
        self.blocks.append(Block("heading", heading, 6))

    def _say(self, text: str) -> None:
        """Adds text that the page does not have in these characters."""
        self._inline.append(text)
        self._plain = self._plain or not (self._bold or not text or text.isspace())

    def _equation(self, node: LexborNode) -> None:
        line_end = "\0" if node.attributes.get("display") == "block" else ""
        self._say(f"{line_end}{mathml.written(node)}{line_end}")

    def _is_dropped(self, tag: str) -> bool:
        """Whether an element is no text of the page. A button in a heading is the heading of a part that opens."""
        return (
            tag in _DROPPED
            and not (self._with_menus and tag == "nav")
            and not (tag == "button" and any(self._within[each] for each in _HEADINGS))
        )

    def _is_unseen(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> bool:
        if attributes and is_hidden(attributes) and not self._panels.opens(node, attributes):
            return True
        role = attributes.get("role") or ""
        if role in _WINDOW_ROLES or attributes.get("aria-modal") == "true" or (role in _SITE_ROLES and not self._with_menus):
            return True
        if self._frame is not None and self._frame.holds(node, tag, attributes):
            return True
        # a page's header and footer are boilerplate; those of an article contain its date, author and title
        if tag in ("footer", "header") and not any(self._within[each] for each in _PARTS):
            return tag == "footer" or node.css_first("h1, h2") is None
        return False

    def _leave(self, tag: str) -> None:
        if tag in _BOLD:
            self._bold -= 1
        elif tag in _LISTS and self._lists:
            self._flush()
            self._lists.pop()
            if not self._lists:
                self._end_list()
        elif tag in _BLOCKS or tag in _HEADINGS or tag in _CAPTIONS:
            self._flush()

    def _next_marker(self) -> str:
        style = self._lists[-1]
        if style == "-":
            return "- "
        self._lists[-1] = str(int(style) + 1)
        return f"{style}. "

    def _flush(self) -> None:
        """Turns the collected inline text into a block or a line of the open list."""
        text = spaced("".join(self._inline))
        self._inline.clear()
        kind, level = self._kind, self._level
        all_bold = not self._plain
        self._kind, self._level, self._plain = "paragraph", 0, False
        if not text:
            return
        if self._lists and kind == "paragraph":
            indent = "  " * min(len(self._lists) - 1, _DEEPEST_INDENT)
            self._items.append(indent + (self._marker or "  ") + re.sub(r"\n+", "\n  " + indent, text))
            self._marker = ""
            return
        self._end_list()
        if kind == "paragraph" and all_bold and not self._within["dd"] and reads_like_heading(text):
            kind, level = "heading", 6  # how word processors and old pages write their headings
        for part in [text.replace("\n", " ")] if kind == "heading" else text.split("\n\n"):
            self.blocks.append(Block(kind, part, level))

    def _end_list(self) -> None:
        if self._items:
            self.blocks.append(Block("list", "\n".join(self._items)))
            self._items.clear()

    def _end_block(self) -> None:
        self._flush()
        self._end_list()

    def _append(self, kind: BlockKind, text: str) -> None:
        self._end_block()
        if text.strip():
            self.blocks.append(Block(kind, text))

    def _image(self, node: LexborNode) -> None:
        alt = spaced(node.attributes.get("alt") or node.attributes.get("title") or "")
        if len(alt) < 3:
            return
        if any(part.strip() for part in self._inline) or self._lists or self._kind == "heading":
            self._inline.append(f" {alt} ")
        else:
            self._append("image", alt)

    def _code(self, node: LexborNode) -> None:
        self._append("code", clean(node.text()).strip("\n"))

    def _table(self, node: LexborNode) -> None:
        self._flush()
        for kind, text in html_tables.read(node, self._text_within):
            self._append(kind, text)

    def _text_within(self, node: LexborNode) -> str:
        """The text of a cell or caption in one line."""
        first = node.child
        if first is None:
            return ""
        if first.tag == "-text" and first.next is None:  # as most cells are
            return " ".join(clean(first.text_content or "").split())
        flow = _Flow(self._marks, self._panels)
        return " ".join(" ".join(block.text for block in flow.run(node, only_children=True)).split())


def _number(value: str | None) -> str:
    """The number with which a list or item begins; "" without one."""
    return value if value and value.isdecimal() and len(value) <= _LONGEST_NUMBER else ""


def reads_like_heading(text: str) -> bool:
    """Whether a bold paragraph is probably a heading: short, and without punctuation at its end."""
    return len(text) <= _LONGEST_HEADING and text[-1] not in ".,;:!" and any(c.isalpha() for c in text)


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


class _Terms:
    """Writes short definitions behind their terms, while a page's elements are walked: "Adults: 12 euros"."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks
        self._open: list[_Term | None] = []
        """The last term of each open definition list."""

    def enter(self, tag: str) -> None:
        """To be called before the element's children."""
        if tag == "dl":
            self._open.append(None)
        elif tag == "dt" and self._open and ((last := self._open[-1]) is None or last.definition is not None):
            self._open[-1] = _Term(len(self._blocks))
        elif tag == "dd" and self._open and (last := self._open[-1]) is not None:
            last.definition = len(self._blocks)

    def leave(self, tag: str, pairs: Sequence[Pair]) -> None:
        """To be called after the element's children."""
        if tag == "dl" and self._open:
            self._open.pop()
            if self._open and (last := self._open[-1]) is not None:
                last.definition = last.first  # a list of definitions is no short one
        elif tag == "dd" and self._open and (last := self._open[-1]) is not None and not (pairs and pairs[-1].end > last.first):
            self._join(last)

    def _join(self, term: _Term) -> None:
        names, added = self._blocks[term.first : term.definition], self._blocks[term.definition :]
        if not names or len(added) != 1 or any(block.kind not in ("paragraph", "heading") for block in (*names, *added)):
            return
        before = ", ".join(block.text for block in names)
        if before.endswith(_ASKING):
            return  # a question and its answer
        mark = "" if before[-1] in ".:;!：" else ";" if term.is_joined else ":"
        text = f"{before}{mark} {added[0].text}"
        if len(text) <= _LONGEST_DEFINITION:
            self._blocks[term.first :] = [Block("paragraph", text)]
            term.is_joined = True


@dataclass(slots=True)
class _Term:
    first: int
    """Its first block."""
    definition: int | None = None
    """The first block of what defines it; None before that begins."""
    is_joined: bool = False


class _MarkedPairs:
    """Notes which of a page's blocks are pairs, while its elements are walked. `found`: the pairs so far."""

    def __init__(self, blocks: list[Block]) -> None:
        self.found: list[Pair] = []
        self._blocks = blocks
        self._open: list[tuple[int, int]] = []
        """Open elements that hold a question and its answer: (id, their first block)."""
        self._term: int | None = None
        """The block of the definition list's last term, if it asks."""

    def enter(self, node: LexborNode, *, inside_list: bool) -> None:
        """To be called before the element's children. An element inside a list has no blocks of its own."""
        if node.tag == "dt":
            self._end_term()
        is_question = node.tag == "details" or (node.attributes.get("itemtype") or "").endswith("schema.org/Question")
        if is_question and not inside_list:
            self._open.append((node.mem_id, len(self._blocks)))

    def leave(self, node: LexborNode) -> None:
        """To be called after the element's children."""
        if node.tag == "dt" and self._blocks and self._blocks[-1].text.endswith(_ASKING):
            self._term = len(self._blocks) - 1
        elif node.tag == "dl":
            self._end_term()
        if self._open and self._open[-1][0] == node.mem_id:
            self._add(self._open.pop()[1])

    def _end_term(self) -> None:
        if self._term is not None:
            self._add(self._term)
            self._term = None

    def _add(self, first: int) -> None:
        if first + 1 < len(self._blocks) and self._blocks[first].text.endswith(_ASKING):
            self.found.append(Pair(first, len(self._blocks)))


def _add_hidden(named: Sequence[tuple[str, str]], blocks: list[Block], pairs: list[Pair]) -> None:
    """Appends the questions and answers that a script would show, and that the page itself does not."""
    shown = "\n".join(block.text for block in blocks).casefold() if named else ""
    for question, answer in named:
        if question.casefold() not in shown:
            pairs.append(Pair(len(blocks), len(blocks) + 2))
            blocks += [Block("heading", question, 2), Block("paragraph", answer)]


def _pairs_of(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    """(question, answer) as plain text, at most _MOST_PAIRS. Call it before scripts are stripped."""
    found: list[tuple[str, str]] = []
    for script in tree.css('script[type="application/ld+json"]'):
        try:
            data = json.loads(script.text())
        except (ValueError, RecursionError):
            continue
        found += [(asked, told) for node in _nodes(data) if (asked := _plain(node.get("name"))) and (told := _answer(node))]
        if len(found) >= _MOST_PAIRS:
            break
    return found[:_MOST_PAIRS]


def _nodes(data: Any) -> Iterator[dict[str, Any]]:
    """The questions of all FAQPages."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict) and "FAQPage" in _list(value.get("@type")):
            yield from (node for node in _list(value.get("mainEntity")) if isinstance(node, dict))
        elif isinstance(value, dict):
            waiting += reversed(_list(value.get("@graph")))


def _answer(node: dict[str, Any]) -> str:
    answers = [each for each in _list(node.get("acceptedAnswer")) if isinstance(each, dict)]
    return _plain(answers[0].get("text")) if answers else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _plain(html: Any) -> str:
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(html).body if isinstance(html, str) and html.strip() else None
    return re.sub(r"\s+(?=[.,;:!?])", "", spaced(body.text(separator=" "))) if body is not None else ""
