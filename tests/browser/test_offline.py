"""A device without a network: what the page says before and after a question is asked."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import LEAVE, Open, grave_in

OFFLINE = "This device is offline."
GO_OFFLINE = """() => {
  Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })
  dispatchEvent(new Event('offline'))
}"""
TEXT_TOP = "node => node.getBoundingClientRect().top + parseFloat(getComputedStyle(node).paddingTop)"
BOX_TOP = "node => node.getBoundingClientRect().top + parseFloat(getComputedStyle(node, '::before').top)"


def test_an_offline_device_keeps_the_question_and_says_why(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page, box = screen.page, screen.page.locator("#question")
    line = page.locator("#offline")
    expect(line).to_be_hidden()
    page.context.set_offline(True)
    expect(line).to_contain_text(OFFLINE)
    assert line.evaluate(TEXT_TOP) > page.locator("#ask").evaluate(BOX_TOP)
    screen.picture(tmp_path / "offline.png")
    screen.ask(LEAVE)
    expect(box).to_have_value(LEAVE)
    expect(page.locator(".turn")).to_have_count(0)
    page.context.set_offline(False)
    expect(line).to_be_hidden()
    box.press("Enter")
    screen.finished()
    expect(page.locator(".answer")).to_contain_text("28 days")
    assert grave_in(page) == []
    screen.complained_only_of("ERR_INTERNET_DISCONNECTED")


def test_a_server_on_the_offline_device_itself_is_asked(screen: Screen, page: Page) -> None:
    with page.expect_response("**/web/icon.svg"):
        page.evaluate(GO_OFFLINE)
    expect(page.locator("#offline")).to_be_hidden()
    page.route("**/ask/stream", lambda route: route.abort())
    screen.ask(LEAVE)
    expect(page.locator(".failed")).to_contain_text(f"{OFFLINE} Try again once it is connected.")
    screen.complained_only_of("ERR_FAILED")
