"""Raised, struck and checked text, equations and images, in web pages, Markdown, e-books and pages of Confluence."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.confluence import make_file
from footnote.types import Parsed
from tests.footnote.ingest.packages import xml, zip_of

Reader = Callable[[str], Parsed]


def page(body: str) -> Parsed:
    return parse(body.encode(), "mill.html")


def markdown(body: str) -> Parsed:
    return parse(body.encode(), "mill.md")


def wiki_page(body: str) -> Parsed:
    return parse(make_file("7", "Mill", body), "mill.xml")


def book(body: str, sheet: str = "") -> Parsed:
    files: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
        "book.opf": xml(
            "package",
            '<manifest><item id="a" href="a.xhtml"/><item id="s" href="css/a%20b.css" media-type="text/css"/></manifest>'
            '<spine><itemref idref="a"/></spine>',
        ),
        "css/a b.css": sheet,
        "a.xhtml": f"<html><body>{body}</body></html>",
    }
    return parse(zip_of(files), "mill.epub")


def text(parsed: Parsed) -> str:
    return " / ".join(block.text for block in parsed.blocks)


FORMATS = pytest.mark.parametrize("read", [page, markdown, wiki_page, book])


@FORMATS
@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<p>It burnt in 1871<sup>3</sup>, and again.</p>", "It burnt in 1871, and again."),
        ("<p>Wool cost 14.50<sup>*</sup> then.</p>", "Wool cost 14.50 then."),
        ("<p>About 10<sup>8</sup> fibres, 30 km<sup>2</sup> of land.</p>", "About 10⁸ fibres, 30 km² of land."),
        ("<p>CO<sub>2</sub> at 3 · 10<sup>-4</sup>, on the 1<sup>st</sup> floor.</p>", "CO2 at 3 · 10⁻⁴, on the 1st floor."),
        ("<p>Flax costs <del>9.10</del> 8.40 <s>dollars</s> euros.</p>", "Flax costs 8.40 euros."),
        ("<table><tr><th>Mill</th><th>Area</th></tr><tr><td>Low</td><td>5 m<sup>2</sup> <del>7</del></td></tr></table>",
         "| Mill | Area |\n| --- | --- |\n| Low | 5 m² |"),
    ],
)  # fmt: skip
def test_marks_in_text_mean_the_same_in_each_format(read: Reader, written: str, read_as: str) -> None:
    assert text(read(written)) == read_as


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ('<p>The mill<sup><a href="#n1">12</a></sup> of 85 m<a href="#n2"><sup>2</sup></a> stands.</p>', "The mill of 85 m stands."),
        ('<p>The mill<a href="#n1" role="doc-noteref">1</a> stands.</p>', "The mill stands."),
        ('<p>The mill<a href="#n1" epub:type="noteref">1</a> stands.</p>', "The mill stands."),
        ("<p>It killed 12<sup>1</sup> people.</p><p><sup>1</sup>Some say 14.</p>", "It killed 12 people. / 1 Some say 14."),
        ('<p>Built 1802<span style="vertical-align: super">1</span>.</p>', "Built 1802."),
        ('<p>Wool <span style="color:red;text-decoration: line-through">9</span> 8 euros.</p>', "Wool 8 euros."),
        ("<style>p.x{} .c1{text-decoration:line-through}</style><p>Wool <span class='c0 c1'>9</span> 8 euros.</p>", "Wool 8 euros."),
        ('<h2>Wool<a href="#wool">¶</a></h2><p>Sold. <a href="#r1">↩</a></p>', "Wool / Sold."),
        ("<p>Now <ins>open</ins>.</p>", "Now open."),
    ],
)
def test_links_and_styles_say_what_is_a_note_and_what_is_struck(written: str, read_as: str) -> None:
    assert text(page(written)) == read_as


STRUCK = "text-decoration:line-through"


@pytest.mark.parametrize(
    "sheet",
    [
        f".c0{{color:#000}}.c1{{{STRUCK}}}.c2{{vertical-align:super}}",
        f"@import url(x);.c2{{font-size:8pt;vertical-align:super}}.c1{{color:red;{STRUCK};x-skip:none}}",
        f"/* .c0{{{STRUCK}}} */ span.c1 {{{STRUCK}}} i.c2, sup {{vertical-align: super}}",
        f"<!-- .c9, .c1{{{STRUCK}}} .c8 , p > .c2 {{vertical-align:super}} -->",
        f"@media all {{ #top p .c1.c3 {{{STRUCK}}} .c2{{vertical-align:super}} }}",
        f".c1.c3{{{STRUCK}}} .c0:hover, .c0 .c0, td .c0, b.c0, .c0.c1, p + .c0{{{STRUCK}}} .c2{{vertical-align:super}}",
    ],
)
def test_style_sheets_say_what_is_struck_and_raised(sheet: str) -> None:
    body = "<p>Wool <span class='c1 c3'>9</span> <span class=c0>8</span> euros, since 1802<i class=c2>1</i>, 40 m<i class=c2>2</i>.</p>"
    read_as = "Wool 8 euros, since 1802, 40 m²."
    assert text(page(f"<head><style>{sheet}</style></head><body id=top>{body}")) == read_as
    assert text(book(f"<div id='top'>{body}</div>", sheet)) == read_as


def test_what_a_style_sheet_aligns_is_no_raised_text() -> None:
    sheet = "<style>.side{vertical-align:super}</style>"
    long = "The mill by the weir has woven linen and wool since 1802."
    assert text(page(f"{sheet}<div class=side><p>{long}</p><p><a href='/map' class=side>Map</a> of it</p></div>")) == f"{long} / Map of it"


def test_a_damaged_style_sheet_takes_no_text_from_a_book() -> None:
    assert text(book("<p>Wool <b>9</b></p>", "p{b{/* .x{")) == "Wool 9"


@pytest.mark.parametrize("read", [page, markdown, book])
@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ('<p>Built 1802<a class="noteref" href="#n4">4</a>, sold 1850<a href="#n5">[5]</a> for 35<a href="#n6">6</a> pounds.</p>',
         "Built 1802, sold 1850 for 35 pounds."),
        ('<p>Built 1802<a href="#_ftn1"><span class="Ref"><span>[1]</span></span></a> there, 7,<a href="notes.html#n2">2</a> looms.</p>',
         "Built 1802 there, 7, looms."),
        ('<p>It burnt.<a href="#n7">7</a> It was rebuilt.</p><p id="n7"><a href="#r7">7</a> In May.</p>',
         "It burnt. It was rebuilt. / 7 In May."),
        ('<p>See Fig.<a href="#f3">3</a>.</p><p id="f3">Figure 3: The weir</p>', "See Fig.3. / Figure 3: The weir"),
        ('<p>Chapter <a href="#c2">2</a> or <a href="#c3">[3]</a>, loom<a href="#top">s</a>.</p>', "Chapter 2 or [3], looms."),
        ("<p>Low mill<a href='#a'>a)</a> and 310<a href='#b'>2)</a> ells.</p>", "Low mill and 310 ells."),
        ('<p>Open since v<a href="https://example.org/#2">2</a>.</p>', "Open since v2."),
    ],
)  # fmt: skip
def test_a_number_that_links_to_a_place_and_touches_a_word_is_a_note(read: Reader, written: str, read_as: str) -> None:
    assert text(read(written)) == read_as


def test_links_of_markdown_are_notes_as_those_of_pages_are() -> None:
    assert text(markdown("Built 1802<sup>[[1]](#c1)</sup>, sold 1850[[2]](#c2) for 35[3](#c3) pounds.")) == (
        "Built 1802, sold 1850 for 35 pounds."
    )
    assert text(markdown("See [[Weir]] (the old one).")) == "See Weir (the old one)."


@pytest.mark.parametrize(
    "written",
    [
        "<p>Wool " + f"<b style='{'text-decoration' * 5_000}'>9</b>" * 20,
        f"<style>line-through{'/*' * 300_000}</style><p>Wool",
        f"<style>.y .x{{{STRUCK}}}</style><p class='{'c ' * 20_000}'>" + "<b class=x>9</b>" * 2_000,
        f"<style>{f'.a .b .x{{{STRUCK}}}' * 2_000}</style>" + "<div>" * 250 + "<b class=x>9</b> " * 20_000,
        "".join(f"<p>Wool.<a href='#n{i}'>{i}</a><p id=n{i}>{i} Yes" for i in range(5_000)),
        "<div>" + "<input type=checkbox> <b></b>" * 20_000 + "Wool",
    ],
)
def test_absurd_marks_take_no_long_time(written: str) -> None:
    began = time.process_time()
    page(written)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<ul><li><input type=checkbox checked> Lamp lit<li><input type='checkbox'> Gate shut</ul>", "- ☑ Lamp lit\n- ☐ Gate shut"),
        ("<form><label><input type=checkbox checked>Send wool</label></form>", "☑ Send wool"),
        ("<div><input type=checkbox id=a checked><label for=a>Send wool</label></div>", "☑ Send wool"),
        ("<p><input type=radio name=r>Day <input type=radio name=r checked>Night</p>", "○ Day ◉ Night"),
        ("<div><input type=checkbox id=menu><ul><li>Wool</ul></div>", "- Wool"),
        ("<div><input type=checkbox checked> Lamp lit</div><div><input type=checkbox> Gate shut</div>", "☑ Lamp lit / ☐ Gate shut"),
        ("<div><span><input type=checkbox checked></span> <!-- a --> <span>Lamp lit</span></div>", "☑ Lamp lit"),
        ("<form>Shift: <input type=radio name=r> day <input type=radio name=r checked> night</form>", "Shift: ○ day ◉ night"),
        ("<input type=checkbox> Lamp lit<br><input type=checkbox checked> Gate shut", "☐ Lamp lit\n☑ Gate shut"),
        ("<div>Lamp lit <input type=checkbox checked></div>", "Lamp lit ☑"),
        ("<p><input type=checkbox checked> <s>Lamp lit</s>, <s>gate</s> door</p>", "☑ Lamp lit, door"),
        ("<p><span role=checkbox aria-checked=true></span>Lamp lit</p>", "☑ Lamp lit"),
        (
            "<style>.done{text-decoration:line-through}</style><ul><li><div class='checkbox checkbox-on'></div> <i class=done>Lamp</i>"
            "<li><div class='checkbox checkbox-off'></div> Gate</ul>",
            "- ☑ Lamp\n- ☐ Gate",
        ),
        ("<p><input type=text value=secret>Wool</p>", "Wool"),
    ],
)
def test_a_box_says_whether_it_is_checked(written: str, read_as: str) -> None:
    assert text(page(written)) == read_as


def test_task_lists_say_what_is_done_in_each_format() -> None:
    done = "- ☑ Lamp lit\n- ☐ Gate shut"
    tasks = [("complete", "Lamp lit"), ("incomplete", "Gate shut")]
    macro = "".join(
        f"<ac:task><ac:task-status>{is_done}</ac:task-status><ac:task-body>{of}</ac:task-body></ac:task>" for is_done, of in tasks
    )
    assert text(wiki_page(f"<ac:task-list>{macro}</ac:task-list>")) == done
    assert text(markdown("- [x] ~~Lamp lit~~\n- [ ] Gate shut\n")) == done
    assert (
        text(book('<ul><li><input type="checkbox" checked="checked"/>Lamp lit</li><li><input type="checkbox"/>Gate shut</li></ul>')) == done
    )


@FORMATS
def test_a_struck_document_says_so(read: Reader) -> None:
    with pytest.raises(UnreadableFile, match="All text of this file is struck through"):
        read("<p><s>The mill is open on Sundays.</s></p>")
    most = read("<p><s>The mill is open on Sundays, and on Mondays.</s> Closed.</p>")
    assert (text(most), most.reason) == ("Closed.", "Most of the text is struck through and was left out.")
    assert read("<p>The mill is open on Sundays. <s>Closed.</s></p>").reason is None


MATH = (
    "<math><mi>v</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><mo>&#x2062;</mo>"
    "<msqrt><msup><mi>t</mi><mn>3</mn></msup></msqrt></math>"
)


@pytest.mark.parametrize("read", [page, markdown, book])
def test_an_equation_is_a_line_of_text(read: Reader) -> None:
    assert text(read(f"<p>Speed: {MATH}.</p>")) == "Speed: v = (a + b)/2 √(t³)."


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x_i"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>",
         "∑_(i=1)^n x_i"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "∛(x)"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a, b]"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "(n over k)"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>",
         "1, 2; 3, 4"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mn>2</mn></mtd></mtr></mtable>", "a = 2"),
        ("<mmultiscripts><mi>C</mi><none/><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "₆¹⁴C"),
        ("<semantics><mrow><mi>x</mi></mrow><annotation encoding='application/x-tex'>\\chi</annotation></semantics>", "x"),
        ("<semantics><mrow></mrow><annotation encoding='application/x-tex'>\\chi</annotation></semantics>", "\\chi"),
        ("<mfrac><mi>a</mi></mfrac>", "a"),
    ],
)  # fmt: skip
def test_each_element_of_mathml_is_read(written: str, read_as: str) -> None:
    assert text(page(f"<p><math>{written}</math></p>")) == read_as


def test_an_equation_in_a_hidden_element_that_a_picture_shows_is_read() -> None:
    hidden = f'<span style="display: none">{MATH}</span><img aria-hidden="true" alt="{{v = ...}}" src="x">'
    assert text(page(f"<p>Speed: {hidden}</p>")) == "Speed: v = (a + b)/2 √(t³)"


@pytest.mark.parametrize("nested", ["<mfrac>", "<msqrt>", "<msup>", "<mrow>", "<mtable><mtr><mtd>"])
def test_absurd_equations_take_no_long_time(nested: str) -> None:
    began = time.process_time()
    page("<p><math>" + nested * 20_000 + "<mi>x</mi></math><p>Wool." + "<math><mfrac><mi>a</mi></mfrac></math>" * 5_000)
    assert time.process_time() - began < 10
