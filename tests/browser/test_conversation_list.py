"""The list of conversations: grouped by date, searched, renamed and pinned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import serving
from tests.browser.test_accessibility import DARK, NARROW, STILL, grave_in

Open = Callable[..., Any]
TITLES = ["When does the museum open?", "Who built the bridge?", "Where is the museum?"]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its conversations are those of this module."""
    with serving(tmp_path_factory.mktemp("data"), LLM__DISCOVER="false") as url:
        yield url


@pytest.fixture
def screen(open_screen: Open, own_server: str, request: pytest.FixtureRequest) -> Any:
    """The page with three conversations, `r2` the last used one."""
    opened = open_screen(own_server, **STILL, **getattr(request, "param", {}))
    have(opened, TITLES)
    return opened


def have(screen: Any, titles: list[str]) -> None:
    """The user has these conversations and no others."""
    requests = screen.page.request
    requests.delete(f"{screen.url}/me/data")
    for number, title in enumerate(titles):
        asked = {"query_text": title, "index_name": "default", "permission_groups": [], "room_id": f"r{number}"}
        assert requests.post(f"{screen.url}/ask", data=asked).ok
    screen.page.reload()
    expect(screen.page.locator("html[data-ready]")).to_be_attached()


def listed(page: Page) -> list[str]:
    return page.locator("#conversation-list :is(h3, .title)").all_inner_texts()


def row(page: Page, title: str) -> Any:
    return page.locator("#conversation-list li").filter(has_text=title)


def test_conversations_are_grouped_by_the_day_of_their_last_question(screen: Any) -> None:
    page: Page = screen.page
    newest_first = TITLES[::-1]
    assert listed(page) == ["Today", *newest_first]
    for days, heading in ((1, "Yesterday"), (6, "Last 7 days"), (9, "Older")):
        page.clock.set_fixed_time(datetime.now() + timedelta(days=days))
        page.reload()
        expect(page.locator("#conversation-list h3")).to_have_text([heading])


def test_a_search_by_title_finds_every_word_in_any_order(screen: Any) -> None:
    page: Page = screen.page
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("MUSEUM when")
    expect(page.locator("#conversation-list .title")).to_have_text([TITLES[0]])
    expect(page.locator("#conversations-status")).to_have_text("1 conversation found")
    search.fill("castle")
    expect(page.locator("#no-conversations")).to_have_text("No conversation has these words in its title.")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(page.locator("#conversation-list .title")).to_have_count(3)


def test_a_conversation_is_renamed_by_keyboard_and_keeps_its_name(screen: Any) -> None:
    page: Page = screen.page
    page.get_by_role("button", name=f"Rename “{TITLES[1]}”").focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Name of the conversation")
    expect(field).to_be_focused()
    page.keyboard.type("The bridge")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=f"Rename “{TITLES[1]}”")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("The bridge")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Rename “The bridge”")).to_be_focused()
    page.reload()
    expect(row(page, "The bridge")).to_have_count(1)
    page.get_by_role("button", name="Rename “The bridge”").press("Enter")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    expect(row(page, TITLES[1])).to_have_count(1)


def test_a_pinned_conversation_stands_first_until_it_is_unpinned(screen: Any) -> None:
    page: Page = screen.page
    pin = page.get_by_role("button", name=f"Pin “{TITLES[0]}”")
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.press("Enter")
    expect(page.locator("#conversation-list h3")).to_have_text(["Pinned", "Today"])
    expect(pin).to_be_focused()
    page.reload()
    expect(pin).to_have_attribute("aria-pressed", "true")
    assert listed(page) == ["Pinned", TITLES[0], "Today", TITLES[2], TITLES[1]]
    pin.press("Enter")
    expect(page.locator("#conversation-list h3")).to_have_text(["Today"])


def test_a_name_that_cannot_be_saved_stays_in_the_field_with_the_reason(screen: Any) -> None:
    page: Page = screen.page
    page.request.delete(f"{screen.url}/conversations/r0")
    page.get_by_role("button", name=f"Rename “{TITLES[0]}”").press("Enter")
    page.keyboard.type("Opening hours")
    page.keyboard.press("Enter")
    expect(page.locator(".rename [role=alert]")).to_have_text("There is no such conversation.")
    expect(page.get_by_role("textbox", name="Name of the conversation")).to_have_value("Opening hours")
    assert all("status of 404" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself


def test_more_conversations_than_a_page_of_the_server_are_all_found(open_screen: Open, own_server: str) -> None:
    screen = open_screen(own_server)
    page = screen.page
    have(screen, [f"Question {number:03}" for number in range(205)])
    expect(page.locator("#conversation-list li")).to_have_count(30)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#conversation-list li")).to_have_count(60)
    page.get_by_role("searchbox", name="Search conversations").fill("000 question")
    expect(page.locator("#conversation-list .title")).to_have_text(["Question 000"])


@pytest.mark.parametrize("screen", [{}, DARK, NARROW, {"locale": "ko-KR"}], ids=["wide", "dark", "narrow", "korean"], indirect=True)
def test_axe_finds_nothing_serious_in_the_list(screen: Any, tmp_path: Path) -> None:
    page: Page = screen.page
    if not page.locator("#conversations").is_visible():
        page.locator("#show-conversations").click()
    row(page, TITLES[0]).locator(".pin").press("Enter")
    expect(page.locator("#conversation-list h3")).to_have_count(2)
    row(page, TITLES[1]).locator(".pencil").press("Enter")
    screen.picture(tmp_path / "list.png")
    assert grave_in(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#conversations")).to_be_visible()
