"""Files attached to a question: by button, drop and paste, until they are read, and as long as the conversation lasts."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.browser.test_accessibility import STILL, Open, grave_in, grave_in_both

OFFER = b"The repair of the mill costs 9000 crowns. The carpenter begins in May."
PRICE = "What does the repair of the mill cost?"
GIVE = """([how, name, content]) => {
  const data = new DataTransfer()
  data.items.add(new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], name))
  const box = document.getElementById('question')
  const options = { bubbles: true, cancelable: true }
  if (how === 'paste') return box.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }))
  for (const type of ['dragenter', 'dragover', 'drop']) box.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: data }))
}"""


def attach(page: Page, **files: bytes) -> None:
    chosen = [FilePayload(name=f"{name}.txt", mimeType="text/plain", buffer=content) for name, content in files.items()]
    page.locator("#attach-files").set_input_files(chosen)


def chip(page: Page, name: str = "offer.txt") -> Locator:
    return page.locator("#attachments li").filter(has_text=name)


def attached(page: Page, url: str) -> list[str]:
    room = page.evaluate("decodeURIComponent(location.hash.slice(4))")
    listed = page.request.get(f"{url}/documents", params={"room_id": room}).json()["data"]
    return [document["file_name"] for document in listed]


@pytest.mark.nightly
def test_a_question_is_answered_from_the_attached_file_which_is_shown_after_a_reload(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page: Page = screen.page
    with page.expect_file_chooser():
        page.get_by_role("button", name="Attach files").click()
    attach(page, offer=OFFER, wool=b"Wool is sold by weight.")
    expect(chip(page)).to_have_attribute("data-state", "ready")
    expect(chip(page, "wool.txt")).to_contain_text("Ready")
    screen.answer_to(PRICE)
    expect(page.locator(".answer")).to_contain_text("9000 crowns")
    page.reload()
    expect(page.locator("#attachments li .name")).to_have_text(["offer.txt", "wool.txt"])
    screen.answer_to("How many days of annual leave do employees receive?")
    expect(page.locator(".answer").last).to_contain_text("28 days")
    expect(page.locator("#document-list li")).to_have_count(1)  # the handbook
    page.locator("#new-conversation").click()
    expect(page.locator("#attachments")).to_be_hidden()
    screen.answer_to(PRICE)
    expect(page.locator(".answer").last).not_to_contain_text("9000")


def test_dropped_and_pasted_files_are_attached_awaited_explained_and_removed(open_screen: Open, server: str) -> None:
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    waiting: list[Route] = []
    page.route("**/uploads", lambda route: waiting.append(route))
    with page.expect_request("**/uploads"):
        page.evaluate(GIVE, ["drop", "offer.txt", base64.b64encode(OFFER).decode()])
    expect(chip(page)).to_contain_text("Uploading, 0%")
    expect(page.locator("#drop-here")).to_be_hidden()
    expect(page.locator("#uploads")).to_be_hidden()  # it is not added to the documents
    screen.ask(PRICE)
    expect(page.locator("#attachments-note")).to_have_text("The question is sent as soon as the files are read.")
    expect(page.locator("#question")).to_have_value(PRICE)
    waiting[0].continue_()
    expect(page.locator(".answer")).to_contain_text("9000 crowns")
    expect(page.locator("#question")).to_have_value("")
    expect(page.locator("#attachments-note")).to_be_hidden()

    page.unroute("**/uploads")
    page.evaluate(GIVE, ["paste", "wool.txt", base64.b64encode(b"Wool is sold by weight.").decode()])
    expect(chip(page, "wool.txt")).to_have_attribute("data-state", "ready")
    assert sorted(attached(page, server)) == ["offer.txt", "wool.txt"]
    page.get_by_role("button", name="Remove wool.txt").click()
    expect(page.locator("#attachments li")).to_have_count(1)
    assert attached(page, server) == ["offer.txt"]
    says_why_a_file_cannot_be_read(screen)


def says_why_a_file_cannot_be_read(screen: Any) -> None:
    page: Page = screen.page
    page.locator("#attach-files").set_input_files(FilePayload(name="scan.pdf", mimeType="", buffer=b"%PDF-1.7 this is no PDF"))
    screen.ask(PRICE)
    failed = chip(page, "scan.pdf")
    expect(failed).to_have_attribute("data-state", "failed")
    expect(page.locator("#attachments-said")).to_have_text("scan.pdf could not be attached.")
    reason, remedy = failed.locator(".why span").all_inner_texts()
    assert reason.strip()
    assert remedy.strip()
    expect(page.locator("#question")).to_have_value(PRICE)
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert grave_in(page) == []
    page.set_viewport_size({"width": 1280, "height": 860})
    page.locator("#language").select_option("de")
    expect(page.get_by_role("button", name="Dateien anhängen", exact=True)).to_be_visible()
    page.get_by_role("button", name="scan.pdf entfernen").click()
    page.get_by_role("button", name="offer.txt entfernen").click()
    expect(page.locator("#attachments")).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert attached(page, screen.url) == []
