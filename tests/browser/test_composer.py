"""The question box: the collection and "Ask"; what only some questions need is under "Advanced"."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

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

    page.get_by_role("button", name="Remove Results: 0").click()
    page.locator("#retriever").select_option("Keyword")
    chips = page.locator("#active li")
    expect(chips).to_have_text(["Search: Keyword"])
    page.get_by_label("Answer from").select_option("Documents, always search")
    screen.picture(tmp_path / "advanced.png")
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    for language, named in (
        ("ko", ["답변 방식: 문서(항상 검색)", "검색: 키워드"]),
        ("de", ["Antwortquelle: Dokumente, immer suchen", "Suche: Stichwort"]),
        ("en", ["Answer from: Documents, always search", "Search: Keyword"]),
    ):
        page.locator("#language").select_option(language)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, language
        expect(chips).to_have_text(named)
    page.set_viewport_size({"width": 1280, "height": 860})
    advanced.press("Enter")
    page.reload()
    expect(page.locator("#mode")).to_be_hidden()


def test_what_a_question_is_asked_with_is_a_chip_and_put_back(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    chips = page.locator("#active li")
    ferry = FilePayload(name="ferry.txt", mimeType="text/plain", buffer=b"Ferries cross at noon.")
    assert page.request.post(f"{server}/ingest/file", multipart={"file": ferry, "index_name": f"{screen.index}-b"}).ok
    page.reload()
    expect(page.locator("#index option").nth(1)).to_be_attached()
    page.locator("#index").select_option(index=1)
    name = page.locator("#index").input_value()
    page.locator("#advanced").click()
    page.locator("#retriever").select_option("Semantic")
    page.locator("#results").fill("8")
    page.locator("#results").press("Tab")
    named = [f"Collection: {name}", "Search: Semantic", "Results: 8"]
    expect(chips).to_have_text(named)
    page.reload()
    expect(chips).to_have_text(named)
    assert grave_in_both(page) == []
    screen.picture(tmp_path / "chips.png")
    with page.expect_request("**/ask/stream") as asked:
        screen.ask("Why?")
    assert (asked.value.post_data_json["index_name"], asked.value.post_data_json["num_result_doc"]) == (name, 8)
    screen.finished()

    page.get_by_role("button", name="Remove Search: Semantic").click()
    expect(chips).to_have_text([named[0], named[2]])
    expect(page.get_by_role("button", name="Remove Results: 8")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chips).to_have_text(named[:1])
    expect(page.get_by_role("button", name=f"Remove {named[0]}")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#active")).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()
    first = page.locator("#index option").first.get_attribute("value")
    expect(page.locator("#index")).to_have_value(first or "")
    expect(page.locator("#into")).to_have_value(first or "")
    page.reload()
    expect(page.locator("#index")).to_have_value(first or "")
    expect(page.locator("#results")).to_have_value("5")
    expect(page.locator("#active")).to_be_hidden()


def without_a_model_says_why(page: Page) -> None:
    for name in ("Model only", "Agent with tools"):
        expect(page.get_by_role("option", name=name)).to_be_disabled()
    reason = page.locator("#needs-model")
    expect(reason).to_contain_text("“Model only” and “Agent with tools” need a language model. No language model is configured.")
    expect(page.locator("#mode")).to_have_attribute("aria-describedby", "needs-model")


def test_the_question_box_shows_its_focus_like_any_control(page: Page) -> None:
    outline = "['outlineWidth', 'outlineStyle', 'outlineColor', 'outlineOffset'].map(name => style[name])"
    page.keyboard.press("Tab")
    page.locator("#send").focus()
    button = page.evaluate(f"() => {{ const style = getComputedStyle(document.activeElement); return {outline} }}")
    box = f"() => {{ const style = getComputedStyle(document.getElementById('ask'), '::before'); return {outline} }}"
    assert page.evaluate(box) != button
    page.locator("#question").focus()
    assert page.evaluate(box) == button
    assert button[:2] == ["2px", "solid"]
