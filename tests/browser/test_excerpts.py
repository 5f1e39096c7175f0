"""Excerpts in answers without a language model: what answers is marked, and what a list leaves out is a way to the passage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import NARROW, STILL, Open, close_sheet, grave_in, grave_in_both
from tests.browser.test_tiers import route_replies

MACHINES = ("Band saw", "Drill press", "Wood lathe", "Laser cutter", "Plasma cutter", "Router table", "Spindle moulder", "Belt sander")
MORE = ("Air compressor", "Welding set", "Sheet bender", "Bolt gun", "Bench grinder", "Tile cutter")
RENT = "\n".join(f"| {machine} | {20 + place} euros | {120 + place} kg |" for place, machine in enumerate((*MACHINES, *MORE)))
WORKSHOP = f"""# Workshop manual

## Opening hours

The workshop opens at 8 o'clock on weekdays. Visitors ring the bell at the **north** [gate](https://example.com/g8). The gate is locked.

## Machine rental

| Machine | Price per day | Weight |
| --- | --- | --- |
{RENT}

## Starting the dust collector

To start the dust collector from the terminal, run:

```sh
collector start --line 2
```
"""
BELL = "At which gate do visitors ring the bell?"
RINGS = "Visitors ring the bell at the north gate."
OPENS = "The workshop opens at 8 o'clock on weekdays."
LOCKED = "The gate is locked."
LASER = "What is the price of the laser cutter?"


def marked(page: Page, place: str) -> list[str]:
    """The marked texts, without what is only for screen readers."""
    shown = "[...mark.childNodes].filter(node => node.className !== 'sr-only').map(node => node.textContent).join('')"
    return page.locator(f"{place} mark").evaluate_all(f"marks => marks.map(mark => {shown})")


def test_the_answer_is_marked_in_excerpts_and_in_the_source(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    screen.add("workshop.md", WORKSHOP.encode())
    screen.answer_to(BELL)
    for load in (lambda: None, page.reload):  # the reply, then the stored turn
        load()
        expect(page.locator(".answer mark")).to_contain_text(RINGS)
        assert marked(page, ".answer") == [RINGS]
        expect(page.locator(".answer")).to_contain_text("The workshop opens at 8 o'clock on weekdays.")
    assert grave_in_both(page) == []
    screen.picture(tmp_path / "marked.png")
    page.locator("#language").select_option("ko")
    expect(page.locator(".answer mark .sr-only")).to_have_text("가장 가까운 문장: ")
    page.locator(".answer .cite").click()
    expect(page.locator("#source-view mark")).to_have_count(1)
    assert marked(page, "#source-view")[0] == RINGS
    page.keyboard.press("Escape")
    screen.answer_to("How do I start the dust collector?")
    last = page.locator(".turn").last
    expect(last.locator(".answer pre")).to_contain_text("collector start --line 2")
    expect(last.locator(".answer pre mark")).to_have_count(0)


def test_omitted_rows_are_shown_in_place_and_a_click_opens_the_passage_there(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server, **STILL, **NARROW | {"viewport": {"width": 360, "height": 480}})
    page: Page = screen.page
    screen.add("workshop.md", WORKSHOP.encode())
    close_sheet(page)
    screen.answer_to(LASER)
    more, rows = page.locator(".answer .more"), page.locator(".answer tbody tr")
    for load in (lambda: None, page.reload):  # the reply, then the stored turn
        load()
        expect(more).to_have_text("… 13 more")
        assert marked(page, ".answer") == []  # the only row that is shown
        more.focus()
        page.keyboard.press("Enter")
        expect(rows).to_have_count(14)
        expect(more).to_be_focused()
        expect(more).to_have_text("Show fewer")
        expect(more).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".answer tr.cited")).to_contain_text("Laser cutter")
        below = "row => row.getBoundingClientRect().bottom - row.closest('.source-text').getBoundingClientRect().bottom"
        assert page.locator(".answer tr.cited").evaluate(below) <= 0  # the list is scrolled to it
        expect(page.locator(".answer li:not(.whole):visible")).to_have_text(["Show fewer1"])
        assert grave_in(page) == []
        screen.picture(tmp_path / "more.png")
        page.keyboard.press("Enter")
        expect(rows.first).to_be_hidden()
        expect(more).to_be_focused()
        expect(more).to_have_text("… 13 more")
    page.keyboard.press("Enter")
    page.locator(".answer tr.cited mark").first.click()
    expect(page.locator("#passage-title")).to_have_text("Workshop manual")
    expect(page.locator("#source-view tr.cited")).to_have_count(1)
    expect(page.locator("#source-view tr.cited")).to_contain_text("Laser cutter")


def test_omitted_rows_of_a_document_that_is_gone_open_what_is_left_of_the_passage(open_screen: Open, server: str) -> None:
    screen = open_screen(server, **STILL)
    page: Page = screen.page
    screen.add("workshop.md", WORKSHOP.encode())
    screen.answer_to(LASER)
    page.route("**/content?**", lambda route: route.fulfill(status=404, json={"detail": "gone"}))
    page.route("**/documents/workshop-*", lambda route: route.fulfill(status=404, json={"detail": "gone"}))
    page.locator(".answer .more").click()
    expect(page.locator("#source-note")).to_contain_text("This document was deleted")
    expect(page.locator("#passage-text")).to_contain_text("Laser cutter")
    expect(page.locator(".answer .more")).to_have_text("… 13 more")
    screen.complained_only_of("status of 404")


def test_a_click_on_a_marked_sentence_opens_the_passage_at_that_sentence(open_screen: Open, server: str) -> None:
    def with_two_sentences(body: dict[str, Any]) -> None:
        (cited, *_) = body["citations"]
        (hit,) = [hit for hit in body["hits"] if hit["chunk_id"] == cited["chunk_id"]]
        cited["bounds"] = [[hit["content"].index(text), hit["content"].index(text) + len(text)] for text in (LOCKED, OPENS)]

    screen = open_screen(server, **STILL)
    page: Page = screen.page
    screen.add("workshop.md", WORKSHOP.encode())
    route_replies(page, with_two_sentences)
    screen.answer_to(BELL)
    cited = page.locator("#source-view mark:not(.also)")
    page.locator(".answer mark", has_text=OPENS).click(position={"x": 5, "y": 8})
    expect(cited).to_have_text(OPENS)
    page.locator(".answer mark", has_text=LOCKED).dispatch_event("click")
    expect(cited).to_have_text(LOCKED)
    page.keyboard.press("Escape")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer mark'))")
    page.locator(".answer mark").first.dispatch_event("click")  # the end of a selection
    expect(page.locator("#passage")).to_be_hidden()
    page.evaluate("getSelection().empty()")
    page.locator(".answer p", has=page.locator("mark")).dispatch_event("click")  # beside what is marked
    expect(cited).to_have_text(LOCKED)


def with_other_words(body: dict[str, Any]) -> None:
    body.update(answer=body["answer"].replace("Visitors ring", "Visitors rang"))


def as_written_by_a_model(body: dict[str, Any]) -> None:
    body.update(extractive=False)


@pytest.mark.nightly
def test_nothing_is_marked_that_is_not_found_again_or_that_a_model_wrote(screen: Screen, page: Page) -> None:
    screen.add("workshop.md", WORKSHOP.encode())
    change = [with_other_words]
    route_replies(page, lambda body: change[0](body))
    screen.answer_to(BELL)
    expect(page.locator(".answer")).to_contain_text("Visitors rang the bell at the north gate.")
    change[0] = as_written_by_a_model
    page.reload()
    expect(page.locator(".answer")).to_contain_text(RINGS)
    expect(page.locator(".answer .cite")).to_have_count(1)
    expect(page.locator(".answer mark")).to_have_count(0)
    change[0] = with_other_words
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Visitors rang")
    expect(page.locator(".answer mark")).to_have_count(0)
