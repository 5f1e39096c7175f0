"""The order of headings, the names of regions, and the size of what stands around a document."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import LEAVE, NARROW, Open, close_sheet

LEVELS = (
    b"## Leave\n\nEmployees receive 28 days of annual leave per year.\n\n#### Part time\n\nLess.\n\n# Travel\n\n### Trains\n\nSecond class."
)


def found_in(page: Page) -> list[str]:
    options = {"runOnly": ["heading-order", "landmark-unique"]}
    return [
        f"{each['id']}: {node['html'][:200]}" for each in Axe().run(page, options=options).response["violations"] for node in each["nodes"]
    ]


def test_no_heading_level_is_left_out_and_no_region_has_the_name_of_another(screen: Screen, page: Page) -> None:
    screen.add("levels.md", LEVELS)
    screen.answer_to(LEAVE)
    page.locator(".answer .cite").first.click()
    expect(page.locator("#source-view h3")).to_have_text(["Leave", "Travel"])
    expect(page.locator("#source-view h4")).to_have_text(["Part time", "Trains"])
    assert found_in(page) == []
    page.get_by_role("button", name="Account").click()
    expect(page.locator("#usage dl")).to_be_visible()
    assert found_in(page) == []
    page.goto(f"{screen.url}/statistics")
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#documents-body")).not_to_be_empty()
    assert found_in(page) == []


def test_on_a_narrow_screen_the_document_has_the_room(open_screen: Open, server: str) -> None:
    screen = open_screen(server, **{**NARROW, "viewport": {"width": 390, "height": 844}})
    page = screen.page
    screen.add("levels.md", LEVELS)
    close_sheet(page)
    screen.answer_to(LEAVE)
    page.locator(".answer .cite").first.tap()
    view = page.locator("#source-view")
    expect(view.locator("mark").first).to_be_visible()
    above = view.bounding_box()
    assert above
    assert above["y"] < 0.15 * 844
    back = page.get_by_role("button", name="Back to the passage")
    shown = back.bounding_box()
    assert shown
    assert shown["width"] > 120  # its words, not only its arrow
    back.tap()
    page.locator("#source-find").fill("trains")
    expect(page.locator("#source-found")).to_have_text("1 of 1")
    expect(page.get_by_role("button", name="Next match")).to_be_visible()
