"""Conversations: stored, reopened by their URL, deleted, and exported as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

LEAVE = "How many days of annual leave do employees receive?"
TRAVEL = "Within how many weeks does the finance team refund travel expenses?"
Open = Callable[..., Any]


def ask(screen: Any, *questions: str) -> None:
    for question in questions:
        screen.ask(question)
        screen.finished()


def test_a_conversation_is_listed_by_its_first_question_and_opened_by_its_url(open_handbook: Open, server: str, tmp_path: Path) -> None:
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


def test_a_question_belongs_to_the_conversation_in_the_address(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE)
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


def test_back_and_forward_go_between_conversations(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE)
    page.locator("#new-conversation").click()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#question")).to_be_focused()
    ask(screen, TRAVEL)
    expect(page.locator("#conversation-list .title").first).to_have_text(TRAVEL)
    page.go_back()
    expect(page.locator("#welcome")).to_be_visible()
    page.go_back()
    expect(page.locator(".question")).to_have_text(LEAVE)
    page.go_forward()
    page.go_forward()
    expect(page.locator(".question")).to_have_text(TRAVEL)


def test_a_thumb_is_still_there_when_the_conversation_is_opened_again(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    ask(screen, LEAVE)
    screen.page.locator(".actions .up").click()
    expect(screen.page.locator(".actions .outcome")).to_have_text("Thank you.")
    screen.page.reload()
    expect(screen.page.locator(".actions .up")).to_have_attribute("aria-pressed", "true")
    expect(screen.page.locator(".actions .down")).to_have_attribute("aria-pressed", "false")


def test_a_deleted_conversation_is_gone_after_a_question(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE)
    room = page.evaluate("location.hash").removeprefix("#/c/")
    row = page.locator("#conversation-list li").filter(has=page.locator("[aria-current]"))
    bin_ = row.locator(".bin")
    expect(bin_).to_have_attribute("aria-label", f"Delete “{LEAVE}”")
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


def test_an_unknown_conversation_says_so(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    screen.page.goto(f"{server}/#/c/nobody-has-asked-here")
    expect(screen.page.locator("#thread .note")).to_have_text("This conversation does not exist or was deleted.")
    assert all("status of 404" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself


def test_an_answer_is_copied_with_its_sources_as_footnotes(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model, permissions=["clipboard-read", "clipboard-write"])
    ask(screen, LEAVE)
    screen.page.locator(".actions .copy").click()
    expect(screen.page.locator(".actions .copied")).to_be_visible()
    assert screen.page.evaluate("navigator.clipboard.readText()") == (
        "Yes 🎉, **28 days**[^1].\n\n- one\n- two[^1]\n\n"
        "[^1]: Employee handbook, Annual leave, p. 2: “Employees receive 28 days of annual leave per year.”\n"
    )


def test_a_conversation_is_exported_as_markdown(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model, permissions=["clipboard-read", "clipboard-write"])
    page = screen.page
    expect(page.locator("#export")).to_be_hidden()
    ask(screen, LEAVE, "Tell me of leave and sickness?")
    page.locator("#export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as Markdown").click()
    assert download.value.suggested_filename == "How many days of annual leave do employees receive.md"
    written = Path(download.value.path()).read_text("utf-8")
    first, second = written.split("\n\n## ")
    assert first.startswith(f"## {LEAVE}\n\nYes 🎉, **28 days**[^1].")
    assert second.startswith("Tell me of leave and sickness?\n\nYes 🎉, **28 days**[^2].")
    assert [note[:6] for note in written.split("\n") if note.startswith("[^")] == ["[^1]: ", "[^2]: "]
    expect(page.locator("#export-menu")).to_be_hidden()
    page.locator("#export").click()
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator("#export.copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == written


def test_on_a_narrow_screen_the_conversations_are_a_drawer(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page = screen.page
    ask(screen, LEAVE)
    page.locator("#new-conversation").click()
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.locator("#conversations")).to_be_hidden()
    page.locator("#show-conversations").click()
    screen.picture(tmp_path / "drawer.png")
    page.keyboard.press("Escape")
    expect(page.locator("#show-conversations")).to_be_focused()
    page.locator("#show-conversations").click()
    page.locator("#conversation-list a").filter(has_text=LEAVE).first.click()
    expect(page.locator("#drawer")).to_be_hidden()
    expect(page.locator(".question")).to_have_text(LEAVE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_conversation_left_during_an_answer_is_in_the_list(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    screen.ask("Tell me slowly about annual leave")
    expect(page.locator(".answer")).to_contain_text("One moment")
    page.locator("#new-conversation").click()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    ask(screen, LEAVE)
    page.locator("#conversation-list a").filter(has_text="Tell me slowly").first.click()
    expect(page.locator(".question")).to_have_text("Tell me slowly about annual leave")
    expect(page.locator(".answer")).to_contain_text("One moment")
    page.locator("#stop").click()
    screen.finished()
    assert all("status of 404" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # the conversation is stored with its first answer
