"""The question box: the collection and "Ask"; what only some questions need is under "Advanced"."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import STILL, Open, grave_in_both

RARE = ("#mode", "#retriever", "#results")


def test_rare_options_are_under_advanced_which_is_remembered_named_and_checked(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    advanced = page.locator("#advanced")
    for option in RARE:
        expect(page.locator(option)).to_be_hidden()
    expect(page.locator("#index")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    page.get_by_role("button", name="Advanced").press("Enter")
    expect(advanced).to_have_attribute("aria-expanded", "true")
    page.reload()
    for option in RARE:
        expect(page.locator(option)).to_be_visible()
    without_a_model_says_why(page)

    page.locator("#results").fill("0")
    advanced.click()
    screen.ask("Why?")
    expect(page.locator("#results")).to_be_focused()
    expect(page.locator("#question")).to_have_value("Why?")
    expect(page.locator(".turn")).to_have_count(0)
    page.reload()
    screen.open_advanced()

    page.locator("#retriever").select_option("Keyword")
    expect(advanced).to_have_text("Advanced · Keyword")
    page.get_by_label("Answer from").select_option("Documents, always search")
    screen.picture(tmp_path / "advanced.png")
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    for language, named in (
        ("ko", "고급 · 문서(항상 검색) · 키워드"),
        ("de", "Erweitert · Dokumente, immer suchen · Stichwort"),
        ("en", "Advanced · Documents, always search · Keyword"),
    ):
        page.locator("#language").select_option(language)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, language
        expect(advanced).to_have_text(named)
    page.set_viewport_size({"width": 1280, "height": 860})
    advanced.press("Enter")
    page.reload()
    expect(page.locator("#mode")).to_be_hidden()


def without_a_model_says_why(page: Page) -> None:
    for name in ("Model only", "Agent with tools"):
        expect(page.get_by_role("option", name=name)).to_be_disabled()
    reason = page.locator("#needs-model")
    expect(reason).to_contain_text("“Model only” and “Agent with tools” need a language model. No language model is configured.")
    expect(page.locator("#mode")).to_have_attribute("aria-describedby", "needs-model")
