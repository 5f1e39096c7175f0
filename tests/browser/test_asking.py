"""Asking: from a question to the passage behind its answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

LEAVE = "How many days of annual leave do employees receive?"
Open = Callable[..., Any]


def test_a_clicked_question_is_answered_with_a_citation(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    suggestions = screen.page.locator("#suggestions button")
    expect(suggestions.first).to_be_visible()
    assert 1 <= suggestions.count() <= 3
    screen.picture(tmp_path / "welcome.png")
    question = suggestions.first.inner_text()
    suggestions.first.click()
    screen.finished()
    expect(screen.page.locator(".question")).to_have_text(question)
    expect(screen.page.locator(".answer .cite").first).to_have_text("1")


def test_a_citation_opens_its_passage_with_the_page_number(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    screen.ask(LEAVE)
    screen.finished()
    page = screen.page
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator(".answer")).not_to_contain_text("[^")
    page.locator(".answer .cite").first.click()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    expect(page.locator("#passage-text mark")).to_contain_text("28 days of annual leave")
    expect(page.locator("#passage-scores")).to_contain_text("Score")
    expect(page.locator("#passage-title")).to_be_focused()
    screen.picture(tmp_path / "passage.png")
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    expect(page.locator(".answer .cite").first).to_be_focused()


def test_tokens_arrive_as_markdown_and_their_markers_become_numbers(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    screen.ask(LEAVE)
    screen.finished()
    answer = screen.page.locator(".answer")
    expect(answer.locator("strong")).to_have_text("28 days")
    expect(answer.locator("p")).to_have_text("Yes 🎉, 28 days1.")  # the emoji is one code point and two UTF-16 units
    expect(answer.locator("li")).to_have_text(["one", "two1"])
    expect(screen.page.locator(".receipt .facts")).to_contain_text("scripted")


def test_stop_ends_the_answer_and_keeps_the_text_so_far(open_handbook: Open, server_with_model: str, tmp_path: Path) -> None:
    screen = open_handbook(server_with_model)
    screen.ask("Tell me slowly about annual leave")
    page = screen.page
    expect(page.locator(".answer")).to_contain_text("One moment")
    expect(page.locator(".answer .dot")).to_be_visible()
    expect(page.locator("#thread")).to_have_attribute("aria-busy", "true")
    screen.picture(tmp_path / "streaming.png")
    page.locator("#stop").click()
    screen.finished()
    expect(page.locator(".turn .after .note")).to_have_text("Stopped. Ask again")
    expect(page.locator("#status")).to_have_text("Stopped.")
    expect(page.locator("#send")).to_be_visible()
    kept = page.locator(".answer").inner_text()
    assert kept.startswith("One moment")
    assert "and 399" not in kept


@pytest.mark.parametrize(
    ("locale", "said", "back"),
    [
        ("en-GB", f"Searched for “{LEAVE}”.", "Search for it as I wrote it"),
        ("de-DE", f"Gesucht wurde „{LEAVE}“.", "So suchen, wie ich es geschrieben habe"),
        ("ko-KR", f"“{LEAVE}”로 고쳐서 검색했습니다.", "입력한 그대로 검색"),
    ],
)
def test_a_corrected_question_is_shown_and_can_be_taken_back(
    open_handbook: Open, server: str, tmp_path: Path, locale: str, said: str, back: str
) -> None:
    screen = open_handbook(server, locale=locale)
    written = LEAVE.replace("annual", "anual")
    screen.ask(written)
    screen.finished()
    page = screen.page
    expect(page.locator(".corrected span")).to_have_text(said)
    expect(page.locator(".question")).to_have_text(written)
    screen.picture(tmp_path / "corrected.png")
    page.reload()
    expect(page.locator(".corrected span")).to_have_text(said)
    page.get_by_role("button", name=back).click()
    screen.finished()
    expect(page.locator(".question")).to_have_text([written, written])
    expect(page.locator(".turn").nth(1).locator(".answer")).not_to_be_empty()
    expect(page.locator(".turn").nth(1).locator(".corrected")).to_have_count(0)


def test_a_second_question_stands_below_the_first(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    for question in (LEAVE, "Within how many weeks does the finance team refund travel expenses?"):
        screen.ask(question)
        screen.finished()
    expect(screen.page.locator(".question")).to_have_text([LEAVE, "Within how many weeks does the finance team refund travel expenses?"])
    expect(screen.page.locator(".answer").nth(1)).to_contain_text("two weeks")


def test_an_error_is_shown_with_its_detail(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    screen.ask("?")
    screen.finished()
    expect(screen.page.locator(".failed")).to_contain_text("letter or digit")
    assert all("status of 422" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself


def test_the_source_says_what_was_noted_about_its_document(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    screen.ask(LEAVE)
    screen.finished()
    page = screen.page
    page.locator(".answer .cite").first.click()
    expect(page.locator("#source-about")).to_be_empty()
    page.locator("#source-facts summary").click()
    noted = page.locator("#source-about div")
    expect(noted.filter(has_text="Topics").locator("dd")).not_to_be_empty()
    expect(noted.filter(has_text="Type").locator("dd")).to_have_text("pdf")
    expect(noted.filter(has_text="Personal data").locator("dd")).to_have_text(re.compile("found"))
    noted.last.scroll_into_view_if_needed()
    screen.picture(tmp_path / "about.png")
