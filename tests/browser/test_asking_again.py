"""A question is edited and asked again, and an answer of a model is written anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import STILL, grave_in

Open = Callable[..., Any]
LEAVE = "How many days of annual leave do employees receive?"
SICK = "Tell me of leave and sickness?"


def test_an_own_question_is_edited_in_the_box_and_asked_again(open_handbook: Open, server_with_model: str, tmp_path: Path) -> None:
    screen = open_handbook(server_with_model, **STILL)
    page: Page = screen.page
    for question in (LEAVE, SICK):
        screen.ask(question)
        screen.finished()
    pencils = page.get_by_role("button", name="Edit and resend")
    expect(pencils).to_have_count(2)
    pencils.first.press("Enter")
    box = page.locator("#question")
    expect(box).to_be_focused()
    expect(box).to_have_value(LEAVE)
    screen.picture(tmp_path / "editing.png")
    page.keyboard.press("End")
    page.keyboard.type(" In days?")
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text([LEAVE, SICK, f"{LEAVE} In days?"])
    screen.finished()
    assert grave_in(page) == []
    page.reload()
    expect(page.locator(".question")).to_have_count(3)


def test_an_answer_of_a_model_is_written_anew_below_and_survives_a_reload(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page: Page = screen.page
    screen.ask(LEAVE)
    screen.finished()
    with page.expect_request("**/ask/stream") as asked:
        page.get_by_role("button", name="Regenerate the answer").click()
    assert asked.value.post_data_json["query_text"] == LEAVE
    screen.finished()
    expect(page.locator(".question")).to_have_text([LEAVE, LEAVE])
    expect(page.locator(".answer").last).to_contain_text("28 days")
    page.reload()
    expect(page.get_by_role("button", name="Regenerate the answer")).to_have_count(2)


def test_quoted_sentences_are_not_offered_again_because_they_would_be_the_same(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    screen.ask(LEAVE)
    screen.finished()
    expect(screen.page.locator(".actions .copy")).to_be_visible()
    expect(screen.page.get_by_role("button", name="Regenerate the answer")).to_have_count(0)
