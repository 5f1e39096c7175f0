"""Accessibility: axe-core's rules on the main states, and operation by keyboard only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.nightly import DEEP

Open = Callable[..., Any]
HERE = Path(__file__).parent
LEAVE = "How many days of annual leave do employees receive?"
DARK = {"color_scheme": "dark"}
NARROW = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
STILL = {"reduced_motion": "reduce"}
"""Colours are not checked in the middle of a transition."""
LOOKED_AT = ("uploads", "answer")
"""The main states that axe-core looks at in the gate, too."""


# --- states --------------------------------------------------------------------------------------


def violations_in(page: Page, **options: Any) -> list[str]:
    """Serious and critical violations by axe-core's rules."""
    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    grave = [violation for violation in found if violation["impact"] in ("serious", "critical")]
    return [f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}" for violation in grave for node in violation["nodes"]]


def grave_in(page: Page) -> list[str]:
    """By night, the violations of a state that a test is in. A look takes seconds: the gate takes one at some of the main states and of
    the admin's views."""
    return violations_in(page) if DEEP else []


def grave_in_both(page: Page) -> list[str]:
    """As `grave_in`, and the contrast in dark colours."""
    page.emulate_media(color_scheme="dark")
    found = [f"dark: {violation}" for violation in violations_in(page, runOnly=["color-contrast"])] if DEEP else []
    page.emulate_media(color_scheme="light")
    return found + grave_in(page)


@pytest.mark.parametrize("look", [pytest.param({}, id="wide", marks=pytest.mark.nightly), pytest.param(NARROW, id="narrow")])
def test_axe_finds_nothing_serious_in_the_main_states(
    open_screen: Open, server: str, handbook: bytes, look: dict[str, Any], tmp_path: Path
) -> None:
    screen = open_screen(server, **STILL, **look)
    grave = {}
    for state in main_states(screen, handbook):
        screen.page.screenshot(path=tmp_path / f"{state}.png")
        if DEEP or state in LOOKED_AT:
            grave[state] = violations_in(screen.page) if look else grave_in_both(screen.page)
    states = ("empty", "uploads", "answer", "conversations", "pdf", "text") if DEEP else LOOKED_AT
    assert grave == {state: [] for state in states}


def main_states(screen: Any, handbook: bytes) -> Iterator[str]:
    page: Page = screen.page
    documents = page.locator("#document-list")
    yield "empty"

    files = {"handbook.pdf": handbook, "broken.pdf": b"%PDF-1.7 nothing", "empty.txt": b"", "letter.txt": b"A letter came on Monday."}
    screen.pick(files)
    expect(page.get_by_role("heading", name="2 added · 2 failed")).to_be_visible()
    documents.get_by_role("button", name="Delete broken.pdf").click()
    yield "uploads"

    documents.get_by_role("button", name="Keep", exact=True).click()
    close_sheet(page)
    screen.answer_to(LEAVE)
    for folded in page.locator("#thread summary:visible").all():
        folded.click()
    yield "answer"

    conversations = page.get_by_role("navigation", name="Conversations")
    if not conversations.is_visible():
        page.get_by_role("button", name="Conversations").click()
    conversations.get_by_role("button", name="Delete").first.click()
    yield "conversations"

    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Citation 1").first.click()
    expect(page.locator("#source-view canvas").first).to_be_visible()
    yield "pdf"

    page.keyboard.press("Escape")
    opener = page.get_by_role("button", name="Documents")
    if opener.is_visible():
        opener.click()
    documents.get_by_role("button", name="letter", exact=True).click()
    expect(page.locator("#source-view")).to_contain_text("A letter came on Monday.")
    yield "text"


@pytest.mark.nightly
def test_axe_finds_nothing_serious_in_korean(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server, locale="ko-KR", **STILL)
    screen.add("handbook.md", (HERE / "handbook.ko.md").read_bytes())
    screen.answer_to("직원의 연차 휴가는 매년 며칠입니까?")
    screen.page.get_by_role("button", name="인용 1").first.click()
    expect(screen.page.locator("#source-view mark").first).to_be_visible()
    screen.picture(tmp_path / "korean.png")
    assert grave_in(screen.page) == []


def close_sheet(page: Page) -> None:
    """Adding files opens the documents over a narrow page."""
    if page.locator("#sheet").evaluate("sheet => sheet.open"):
        page.keyboard.press("Escape")
        expect(page.locator("#side #documents")).to_be_attached()  # not just closed: the focus is where it was


# --- keyboard ------------------------------------------------------------------------------------

FOCUSED = """() => {
  const node = document.activeElement
  const box = node.getBoundingClientRect()
  const style = getComputedStyle(node)
  const composer = node.closest('.composer')
  return {
    name: node.getAttribute('aria-label') || node.labels?.[0]?.innerText || node.innerText?.trim() || node.id || node.tagName,
    seen: (composer && getComputedStyle(composer, '::before').borderTopColor !== '') || style.outlineStyle !== 'none',
    inside: box.bottom > 0 && box.top < innerHeight,
  }
}"""


def walk(page: Page, key: str = "Tab") -> list[dict[str, Any]]:
    """Every element that the key focuses, from the top of the page until the focus leaves it or wraps around."""
    page.get_by_role("link", name="Skip to the question").focus()
    first = page.evaluate(FOCUSED)
    places = [first]
    for _ in range(page.locator("*").count()):  # the list of conversations grows with each test
        page.keyboard.press(key)
        if page.evaluate("document.activeElement === document.body || document.activeElement.matches('.skip:first-child')"):
            return places
        places.append(page.evaluate(FOCUSED))
    pytest.fail(f"{key} does not come round: {[place['name'] for place in places[-5:]]}")


@pytest.mark.nightly
def test_every_control_is_reached_by_tab_and_files_are_managed_by_keyboard(open_screen: Open, server: str, handbook: bytes) -> None:
    screen = open_screen(server, **STILL)
    screen.add("handbook.pdf", handbook)
    screen.page.locator("#uploads").hover()  # so that its rows stay
    screen.answer_to(LEAVE)
    places = walk(screen.page)
    assert [place["name"] for place in places if not place["seen"] or not place["inside"]] == []
    controls = screen.page.locator(
        "a[href]:visible, button:enabled:visible, select:visible, input:visible, textarea:visible, summary:visible"
    )
    assert len(places) >= controls.count()
    names = [place["name"] for place in places]
    for earlier, later in pairwise(ORDER):
        assert position(names, earlier) < position(names, later)
    adds_retries_and_deletes_by_keyboard(screen)


def adds_retries_and_deletes_by_keyboard(screen: Any) -> None:
    page: Page = screen.page
    for button, picker in (("Add files", "#files"), ("Add a folder", "#folder")):
        # Not by waiting for the chooser: a headless Chromium does not always report one for folders.
        page.locator(picker).evaluate("input => input.addEventListener('click', () => (input.title = 'opened'))")
        page.get_by_role("button", name=button).focus()
        page.keyboard.press("Enter")
        expect(page.locator(picker)).to_have_attribute("title", "opened")

    screen.pick({"broken.pdf": b"%PDF-1.7 nothing"})
    again = page.get_by_role("table").get_by_role("button", name="Try again: broken.pdf")
    again.focus()
    with page.expect_response("**/retry"):
        page.keyboard.press("Enter")
    expect(page.locator("#uploads-title")).to_be_focused()
    expect(again).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Close this list")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_hidden()
    expect(page.locator("#documents-title")).to_be_focused()

    delete = page.get_by_role("button", name="Delete broken.pdf")
    delete.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(delete).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Delete", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#document-list li")).to_have_count(1)  # the handbook
    expect(page.locator("#documents-title")).to_be_focused()


ORDER = [
    "Skip to the question",
    "New conversation",
    "Citation 1",
    "Copy the answer",
    "Your question",
    "Ask",
    "Add files",
    "Add a folder",
    "Add to collection",
    "Save as CSV",
    "Delete Employee handbook",
]


def position(names: list[str], beginning: str) -> int:
    found = [place for place, name in enumerate(names) if name.startswith(beginning)]
    assert found, f"{beginning} is not among {names}"
    return found[0]


# --- narrow screens ------------------------------------------------------------------------------


def test_on_a_narrow_screen_lists_are_sheets_and_a_touch_opens_a_citation(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server, **NARROW)
    page = screen.page
    close_sheet(page)
    documents, conversations = page.get_by_role("button", name="Documents"), page.locator("#show-conversations")
    documents.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sheet")).to_be_visible()
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.activeElement.closest('#sheet') !== null")
    page.keyboard.press("Escape")
    expect(documents).to_be_focused()

    screen.answer_to(LEAVE)
    page.locator(".cite").first.tap()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    expect(page.locator("#citation-card")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#conversations")).to_be_hidden()
    conversations.click()
    expect(page.locator("#conversations")).to_be_visible()
    screen.picture(tmp_path / "drawer.png")
    page.keyboard.press("Escape")
    expect(conversations).to_be_focused()
    conversations.click()
    page.locator("#new-conversation").click()
    expect(page.locator(".question")).to_have_count(0)
    conversations.click()
    page.locator("#conversation-list a").filter(has_text=LEAVE).first.click()
    expect(page.locator("#drawer")).to_be_hidden()
    expect(page.locator(".question")).to_have_text(LEAVE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
