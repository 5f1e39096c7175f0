"""Asking: from a question to the passage behind its answer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, NARROW, STILL, Open, grave_in

HIDDEN = (
    "turn => turn.querySelector('.question').getBoundingClientRect().bottom - turn.querySelector('.answer').getBoundingClientRect().top"
)
"""How much of an answer's start is behind its question, which stays at the top, or above the window."""
TRAVEL = "Within how many weeks does the finance team refund travel expenses?"


def test_questions_are_answered_with_citations_that_open_their_passage(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page: Page = screen.page
    suggestions = page.locator("#suggestions button")
    expect(suggestions.first).to_be_visible()
    assert 1 <= suggestions.count() <= 3
    screen.picture(tmp_path / "welcome.png")
    suggested = suggestions.first.inner_text()
    suggestions.first.click()
    screen.finished()
    expect(page.locator(".answer .cite").first).to_have_text("1")
    for question in (LEAVE, TRAVEL):
        screen.answer_to(question)
    expect(page.locator(".question")).to_have_text([suggested, LEAVE, TRAVEL])
    expect(page.locator(".answer").nth(2)).to_contain_text("two weeks")
    expect(page.locator(".actions .copy").last).to_be_visible()
    expect(page.get_by_role("button", name="Regenerate the answer")).to_have_count(0)  # quoted sentences would be the same
    opens_its_passage(page, page.locator(".answer").nth(1), tmp_path)

    screen.answer_to("?")
    expect(page.locator(".failed")).to_contain_text("letter or digit")
    screen.complained_only_of("status of 422")  # logged by the browser itself
    page.locator("#new-conversation").click()
    takes_a_correction_back(screen)


def opens_its_passage(page: Page, answer: Any, folder: Path) -> None:
    expect(answer).to_contain_text("28 days")
    expect(answer).not_to_contain_text("[^")
    cite = answer.locator(".cite").first
    cite.click()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    expect(page.locator("#passage-text mark")).to_contain_text("28 days of annual leave")
    expect(page.locator("#passage-scores")).to_contain_text("Score")
    expect(page.locator("#passage-title")).to_be_focused()
    page.locator("#source-facts summary").click()  # what was noted about the document
    noted = page.locator("#source-about div")
    expect(noted.filter(has_text="Topics").locator("dd")).not_to_be_empty()
    expect(noted.filter(has_text="Type").locator("dd")).to_have_text("pdf")
    expect(noted.filter(has_text="Personal data").locator("dd")).to_have_text(re.compile("found"))
    page.screenshot(path=folder / "passage.png")
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    expect(cite).to_be_focused()


def takes_a_correction_back(screen: Any) -> None:
    page: Page = screen.page
    written = LEAVE.replace("annual", "anual")
    screen.answer_to(written)
    expect(page.locator(".corrected span")).to_have_text(f"Searched for “{LEAVE}”.")
    expect(page.locator(".question")).to_have_text(written)
    page.reload()
    expect(page.locator(".corrected span")).to_have_text(f"Searched for “{LEAVE}”.")
    page.get_by_role("button", name="Search for it as I wrote it").click()
    screen.finished()
    expect(page.locator(".question")).to_have_text([written, written])
    expect(page.locator(".turn").nth(1).locator(".answer")).not_to_be_empty()
    expect(page.locator(".turn").nth(1).locator(".corrected")).to_have_count(0)


# --- with a language model -----------------------------------------------------------------------


def test_an_answer_arrives_in_pieces_is_stopped_and_goes_on_without_its_reader(
    open_handbook: Open, server_with_model: str, tmp_path: Path
) -> None:
    screen = open_handbook(server_with_model)
    page: Page = screen.page
    answer = page.locator(".answer")
    screen.ask("Tell me slowly about annual leave")
    expect(answer).to_contain_text("One moment")
    expect(answer.locator(".dot")).to_be_visible()
    expect(page.locator("#thread")).to_have_attribute("aria-busy", "true")
    screen.picture(tmp_path / "streaming.png")
    with page.expect_response(lambda reply: reply.request.method == "DELETE") as stopping:
        page.locator("#stop").click()
    assert stopping.value.status == 204
    screen.finished()
    expect(page.locator(".turn .after .note")).to_have_text("Stopped. Ask again")
    expect(page.locator("#status")).to_have_text("Stopped.")
    expect(page.locator("#send")).to_be_visible()
    kept = answer.inner_text()
    assert kept.startswith("One moment")
    assert "and 399" not in kept
    page.reload()  # twenty seconds before the model would have ended
    expect(answer).to_contain_text("One moment")
    expect(page.locator(".turn .after")).to_contain_text("This answer is incomplete: it was stopped, or its reader left.")

    page.locator("#new-conversation").click()
    screen.ask("Tell me slowly, again, about annual leave")
    expect(answer).to_contain_text("One moment")
    page.locator("#new-conversation").click()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    screen.answer_to(LEAVE)
    page.locator("#conversation-list a").filter(has_text="Tell me slowly, again").first.click()
    expect(page.locator(".question")).to_have_text("Tell me slowly, again, about annual leave")
    expect(answer).to_contain_text("One moment")
    page.locator("#stop").click()
    screen.finished()
    screen.complained_only_of("status of 404")  # the conversation is stored with its first answer


def test_the_start_of_an_answer_that_is_longer_than_a_phone_stays_in_view(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model, **NARROW, **STILL)
    for number in (1, 2):
        screen.answer_to(f"Tell me at length, for the {number}. time, about annual leave")
        turn = screen.page.locator(".turn").last
        assert turn.locator(".answer").evaluate("answer => answer.offsetHeight > innerHeight")
        assert turn.evaluate(HIDDEN) <= 0


def test_an_answer_of_a_model_is_asked_for_again_copied_and_exported(open_handbook: Open, server_with_model: str, tmp_path: Path) -> None:
    screen = open_handbook(server_with_model, **STILL, permissions=["clipboard-read", "clipboard-write"])
    page: Page = screen.page
    page.get_by_role("button", name="Advanced").click()
    expect(page.get_by_role("option", name="Model only")).to_be_enabled()
    expect(page.locator("#needs-model")).to_be_hidden()
    expect(page.locator("#export")).to_be_hidden()
    screen.answer_to(LEAVE)
    answer = page.locator(".answer").first
    expect(answer.locator("strong")).to_have_text("28 days")
    expect(answer.locator("p")).to_have_text("Yes 🎉, 28 days1.")  # the emoji is one code point and two UTF-16 units
    expect(answer.locator("li")).to_have_text(["one", "two1"])
    expect(page.locator(".receipt .facts")).to_contain_text("scripted")
    copies_and_exports(screen)

    with page.expect_request("**/ask/stream") as asked:
        page.get_by_role("button", name="Regenerate the answer").click()
    assert json.loads(asked.value.post_data or "")["query_text"] == LEAVE
    screen.finished()
    expect(page.locator(".question")).to_have_text([LEAVE, LEAVE])
    expect(page.locator(".answer").last).to_contain_text("28 days")
    pencils = page.get_by_role("button", name="Edit and resend")
    expect(pencils).to_have_count(2)
    pencils.first.press("Enter")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#question")).to_have_value(LEAVE)
    screen.picture(tmp_path / "editing.png")
    page.keyboard.press("End")
    page.keyboard.type(" In days?")
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text([LEAVE, LEAVE, f"{LEAVE} In days?"])
    screen.finished()
    assert grave_in(page) == []
    page.reload()
    expect(page.get_by_role("button", name="Regenerate the answer")).to_have_count(3)


def copies_and_exports(screen: Any) -> None:
    """How they are written: `tests/page/export.test.mjs`."""
    page: Page = screen.page
    page.locator(".actions .copy").click()
    expect(page.locator(".actions .copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "Yes 🎉, **28 days**[^1].\n\n- one\n- two[^1]\n\n"
        "[^1]: Employee handbook, Annual leave, p. 2: “Employees receive 28 days of annual leave per year.”\n"
    )
    page.locator("#export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as Markdown").click()
    assert download.value.suggested_filename == "How many days of annual leave do employees receive.md"
    written = Path(download.value.path()).read_text("utf-8")
    assert written.startswith(f"## {LEAVE}\n\nYes 🎉, **28 days**[^1].")
    expect(page.locator("#export-menu")).to_be_hidden()
    page.locator("#export").click()
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator("#export.copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == written
