"""The page itself: its files, languages and keyboard."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from footnote.types import Stage
from tests.browser.conftest import Screen
from tests.browser.test_accessibility import LEAVE, NARROW, Open

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "functions" / "query" / "footnote_query" / "web"

WHOLE = """select => {
  const name = document.createElement('span')
  name.textContent = select.selectedOptions[0].text
  name.style.cssText = `font: ${getComputedStyle(select).font}; position: fixed`
  document.body.append(name)
  const { paddingLeft, paddingRight } = getComputedStyle(select)
  const fits = name.getBoundingClientRect().width < select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1
  name.remove()
  return fits
}"""
"""Whether the chosen option's name fits into the select."""


def test_vendored_files_match_their_checksums() -> None:
    listed = dict(re.findall(r"^\| `([\w.]+)` .*`([0-9a-f]{64})` \|$", (WEB / "vendor/VENDORED.md").read_text(), re.MULTILINE))
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (WEB / "vendor").glob("*.js")}
    assert len(listed) == 2


@pytest.mark.parametrize("view", sorted(path.name.removeprefix("en") for path in WEB.glob("i18n/en*.js")))
def test_every_language_has_the_same_texts(view: str) -> None:
    keys = {name: re.findall(r"^  (\w+):", (WEB / f"i18n/{name}{view}").read_text("utf-8"), re.MULTILINE) for name in ("en", "de", "ko")}
    assert keys["de"] == keys["en"]
    assert keys["ko"] == keys["en"]


def test_every_text_that_the_page_names_exists() -> None:
    known = {key for path in WEB.glob("i18n/en*.js") for key in re.findall(r"^  (\w+):", path.read_text("utf-8"), re.MULTILINE)}
    pages = [(WEB / name).read_text("utf-8") for name in ("index.html", "shared.html", "statistics.html", "admin.html")]
    used = {key for page in pages for key in re.findall(r'data-i18n(?:-\w+)?="(\w+)"', page)}
    for module in (*WEB.glob("*.js"), *WEB.glob("admin/*.js")):
        used |= set(re.findall(r"\b(?:say|label)\((?:[^()]|\([^()]*\))*?, '(\w+)'", module.read_text("utf-8")))
        used |= set(re.findall(r"\bt\('(\w+)'", module.read_text("utf-8")))
    assert len(used) > 50
    assert used - known == set()


def test_every_stage_has_words() -> None:
    known = re.findall(r"^  stage_(\w+):", (WEB / "i18n/en.js").read_text("utf-8"), re.MULTILINE)
    assert known == list(Stage)


def test_the_page_speaks_the_readers_language_and_the_chosen_one_is_remembered(open_screen: Open, server: str) -> None:
    screen = open_screen(server, locale="ko-KR")
    page: Page = screen.page
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator("#send")).to_have_text("질문")
    screen.add("handbook.md", (HERE / "handbook.ko.md").read_bytes())
    screen.answer_to("직원의 연차 휴가는 매년 며칠입니까?")
    expect(page.locator(".answer")).to_contain_text("28일")
    page.locator(".answer .cite").first.click()
    expect(page.locator("#passage-text mark")).to_contain_text("28일")
    page.keyboard.press("Escape")
    page.locator("#language").select_option("de")
    expect(page.locator("#send")).to_have_text("Fragen")
    expect(page.locator("#document-list .state")).to_have_text("Bereit")
    expect(page.locator(".answer .cite").first).to_have_attribute("aria-label", re.compile("^Beleg 1: "))
    page.reload()
    expect(page.locator("#send")).to_have_text("Fragen")


@pytest.mark.nightly
def test_everything_is_reached_by_keyboard_alone(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    page.reload()
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("How many days of annual leave")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("do employees receive?")
    expect(page.locator("#question")).to_have_value("How many days of annual leave\ndo employees receive?")
    page.keyboard.press("Enter")
    screen.finished()
    expect(page.locator("#question")).to_be_focused()
    tab_to(page, ".cite", "Shift+Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#passage-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".cite:focus")).to_have_count(1)
    tab_to(page, ".down", "Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("Too short")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".actions .outcome")).to_have_text("Thank you.")
    tab_to(page, "#documents .bin", "Tab")


def tab_to(page: Page, selector: str, key: str) -> None:
    for _ in range(30):
        page.keyboard.press(key)
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{selector} was not reached by {key}")


CONTRASTS = """selectors => selectors.map(selector => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const rgba = color => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const linear = part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255)
  const node = document.querySelector(selector)
  let ground = node
  while (ground && rgba(getComputedStyle(ground).backgroundColor)[3] < 255) ground = ground.parentElement
  const pair = [getComputedStyle(node).color, getComputedStyle(ground ?? document.documentElement).backgroundColor].map(rgba).map(light)
  return (Math.max(...pair) + .05) / (Math.min(...pair) + .05)
})"""  # WCAG 2: (L1 + .05) / (L2 + .05), L = relative luminance


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_colour_schemes(open_handbook: Open, server: str, scheme: str) -> None:
    screen = open_handbook(server, color_scheme=scheme)
    screen.answer_to(LEAVE)
    screen.page.locator(".cite").first.click()
    texts = [".question", ".answer p", ".cite", ".snippet", ".number", ".notice", ".receipt .facts", ".receipt summary"]
    texts += ["#passage-title", ".place", "#passage-text", "#passage-text mark", ".scores dt", "#send", "#language", ".options label"]
    texts += [".new", ".conversations .title", ".conversations time"]
    contrasts = dict(zip(texts, screen.page.evaluate(CONTRASTS, texts), strict=True))
    assert {name: round(value, 2) for name, value in contrasts.items() if value < 4.5} == {}


def test_on_a_phone_names_are_whole_and_ways_back_and_no_keys_are_shown(open_handbook: Open, server: str) -> None:
    page = (screen := open_handbook(server, **NARROW)).page
    screen.answer_to(LEAVE)
    for language in ("en", "de", "ko"):
        page.locator("#language").select_option(language)
        assert page.locator("#language").evaluate(WHOLE), language
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), language
    page.locator("#language").select_option("en")
    expect(page.get_by_role("button", name="Share the conversation")).to_be_visible()
    page.locator("#account").click()
    expect(page.get_by_role("button", name="Commands", exact=True)).to_be_visible()
    expect(page.get_by_text("(Ctrl K)")).to_be_hidden()
    expect(page.get_by_role("button", name="What customers say")).to_be_visible()
    page.goto(f"{server}/admin")
    expect(page.get_by_role("link", name="Back to the questions")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_times_stay_true_and_the_formats_are_listed_alike(screen: Screen, page: Page) -> None:
    types = page.locator("#drop-hint span").last.inner_text()
    assert "OpenDocument" in types
    page.evaluate("name => localStorage.setItem('footnote.index', name)", screen.index)
    page.clock.install()
    page.reload()
    expect(page.locator("#welcome-types")).to_have_text(types)
    screen.answer_to(LEAVE)
    time = page.locator("#conversation-list time").first
    expect(time).to_have_text("now")
    page.clock.fast_forward("05:00")
    expect(time).to_have_text(re.compile("[45] minutes ago"))
