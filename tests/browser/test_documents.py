"""Documents: in by picking or dropping, out by deleting, and what a hostile one can do (nothing)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

Open = Callable[..., Any]

DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], name))
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
}"""


def test_a_dropped_file_becomes_ready_and_can_be_asked(open_screen: Open, server: str, handbook: bytes, tmp_path: Path) -> None:
    screen = open_screen(server)
    screen.page.evaluate(DROP, ["handbook.pdf", base64.b64encode(handbook).decode()])
    row = screen.page.locator("#document-list li")
    expect(row).to_have_attribute("data-state", "READY")
    expect(row).to_have_attribute("data-vectors", "all")
    expect(row).to_contain_text("3 pages")
    expect(screen.page.locator("#drop-here")).to_be_hidden()
    screen.picture(tmp_path / "ready.png")
    screen.ask("Within how many weeks does the finance team refund travel expenses?")
    screen.finished()
    expect(screen.page.locator(".answer")).to_contain_text("within two weeks")


def test_an_unreadable_file_shows_why_and_what_to_do(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server)
    screen.page.evaluate(DROP, ["broken.pdf", base64.b64encode(b"%PDF-1.7 this is no PDF at all").decode()])
    row = screen.page.locator("#document-list li")
    expect(row).to_have_attribute("data-state", "FAILED")
    reason, remedy = row.locator(".why span").all_inner_texts()
    assert len(reason.split()) > 3
    assert len(remedy.split()) > 3
    screen.picture(tmp_path / "failed.png")


def test_a_deleted_document_disappears_after_a_question(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    row = screen.page.locator("#document-list li")
    row.locator(".bin").click()
    expect(row.locator(".question-row .quiet")).to_be_focused()
    row.locator(".question-row .quiet").click()
    expect(row).to_have_count(1)
    row.locator(".bin").click()
    row.locator(".danger").click()
    expect(row).to_have_count(0)
    expect(screen.page.locator("#no-documents")).to_be_visible()
    expect(screen.page.locator("#suggestions button")).to_have_count(0)
    assert screen.page.request.get(f"{server}/documents?collection={screen.index}").json()["data"] == []


HOSTILE_DOCUMENT = """# <img src=x onerror="alert('title')"> Lighthouse

The lighthouse keeper lives <img src=x onerror="alert('text')"> on the northern cliff <script>alert('script')</script>
and ![spy](https://example.com/spy.png) lights the lamp <b onmouseover="alert('bold')">every evening</b> at seven.
"""


def test_a_hostile_document_is_shown_as_text_and_asks_for_nothing(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    screen.add("lighthouse.txt", HOSTILE_DOCUMENT.encode())
    screen.ask("Where does the lighthouse keeper live?")
    screen.finished()
    screen.page.locator(".hits").evaluate("hits => (hits.open = true)")
    screen.page.locator(".hits button").first.click()
    expect(screen.page.locator("#passage-text")).to_contain_text("<img src=x onerror=\"alert('text')\">")
    expect(screen.page.locator("#passage-text")).to_contain_text("![spy](https://example.com/spy.png)")
    assert screen.page.locator("img, iframe, .turn script, #passage script").count() == 0


def test_a_hostile_answer_is_shown_as_text_and_asks_for_nothing(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    screen.ask("Write something hostile about annual leave")
    screen.finished()
    answer = screen.page.locator(".answer")
    expect(answer).to_contain_text("Safe words")
    expect(answer).to_contain_text('<img src=x onerror="alert(1)">')
    assert answer.locator("img, script, iframe, svg, style, [onerror], [onload]").count() == 0
    links = answer.locator("a[href]")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("href", "https://example.com/page")
    expect(links).to_have_attribute("rel", "noopener nofollow noreferrer")
    expect(links).to_have_attribute("target", "_blank")
    expect(answer.locator(".cite")).to_have_text("1")
