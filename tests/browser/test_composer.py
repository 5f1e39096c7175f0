"""The question box: the collection and "Ask"; what only some questions need is under "Advanced"."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import DARK, NARROW, STILL, close_sheet, grave_in

Open = Callable[..., Any]
RARE = ("#mode", "#retriever", "#results")


def test_only_the_collection_and_ask_are_shown_until_advanced_is_opened_which_is_remembered(open_screen: Open, server: str) -> None:
    page: Page = open_screen(server).page
    advanced = page.get_by_role("button", name="Advanced")
    for option in RARE:
        expect(page.locator(option)).to_be_hidden()
    expect(page.locator("#index")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    advanced.press("Enter")
    expect(advanced).to_have_attribute("aria-expanded", "true")
    page.reload()
    for option in RARE:
        expect(page.locator(option)).to_be_visible()
    advanced.press("Enter")
    page.reload()
    expect(page.locator("#mode")).to_be_hidden()


def test_a_choice_that_differs_from_the_usual_one_is_named_beside_advanced(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page: Page = screen.page
    screen.open_advanced()
    page.locator("#retriever").select_option("Keyword")
    expect(page.locator("#advanced")).to_have_text("Advanced · Keyword")
    page.get_by_label("Answer from").select_option("Documents, always search")
    page.locator("#advanced").click()
    page.locator("#language").select_option("de")
    expect(page.locator("#advanced")).to_have_text("Erweitert · Dokumente, immer suchen · Stichwort")


def test_without_a_model_the_modes_that_need_one_cannot_be_chosen_and_say_why(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page: Page = screen.page
    screen.open_advanced()
    for name in ("Model only", "Agent with tools"):
        expect(page.get_by_role("option", name=name)).to_be_disabled()
    reason = page.locator("#needs-model")
    expect(reason).to_contain_text("“Model only” and “Agent with tools” need a language model. No language model is configured.")
    expect(page.locator("#mode")).to_have_attribute("aria-describedby", "needs-model")


def test_with_a_model_every_mode_can_be_chosen(open_screen: Open, server_with_model: str) -> None:
    screen = open_screen(server_with_model)
    screen.open_advanced()
    expect(screen.page.get_by_role("option", name="Model only")).to_be_enabled()
    expect(screen.page.locator("#needs-model")).to_be_hidden()


def test_an_invalid_number_of_results_is_shown_though_advanced_was_closed(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page: Page = screen.page
    screen.open_advanced()
    page.locator("#results").fill("0")
    page.locator("#advanced").click()
    screen.ask("Why?")
    expect(page.locator("#results")).to_be_focused()
    expect(page.locator("#question")).to_have_value("Why?")
    expect(page.locator(".turn")).to_have_count(0)


LOOKS = [{}, DARK, NARROW, {"locale": "de-DE"}, {"locale": "ko-KR"}]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "dark", "narrow", "german", "korean"])
def test_the_opened_options_have_no_serious_findings_and_fit(open_screen: Open, server: str, look: dict[str, Any], tmp_path: Path) -> None:
    screen = open_screen(server, **STILL, **look)
    close_sheet(screen.page)
    screen.open_advanced()
    screen.picture(tmp_path / "advanced.png")
    assert grave_in(screen.page) == []
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
