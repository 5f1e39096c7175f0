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


def test_omitted_rows_open_the_passage_at_the_marked_row(open_screen: Open, server: str, tmp_path: Path) -> None:
    screen = open_screen(server, **STILL, **NARROW)
    page: Page = screen.page
    screen.add("workshop.md", WORKSHOP.encode())
    close_sheet(page)
    screen.answer_to(LASER)
    more = page.locator(".answer li").last.get_by_role("button", name="… 13 more", exact=True)
    for load in (lambda: None, page.reload):
        load()
        expect(more).to_be_visible()
        assert marked(page, ".answer") == []  # the only row that is shown
    assert grave_in(page) == []
    screen.picture(tmp_path / "more.png")
    more.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#passage-title")).to_have_text("Workshop manual")
    expect(page.locator("#source-view tr.cited")).to_have_count(1)
    expect(page.locator("#source-view tr.cited")).to_contain_text("Laser cutter")


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
