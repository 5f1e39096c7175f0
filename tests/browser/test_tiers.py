"""The tiers of an answer without a language model: the closest passages as cards, nothing with what to do next, and headings in answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import LEAVE, NARROW, Open, close_sheet, grave_in

BEST = "Part-time employees receive leave in proportion to the days that they work."
VERDICT = {
    "because": "unsure", "score": 0.23, "answer_from": 0.6, "related": 0.7, "closest_from": 0.5, "missing": ["slack"],
    "reasons": ["words+", "missing-"],
}  # fmt: skip
Change = Callable[[dict[str, Any]], None]


def changed(text: str, change: Change) -> str:
    """A stream with another last message."""
    *lines, done = text.rstrip().split("\ndata: ")
    message, _, rest = done.partition("\n")
    body = json.loads(message)
    change(body)
    return "\ndata: ".join([*lines, f"{json.dumps(body)}\n{rest}\n\n"])


def route_replies(page: Page, change: Change) -> None:
    """Changes replies on their way to the page, from `/ask/stream` and from stored conversations."""

    def stream(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=changed(answer.text(), change))

    def stored(route: Route) -> None:
        answer = route.fetch()
        turns = answer.json()
        for turn in turns["data"]:
            change(turn)
        route.fulfill(response=answer, json=turns)

    page.route("**/ask/stream", stream)
    page.route("**/conversations/*-*", stored)


def as_closest(body: dict[str, Any]) -> None:
    """The reply as if BEST were the best sentence of the only passage that is close."""
    (hit,) = [hit for hit in body["hits"] if BEST in hit["content"]]
    start = hit["content"].index(BEST)
    text = f"The closest passages:\n\n**Employee handbook › Leave**\n\nFull-time: 28. {BEST} [1]"
    cited = {"number": 1, "bounds": [[start, start + len(BEST)]], "spans": [[len(text) - 3, len(text)]], "snippet": BEST}
    body["citations"] = [{name: hit[name] for name in ("doc_id", "chunk_id", "title", "page", "unit", "section", "score")} | cited]
    body.update(answer=text, outcome="closest", tier="closest", verdict=VERDICT)


def as_likely(body: dict[str, Any]) -> None:
    """The same, as it probably answers."""
    as_closest(body)
    body["verdict"] = VERDICT | {"because": "likely", "score": 0.45}


def with_heading(body: dict[str, Any]) -> None:
    """The reply as if a line above it named the document and section that are quoted."""
    heading = "**Handbook_2 (draft) › A*b* rules**\n"
    (first, *_) = body["citations"]
    first["spans"] = [[start + len(heading), end + len(heading)] for start, end in first["spans"][:1]]
    body.update(answer=heading + body["answer"], citations=[first])


def test_the_closest_passages_are_cards_that_claim_nothing_and_open_their_source(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    change: list[Change] = [with_heading]
    route_replies(page, lambda body: change[0](body))
    screen.answer_to(LEAVE)
    expect(page.locator(".answer .from").first).to_contain_text("Handbook_2 (draft) › A")
    expect(page.locator(".answer .cite").first).to_have_text("1")
    assert "[^" not in page.locator(".answer").inner_text().split("\n")[1]

    change[0] = as_closest
    page.locator("#new-conversation").click()
    screen.answer_to(LEAVE)
    expect(page.locator("#status")).to_contain_text("1 close passage")
    for load in (lambda: None, page.reload):  # the reply, then the stored turn
        load()
        section = page.locator(".answer .closest")
        expect(section.get_by_role("heading", name="Closest passages")).to_be_visible()
        expect(section.locator(".lead")).to_contain_text("The documents may not answer this question.")
        expect(section.get_by_role("listitem")).to_have_count(1)
        expect(section.get_by_role("button")).to_contain_text("Employee handbook")
        expect(section.locator("mark")).to_contain_text(BEST)
        text = page.locator(".turn").inner_text()
        assert (text.count(BEST), "**" in text) == (1, False)
        expect(page.locator(".footnotes, .cite")).to_have_count(0)
        page.locator(".receipt summary").first.click()
        expect(page.locator(".receipt dl")).to_contain_text("answers with a probability of 23%")
        expect(page.locator(".receipt dl")).to_contain_text("slack")
        reasons = ["It has the words of the question", "A rare word, a name or a number is missing"]
        expect(page.locator(".receipt dl li")).to_have_text(reasons)
    assert grave_in(page) == []
    change[0] = as_likely
    page.reload()
    expect(section.get_by_role("heading", name="Likely answers")).to_be_visible()
    expect(section.locator(".lead")).to_have_count(0)
    room = page.url
    page.locator("#new-conversation").click()
    screen.answer_to(LEAVE)
    expect(page.locator("#status")).to_have_text("1 likely answer is shown.")
    page.goto(room)
    change[0] = as_closest
    page.reload()
    page.locator(".receipt summary").first.click()
    page.locator("#language").select_option("de")
    expect(section.get_by_role("heading", name="Nächstliegende Textstellen")).to_be_visible()
    expect(page.locator(".receipt dl")).to_contain_text("mit einer Wahrscheinlichkeit von 23 %")
    page.emulate_media(color_scheme="dark")
    assert grave_in(page) == []
    page.locator(".closest button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#source-page")).to_have_value("2")
    expect(page.locator(".pdf-mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    page.locator(".excerpt").click()
    expect(page.locator("#source-page")).to_have_value("2")


@pytest.mark.nightly
def test_cards_fit_on_a_narrow_screen_and_are_accessible(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server, **NARROW)
    page = screen.page
    close_sheet(page)
    route_replies(page, as_closest)
    screen.answer_to(LEAVE)
    expect(page.locator(".closest mark")).to_be_visible()
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def as_nothing(body: dict[str, Any]) -> None:
    verdict = VERDICT | {"because": "unrelated", "score": 0.02, "related": 0.1}
    body.update(answer="No.", outcome="refused", tier="nothing", verdict=verdict, citations=[], extractive=True, notice=None)


@pytest.mark.nightly
def test_where_nothing_is_close_no_passage_is_shown_but_what_to_do_next(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    route_replies(page, as_nothing)
    screen.answer_to(LEAVE)
    expect(page.locator(".closest, .nearest, .footnotes, .cite")).to_have_count(0)
    assert grave_in(page) == []
    page.locator(".receipt summary").first.click()
    expect(page.locator(".receipt dl")).to_contain_text("nothing to do with these documents")
    with page.expect_file_chooser():
        page.locator(".ways").get_by_role("button", name="Add files").click()
    page.locator(".ways").get_by_role("button", name="Edit the question").click()
    expect(page.locator("#question")).to_have_value(LEAVE)
    expect(page.locator("#question")).to_be_focused()
    page.route("**/collections*", lambda route: route.abort())  # else they may be listed again meanwhile
    page.evaluate("document.getElementById('index').replaceChildren(new Option('a'), new Option('b'))")
    page.locator(".other-collection").click()
    expect(page.locator("#index")).to_be_focused()
    page.evaluate("document.getElementById('index').replaceChildren(new Option('a'))")
    expect(page.locator(".other-collection")).to_be_hidden()
