"""Sentences and list items in a row that cite the same passage share one badge; each keeps its own passage."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, NARROW, STILL, Open, close_sheet, grave_in_both
from tests.browser.test_page import tab_to
from tests.browser.test_tiers import route_replies

SENTENCES = (
    "Employees receive 28 days of annual leave per year.",
    "A manager approves each request for leave within three working days and enters it into the calendar of the team.",
    "Part-time employees receive leave in proportion to the days that they work.",
)
ANSWER = """Leave in short:

- Everybody gets 28 days [1].
- **Requests** are approved within three days [1].
- Who works part time gets a part of it [1].

The year has 28 days [1]. Requests take three days [1]. Nobody says this. It depends on the days at work [1].

- Two days are added [1].
- Three days are lost [1].
- Four days are sold [1].
- Five days are won [1].
- Six days are kept [1].
"""
PLACES = (0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 0)
"""For each marker the sentence that supports it."""
HIGHLIGHTED = """[...(CSS.highlights.get('claims') ?? [])].map(({ startContainer, startOffset, endContainer, endOffset }) => {
  const range = document.createRange()
  range.setStart(startContainer, startOffset)
  range.setEnd(endContainer, endOffset)
  return range.toString()
})"""


def as_points(body: dict[str, Any]) -> None:
    """The reply as if a model had written ANSWER; one sentence is doubted, one quotes words that are nowhere."""
    [hit, *_] = [hit for hit in body["hits"] if all(sentence in hit["content"] for sentence in SENTENCES)]
    first = hit["content"].index
    bounds = [[first(SENTENCES[place]), first(SENTENCES[place]) + len(SENTENCES[place])] for place in PLACES]
    quotes: list[dict[str, Any] | None] = [None] * len(PLACES)
    quotes[8] = {"text": "sold days", "state": "not_found", "bounds": None}
    spans = [list(found.span()) for found in re.finditer(r"\[1\]", ANSWER)]
    cited = {"number": 1, "bounds": bounds, "spans": spans, "snippet": SENTENCES[0], "quotes": quotes}
    doubted = ANSWER.index("Two days are added")
    claim = {"start": doubted, "end": doubted + 18, "support": 0.1, "doubted": True, "number": 1, "bounds": None, "unmarked": False}
    body["citations"] = [{name: hit[name] for name in ("doc_id", "chunk_id", "title", "page", "unit", "section", "score")} | cited]
    body.update(answer=ANSWER, extractive=False, outcome="answered", tier="answer", claims=[claim])


def answered_in_points(open_handbook: Open, server: str, **context: Any) -> Any:
    screen = open_handbook(server, **STILL, **context)
    route_replies(screen.page, as_points)
    if "is_mobile" in context:
        close_sheet(screen.page)
    screen.answer_to(LEAVE)
    return screen


def test_a_run_has_one_badge_and_what_the_check_marked_keeps_its_own(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = answered_in_points(open_handbook, server, permissions=["clipboard-read", "clipboard-write"])
    page: Page = screen.page
    for load in (lambda: None, page.reload):  # the reply, then the stored turn
        load()
        lists = page.locator(".answer ul")
        points = ["Everybody gets 28 days.", "Requests are approved within three days.", "Who works part time gets a part of it1."]
        expect(lists.first.locator("li")).to_have_text(points)
        text = "The year has 28 days. Requests take three days1. Nobody says this. It depends on the days at work1."
        expect(page.locator(".answer > p").nth(1)).to_have_text(text)
        doubted, lost, sold, won, kept = lists.last.locator("li").all()
        expect(doubted.locator(".cite, .doubt")).to_have_count(2)
        expect(lost.locator(".cite")).to_have_count(1)
        expect(sold.locator(".cite, .doubt")).to_have_count(2)
        expect(won.locator(".cite")).to_have_count(0)
        expect(kept.locator(".cite")).to_have_count(1)
    screen.picture(tmp_path / "runs.png")
    page.locator(".actions .copy").click()
    expect(page.locator(".actions .copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").split("\n\n[^1]: ")[0].strip() == ANSWER.replace(" [1]", "[^1]").strip()


def test_the_card_of_a_run_lists_its_sentences_and_each_opens_its_passage(open_handbook: Open, server: str, tmp_path: Path) -> None:
    page: Page = answered_in_points(open_handbook, server).page
    cite, card = page.locator(".answer .cite").first, page.locator(".citation-card")
    cite.hover()
    expect(card.locator("#citation-card")).to_contain_text("3 sentences cite this:")
    expect(card.locator(".card-claim")).to_have_text(
        ["Everybody gets 28 days", "Requests are approved within three days", "Who works part time gets a part of it"]
    )
    expect(card.locator("mark")).to_have_text(list(SENTENCES))
    assert page.evaluate(HIGHLIGHTED) == card.locator(".card-claim").all_inner_texts()
    assert grave_in_both(page) == []
    page.screenshot(path=tmp_path / "run.png")
    card.get_by_role("button").nth(1).click()
    expect(page.locator("#passage-text mark")).to_contain_text(SENTENCES[1])
    expect(card).to_be_hidden()
    assert page.evaluate(HIGHLIGHTED) == []
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    page.locator("#language").select_option("de")
    cite.hover()
    expect(card.locator("#citation-card")).to_contain_text("Quelle für 3 Sätze:")


def test_the_sentences_of_a_run_are_reached_by_keyboard(open_handbook: Open, server: str) -> None:
    page: Page = answered_in_points(open_handbook, server).page
    card = page.locator(".citation-card")
    page.locator("#thread").focus()
    tab_to(page, ".cite", "Tab")
    expect(card).to_be_visible()
    for row in range(3):
        page.keyboard.press("Tab")
        expect(card.get_by_role("button").nth(row)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".answer .cite").nth(1)).to_be_focused()
    expect(card.locator(".card-claim")).to_have_text(["The year has 28 days", "Requests take three days"])
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#passage-text mark")).to_contain_text(SENTENCES[1])
    expect(page.locator("#passage-title")).to_be_focused()
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".answer .cite").nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_role("button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".answer .cite").nth(1)).to_be_focused()


def test_on_a_phone_a_touch_opens_the_list_of_a_run_and_then_the_passage(open_handbook: Open, server: str) -> None:
    page: Page = answered_in_points(open_handbook, server, **NARROW).page
    cite, card = page.locator(".answer .cite").first, page.locator(".citation-card")
    cite.tap()
    expect(card.get_by_role("button")).to_have_count(3)
    page.locator(".answer p").first.tap()
    expect(card).to_be_hidden()
    cite.tap()
    card.get_by_role("button").last.tap()
    expect(page.locator("#passage-text mark")).to_contain_text(SENTENCES[2])
    expect(card).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
