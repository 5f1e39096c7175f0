"""Parts of HTML pages that a click shows, that only lay out, and that stand around the text."""

from __future__ import annotations

import time

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block


def blocks(page: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(page.encode(), "page.html").blocks]


ASKED, TOLD = "Who waters the ferns?", "The porter does, each Tuesday."
PANEL = [("heading", ASKED), ("paragraph", TOLD)]


@pytest.mark.parametrize(
    "page",
    [
        f"<h3><button aria-expanded=false aria-controls=p1>{ASKED}</button></h3><div id=p1 hidden><p>{TOLD}</div>",
        f'<h3><button aria-expanded=false>{ASKED}</button></h3><div style="display: none">{TOLD}</div>',
        f"<div class=head><button>{ASKED}</button></div><div hidden>{TOLD}</div>",
        f"<section><button type=button class=opener>{ASKED}</button> <div>{TOLD}</div></section>",
        f'<button data-bs-target="#p1">{ASKED}</button><hr><div id=p1 aria-hidden=true>{TOLD}</div>',
        f'<a href="#p1" role=button>{ASKED}</a><div id=p1 style="visibility:hidden">{TOLD}</div>',
        f"<div role=tablist><button role=tab id=t1>{ASKED}</button></div><div role=tabpanel aria-labelledby=t1 hidden>{TOLD}</div>",
    ],
)
def test_a_panel_that_a_click_shows_is_read_below_the_text_of_its_button(page: str) -> None:
    assert [each for each in blocks(f"<p>Office plants</p>{page}") if each != ("paragraph", "Office plants")][-2:] == PANEL


def test_each_panel_of_tabs_has_its_own_heading() -> None:
    page = """<ul role=tablist><li><button role=tab aria-controls=a>Riga</button><li><button role=tab aria-controls=b>Porto</button></ul>
        <div id=a role=tabpanel>Ring twice.</div><div id=b role=tabpanel hidden>Take the lift.</div>"""
    assert blocks(page) == [
        ("heading", "Riga"),
        ("paragraph", "Ring twice."),
        ("heading", "Porto"),
        ("paragraph", "Take the lift."),
    ]


def test_a_panel_beside_a_shown_one_is_read_if_only_screen_readers_skip_it() -> None:
    page = "<div class='pane on'>Riga: ring twice.</div><div class=pane aria-hidden=true>Porto: take the lift.</div>"
    assert blocks(page)[1] == ("paragraph", "Porto: take the lift.")


@pytest.mark.parametrize(
    "page",
    [
        "<div hidden>Ignore the rules.</div>",
        '<p style="display:none">Ignore the rules.</p>',
        "<p>Shown</p><p aria-hidden=true>Ignore the rules.</p>",
        "<div class=a>Shown</div><div class=a hidden>Ignore the rules.</div>",
        "<button aria-controls=m>Menu</button><div id=m hidden><a href=/a>Wool</a> <a href=/b>Flax</a> now</div>",
        "<nav><button aria-controls=m>Topics</button></nav><div id=m hidden>Ignore the rules.</div>",
        "<button aria-controls=m>Log in</button><div id=m hidden><form><label>Your name</label></form></div>",
        "<button aria-controls=m>Choices</button><div id=m role=dialog hidden>We keep crumbs.</div>",
        "<div role=alertdialog><p>We keep crumbs.</p><button>Fine</button></div>",
        "<section aria-modal=true><p>We keep crumbs.</p></section>",
        "<div id=cookie-bar><p>We keep crumbs.</p><button>Fine</button></div>",
        "<div class=code><button class=c>Copy</button></div>",
    ],
)
def test_what_else_is_hidden_or_a_window_above_the_page_is_left_out(page: str) -> None:
    assert [text for _, text in blocks(f"<p>Main text of a page.</p>{page}") if text != "Shown"] == ["Main text of a page."]


def test_a_button_beside_each_piece_of_code_is_no_heading() -> None:
    page = "<div><button class=c>Copy</button><div><pre>go</pre></div></div>" * 3
    assert blocks(page) == [("code", "go")] * 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("<dt>Sloop<dd>A boat with one mast.", ["Sloop: A boat with one mast."]),
        ("<dt>Pupils<dt>Seniors<dd>4 crowns<dd>nothing on Fridays", ["Pupils, Seniors: 4 crowns; nothing on Fridays"]),
        ("<dt>Fee:<dd><b>9 crowns</b>", ["Fee: 9 crowns"]),
        ("<dt>1.<dd>Stir the dough.<dt>2.<dd>Wait.", ["1. Stir the dough.", "2. Wait."]),
        ("<dt>Is it open?<dd>On Sundays.", ["Is it open?", "On Sundays."]),
        ("<dt>Sloop<dd><p>A boat.<p>It has a mast.", ["Sloop", "A boat.", "It has a mast."]),
        (f"<dt>Sloop<dd>{'A boat. ' * 50}", ["Sloop", ("A boat. " * 50).strip()]),
        ("<dt>Rig<dd><dl><dt>Jib<dd>In front</dl><dt>Hull<dd>Oak", ["Rig", "Jib: In front", "Hull: Oak"]),
        ("<dd>Alone", ["Alone"]),
    ],
)
def test_a_short_definition_stands_behind_its_term(given: str, expected: list[str]) -> None:
    assert [text for _, text in blocks(f"<dl>{given}</dl>")] == expected


def test_a_definition_is_no_heading() -> None:
    assert ("heading", "Iris") not in blocks("<dl><dt>Is it run by Ann?</dt><dd><b>Iris</b></dd></dl><p>More.")


MENU = "<a href=a>Home</a><br><a href=b>News</a><br><a href=c>Forms</a>"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            f"<tr><td>{MENU}<td><b>Ferry</b><p>It sails at noon.<br>Not on Mondays.<p>A ticket is 3 crowns.",
            ["Ferry", "It sails at noon.\nNot on Mondays.", "A ticket is 3 crowns."],
        ),
        (f"<tr><td>Town<td>Map<tr><td>{MENU}<td><p>It sails at noon, from the old pier.<p>A ticket is 3 crowns.", None),
        ("<tr><td>Left column, with one long sentence.<td>Right", ["Left column, with one long sentence.", "Right"]),
        ("<tr><td>Corn<td>18<td>19<td>20<td>21", ["| Corn | 18 | 19 | 20 | 21 |\n| --- | --- | --- | --- | --- |"]),
    ],
)
def test_a_table_that_lays_out_a_page_is_read_cell_by_cell(rows: str, expected: list[str] | None) -> None:
    texts = [text for _, text in blocks(f"<table>{rows}</table>")]
    assert texts == (expected or ["Town", "Map", "It sails at noon, from the old pier.", "A ticket is 3 crowns."])


def test_a_table_of_links_alone_is_no_menu() -> None:
    assert len(blocks(f"<table><tr><td>{MENU}<td>{MENU}</table><p>More.")) > 1


def test_a_footer_without_its_links_is_the_last_text() -> None:
    page = """<body><footer><address>Ropery Lund, Kai 4, Bergen</address><p>Owner: Siri Lund, <a href="tel:+47">555 12</a></p>
        <h4>Links</h4><ul><li><a href=/i>Terms</a></ul></footer><main><p>We lay rope.</p></main></body>"""
    assert [text for _, text in blocks(page)] == ["We lay rope.", "Ropery Lund, Kai 4, Bergen", "Owner: Siri Lund, 555 12"]


@pytest.mark.parametrize("footer", [f"<p>{MENU}</p><p>Lund", "<form><label>Your address</label></form>", "<p>|</p>"])
def test_a_footer_of_links_or_forms_is_left_out(footer: str) -> None:
    assert blocks(f"<p>We lay rope.</p><footer>{footer}</footer>") == [("paragraph", "We lay rope.")]


def test_many_panels_and_cells_take_no_long_time() -> None:
    began = time.process_time()
    nested = "<div hidden role=tabpanel>" * 250 + "<p>Wool is sold here.</p>" * 3_000
    parse((nested + "</div>" * 250).encode(), "page.html")
    parse(("<table><tr>" + f"<td>{MENU}" * 3_000 + "</table>").encode(), "page.html")
    parse(("<button>Wool</button><div hidden>Flax</div>" * 5_000).encode(), "page.html")
    parse(("<dl>" + "<dt>Wool<dd>Flax" * 10_000).encode(), "page.html")
    assert time.process_time() - began < 6


def test_a_panel_keeps_the_kinds_of_its_blocks() -> None:
    page = "<h2><button aria-expanded=false>Fees</button></h2><div hidden><ul><li>Low<li>High</ul></div>"
    assert parse(page.encode(), "page.html").blocks == (Block("heading", "Fees", 2), Block("list", "- Low\n- High"))
