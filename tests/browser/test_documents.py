"""Documents: added by picker or drop, one or many, deleted; and hostile documents, which can do nothing."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import STILL, Open, grave_in, grave_in_both

TRAVEL = "Within how many weeks does the finance team refund travel expenses?"
UNLISTED = """async () => {
  const shown = new Set([...document.querySelectorAll('#document-list .name')].map(({ title }) => title))
  const all = Array.from({ length: 52 }, (_, at) => `letter ${String(at + 1).padStart(2, '0')}.txt`)
  return all.find(name => !shown.has(name))
}"""
BROKEN = b"%PDF-1.7 this is no PDF at all"
DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], name))
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
}"""


def letters(count: int) -> dict[str, bytes]:
    return {f"letter {n:02}.txt": f"Letter {n:02} reached the harbour master on a Monday.".encode() for n in range(1, count + 1)}


def upload(page: Page, name: str) -> Locator:
    return page.get_by_role("table").get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))


def paths_of(screen: Any, url: str, beginning: str) -> list[str]:
    return [path for path in (request.removeprefix(url) for request in screen.requests) if path.startswith(beginning)]


# --- one file ------------------------------------------------------------------------------------


def test_a_dropped_file_is_opened_saved_asked_and_not_added_twice(screen: Screen, page: Page, handbook: bytes, tmp_path: Path) -> None:
    page.evaluate(DROP, ["handbook.pdf", base64.b64encode(handbook).decode()])
    row = page.locator("#document-list li")
    expect(row).to_have_attribute("data-state", "READY")
    expect(page.locator("#document-list")).to_have_attribute("data-vectors", "all")
    expect(row).to_contain_text("3 pages")
    expect(upload(page, "handbook.pdf")).to_contain_text("Ready")
    expect(page.locator("#drop-here")).to_be_hidden()
    screen.picture(tmp_path / "ready.png")
    page.get_by_role("button", name="Employee handbook", exact=True).click()
    expect(page.get_by_role("complementary", name="Employee handbook")).to_be_visible()
    expect(page.locator("#source-of")).to_have_text("of 3")
    expect(page.locator("#source-view canvas").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Employee handbook", exact=True)).to_be_focused()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "handbook.pdf"
    assert Path(download.value.path()).read_bytes() == handbook
    screen.answer_to(TRAVEL)
    expect(page.locator(".answer")).to_contain_text("within two weeks")

    screen.pick({"handbook.pdf": handbook, "copy of it.pdf": handbook})
    expect(page.get_by_role("heading", name="0 added · 2 already there")).to_be_visible()
    expect(upload(page, "handbook.pdf")).to_contain_text("Already added")
    expect(upload(page, "copy of it.pdf")).to_contain_text("Already added")
    expect(row).to_have_count(1)
    screen.pick({"handbook.pdf": handbook.replace(b"28 days", b"29 days")})  # a new version
    expect(page.get_by_role("heading", name="1 added")).to_be_visible()
    expect(upload(page, "handbook.pdf").locator(".state")).to_have_text("Ready")


def test_a_deleted_document_is_restored_unless_it_was_added_again(screen: Screen, page: Page, server: str, tmp_path: Path) -> None:
    row, deleted = page.locator("#document-list li"), page.locator("#deleted-list li")
    screen.add("letter 01.txt", letters(1)["letter 01.txt"])
    row.locator(".bin").click()
    expect(row.locator(".question-row .quiet")).to_be_focused()
    row.locator(".question-row .quiet").click()
    expect(row).to_have_count(1)
    row.locator(".bin").click()
    row.locator(".danger").click()
    expect(row).to_have_count(0)
    expect(upload(page, "letter 01.txt")).to_contain_text("Deleted")
    expect(page.locator("#no-documents")).to_be_visible()
    expect(page.locator("#suggestions button")).to_have_count(0)
    assert page.request.get(f"{server}/documents?collection={screen.index}").json()["data"] == []
    expect(deleted).to_contain_text("Deleted, can be restored until")
    screen.picture(tmp_path / "deleted.png")
    deleted.get_by_role("button", name="Restore letter 01").click()
    expect(deleted).to_have_count(0)
    expect(row).to_have_attribute("data-state", "READY")
    expect(page.locator("#documents-status")).to_have_text("letter 01 was restored.")
    screen.answer_to("When did letter 01 reach the harbour master?")
    expect(page.locator(".answer")).to_contain_text("Monday")

    row.locator(".bin").click()
    row.locator(".danger").click()
    restore = deleted.get_by_role("button")
    expect(restore).to_be_visible()
    screen.pick({"copy.txt": letters(1)["letter 01.txt"]})
    expect(row).to_have_attribute("data-state", "READY")
    restore.click()
    expect(page.locator("#deleted-list")).to_contain_text("The same file was added again meanwhile")
    screen.complained_only_of("409 (Conflict)")  # logged by the browser itself

    kept = page.request.get(f"{server}/documents?collection={screen.index}").json()["data"]
    page.request.delete(f"{server}/documents/{kept[0]['doc_id']}")  # elsewhere
    expect(row).to_have_count(1)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(row).to_have_count(0)
    page.goto("about:blank")  # from here on nothing is polled
    screen.complained_only_of("404 (Not Found)")  # of a poll while it was deleted


# --- many files ----------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_progress_of_many_files_is_shown_and_those_not_listed_yet_are_found(
    screen: Screen, page: Page, server: str, tmp_path: Path
) -> None:
    rows, shown = page.locator("#document-list li"), page.locator("#document-list li .name")
    screen.pick({**letters(52), "=broken.pdf": BROKEN, "empty, again.txt": b""})
    screen.picture(tmp_path / "running.png")
    expect(page.get_by_role("heading", name="52 added · 2 failed")).to_be_visible(timeout=60_000)
    expect(page.locator("#documents-status")).to_have_text("52 added, 0 already there, 2 failed.")
    expect(upload(page, "letter 07.txt")).to_contain_text("1 passage")
    assert len(paths_of(screen, server, "/documents")) < 40
    page.get_by_role("checkbox", name="Failed only").check()
    expect(page.locator("#uploads-rows tr:visible")).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = Path(download.value.path()).read_bytes().decode("utf-8-sig").split("\r\n")
    assert lines[0] == "File,Bytes,State,Pages,Passages,Reason,Remedy"
    assert "letter 01.txt,49,Ready,,1,," in lines
    assert [line.split(",Failed,")[0] for line in lines if ",Failed," in line] == ["'=broken.pdf,30", '"empty, again.txt",0']
    assert len(lines) == 1 + 54 + 1

    page.get_by_role("button", name="Close this list").click()
    expect(page.get_by_role("table")).to_be_hidden()
    expect(rows).to_have_count(50)
    assert [row.get_attribute("data-state") for row in rows.all()[:3]] == ["FAILED", "FAILED", "READY"]
    page.locator("#more-documents").click()
    expect(rows).to_have_count(54)
    expect(page.locator("#more-documents")).to_be_hidden()

    page.route(re.compile(r"/documents\?.*limit=200"), lambda route: route.continue_(url=route.request.url.replace("limit=200", "limit=5")))
    page.evaluate("name => localStorage.setItem('footnote.index', name)", screen.index)
    page.reload()
    expect(rows).to_have_count(50)
    last = page.evaluate(UNLISTED)
    assert last
    page.locator("#document-filter").fill(last)
    expect(shown).to_have_attribute("title", last)
    expect(page.locator("#more-documents")).to_be_hidden()


@pytest.mark.nightly
def test_eight_documents_are_filtered_by_words_of_title_and_file_name(open_screen: Open, server: str, tmp_path: Path) -> None:
    """Which words match: `tests/page/conversation_groups.test.mjs`."""
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    rows, box, none = page.locator("#document-list li"), page.locator("#document-filter"), page.locator("#no-documents")
    screen.pick(letters(7))
    expect(page.locator("#document-list li[data-state=READY]")).to_have_count(7)
    expect(box).to_be_hidden()
    screen.pick({"Übersicht.csv": b"Pier,Fee\nNorth,5 crowns\n"})
    expect(page.locator("#document-list li[data-state=READY]")).to_have_count(8)
    box.fill("05 LETTER")
    expect(rows).to_have_count(1)
    expect(rows.locator(".name")).to_have_attribute("title", "letter 05.txt")
    expect(rows.locator("svg.format")).to_have_attribute("data-kind", "text")
    expect(page.locator("#documents-status")).to_contain_text("1")
    box.fill(".csv u\u0308bersicht")
    expect(rows).to_have_count(1)
    expect(rows.locator("svg.format")).to_have_attribute("data-kind", "sheet")
    screen.picture(tmp_path / "filtered.png")
    box.fill("letter nowhere")
    expect(none).to_have_text("No document matches.")
    expect(rows).to_have_count(0)
    assert grave_in_both(page) == []
    box.press("Escape")
    expect(box).to_be_visible()
    expect(box).to_be_focused()
    expect(rows).to_have_count(8)
    expect(none).to_be_hidden()
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("#show-documents").click()
    box.fill("05 LETTER")
    expect(rows).to_have_count(1)
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.nightly
def test_uploads_are_refused_cancelled_sent_and_read_again(open_screen: Open, server: str, tmp_path: Path) -> None:
    with (tmp_path / "film.pdf").open("wb") as film:
        film.truncate(51 * 2**20)
    screen = open_screen(server)
    page: Page = screen.page
    page.locator("#files").set_input_files(tmp_path / "film.pdf")
    expect(upload(page, "film.pdf")).to_contain_text("The file has 51.0 MB; 50 MB are allowed.")
    assert paths_of(screen, server, "/uploads") == ["/uploads"]
    assert [complaint for complaint in screen.complaints if "413" not in complaint] == []
    page.get_by_role("button", name="Close this list").click()

    held: list[Route] = []
    page.route("**/uploads/form", lambda route: held.append(route))
    screen.pick(letters(6))
    expect(page.locator('#uploads-rows [data-state="sending"]')).to_have_count(3)
    page.get_by_role("button", name="Cancel letter 05.txt").click()
    expect(upload(page, "letter 05.txt")).to_contain_text("Cancelled")
    page.get_by_role("button", name="Cancel letter 02.txt").click()
    expect(upload(page, "letter 02.txt")).to_contain_text("Cancelled")
    expect(upload(page, "letter 04.txt")).to_contain_text("Uploading")
    page.get_by_role("button", name="Cancel all").click()
    expect(page.get_by_role("heading", name="0 added · 6 cancelled")).to_be_visible()
    expect(page.get_by_role("button", name="Close this list")).to_be_focused()
    assert page.request.get(f"{server}/documents?collection={screen.index}").json()["data"] == []

    page.unroute("**/uploads/form")
    page.route("**/uploads/form", lambda route: route.abort(), times=1)
    again = page.get_by_role("button", name="Try again: letter 02.txt")
    again.click()
    expect(upload(page, "letter 02.txt")).to_contain_text("The server cannot be reached.")
    again.click()
    expect(upload(page, "letter 02.txt")).to_contain_text("Ready")
    expect(page.locator("#document-list li")).to_have_count(1)
    screen.complained_only_of("net::ERR_FAILED", "413")
    reads_again_what_cannot_be_read(screen, tmp_path)


def reads_again_what_cannot_be_read(screen: Any, folder: Path) -> None:
    page: Page = screen.page
    page.get_by_role("button", name="Close this list").click()
    row = page.locator("#document-list li").filter(has_text="broken.pdf")
    sent = len(paths_of(screen, screen.url, "/uploads/form"))
    screen.pick({"broken.pdf": BROKEN})
    expect(page.get_by_role("heading", name="0 added · 1 failed")).to_be_visible()
    expect(row).to_have_attribute("data-state", "FAILED")
    reason, remedy = row.locator(".why span").all_inner_texts()
    assert len(reason.split()) > 3
    assert len(remedy.split()) > 3
    expect(upload(page, "broken.pdf")).to_contain_text(reason.strip())
    expect(page.locator("#documents-status")).to_contain_text("broken.pdf failed.")
    screen.picture(folder / "failed.png")
    for again in page.get_by_role("table"), page.locator("#document-list"):
        with page.expect_response("**/retry") as answer:
            again.get_by_role("button", name="Try again: broken.pdf").click()
        assert answer.value.json()["state"] in ("RECEIVED", "PROCESSING")  # the worker may have begun
        expect(row).to_have_attribute("data-state", "FAILED")
        expect(page.get_by_role("heading", name="0 added · 1 failed")).to_be_visible()
    assert len(paths_of(screen, screen.url, "/uploads/form")) == sent + 1

    def in_part(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        for document in body["data"]:
            document |= {
                "state": "READY",
                "reason": "Pages 2 and 3 are images.",
                "remedy": "Run OCR on them.",
                "format": "pptx",
                "pages": 3,
            }
        route.fulfill(response=answer, json=body)

    page.route("**/documents?*", in_part)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(row.locator(".why")).to_have_text("Pages 2 and 3 are images. Run OCR on them. ")
    expect(row).to_contain_text("PPTX")
    expect(row).to_contain_text("3 slides")


def test_each_batch_is_counted_by_itself_and_what_was_read_leaves_the_list(screen: Screen, page: Page) -> None:
    screen.pick({**letters(2), "broken.pdf": BROKEN})
    expect(page.get_by_role("heading", name="2 added · 1 failed")).to_be_visible()
    screen.pick({"guide.md": b"# Travel questions\n\nTrains are booked at the desk.", "film.mp4": b"no film at all"})
    expect(page.get_by_role("heading", name="1 added · 1 failed")).to_be_visible()
    expect(upload(page, "film.mp4")).to_contain_text("This is a film or sound file, which is not supported. Add a transcript")
    expect(page.locator("#uploads-rows tr")).to_have_count(2)
    page.locator("#question").hover()
    expect(upload(page, "guide.md")).to_have_count(0, timeout=20_000)
    expect(upload(page, "film.mp4")).to_be_visible()

    rows = page.locator("#document-list li")
    page.reload()
    expect(rows).to_have_count(5)
    assert [row.get_attribute("data-state") for row in rows.all()] == ["FAILED", "FAILED", "READY", "READY", "READY"]
    expect(rows.nth(2)).to_contain_text("Travel questions")
    expect(rows.nth(2).locator(".file")).to_have_text("guide.md")
    expect(rows.nth(3).locator(".file")).to_be_hidden()


# --- folders -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`post` with three letters, one of them in a subfolder, and files to ignore."""
    for path in ("letter 10.txt", "letter 9.txt", "old/1998/letter.txt", ".DS_Store", "~$letter.docx", ".git/config.txt"):
        file = tmp_path / "post" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"This is the file {path}.")
    return tmp_path / "post"


def test_a_folder_picked_or_dropped_brings_all_its_files_with_their_paths(screen: Screen, page: Page, server: str, folder: Path) -> None:
    """What else a folder may hold: `tests/page/folders.test.mjs`."""
    paths = ["post/letter 9.txt", "post/letter 10.txt", "post/old/1998/letter.txt"]
    page.locator("#folder").set_input_files(folder)
    expect(page.get_by_role("heading", name="3 added")).to_be_visible()
    assert page.get_by_role("rowheader").all_inner_texts() == paths
    kept = page.request.get(f"{server}/documents?collection={screen.index}").json()["data"]
    assert {document["file_name"] for document in kept} == set(paths)
    page.get_by_role("button", name="Close this list").click()
    browser = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for event in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": event, "x": 300, "y": 300, "data": data})
    expect(page.get_by_role("heading", name="0 added · 3 already there")).to_be_visible()
    assert page.get_by_role("rowheader").all_inner_texts() == paths
    expect(upload(page, "post/letter 9.txt")).to_contain_text("Already added")


# --- hostile texts --------------------------------------------------------------------------------


HOSTILE_DOCUMENT = """# <img src=x onerror="alert('title')"> Lighthouse

The lighthouse keeper lives <img src=x onerror="alert('text')"> on the northern cliff <script>alert('script')</script>
and ![spy](https://example.com/spy.png) lights the lamp <b onmouseover="alert('bold')">every evening</b> at seven.
"""


def test_a_hostile_document_and_answer_are_shown_as_text_and_load_nothing(open_screen: Open, server_with_model: str) -> None:
    screen = open_screen(server_with_model)
    page: Page = screen.page
    screen.add("lighthouse.txt", HOSTILE_DOCUMENT.encode())
    screen.answer_to("Write something hostile about the lighthouse keeper")
    answer = page.locator(".answer")
    expect(answer).to_contain_text("Safe words")
    expect(answer).to_contain_text('<img src=x onerror="alert(1)">')
    assert answer.locator("img, script, iframe, svg, style, [onerror], [onload]").count() == 0
    links = answer.locator("a[href]")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("href", "https://example.com/page")
    expect(links).to_have_attribute("rel", "noopener nofollow noreferrer")
    expect(links).to_have_attribute("target", "_blank")
    expect(answer.locator(".cite").first).to_have_text("1")
    page.locator(".footnotes button").first.click()
    expect(page.locator("#source-view")).to_contain_text("<img src=x onerror=\"alert('text')\">")
    expect(page.locator("#source-view")).to_contain_text("![spy](https://example.com/spy.png)")
    assert page.locator("img, iframe, .turn script, #passage script").count() == 0
