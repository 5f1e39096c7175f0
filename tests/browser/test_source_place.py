"""Beside an open source the conversation stays where it is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import HERE, Screen
from tests.browser.test_accessibility import LEAVE, Open

FEW_PX = 4
NOTE = "## Note {0}\n\nThis note number {0} is about the work of day {0} and about nothing else that matters."
LONG = "\n\n".join(NOTE.format(n) for n in range(40))


@pytest.fixture
def screen(open_screen: Open, server: str) -> Screen:
    screen = open_screen(server, viewport={"width": 1280, "height": 800})
    handbook = (HERE / "handbook.en.md").read_text("utf-8")
    screen.add("handbook.md", f"{handbook}\n\n{LONG}\n\n# Later\n\n{handbook.replace('28 days', '30 days')}".encode())
    return screen


def y_of(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box
    return box["y"]


@pytest.mark.parametrize("clicked", [".answer .cite", ".answer mark"])
def test_a_source_opens_and_closes_without_moving_what_was_clicked(screen: Screen, page: Page, clicked: str) -> None:
    for question in (LEAVE, "How many days of annual leave do employees receive, and who approves travel?"):
        screen.answer_to(question)
    shown = page.locator(".turn").last.locator(clicked).first
    shown.evaluate("node => scrollBy(0, node.getBoundingClientRect().top - 350)")
    before = y_of(shown)
    start = shown.evaluate("node => node.getClientRects()[0].toJSON()")
    page.mouse.click(start["x"] + 4, start["y"] + start["height"] / 2)
    expect(page.locator("#source-view mark").first).to_be_in_viewport()
    assert y_of(shown) == pytest.approx(before, abs=FEW_PX)
    page.locator("#source-find").fill("note number 37")
    expect(page.locator("#source-found")).to_have_text("1 of 1")
    assert y_of(shown) == pytest.approx(before, abs=FEW_PX)
    page.locator("#source-back").click()
    expect(page.locator("#source-view mark").first).to_be_in_viewport()
    assert y_of(shown) == pytest.approx(before, abs=FEW_PX)
    page.locator("#passage .close").click()
    expect(page.locator("#passage")).to_be_hidden()
    assert y_of(shown) == pytest.approx(before, abs=FEW_PX)
