"""What is quoted from the documents while a language model writes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import LEAVE, Open, grave_in


def test_quotes_fold_above_the_answer_when_it_begins(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    page.set_viewport_size({"width": 360, "height": 740})
    screen.ask(f"{LEAVE} Tell me slowly.")
    quoted, answer = page.locator(".meanwhile"), page.locator(".answer")
    expect(quoted).to_contain_text("Employees receive 28 days of annual leave per year.")
    expect(quoted).not_to_contain_text("may not answer")
    expect(page.locator("#status")).to_have_text("Meanwhile 1 passage is quoted. The language model is still writing.")
    expect(answer).to_contain_text("and 3")
    expect(quoted.locator("mark, .cite").first).to_be_hidden()
    top = answer.bounding_box()["y"]
    assert quoted.bounding_box()["height"] < 50
    assert quoted.bounding_box()["y"] < top < 300
    expect(answer).to_contain_text("and 9")
    assert answer.bounding_box()["y"] == top
    summary = quoted.locator("summary")
    summary.click()
    expect(quoted.locator(".cite").first).to_be_visible()
    assert quoted.evaluate("box => box.scrollHeight <= box.clientHeight")
    assert grave_in(page) == []
    page.reload()
    expect(quoted).to_contain_text("28 days")
    expect(answer).to_contain_text("and 3")
    page.locator("#stop").click()
    screen.finished()
    summary.click()
    quoted.locator(".cite").first.click()
    expect(page.locator("#passage-title")).to_have_text("Employee handbook")
    page.keyboard.press("Escape")

    page.set_viewport_size({"width": 1280, "height": 860})
    screen.answer_to(f"{LEAVE} Say it exactly.")
    last = page.locator(".turn").last
    expect(last.locator(".meanwhile")).to_contain_text("28 days")
    expect(last.locator(".answer")).to_have_text(re.compile(r"^Employees receive 28 days of annual leave per year\s*1\s*\.\s*$"))
    page.reload()
    expect(page.locator(".answer").last).to_contain_text("28 days")
    expect(page.locator(".meanwhile")).to_have_count(0)


@pytest.mark.nightly
def test_quotes_of_a_model_that_fails_are_shown_once(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    screen.answer_to(f"{LEAVE} Or are you out of order?")
    expect(screen.page.locator(".answer")).to_contain_text("28 days of annual leave")
    expect(screen.page.locator(".meanwhile")).to_have_count(0)
