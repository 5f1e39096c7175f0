"""The list of conversations: grouped by date, searched, renamed and pinned."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import STILL, Open, grave_in, grave_in_both

TITLES = ["When does the museum open?", "Who built the bridge?", "Where is the museum?"]


def test_the_list_is_searched_and_its_rows_renamed_and_pinned(open_screen: Open, server: str, tmp_path: Path) -> None:
    """How it is grouped and what a search finds: `tests/page/conversation_groups.test.mjs`."""
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    page.route("**/conversations?*", partial(of_this_test, screen.index))
    for number, title in enumerate(TITLES):
        asked = {"query_text": title, "index_name": "default", "permission_groups": [], "room_id": f"{screen.index}-{number}"}
        assert page.request.post(f"{server}/ask", data=asked).ok
    reopen(page)
    expect(page.locator("#conversation-list :is(h3, .title)")).to_have_text(["Today", *TITLES[::-1]])
    searches(page)
    renames(page)
    pins(page)
    row(page, TITLES[1]).locator(".pencil").press("Enter")
    screen.picture(tmp_path / "list.png")
    assert grave_in_both(page) == []
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("#show-conversations").click()
    row(page, TITLES[1]).locator(".pencil").press("Enter")
    assert grave_in(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#conversations")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 860})
    reopen(page)
    keeps_a_name_that_cannot_be_saved(screen)
    finds_more_than_a_page_of_the_server(page)


def of_this_test(index: str, route: Route) -> None:
    """The server's list without the conversations of other tests."""
    reply = route.fetch()
    data = [room for room in reply.json()["data"] if room["room_id"].startswith(index)]
    route.fulfill(response=reply, json={**reply.json(), "data": data})


def reopen(page: Page) -> None:
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()


def row(page: Page, title: str) -> Any:
    return page.locator("#conversation-list li").filter(has_text=title)


def searches(page: Page) -> None:
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("MUSEUM when")
    expect(page.locator("#conversation-list .title")).to_have_text([TITLES[0]])
    expect(page.locator("#conversations-status")).to_have_text("1 conversation found")
    search.fill("castle")
    expect(page.locator("#no-conversations")).to_have_text("No conversation has these words in its title.")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(page.locator("#conversation-list .title")).to_have_count(3)


def renames(page: Page) -> None:
    page.get_by_role("button", name=f"Rename “{TITLES[1]}”").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Name of the conversation")).to_be_focused()
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


def pins(page: Page) -> None:
    pin = page.get_by_role("button", name=f"Pin “{TITLES[0]}”")
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.press("Enter")
    expect(page.locator("#conversation-list h3")).to_have_text(["Pinned", "Today"])
    expect(pin).to_be_focused()
    page.reload()
    expect(pin).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#conversation-list :is(h3, .title)")).to_have_text(["Pinned", TITLES[0], "Today", TITLES[2], TITLES[1]])
    pin.press("Enter")
    expect(page.locator("#conversation-list h3")).to_have_text(["Today"])


def keeps_a_name_that_cannot_be_saved(screen: Any) -> None:
    page: Page = screen.page
    page.request.delete(f"{screen.url}/conversations/{screen.index}-0")
    page.get_by_role("button", name=f"Rename “{TITLES[0]}”").press("Enter")
    page.keyboard.type("Opening hours")
    page.keyboard.press("Enter")
    expect(page.locator(".rename [role=alert]")).to_have_text("There is no such conversation.")
    expect(page.get_by_role("textbox", name="Name of the conversation")).to_have_value("Opening hours")
    screen.complained_only_of("status of 404")  # logged by the browser itself


def finds_more_than_a_page_of_the_server(page: Page) -> None:
    rooms = [{"room_id": f"q{n}", "title": f"Question {n:03}", "pinned": False, "updated_at": 2e9 - n} for n in range(205)]

    def page_of(route: Route) -> None:
        data = rooms[200:] if "after=q199" in route.request.url else rooms[:200]
        route.fulfill(json={"data": data, "has_more": len(data) == 200, "last_id": data[-1]["room_id"]})

    page.unroute("**/conversations?*")
    page.route("**/conversations?*", page_of)
    reopen(page)
    expect(page.locator("#conversation-list li")).to_have_count(30)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#conversation-list li")).to_have_count(60)
    page.get_by_role("searchbox", name="Search conversations").fill("204 question")
    expect(page.locator("#conversation-list .title")).to_have_text(["Question 204"])
