"""HTML and Markdown."""

from __future__ import annotations

import time
from typing import Any

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def html(text: str) -> Parsed:
    return parse(text.encode(), "page.html")


def markdown(text: str) -> Parsed:
    return parse(text.encode(), "page.md")


def test_menus_scripts_styles_and_footers_are_left_out() -> None:
    page = """<html><head><title>Opening hours</title><style>p {}</style></head><body>
        <header>Town site</header><nav><a href=/>Home</a></nav><div style="display: none">no</div><p hidden>gone</p>
        <script>var a = "<p>no</p>";</script>
        <main><article><header>By Ann</header><p>We open at 9.</p><footer>2 May</footer></article></main>
        <div role="navigation">More</div><footer><a href=/i>Imprint</a></footer></body></html>"""
    parsed = html(page)
    assert parsed.title == "Opening hours"
    assert [b.text for b in parsed.blocks] == ["By Ann", "We open at 9.", "2 May"]


LINKS = '<li><a href="/wool">Wool</a><li><a href="/flax">Flax</a>'
PROSE = "<p>The mill by the lake is open to all guests on each Sunday in the summer.</p>"


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        (f'<div class="site-menu"><ul>{LINKS}</ul></div>{PROSE}', 1),
        (f'{PROSE}<div id="related"><h3>See also</h3><ul>{LINKS}</ul></div>', 1),
        (f'{PROSE}<ul class="footer-links">{LINKS}</ul>', 1),
        (f"{PROSE}<ul>{LINKS}</ul>", 2),
        (f'<div class="menu"><h1>Wool</h1><ul>{LINKS}</ul></div>{PROSE}', 3),
        (f'{PROSE}<div class="menu"><p>Soup at noon, and <a href=/>cake</a> at three in the afternoon.</p></div>', 2),
        (f'<div class="sidebar">{PROSE}<a href=/>Wool</a></div>', 2),
        (f"<div>Sign in</div><main>{PROSE * 4}</main><div>More</div>", 4),
        (f"<div><h1>Wool</h1>Sign in</div><article>{PROSE * 4}</article><div>More</div>", 5),
        (f"<article>{PROSE * 4}</article><article>{PROSE * 2}</article>", 6),
        (f"<div>{PROSE * 4}</div><main><p>Loading</p></main>", 5),
        (f'<nav><ul>{LINKS}</ul></nav><div role="navigation"><p>Help</p></div>', 2),
    ],
)
def test_the_frame_of_a_site_is_left_out_and_the_text_is_not(page: str, texts: int) -> None:
    assert len(html(page).blocks) == texts


def test_menus_within_menus_take_no_long_time() -> None:
    began = time.process_time()
    html('<div class="menu">' * 290 + "<p>Wool is sold here.</p>" * 5_000)
    assert time.process_time() - began < 10


def test_headings_keep_their_depth_and_the_first_one_is_the_title() -> None:
    parsed = html("<h1>A</h1><h2>B <em>b</em></h2>text<h6>C</h6>")
    assert parsed.blocks == (Block("heading", "A", 1), Block("heading", "B b", 2), Block("paragraph", "text"), Block("heading", "C", 6))
    assert html("<h1>Rules &amp; rates</h1>").title == "Rules & rates"


def test_a_paragraph_that_is_all_bold_is_a_heading() -> None:
    page = "<p><b>Fees for members</b></p><p><b>Note:</b> none.</p><p><strong>Read this first.</strong></p>"
    assert [(b.kind, b.level) for b in html(page).blocks] == [("heading", 6), ("paragraph", 0), ("paragraph", 0)]


def test_an_absurd_colspan_does_no_harm() -> None:
    assert len(html("<table><tr><td colspan=99999999>a<td colspan=x>b</table>").blocks[0].text) < 1000


def test_a_layout_table_is_read_as_text() -> None:
    page = "<table><tr><td><h2>News</h2>Text<table><tr><th>a<th>b<tr><td>1<td>2</table></td></tr></table>"
    assert [b.kind for b in html(page).blocks] == ["heading", "paragraph", "table"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            "<header><h1>Fees</h1></header><p>None.",
            (Block("heading", "Fees", 1), Block("paragraph", "None.")),
            id="a page header with the main heading is kept",
        ),
        pytest.param(
            "<p>Jane&nbsp;Doe<br>5 High\n   Street<br><br>Tel.&#58; 7</p>",
            (
                Block("paragraph", "Jane Doe\n5 High Street"),
                Block("paragraph", "Tel.: 7"),
            ),
            id="one break is a line end and two are a paragraph",
        ),
        pytest.param(
            "<ul><li>One</li><li><p>Two</p><ol><li>first<li>second</ol></li><li>Three</ul><p>After",
            (
                Block("list", "- One\n- Two\n  1. first\n  2. second\n- Three"),
                Block("paragraph", "After"),
            ),
            id="nested lists become one list with indents and numbers",
        ),
        pytest.param(
            "<ol start=4><li>Four<li>Five<li value=9>Nine<li>Ten</ol><ol start=x><li>One</ol>",
            (Block("list", "4. Four\n5. Five\n9. Nine\n10. Ten"), Block("list", "1. One")),
            id="a list keeps its numbers",
        ),
        pytest.param(
            "<pre><code>if a &lt; b:\n    go()\n</code></pre>",
            (Block("code", "if a < b:\n    go()"),),
            id="code keeps its lines and spaces",
        ),
        pytest.param(
            """<table><caption>Prices</caption><tr><th colspan=2>Room<th>Fee</tr>
        <tr><td rowspan="2">A</td><td>small</td><td>5<br>€</td></tr><tr><td>la|rge<td>9</tr></table>""",
            (
                Block("caption", "Prices"),
                Block("table", "| Room | Room | Fee |\n| --- | --- | --- |\n| A | small | 5 € |\n| A | la\\|rge | 9 |"),
            ),
            id="a table becomes markdown with spans filled and bars escaped",
        ),
        pytest.param(
            '<figure><img alt="Map of the lake" src=x><figcaption>Fig. 1</figcaption></figure>',
            (
                Block("image", "Map of the lake"),
                Block("caption", "Fig. 1"),
            ),
            id="the text for an image is kept beside its caption",
        ),
    ],
)
def test_a_page_becomes_blocks(given: Any, expected: Any) -> None:
    assert html(given).blocks == expected


HEAD = "<tr><th>Ware<th>Low<th>High</tr>"
ROWS = "<tr><td>Wool<td>3<td>5</tr><tr><td>Flax<td>2<td>4</tr>"
TABLE = ("table", "| Ware | Low | High |\n| --- | --- | --- |\n| Wool | 3 | 5 |\n| Flax | 2 | 4 |")


@pytest.mark.parametrize(
    ("rows", "blocks"),
    [
        (f"<tr><th colspan=3>Prices</th></tr>{HEAD}{ROWS}", [("caption", "Prices"), TABLE]),
        (f"<tr><td>Prices</td></tr><tr><td colspan=3>In euros</td></tr>{HEAD}{ROWS}", [("caption", "Prices – In euros"), TABLE]),
        (f"<tr><td>Prices<td><td></tr>{HEAD}{ROWS}", [("caption", "Prices"), TABLE]),
        (f"{HEAD}{ROWS}<tr><td colspan=3>* since May</td></tr>", [TABLE, ("caption", "* since May")]),
        (
            f"<tr><th rowspan=2>Ware<th colspan=2>Price</tr><tr><th>Low<th>High</tr>{ROWS}",
            [("table", "| Ware | Price Low | Price High |\n| --- | --- | --- |\n| Wool | 3 | 5 |\n| Flax | 2 | 4 |")],
        ),
        (
            "<tr><th>Keeper<td>Ann</tr><tr><th>Lamp<td>Bert</tr>",
            [("table", "|  |  |\n| --- | --- |\n| Keeper | Ann |\n| Lamp | Bert |")],
        ),
        (
            "<tr><td><th>Low</tr><tr><th>Wool<td>3</tr>",
            [("table", "|  | Low |\n| --- | --- |\n| Wool | 3 |")],
        ),
        (
            f"{HEAD}<tr><td colspan=3>North</td></tr><tr><td>Wool<td rowspan=2 colspan=2>5</tr><tr><td>Flax</tr>",
            [("table", "| Ware | Low | High |\n| --- | --- | --- |\n| North |  |  |\n| Wool | 5 |  |\n| Flax | 5 |  |")],
        ),
        ("<tr><td colspan=2>Wool</td></tr><tr><td>3<td>5</tr>", [("table", "| Wool |  |\n| --- | --- |\n| 3 | 5 |")]),
        (
            "<tr><th>Ware<th>Sold</tr><tr><td><b>W</b>ool <span hidden>no</span><td><img alt='Yes, on Sundays'></tr>",
            [("table", "| Ware | Sold |\n| --- | --- |\n| Wool | Yes, on Sundays |")],
        ),
    ],
)
def test_titles_notes_and_headers_of_a_table_are_told_apart(rows: str, blocks: list[tuple[str, str]]) -> None:
    assert [(block.kind, block.text) for block in html(f"<table>{rows}</table>").blocks] == blocks


def test_the_encoding_that_a_page_declares_is_used() -> None:
    page = '<html><meta charset="iso-8859-2"><p>Zażółć gęślą jaźń'.encode("iso-8859-2")
    assert parse(page, "page.html").blocks[0].text == "Zażółć gęślą jaźń"


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    assert html("<div>" * 5000 + "deep" + "</div>" * 5000).blocks[-1].text == "deep"


def test_markdown_keeps_headings_lists_tables_and_code() -> None:
    text = "Guide\n=====\n\nIntro *text*\nwrapped.\n\n## Use\n\n- a\n  - b\n\n"
    text += "| x | y |\n|---|---|\n| 1 | 2 |\n\n```python\n# no heading\nrun()\n```\n"
    parsed = markdown(text)
    assert parsed.title == "Guide"
    assert parsed.blocks == (
        Block("heading", "Guide", 1),
        Block("paragraph", "Intro text wrapped."),
        Block("heading", "Use", 2),
        Block("list", "- a\n  - b"),
        Block("table", "| x | y |\n| --- | --- |\n| 1 | 2 |"),
        Block("code", "# no heading\nrun()"),
    )


def test_html_within_markdown_is_read() -> None:
    assert markdown("<details><summary>More</summary>\n\nHidden *depth*\n\n</details>\n\n<script>x()</script>").blocks == (
        Block("paragraph", "More"),
        Block("paragraph", "Hidden depth"),
    )
