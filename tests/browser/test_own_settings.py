"""What users see and choose for themselves: a theme, their usage and their budget. And what the first page costs to load."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Screen, scripted_model, serving
from tests.browser.test_accessibility import DARK, NARROW, STILL, close_sheet, grave_in

Open = Callable[..., Any]
LEAVE = "How many days of annual leave do employees receive?"
MOST_BYTES = 250 * 1024
PAPER = "getComputedStyle(document.documentElement).backgroundColor"
LIGHT_PAPER, DARK_PAPER = "rgb(251, 251, 249)", "rgb(21, 22, 23)"


# --- theme ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prefers", "chosen", "paper"), [("light", "dark", DARK_PAPER), ("dark", "light", LIGHT_PAPER)])
def test_a_chosen_theme_is_kept_on_every_page_whatever_the_device_prefers(
    open_screen: Open, server: str, prefers: str, chosen: str, paper: str
) -> None:
    screen = open_screen(server, color_scheme=prefers, **STILL)
    page: Page = screen.page
    page.locator("#account").click()
    page.get_by_label("Theme").select_option(chosen)
    assert page.evaluate(PAPER) == paper
    for path in ("/", "/statistics", "/admin"):
        page.goto(f"{server}{path}")
        assert page.evaluate(PAPER) == paper
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == chosen
    page.goto(server)
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#account").click()
    expect(page.get_by_label("Theme")).to_have_value(chosen)
    page.get_by_label("Theme").select_option("As on this device")
    assert page.evaluate(PAPER) == (DARK_PAPER if prefers == "dark" else LIGHT_PAPER)


def test_the_dark_colours_are_the_same_by_choice_and_by_device(open_handbook: Open, server: str) -> None:
    sheets = "[...document.styleSheets].flatMap(sheet => [...sheet.cssRules])"
    names = f"{sheets}.filter(rule => rule.selectorText === ':root').flatMap(rule => [...rule.style]).filter(name => name.startsWith('--'))"
    read = f"Object.fromEntries({names}.map(name => [name, getComputedStyle(document.documentElement).getPropertyValue(name)]))"
    found = []
    for device in ("light", "dark"):
        page: Page = open_handbook(server, color_scheme=device).page
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        found.append(page.evaluate(read))
        page.evaluate("delete document.documentElement.dataset.theme")
        found.append(page.evaluate(read))
    chosen_on_light, light, chosen_on_dark, dark = found
    assert chosen_on_light == chosen_on_dark == dark != light


# --- usage ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def budgeted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server with sign-in, a model and a budget, and the token of a member."""
    data = tmp_path_factory.mktemp("data")
    made = [sys.executable, "-m", "footnote_local", "session", "create", "--user", "ann", "--data", str(data)]
    session = {"AUTH__MODE": "session", "EMBEDDING__BUILTIN": "false"}
    token = subprocess.run(made, capture_output=True, text=True, check=True, env={**os.environ, **session}).stdout.split()[-1]
    with scripted_model() as model:
        limits = {"BUDGET__TOKENS_PER_DAY": "1000", "LLM__INPUT_PRICE": "10", "LLM__OUTPUT_PRICE": "20"}
        with serving(data, LLM__BASE_URL=model, LLM__MODEL="scripted", **session, **limits) as url:
            yield url, token


LOOKS = [{}, DARK, NARROW, {"locale": "de-DE"}, {"locale": "ko-KR"}]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "dark", "narrow", "german", "korean"])
def test_without_a_budget_the_account_menu_shows_what_was_used(
    open_handbook: Open, server_with_model: str, look: dict[str, Any], tmp_path: Path
) -> None:
    screen = open_handbook(server_with_model, **STILL, **look)
    page: Page = screen.page
    close_sheet(page)
    screen.ask(LEAVE)
    screen.finished()
    page.locator("#account").click()
    expect(page.locator("#usage dd")).to_have_count(2)
    if not look.get("locale"):
        expect(page.locator("#usage")).to_contain_text("Today (UTC)")
        expect(page.locator("#usage dd").first).to_contain_text("question")
        expect(page.locator("#usage .hint")).to_have_text("No budget is set for you.")
    screen.picture(tmp_path / "usage.png")
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
def test_nothing_clickable_in_the_account_menu_moves_when_the_usage_arrives(
    open_handbook: Open, server_with_model: str, look: dict[str, Any]
) -> None:
    page: Page = open_handbook(server_with_model, **STILL, **look).page
    close_sheet(page)
    late: list[Route] = []
    page.route("**/me/usage", lambda route: late.append(route))
    page.locator("#account").click()
    entries = page.locator("#account-menu > :is(a, button, label):visible")
    expect(entries).not_to_have_count(0)
    rows = "entries => entries.map(entry => entry.getBoundingClientRect().top)"
    tops = entries.evaluate_all(rows)
    while not late:
        page.wait_for_timeout(10)
    late[0].continue_()
    expect(page.locator("#usage dd")).to_have_count(2)
    assert entries.evaluate_all(rows)[: len(tops)] == tops


def test_a_member_sees_how_much_of_the_budget_is_used_until_only_search_is_left(
    new_context: Callable[..., BrowserContext], budgeted: tuple[str, str], handbook: bytes, tmp_path: Path
) -> None:
    url, token = budgeted
    screen = Screen(new_context(viewport={"width": 1366, "height": 900}, **STILL).new_page(), url)
    page = screen.page
    page.goto(url)
    page.locator("#token").fill(token)
    page.locator("#token").press("Enter")
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#into").fill(screen.index)
    screen.add("handbook.pdf", handbook)
    page.locator("#account").click()
    expect(page.locator("#usage-spent")).to_have_text("0 % of today’s budget is used")
    page.keyboard.press("Escape")
    for _ in range(4):
        screen.ask(LEAVE)
        screen.finished()
    page.locator("#account").click()
    expect(page.locator("#usage")).to_contain_text("1,000 tokens a day")
    expect(page.locator("#usage-spent")).to_have_text("100 % of today’s budget is used")
    expect(page.locator("#usage")).to_contain_text("It is used up: until tomorrow (UTC), answers are quoted")
    expect(page.locator("#usage dd").first).to_contain_text("4 questions")
    screen.picture(tmp_path / "budget.png")
    assert grave_in(page) == []


# --- the first page ------------------------------------------------------------------------------


def test_the_first_page_takes_at_most_250_kb_before_a_document_is_opened(open_screen: Open, server: str) -> None:
    page: Page = open_screen(server).page
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.wait_for_timeout(300)
    sizes = page.evaluate("""performance.getEntries().filter(entry => 'transferSize' in entry)
        .map(entry => [entry.name, entry.encodedBodySize])""")
    total = sum(size for _, size in sizes)
    assert len(sizes) > 50
    assert total <= MOST_BYTES, sorted(sizes, key=lambda each: -each[1])[:10]
    assert not [name for name, _ in sizes if "/pdfjs/" in name or "/katex/" in name]
