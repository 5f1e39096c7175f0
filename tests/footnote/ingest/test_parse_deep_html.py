"""Pages that nest deeper than any page: their text is kept, their depth is not."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from footnote.ingest.parse.html import MOST_DEEP, flatten, parse_text


def depth_of(html: str) -> int:
    """The most elements around another one."""
    deepest, waiting = 0, [(LexborHTMLParser(html).root, 0)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        child = node.child if node is not None else None
        while child is not None:
            waiting.append((child, depth + 1))
            child = child.next
    return deepest


@pytest.mark.parametrize(
    "unit", ["<div>", "<DIV class=a>", "<span>a", "<ul><li>a", "<b><p><i>", "<table><tr><td>a", "<blockquote>a", "<font>", "<x-y>"]
)
def test_a_page_is_at_most_some_hundred_elements_deep_and_keeps_its_text(unit: str) -> None:
    flat = flatten(f"<html><body>{unit * 3_000}Deep.")
    assert depth_of(flat) < 5 * MOST_DEEP
    assert flat.endswith("Deep.")
    assert flat.count(">a") == unit.count(">a") * 3_000 or flat.count("a") >= unit.count(">a") * 3_000


@pytest.mark.parametrize(
    "page",
    [
        "<p>a<p>b" * 2_000,
        "<ul>" + "<li>a" * 2_000 + "</ul>",
        "<table>" + "<tr><td>a<td>b" * 2_000 + "</table>",
        "<div><br>a<img></div>" * 2_000,
        "<script>'" + "<div>" * 2_000 + "'</script><p>a",
        "<!--" + "<div>" * 2_000 + "--><p>a",
        "<div>" * 100 + "a" + "</div>" * 100 + "<p>b" * 2_000,
        "a < b " * 2_000,
    ],
)
def test_a_page_that_is_not_deep_stays_as_it_is(page: str) -> None:
    assert flatten(page) == page


def test_end_tags_of_what_is_left_out_end_nothing_else() -> None:
    parsed = parse_text("<div>" * 1_000 + "Deep." + "</div>" * 1_000 + "<ul><li>One.<li>Two.</ul>")
    assert [block.text for block in parsed.blocks] == ["Deep.", "- One.\n- Two."]


@pytest.mark.parametrize("rest", ["<!--" * 9, "<script>" * 9, "<div", "<div>" * 9 + "<a href='", "</div>"])
def test_a_deep_page_that_breaks_off_is_read(rest: str) -> None:
    assert "Deep." in str(parse_text("<div>" * 1_000 + "Deep." + rest).blocks)


def test_the_header_of_a_part_is_told_from_that_of_a_page() -> None:
    parsed = parse_text("<header>Menu</header><article><header>By Ann</header><p>Text.</p></article><header>Again</header>")
    assert [block.text for block in parsed.blocks] == ["By Ann", "Text."]
    parsed = parse_text("<h2><button>Open</button></h2><div><button>Send</button></div><p>Text.</p>")
    assert [block.text for block in parsed.blocks] == ["Open", "Text."]


def test_lists_in_lists_are_indented_up_to_a_depth() -> None:
    parsed = parse_text("<ul><li>a" * 200)
    assert max(len(line) for line in parsed.blocks[0].text.split("\n")) == 15
