"""The source panel: a citation opens its document at the cited page, with the cited words marked."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Screen, make_pdf
from tests.browser.test_accessibility import DARK, LEAVE, NARROW, Open, close_sheet
from tests.footnote.ingest.packages import workbook

SENTENCE = "Employees receive 28 days of annual leave per year."
HERE = Path(__file__).parent
WEB = HERE.parents[1] / "functions" / "query" / "footnote_query" / "web"


def open_first_citation(screen: Any, question: str) -> Page:
    screen.answer_to(question)
    page: Page = screen.page
    page.locator(".answer .cite").first.click()
    return page


def view_of(page: Page) -> Locator:
    return page.locator("#source-view")


def edges(locator: Locator) -> dict[str, float]:
    """The edges of its box in the window, in CSS pixels."""
    box = locator.bounding_box()
    return {"left": box["x"], "top": box["y"], "right": box["x"] + box["width"], "bottom": box["y"] + box["height"]}


def settled_edges(locator: Locator) -> dict[str, float]:
    """The same once the view has stopped scrolling: the box is where it was in the frames before."""
    locator.evaluate(STILL_STANDS)
    return edges(locator)


STILL_STANDS = """async node => {
  for (let still = 0, top = NaN; still < 10;) {
    await new Promise(resume => requestAnimationFrame(resume))
    still = node.getBoundingClientRect().top === top ? still + 1 : 0
    top = node.getBoundingClientRect().top
  }
}"""


YELLOW = """async image => {
  const picture = new Image()
  picture.src = `data:image/png;base64,${image}`
  await picture.decode()
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
  canvas.drawImage(picture, 0, 0)
  const { data } = canvas.getImageData(0, 0, picture.width, picture.height)
  let yellow = 0
  for (let at = 0; at < data.length; at += 4) if (data[at] > 220 && data[at + 1] > 200 && data[at + 2] < 160) yellow++
  return yellow / (data.length / 4)
}"""


def yellow_share(page: Page, box: dict[str, float]) -> float:
    left, top = box["left"], box["top"]
    picture = page.screenshot(clip={"x": left, "y": top, "width": box["right"] - left, "height": box["bottom"] - top})
    return page.evaluate(YELLOW, base64.b64encode(picture).decode())


# --- PDF ---------------------------------------------------------------------------------------


def test_a_pdf_opens_on_the_cited_page_and_is_turned_enlarged_and_widened(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server, device_scale_factor=2)
    page = open_first_citation(screen, LEAVE)
    drawn = view_of(page).locator(".pdf-page[data-drawn]").nth(0)
    expect(drawn).to_be_visible()
    number = page.locator("#source-page")
    expect(number).to_have_value("2")
    expect(page.locator("#source-of")).to_have_text("of 3")
    expect(page.locator("#passage-title")).to_be_focused()
    second = view_of(page).locator(".pdf-page").nth(1)
    mark = view_of(page).locator(".pdf-mark").first
    expect(second.locator(".pdf-mark").first).to_be_in_viewport()
    words = edges(second.locator(".pdf-text span").get_by_text(SENTENCE))
    marked = edges(second.locator(".pdf-mark").first)
    assert {side: abs(marked[side] - words[side]) <= 4 for side in words} == dict.fromkeys(words, True)
    view = edges(view_of(page))
    assert view["top"] <= marked["top"] < marked["bottom"] <= view["bottom"]
    assert yellow_share(page, marked) > 0.6
    beside = {**marked, "left": marked["right"] + 20, "right": marked["right"] + 60}
    assert yellow_share(page, beside) == 0
    canvas = second.locator("canvas")
    assert canvas.evaluate("canvas => Math.abs(canvas.width - 2 * canvas.clientWidth) <= 2")  # a pixel of the screen each

    page.locator("#source-page-on").click()
    expect(number).to_have_value("3")
    expect(page.locator("#source-page-on")).to_be_disabled()
    page.locator("#source-page-back").click()
    page.locator("#source-page-back").click()
    expect(number).to_have_value("1")
    expect(mark).not_to_be_in_viewport()
    page.locator("#source-back").click()
    expect(number).to_have_value("2")
    expect(mark).to_be_in_viewport()
    width = second.evaluate("page => page.clientWidth")
    page.locator("#source-larger").click()
    assert second.evaluate("page => page.clientWidth") == pytest.approx(1.25 * width, abs=2)
    expect(mark).to_be_in_viewport()
    page.locator("#source-fit").click()
    assert second.evaluate("page => page.clientWidth") == pytest.approx(width, abs=2)
    number.fill("3")
    number.press("Enter")
    expect(view_of(page).locator(".pdf-page").nth(2)).to_be_in_viewport(ratio=0.5)

    page.locator("#source-text").click()
    expect(view_of(page).locator("mark").first).to_have_text(SENTENCE)
    expect(view_of(page).locator("mark").first).to_be_in_viewport()
    expect(view_of(page).locator(".unit")).to_have_text(["Page 1", "Page 2", "Page 3"])
    page.locator("#source-text").click()
    expect(mark).to_be_in_viewport()

    panel, edge = page.locator("#passage"), page.locator("#source-edge")
    assert edges(panel)["left"] == pytest.approx(640, abs=3)
    edge.press("ArrowLeft")
    assert edges(panel)["left"] == pytest.approx(614, abs=3)  # 2 % of 1280
    edge.hover()
    page.mouse.down()
    page.mouse.move(500, 400)
    page.mouse.up()
    assert edges(panel)["left"] == pytest.approx(500, abs=3)
    page.locator("#source-full").click()
    assert edges(panel)["left"] == pytest.approx(0, abs=3)
    expect(mark).to_be_in_viewport()
    page.locator("#passage .close").click()
    expect(page.locator(".answer")).to_be_visible()
    page.reload()
    expect(page.locator("#source-edge")).to_have_attribute("aria-valuenow", "61")  # 780 of 1280


@pytest.mark.nightly
def test_of_a_long_pdf_only_the_pages_near_the_reader_are_painted(open_screen: Open, server: str) -> None:
    pages = [f"Chapter {number}\nNothing of note happens in chapter {number}." for number in range(1, 61)]
    pages[49] = "Lighthouse\nThe lighthouse keeper is called Bartholomew Quint."
    screen = open_screen(server)
    screen.add("long.pdf", make_pdf(*pages))
    page = open_first_citation(screen, "What is the lighthouse keeper called?")
    expect(page.locator("#source-page")).to_have_value("50")
    expect(view_of(page).locator(".pdf-page[data-drawn]").first).to_be_attached()
    expect(view_of(page).locator(".pdf-page")).to_have_count(60)
    assert view_of(page).locator("canvas").count() <= 5
    page.locator("#source-page").fill("7")
    page.locator("#source-page").press("Enter")
    expect(view_of(page).locator(".pdf-page").nth(6).locator("canvas")).to_be_attached()
    expect(view_of(page).locator(".pdf-page").nth(49).locator("canvas")).to_have_count(0)


@pytest.mark.nightly
def test_a_korean_pdf_without_fonts_of_its_own_is_drawn_and_marked(open_screen: Open, server: str) -> None:
    screen = open_screen(server, locale="ko-KR", color_scheme="dark")
    screen.add("handbook.pdf", korean_pdf("직원의 연차 휴가는 매년 28일입니다.", "출장비는 2주 안에 지급됩니다."))
    page = open_first_citation(screen, "직원의 연차 휴가는 매년 며칠입니까?")
    expect(view_of(page).locator(".pdf-page[data-drawn]").first).to_be_visible()
    words = edges(view_of(page).locator(".pdf-text span").get_by_text("직원의 연차 휴가는 매년 28일입니다."))
    mark = edges(view_of(page).locator(".pdf-mark").first)
    for side in ("left", "top", "bottom"):  # to the right, the reader's own font may be wider than the missing one
        assert mark[side] == pytest.approx(words[side], abs=4)
    assert yellow_share(page, mark) > 0.6
    expect(page.locator("#source-back")).to_have_text("구절로 돌아가기")
    assert any("/pdfjs/cmaps/" in url for url in screen.requests)


def korean_pdf(*lines: str) -> bytes:
    """One page whose font is named but not embedded, as many Korean programs write it."""
    shown = " ".join(f"<{line.encode('utf-16-be').hex()}> Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 72 760 Td 24 TL {shown} ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /UniKS-UCS2-H /DescendantFonts [6 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium /FontDescriptor 7 0 R /DW 1000 /W [1 94 500]"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> >>",
        "<< /Type /FontDescriptor /FontName /HYSMyeongJo-Medium /Flags 6 /FontBBox [0 -120 1000 880] /ItalicAngle 0"
        " /Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 >>",
    ]
    pdf, places = "%PDF-1.4\n", "0000000000 65535 f \n"
    for number, body in enumerate(objects, start=1):
        places += f"{len(pdf):010d} 00000 n \n"
        pdf += f"{number} 0 obj\n{body}\nendobj\n"
    size = len(objects) + 1
    return f"{pdf}xref\n0 {size}\n{places}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(pdf)}\n%%EOF\n".encode()


# --- everything else is shown as text ------------------------------------------------------------

NOTES = """# Notes 🎉

Welcome 👋🏽 to the island, whose ferry leaves at noon.

- 🗼 The lighthouse keeper is called Bartholomew Quint.
- The baker opens at six.
"""


def another_collection(screen: Any) -> None:
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator("#passage")).to_be_hidden()
    screen.page.locator("#new-conversation").click()
    expect(screen.page.locator("#question")).to_be_focused()  # before that, what is typed elsewhere may arrive there
    screen.index = f"{screen.index}-b"
    screen.page.locator("#into").fill(screen.index)


def test_texts_and_sheets_open_at_exactly_the_cited_words(screen: Screen) -> None:
    screen.add("notes.md", NOTES.encode())
    page = open_first_citation(screen, "What is the lighthouse keeper called?")
    expect(view_of(page).locator("h3")).to_have_text("Notes 🎉")
    expect(view_of(page).locator("li")).to_have_count(2)
    expect(view_of(page).locator("mark")).to_have_text(["🗼 The lighthouse keeper is called Bartholomew Quint."])
    expect(page.locator("#source-pages")).to_be_hidden()

    fees = [["Boat", "Fee"], ["Kayak", "5 crowns an hour"]]
    crew = [["Lighthouse keeper", "Since"], ["Bartholomew Quint", "1987"]]
    another_collection(screen)
    screen.add("harbour.xlsx", workbook(Fees=fees, Crew=crew))
    page = open_first_citation(screen, "Since when is Bartholomew Quint lighthouse keeper?")
    for tag, sheet, label in (
        ("en", "Sheet “Crew”", "Citation 1: harbour, sheet “Crew”"),
        ("de", "Tabellenblatt „Crew“", "Beleg 1: harbour, Tabellenblatt „Crew“"),
    ):
        page.locator("#language").evaluate("(list, tag) => (list.value = tag, list.dispatchEvent(new Event('change')))", tag)
        expect(page.locator(".footnotes .page").first).to_have_text(sheet)
        expect(page.locator(".answer .cite").first).to_have_attribute("aria-label", label)
    expect(page.locator("#passage-place")).to_contain_text("Crew")
    expect(page.locator(".footnotes .snippet").first).to_have_text("Bartholomew Quint · 1987")
    icon = page.locator(".footnotes svg.format").first
    expect(icon).to_have_attribute("data-kind", "sheet")
    expect(icon).to_have_attribute("aria-hidden", "true")


@pytest.mark.nightly
def test_a_table_opens_at_the_cited_row(open_screen: Open, server: str) -> None:
    rows = [f"Station {number},Line {number % 9},{number} m" for number in range(1500)]
    rows[1200] = "Wetterspitze,Zahnradbahn,2962 m"
    screen = open_screen(server)
    screen.add("stations.csv", "\n".join(["Station,Line,Height | sea level", *rows]).encode())
    page = open_first_citation(screen, "What is the line and the height of the station Wetterspitze?")
    expect(view_of(page).locator("th")).to_have_text(["Station", "Line", "Height | sea level"])
    row = view_of(page).locator("tr.cited").filter(has_text="Wetterspitze")
    expect(row.locator("mark")).to_have_text(["Wetterspitze", "Zahnradbahn", "2962 m"])
    expect(row).to_be_in_viewport()
    assert view_of(page).locator("tbody tr").count() < 450
    expect(view_of(page).locator("button:visible").first).to_have_text(re.compile(r"^[\d,]+ rows above$"))
    below = view_of(page).locator("button:visible").last
    expect(below).to_have_text(re.compile(r"^\d+ rows below$"))
    below.click()
    expect(view_of(page)).to_contain_text("Station 1499")


@pytest.mark.nightly
def test_of_several_cited_sentences_only_the_clicked_one_is_marked_strongly(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    screen.answer_to("What are the rules of annual leave?")
    page = screen.page
    marked = [node.evaluate("mark => mark.lastChild.textContent") for node in page.locator(".answer mark").all()]
    sentences = [f"{text.split('.')[0]}." for text in marked]
    assert len(sentences) == 3
    for place, sentence in enumerate(sentences):
        page.locator(".answer .cite").nth(place).click()
        expect(page.locator("#passage-text mark")).to_contain_text(sentence)
        expect(view_of(page).locator(".pdf-mark").first).to_be_in_viewport()
        words = settled_edges(view_of(page).locator(".pdf-text span").get_by_text(sentence))
        strong = edges(view_of(page).locator(".pdf-mark:not(.also)").first)
        assert strong["top"] == pytest.approx(words["top"], abs=4)
        expect(view_of(page).locator(".pdf-mark:not(.also)")).to_have_count(1)
        expect(view_of(page).locator(".pdf-mark.also")).to_have_count(4)
        assert yellow_share(page, strong) > 0.5
        assert yellow_share(page, edges(view_of(page).locator(".pdf-mark.also").first)) < 0.1
    page.locator("#source-text").click()
    expect(view_of(page).locator("mark:not(.also)")).to_have_text(sentences[-1])
    expect(view_of(page).locator("mark.also").first).to_have_text(sentences[0])


@pytest.mark.nightly
@pytest.mark.parametrize("look", [{}, DARK, NARROW], ids=["light", "dark", "narrow"])
def test_sources_show_an_icon_of_their_format_also_when_opened_again(open_handbook: Open, server: str, look: dict[str, Any]) -> None:
    screen = open_handbook(server, **look)
    page: Page = screen.page
    close_sheet(page)
    screen.answer_to(LEAVE)
    for _ in range(2):
        icons = page.locator(".footnotes svg.format")
        expect(icons.first).to_have_attribute("data-kind", "pdf")
        assert {icon.get_attribute("data-kind") for icon in icons.all()} == {"pdf"}
        box, title = icons.first.bounding_box(), page.locator(".footnotes b").first.bounding_box()
        assert box
        assert title
        assert 12 <= box["width"] <= 24
        assert title["x"] <= box["x"]
        assert box["x"] + box["width"] < title["x"] + title["width"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.reload()
    expect(page.locator(".footnotes button").first).to_have_accessible_name(re.compile("^1 ?Employee handbook"))


# --- changed and deleted documents -----------------------------------------------------------


@pytest.mark.nightly
def test_a_source_that_is_out_of_reach_changed_deleted_or_broken_says_so(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page: Page = screen.page
    note = page.locator("#source-note")
    page.route("**/content?**", lambda route: route.abort())
    open_first_citation(screen, LEAVE)
    expect(note).to_contain_text("The server cannot be reached")
    page.unroute("**/content?**")
    view_of(page).get_by_role("button").click()
    expect(view_of(page).locator(".pdf-mark").first).to_be_in_viewport()
    expect(note).to_be_hidden()

    [document] = page.request.get(f"{server}/documents?collection={screen.index}").json()["data"]
    older = {
        "doc_id": document["doc_id"],
        "chunk_id": f"{document['doc_id']}#001",
        "title": "Employee handbook",
        "page": 2,
        "bounds": [[0, 30]],
        "snippet": "Employees receive 26 days.",
        "content": "Employees receive 26 days. Ask your manager.",
    }
    page.evaluate("citation => import('/web/source.js').then(source => source.openSource(citation))", older)
    expect(note).to_contain_text("This document has changed")
    expect(page.locator("#passage-text mark")).to_contain_text("Employees receive 26 days.")
    expect(view_of(page).locator(".pdf-page").nth(1)).to_be_in_viewport()

    page.keyboard.press("Escape")
    page.route("**/content", lambda route: route.fulfill(body=b"%PDF-1.7 cut off", content_type="application/pdf"))
    page.locator(".answer .cite").first.click()
    expect(view_of(page).locator("mark").first).to_have_text(SENTENCE)
    expect(note).to_have_text("The pages cannot be displayed. This is the extracted text.")

    page.keyboard.press("Escape")
    page.request.delete(f"{server}/documents/{document['doc_id']}")
    page.locator(".answer .cite").first.click()
    expect(note).to_contain_text("This document was deleted")
    expect(page.locator("#passage-text mark")).to_contain_text(SENTENCE)
    expect(page.locator("#source-file")).to_be_hidden()
    screen.complained_only_of("status of 404", "ERR_FAILED")  # logged by the browser itself


# --- keyboard, widths, screens ------------------------------------------------------------------------


@pytest.mark.nightly
def test_citations_are_walked_through_by_keyboard_and_name_their_sections(open_screen: Open, server_with_model: str) -> None:
    text = "# Harbour\n\n" + "\n\n".join(
        f"## {name} pier\n\nThe ferry to the {name.lower()} leaves at {hour} o'clock. " + f"The {name.lower()} pier is old. " * 40
        for name, hour in (("North", 7), ("South", 9))
    )
    screen = open_screen(server_with_model)
    screen.add("harbour.md", text.encode())
    screen.answer_to("When does the ferry leave from each pier?")
    page = screen.page
    assert {node.inner_text() for node in page.locator(".footnotes .section").all()} == {"North pier", "South pier"}
    opener = page.locator(".answer .cite").first
    opener.press("Enter")
    expect(page.locator("#passage-title")).to_be_focused()
    expect(page.locator("#passage-text mark")).to_contain_text("The ferry to the")
    first = page.locator("#passage-text mark").text_content() or ""
    expect(page.locator("#source-which")).to_have_text("Citation 1 of 2")
    page.keyboard.press("]")
    expect(page.locator("#source-which")).to_have_text("Citation 2 of 2")
    expect(page.locator("#passage-text mark")).not_to_have_text(first)
    page.keyboard.press("[")
    expect(page.locator("#passage-text mark")).to_have_text(first)
    expect(view_of(page).locator("mark").first).to_contain_text("The ferry to the")
    expect(page.locator("#source-back")).to_be_visible()  # once the source is there
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    order = ["source-cited-back", "source-cited-on", "source-file", "source-full", "source-back", "source-find"]
    order += ["source-found-back", "source-found-on", "source-outline", "source-view"]
    assert [name for name in reached if name] == order
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    expect(opener).to_be_focused()


@pytest.mark.nightly
def test_on_a_screen_of_360_pixels_everything_fits_and_a_source_fills_it(open_screen: Open, server: str, handbook: bytes) -> None:
    screen = open_screen(server, **NARROW)
    page = screen.page
    page.locator("#show-documents").click()
    screen.add("handbook.pdf", handbook)
    page.keyboard.press("Escape")
    expect(page.locator("#show-documents")).to_be_focused()
    screen.answer_to(LEAVE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.locator(".answer .cite").first.click()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    mark = view_of(page).locator(".pdf-mark").first
    expect(mark).to_be_in_viewport()
    assert edges(page.locator("#passage")) == {"left": 0, "top": 0, "right": 360, "bottom": 740}
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert edges(mark)["left"] >= 0
    page.locator("#passage .close").click()
    expect(page.locator("#passage")).to_be_hidden()


def test_the_vendored_pdf_reader_matches_its_checksums() -> None:
    rows = re.findall(r"^\| `pdfjs/([\w.]+/?)` .*`([0-9a-f]{64})` \|$", (WEB / "vendor/VENDORED.md").read_text(), re.MULTILINE)
    found = {path.name + "/" * path.is_dir(): digest(path) for path in (WEB / "vendor/pdfjs").iterdir() if path.name != "LICENSE"}
    assert dict(rows) == found


def digest(path: Path) -> str:
    """The digest of a folder: of the output of `sha256sum *` in it."""
    if path.is_dir():
        listing = "".join(f"{digest(file)}  {file.name}\n" for file in sorted(path.iterdir()))
        return hashlib.sha256(listing.encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()
