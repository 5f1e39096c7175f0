"""Conversations: stored, reopened by their URL, and deleted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, Open

TRAVEL = "Within how many weeks does the finance team refund travel expenses?"


def ask(screen: Any, *questions: str) -> None:
    for question in questions:
        screen.answer_to(question)


def test_conversations_are_opened_by_url_back_and_forward_rated_and_deleted(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE, TRAVEL)
    assert re.fullmatch(r"#/c/[0-9a-f-]{36}", page.evaluate("location.hash"))
    here = page.locator("#conversation-list a[aria-current=page]")
    expect(here.locator(".title")).to_have_text(LEAVE)
    expect(here.locator("time")).to_have_text("now")
    expect(page).to_have_title(f"{LEAVE} – Footnote")
    answers = page.locator(".answer").all_inner_texts()
    screen.picture(tmp_path / "conversation.png")
    page.reload()
    expect(page.locator(".question")).to_have_text([LEAVE, TRAVEL])
    assert page.locator(".answer").all_inner_texts() == answers
    expect(here.locator(".title")).to_have_text(LEAVE)
    page.locator(".cite").first.click()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    page.keyboard.press("Escape")

    page.locator("#new-conversation").click()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#question")).to_be_focused()
    ask(screen, TRAVEL)
    expect(page.locator("#conversation-list .title").first).to_have_text(TRAVEL)
    page.go_back()
    expect(page.locator("#welcome")).to_be_visible()
    page.go_back()
    expect(page.locator(".question")).to_have_text([LEAVE, TRAVEL])
    page.go_forward()
    page.go_forward()
    expect(page.locator(".question")).to_have_text([TRAVEL])
    rates_the_last_answer(page)
    asks_at_once_and_deletes(screen, tmp_path)


def rates_the_last_answer(page: Page) -> None:
    page.locator(".actions .up").click()
    expect(page.locator(".actions .outcome")).to_have_text("Thank you.")
    page.reload()
    expect(page.locator(".actions .up")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".actions .down")).to_have_attribute("aria-pressed", "false")


def asks_at_once_and_deletes(screen: Any, folder: Path) -> None:
    page: Page = screen.page
    page.evaluate(
        """text => { // typed and sent before the browser tells the page of the new address
          document.querySelector('#new-conversation').click()
          document.querySelector('#question').value = text
          document.querySelector('#ask').requestSubmit()
        }""",
        LEAVE,
    )
    expect(page.locator(".question")).to_have_text([LEAVE])
    screen.finished()
    expect(page.locator(".answer .cite").first).to_be_visible()
    expect(page.locator("#conversation-list a[aria-current=page] .title")).to_have_text(LEAVE)

    room = page.evaluate("location.hash").removeprefix("#/c/")
    row = page.locator("#conversation-list li").filter(has=page.locator("[aria-current]"))
    bin_ = row.locator(".bin")
    expect(bin_).to_have_attribute("aria-label", f"Delete “{LEAVE}”")
    bin_.click()
    expect(row.get_by_text("Delete this conversation permanently?")).to_be_visible()
    screen.picture(folder / "deleting.png")
    page.keyboard.press("Escape")
    expect(bin_).to_be_focused()
    bin_.click()
    row.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(f"#conversation-list [href='#/c/{room}']")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    assert page.evaluate("location.hash") == "#/"
    assert page.request.get(f"{screen.url}/conversations/{room}").status == 404
    page.goto(f"{screen.url}/#/c/{room}")
    expect(page.locator("#thread .note")).to_have_text("This conversation does not exist or was deleted.")
    screen.complained_only_of("status of 404")  # logged by the browser itself
