"""Conversations: stored, reopened by their URL, and deleted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.test_accessibility import LEAVE

TRAVEL = "Within how many weeks does the finance team refund travel expenses?"
Open = Callable[..., Any]


def ask(screen: Any, *questions: str) -> None:
    for question in questions:
        screen.ask(question)
        screen.finished()


def test_conversations_are_opened_by_their_url_and_by_back_and_forward(open_handbook: Open, server: str, tmp_path: Path) -> None:
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


def test_a_question_belongs_to_the_conversation_in_the_address_which_can_be_deleted(
    open_handbook: Open, server: str, tmp_path: Path
) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE)
    page.locator(".actions .up").click()
    expect(page.locator(".actions .outcome")).to_have_text("Thank you.")
    page.reload()
    expect(page.locator(".actions .up")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".actions .down")).to_have_attribute("aria-pressed", "false")
    page.evaluate(
        """text => { // typed and sent before the browser tells the page of the new address
          document.querySelector('#new-conversation').click()
          document.querySelector('#question').value = text
          document.querySelector('#ask').requestSubmit()
        }""",
        TRAVEL,
    )
    expect(page.locator(".question")).to_have_text([TRAVEL])
    screen.finished()
    expect(page.locator(".answer .cite").first).to_be_visible()
    expect(page.locator("#conversation-list a[aria-current=page] .title")).to_have_text(TRAVEL)

    room = page.evaluate("location.hash").removeprefix("#/c/")
    row = page.locator("#conversation-list li").filter(has=page.locator("[aria-current]"))
    bin_ = row.locator(".bin")
    expect(bin_).to_have_attribute("aria-label", f"Delete “{TRAVEL}”")
    bin_.click()
    expect(row.get_by_text("Delete this conversation permanently?")).to_be_visible()
    screen.picture(tmp_path / "deleting.png")
    page.keyboard.press("Escape")
    expect(bin_).to_be_focused()
    bin_.click()
    row.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(f"#conversation-list [href='#/c/{room}']")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    assert page.evaluate("location.hash") == "#/"
    assert page.request.get(f"{server}/conversations/{room}").status == 404
    page.goto(f"{server}/#/c/{room}")
    expect(page.locator("#thread .note")).to_have_text("This conversation does not exist or was deleted.")
    assert all("status of 404" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself
