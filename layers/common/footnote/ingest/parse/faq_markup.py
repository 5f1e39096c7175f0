"""Pairs of question and answer that a page's markup names: `details`, terms that ask, and schema.org's Question, as attributes or as
data for search engines (JSON-LD)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from footnote.ingest.parse.decode import spaced
from footnote.types import Block, Pair

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST = 500
"""Pairs of a page that are read from its data."""
ASKING = ("?", "？")
PAIRED = frozenset(("details", "dt", "dl"))
"""Elements at whose ends blocks end."""


class MarkedPairs:
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
        if node.tag == "dt" and self._blocks and self._blocks[-1].text.endswith(ASKING):
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
        if first + 1 < len(self._blocks) and self._blocks[first].text.endswith(ASKING):
            self.found.append(Pair(first, len(self._blocks)))


def add_hidden(named: Sequence[tuple[str, str]], blocks: list[Block], pairs: list[Pair]) -> None:
    """Appends the questions and answers that a script would show, and that the page itself does not."""
    shown = "\n".join(block.text for block in blocks).casefold() if named else ""
    for question, answer in named:
        if question.casefold() not in shown:
            pairs.append(Pair(len(blocks), len(blocks) + 2))
            blocks += [Block("heading", question, 2), Block("paragraph", answer)]


def pairs_of(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    """(question, answer) as plain text, at most MOST. Call it before scripts are stripped."""
    found: list[tuple[str, str]] = []
    for script in tree.css('script[type="application/ld+json"]'):
        try:
            data = json.loads(script.text())
        except (ValueError, RecursionError):
            continue
        found += [(asked, told) for node in _nodes(data) if (asked := _plain(node.get("name"))) and (told := _answer(node))]
        if len(found) >= MOST:
            break
    return found[:MOST]


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
