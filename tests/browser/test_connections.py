"""The connections of an answer: names and sentences of its passages, as a picture and as a list, where the collection has a graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen, serving
from tests.browser.office import add_file
from tests.browser.test_accessibility import NARROW, STILL, grave_in, grave_in_both
from tests.browser.test_page import tab_to

Open = Callable[..., Screen]
HARBOUR = """# Harbour

Ann Smith built the Harbour Tower for Northwind Logistics. The Harbour Tower burned down in 1894.

The ferry leaves Hull at noon. Mary Jones steers the ferry.
"""
KETTLE = "# kettle\n\nthe kettle boils in two minutes. tea is served at four.\n"
BUILT = "Ann Smith built the Harbour Tower for Northwind Logistics."
ARROWS = ("ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight")
WHO_BUILT = "Who built the Harbour Tower?"


@pytest.fixture(scope="module")
def graph_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same document in two collections, of which `default` has built a graph."""
    with (
        serving(tmp_path_factory.mktemp("graph"), LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as server,
        httpx.Client(base_url=server, timeout=30) as client,
    ):
        for name, text, collection in (("harbour.md", HARBOUR, "default"), ("kettle.md", KETTLE, "default"), ("port.md", HARBOUR, "plain")):
            add_file(client, name, text.encode(), collection)
        client.post("/collections/default/knowledge", json={"kinds": ["graph"]}).raise_for_status()
        deadline = time.monotonic() + 60
        while any(each["built"] < each["total"] for each in states(client)):
            assert time.monotonic() < deadline, states(client)
            time.sleep(0.05)
        yield server


def states(client: httpx.Client) -> list[dict[str, Any]]:
    return [each for each in client.get("/collections/default/knowledge").json()["data"] if each["made_by"]]


def asked(open_screen: Open, server: str, question: str = WHO_BUILT, collection: str = "default", **look: Any) -> Screen:
    """A page where the question was answered, with the answer's actions in view."""
    screen = open_screen(server, **STILL, **look)
    screen.page.locator("#index").select_option(collection)
    screen.answer_to(question)
    screen.page.locator(".actions").scroll_into_view_if_needed()
    return screen


def at_name(page: Page) -> str:
    """The name in the picture that has the focus."""
    return str(page.evaluate("document.activeElement.dataset.name"))


def test_connections_open_by_keyboard_and_list_what_the_picture_shows(open_screen: Open, graph_server: str, tmp_path: Path) -> None:
    screen = asked(open_screen, graph_server)
    page: Page = screen.page
    button = page.get_by_role("button", name="Connections", exact=True)
    expect(button).to_have_attribute("aria-expanded", "false")
    tab_to(page, ".connections-button", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    nodes, rows = page.locator(".connections .node"), page.locator(".connections-list > li")
    expect(nodes).to_have_count(5)
    drawn = nodes.evaluate_all("nodes => nodes.map(node => node.dataset.name)")
    assert sorted(drawn) == ["Ann Smith", "Harbour", "Harbour Tower", "Mary Jones", "Northwind Logistics"]
    assert rows.locator("summary b").all_inner_texts() == drawn
    expect(page.locator(".connections .edge")).to_have_count(7)

    page.keyboard.press("Tab")
    expect(page.locator(".connections .node:focus")).to_have_attribute("aria-label", f"{drawn[0]}: 4 connections")
    expect(page.locator(".connections .edge.lit")).to_have_count(4)
    reached = {at_name(page)}
    for key in (key for pair in permutations(ARROWS, 2) for key in pair * 2):
        page.keyboard.press(key)
        reached.add(at_name(page))
    assert reached == set(drawn)
    for key in (key for pair in permutations(ARROWS, 2) for key in pair * 2):
        if at_name(page) != "Ann Smith":
            page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator('.connections .node[aria-pressed="true"]')).to_have_attribute("data-name", "Ann Smith")
    expect(page.get_by_role("heading", name="What the passages say of Ann Smith")).to_be_visible()
    expect(rows.filter(visible=True)).to_have_count(1)
    screen.picture(tmp_path / "connections.png")
    assert grave_in_both(page) == []

    tab_to(page, ".connections-list ul button", "Tab")
    expect(page.locator(".connections-list ul button:focus")).to_have_text(f"{BUILT} Citation 1")
    page.keyboard.press("Enter")
    expect(page.locator("#passage-title")).to_be_focused()
    expect(page.locator("#source-view mark").first).to_have_text(BUILT)
    page.keyboard.press("Escape")
    expect(page.locator(".connections-list ul button:focus")).to_have_count(1)
    page.get_by_role("button", name="Show all 5").click()
    expect(rows.filter(visible=True)).to_have_count(5)
    button.click()
    expect(page.locator(".connections")).to_be_hidden()


def test_a_line_opens_its_passage_also_below_a_stored_answer(open_screen: Open, graph_server: str) -> None:
    screen = asked(open_screen, graph_server)
    page: Page = screen.page
    page.reload()
    page.get_by_role("button", name="Connections", exact=True).click()
    node = page.locator('.connections .node[data-name="Harbour Tower"]')
    node.hover()
    expect(page.locator(".connections .edge.lit")).to_have_count(3)
    page.locator(".connections .edge title").first.wait_for(state="attached")
    assert page.locator(".connections .edge title").first.text_content() == BUILT
    page.locator(".connections .edge").first.dispatch_event("click")
    expect(page.locator("#source-view mark").first).to_have_text(BUILT)
    page.locator("#language").select_option("ko")
    expect(page.locator(".connections h4")).to_have_text("구절의 내용")
    expect(node).to_have_attribute("aria-label", "Harbour Tower: 연결 3개")


def test_nothing_is_offered_or_asked_where_there_is_no_graph(open_screen: Open, graph_server: str) -> None:
    screen = asked(open_screen, graph_server, "How long does the kettle boil?")
    page: Page = screen.page
    page.wait_for_timeout(300)
    assert sum("/graph?" in url for url in screen.requests) == 1  # the collection has one, but these passages name nothing
    expect(page.locator(".connections-button")).to_be_hidden()
    page.locator("#index").select_option("plain")
    screen.answer_to(WHO_BUILT)
    page.locator(".actions").last.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    expect(page.locator(".turn").last.locator(".cite").first).to_be_visible()
    assert sum("/graph?" in url for url in screen.requests) == 1
    expect(page.locator(".connections-button").last).to_be_hidden()
    assert not any("connections_view" in url for url in screen.requests)


def test_on_a_phone_a_touch_chooses_a_name_and_nothing_is_cut_off(open_screen: Open, graph_server: str, tmp_path: Path) -> None:
    look: dict[str, Any] = {**NARROW, "viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    screen = asked(open_screen, graph_server, **look)
    page: Page = screen.page
    page.get_by_role("button", name="Connections", exact=True).tap()
    page.locator('.connections .node[data-name="Northwind Logistics"]').tap()
    expect(page.get_by_role("heading", name="What the passages say of Northwind Logistics")).to_be_visible()
    inside = "node => { const box = node.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth && box.height >= 24 }"
    assert all(node.evaluate(inside) for node in page.locator(".connections .node").all())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    screen.picture(tmp_path / "phone.png")
    assert grave_in(page) == []
    page.locator(".connections-list > li:not([hidden]) ul button").first.tap()
    expect(page.locator("#sheet #source-view mark").first).to_have_text(BUILT)
    page.keyboard.press("Escape")
    expect(page.locator(".connections-list ul button:focus")).to_have_count(1)
