"""The tiers of an answer without a language model: the closest passages as cards, nothing with what to do next, and headings in answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import DARK, NARROW, STILL, grave_in

LEAVE = "How many days of annual leave do employees receive?"
BEST = "Part-time employees receive leave in proportion to the days that they work."
VERDICT = {"because": "unsure", "score": 1.23, "answer_from": 2.4, "closest_from": 0.5, "missing": ["slack"]}
Open = Callable[..., Any]
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
    text = f"The documents may not answer this. The closest passages:\n\n**Employee handbook › Annual leave**: “{BEST}” [1]"
    cited = {"number": 1, "bounds": [[start, start + len(BEST)]], "spans": [[len(text) - 3, len(text)]], "snippet": BEST}
    body["citations"] = [{name: hit[name] for name in ("doc_id", "chunk_id", "title", "page", "unit", "section", "score")} | cited]
    body.update(answer=text, outcome="closest", tier="closest", verdict=VERDICT)


@pytest.mark.parametrize(
    ("locale", "heading", "lead", "said", "why"),
    [
        ("en-GB", "Closest passages", "The documents may not answer this question.", "1 close passage", "an answer needs 2.4"),
        ("de-DE", "Nächstliegende Textstellen", "möglicherweise nicht", "1 nahe Textstelle", "eine Antwort braucht 2,4"),
        ("ko-KR", "가장 가까운 구절", "답이 없을 수 있습니다", "구절 1개", "답변 기준 2.4"),
    ],
)
def test_the_closest_passages_are_cards_and_claim_no_answer(
    open_handbook: Open, server: str, locale: str, heading: str, lead: str, said: str, why: str
) -> None:
    screen = open_handbook(server, locale=locale, **STILL)
    page = screen.page
    route_replies(page, as_closest)
    screen.ask(LEAVE)
    screen.finished()
    expect(page.locator("#status")).to_contain_text(said)
    for load in (lambda: None, page.reload):  # the reply, then the stored turn
        load()
        section = page.locator(".answer .closest")
        expect(section.get_by_role("heading", name=heading)).to_be_visible()
        expect(section.locator(".lead")).to_contain_text(lead)
        expect(section.get_by_role("listitem")).to_have_count(1)
        expect(section.get_by_role("button")).to_contain_text("Employee handbook")
        expect(section.locator("mark")).to_contain_text(BEST)
        text = page.locator(".turn").inner_text()
        assert (text.count(BEST), "**" in text) == (1, False)
        expect(page.locator(".footnotes, .cite")).to_have_count(0)
        page.locator(".receipt summary").first.click()
        expect(page.locator(".receipt dl")).to_contain_text(why)
        expect(page.locator(".receipt dl")).to_contain_text("slack")
        assert grave_in(page) == []


@pytest.mark.parametrize("way", ["keyboard", "mouse"])
def test_a_card_opens_its_source_at_the_best_sentence(open_handbook: Open, server: str, way: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    route_replies(page, as_closest)
    screen.ask(LEAVE)
    screen.finished()
    if way == "keyboard":
        page.locator(".closest button").focus()
        page.keyboard.press("Enter")
    else:
        page.locator(".excerpt").click()
    expect(page.locator("#source-page")).to_have_value("2")
    expect(page.locator(".pdf-mark").first).to_be_visible()


@pytest.mark.parametrize("look", [DARK, NARROW], ids=["dark", "narrow"])
def test_cards_fit_and_are_accessible(open_handbook: Open, server: str, look: dict[str, Any]) -> None:
    screen = open_handbook(server, **STILL, **look)
    page = screen.page
    page.keyboard.press("Escape")  # closes the documents on a narrow page
    route_replies(page, as_closest)
    screen.ask(LEAVE)
    screen.finished()
    expect(page.locator(".closest mark")).to_be_visible()
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


MIDDLE = "The best one is in the middle."


@pytest.mark.parametrize(
    ("content", "best", "shown"),
    [
        ("A first one. " * 30 + MIDDLE + " A last one." * 40, MIDDLE, ("… A first one.", "A last one. …")),
        ("Heading\n\nBefore it. The best one. After it.", "The best one.", ("Before it.", "After it.")),
        ("# x 🎉🎉\n\n- one\n- two\n- three", "- two", ("- one\n", "- three")),
        ("| Day | Hours |\n|---|---|\n| Monday | 8 |\n| Sunday | 0 |", "| Sunday | 0 |", ("Day: Sunday · Hours: 0", "")),
    ],
    ids=["long", "heading", "list", "table"],
)
def test_a_passage_is_cut_around_its_best_sentence(
    open_handbook: Open, server: str, content: str, best: str, shown: tuple[str, str]
) -> None:
    def with_content(body: dict[str, Any]) -> None:
        as_closest(body)
        (cited,) = body["citations"]
        start = content.index(best)
        cited |= {"snippet": best, "bounds": [[start, start + len(best)]]}
        for hit in body["hits"]:
            hit["content"] = content

    screen = open_handbook(server)
    page = screen.page
    route_replies(page, with_content)
    screen.ask(LEAVE)
    screen.finished()
    excerpt = page.locator(".excerpt").evaluate("node => { node.querySelector('.sr-only').remove(); return node.textContent }")
    assert excerpt.startswith(shown[0])
    assert excerpt.rstrip().endswith(shown[1])
    assert len(excerpt) < 500
    assert "Heading" not in excerpt
    expect(page.locator(".excerpt mark")).to_have_text(shown[0] if best.startswith("|") else best)


def test_a_passage_that_is_gone_shows_only_its_sentence(open_handbook: Open, server: str) -> None:
    def without_content(body: dict[str, Any]) -> None:
        as_closest(body)
        body["hits"] = [hit | {"content": "", "withdrawn": True} for hit in body["hits"]]

    screen = open_handbook(server)
    route_replies(screen.page, without_content)
    screen.ask(LEAVE)
    screen.finished()
    expect(screen.page.locator(".excerpt")).to_have_text(f"Best sentence: {BEST}")


@pytest.mark.parametrize(
    ("locale", "change", "add", "why"),
    [
        ("en-GB", "Edit the question", "Add files", "passages need 0.5"),
        ("de-DE", "Frage bearbeiten", "Dateien hinzufügen", "Textstellen brauchen 0,5"),
        ("ko-KR", "질문 수정", "파일 추가", "구절 표시 기준 0.5"),
    ],
)
def test_where_nothing_is_close_no_passage_is_shown_but_what_to_do_next(
    open_handbook: Open, server: str, locale: str, change: str, add: str, why: str
) -> None:
    def as_nothing(body: dict[str, Any]) -> None:
        verdict = VERDICT | {"because": "unrelated", "score": -2.0}
        body.update(answer="No.", outcome="refused", tier="nothing", verdict=verdict, citations=[], extractive=True, notice=None)

    screen = open_handbook(server, locale=locale, **STILL)
    page = screen.page
    route_replies(page, as_nothing)
    screen.ask(LEAVE)
    screen.finished()
    expect(page.locator(".closest, .nearest, .footnotes, .cite")).to_have_count(0)
    assert grave_in(page) == []
    page.locator(".receipt summary").first.click()
    expect(page.locator(".receipt dl")).to_contain_text(why)
    with page.expect_file_chooser():
        page.locator(".ways").get_by_role("button", name=add).click()
    page.locator(".ways").get_by_role("button", name=change).click()
    expect(page.locator("#question")).to_have_value(LEAVE)
    expect(page.locator("#question")).to_be_focused()


def test_another_collection_is_offered_where_there_is_one(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)  # beside it, the collections of other tests and the default one
    page = screen.page
    screen.ask("What is the moon made of?")
    screen.finished()
    page.route("**/collections*", lambda route: route.abort())  # else they may be listed again meanwhile
    page.evaluate("document.getElementById('index').replaceChildren(new Option('a'), new Option('b'))")
    page.locator(".other-collection").click()
    expect(page.locator("#index")).to_be_focused()
    page.evaluate("document.getElementById('index').replaceChildren(new Option('a'))")
    expect(page.locator(".other-collection")).to_be_hidden()


@pytest.mark.parametrize("between", ["\n", "\n\n"], ids=["line", "paragraph"])
def test_the_heading_of_a_quoted_paragraph_is_styled_and_its_citation_stays_in_place(
    open_handbook: Open, server: str, between: str
) -> None:
    def with_heading(body: dict[str, Any]) -> None:
        heading = f"**Handbook_2 (draft) › A*b*{between.replace(between, '')} rules**{between}"
        (first, *_) = body["citations"]
        first["spans"] = [[start + len(heading), end + len(heading)] for start, end in first["spans"][:1]]
        body.update(answer=heading + body["answer"], citations=[first])

    screen = open_handbook(server)
    page = screen.page
    route_replies(page, with_heading)
    screen.ask(LEAVE)
    screen.finished()
    expect(page.locator(".answer .from").first).to_contain_text("Handbook_2 (draft) › A")
    expect(page.locator(".answer .cite").first).to_have_text("1")
    assert "[^" not in page.locator(".answer").inner_text().split("\n")[1]
    page.locator(".cite").first.click()
    expect(page.locator("#source-page")).to_have_value("2")
