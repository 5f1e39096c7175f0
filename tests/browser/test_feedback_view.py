"""The view of feedback for admins: the list with its filters and states, and golden cases made, undone, listed and deleted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import LEAVE, STILL, Open, grave_in, grave_in_both
from tests.browser.test_feedback import keep

REFUND = "Within how many weeks does the finance team refund travel expenses?"
PROPOSED = "It is 30 days for all who joined since 2026, by the new agreement."
ROW = {
    "trace_id": "t1", "user_id": "ann", "given_at": 1_780_000_000, "rating": "down", "reason": "It is in 4.2.", "collection": "default",
    "withheld": False, "question": "How long is <b>leave</b>?", "answer": "Leave is **28 days** [^plan#000].", "outcome": "answered",
    "comment": None, "proposed_answer": None, "facts": [], "tags": ["too_long", "dull"], "selected_citations": [], "room_id": None,
    "citations": [{"chunk_id": "plan#000", "doc_id": "plan", "title": "The plan", "page": 3, "snippet": "Leave is 28 days."}],
    "steps": [],
}  # fmt: skip


def rate(page: Page, server: str, index: str, question: str, rating: str, **given: Any) -> dict[str, Any]:
    """Asks and rates over HTTP. `cites`: selects the first citation. → the answer."""
    asked = {"query_text": question, "index_name": index, "permission_groups": [], "room_id": f"room-{index}"}
    answer = dict(page.request.post(f"{server}/ask", data=asked).json())
    if given.pop("cites", False):
        given["selected_citations"] = [answer["citations"][0]["chunk_id"]]
    assert page.request.post(f"{server}/feedback", data={"trace_id": answer["trace_id"], "rating": rating, **given}).ok
    return answer


def open_view(page: Page, index: str | None = None) -> Locator:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Feedback", exact=True).click()
    dialog = page.get_by_role("dialog", name="Feedback")
    expect(dialog.get_by_role("heading", name="Feedback")).to_be_focused()
    if index:
        dialog.get_by_label("Collection").select_option(index)
        expect(dialog.get_by_role("tabpanel")).not_to_have_attribute("aria-busy", "true")
    return dialog


def cases_of(page: Page, server: str, index: str) -> list[dict[str, Any]]:
    return page.request.get(f"{server}/golden", params={"index_name": index}).json()["data"]


def listing(page: Page, reply: Callable[[Route], None]) -> None:
    """Answers the list of feedback in place of the server."""
    page.route("**/feedback?*", reply)


def wait_for(page: Page, held: list[Route], number: int) -> None:
    """Until the handler was called so many times."""
    while len(held) < number:
        page.wait_for_timeout(10)


def of_rows(*rows: dict[str, Any]) -> Callable[[Route], None]:
    return lambda route: route.fulfill(json={"data": list(rows), "has_more": False, "last_id": None})


@pytest.fixture
def screen(open_handbook: Open, server: str) -> Screen:
    return open_handbook(server)


def test_feedback_is_listed_with_its_answer_and_filtered(screen: Screen, page: Page, server: str) -> None:
    rate(page, server, screen.index, LEAVE, "up", tags=["exact"])
    given = {"reason": "outdated", "comment": "See the agreement.", "proposed_answer": PROPOSED, "tags": ["too_short"], "cites": True}
    rate(page, server, screen.index, REFUND, "down", **given)
    dialog = open_view(page, screen.index)
    cards = dialog.locator(".card")
    expect(dialog.get_by_role("status").first).to_have_text("2 ratings")
    expect(cards).to_have_count(2)
    bad = cards.first
    expect(bad.get_by_role("heading")).to_have_text(REFUND)
    for text in ("Bad answer", "Outdated", "Too short", "See the agreement.", PROPOSED, "✓ answers the question"):
        expect(bad).to_contain_text(text)
    bad.get_by_text("Answer", exact=True).click()
    expect(bad.locator(".answer")).to_contain_text("two weeks")
    expect(bad.locator(".answer")).not_to_contain_text("[^")
    with page.context.expect_page() as opened:
        bad.get_by_role("link", name="Employee handbook").click()
    expect(opened.value.locator("#passage-title")).to_have_text("Employee handbook")
    opened.value.close()
    bad.get_by_text("Ask again and compare").click()
    bad.get_by_role("button", name="Ask again").click()
    expect(bad.locator(".sides .words")).to_contain_text(["two weeks", "two weeks"])
    keep(page, "view")

    dialog.get_by_role("combobox", name="Rating").select_option("up")
    expect(cards.get_by_role("heading")).to_have_text([LEAVE])
    expect(cards).to_contain_text("Exact")
    dialog.get_by_role("combobox", name="Rating").select_option("")
    dialog.get_by_role("combobox", name="Reason").select_option("outdated")
    expect(cards.get_by_role("heading")).to_have_text([REFUND])
    dialog.get_by_label("To", exact=True).fill("2020-01-01")
    expect(dialog.get_by_role("status").first).to_have_text("No answer was rated in this period, with these filters.")
    expect(cards).to_have_count(0)
    dialog.get_by_label("To", exact=True).fill("")
    dialog.get_by_label("From", exact=True).fill("2020-01-01")
    expect(cards).to_have_count(1)
    dialog.get_by_role("link", name="Open the conversation").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(".question")).to_have_text([LEAVE, REFUND])


def test_a_good_answer_becomes_a_golden_case_and_back_and_cases_are_listed(screen: Screen, page: Page, server: str) -> None:
    answer = rate(page, server, screen.index, LEAVE, "up")
    rate(page, server, screen.index, LEAVE, "down", cites=True, proposed_answer=PROPOSED)
    dialog = open_view(page, screen.index)
    older, newer = dialog.locator(".card").nth(1), dialog.locator(".card").nth(0)
    older.get_by_role("button", name="Make a golden case").click()
    undo = older.get_by_role("button", name="Golden case ✓ – undo")
    expect(undo).to_be_focused()
    expect(older.get_by_role("status")).to_have_text("A golden case was made.")
    (case,) = cases_of(page, server, screen.index)
    assert (case["question"], case["trace_id"], [each["chunk_id"] for each in case["passages"]]) == (
        LEAVE, answer["trace_id"], [answer["citations"][0]["chunk_id"]],
    )  # fmt: skip
    keep(page, "view-case")

    newer.get_by_role("button", name="Make a golden case").click()  # the same question: it replaces the case
    expect(newer.get_by_role("button", name="Golden case ✓ – undo")).to_be_visible()
    expect(older.get_by_role("button", name="Make a golden case")).to_be_visible()
    (case,) = cases_of(page, server, screen.index)
    assert case["answer"] == PROPOSED

    page.keyboard.press("Escape")
    dialog = open_view(page, screen.index)
    newer.get_by_role("button", name="Golden case ✓ – undo").click()
    expect(newer.get_by_role("button", name="Make a golden case")).to_be_focused()
    expect(newer.get_by_role("status")).to_have_text("The golden case was deleted.")
    assert cases_of(page, server, screen.index) == []

    page.keyboard.press("Escape")
    lists_cases(screen, answer)


def lists_cases(screen: Any, answer: dict[str, Any]) -> None:
    page, server = screen.page, screen.url
    passages = [answer["citations"][0]["chunk_id"]]
    for case in (
        {"question": "What does Kim earn?", "expects": "refusal", "note": "Salaries are private."},
        {"question": LEAVE, "passages": passages, "facts": ["28 days"], "answer": "28 **days**."},
    ):
        assert page.request.post(f"{server}/golden", data={**case, "index_name": screen.index}).ok
    dialog = open_view(page, screen.index)
    dialog.get_by_role("tab", name="Golden cases").click()
    expect(dialog.get_by_role("combobox", name="Rating")).to_be_hidden()
    cards = dialog.locator(".card")
    expect(dialog.get_by_role("status").first).to_have_text("2 cases")
    expect(dialog.get_by_text("footnote eval --golden")).to_be_visible()
    refusal, kept = cards.filter(has_text="Kim"), cards.filter(has_text=LEAVE)
    expect(refusal).to_contain_text("Must not be answered")
    expect(refusal).to_contain_text("Salaries are private.")
    expect(kept.get_by_role("link")).to_have_text("Employee handbook")
    expect(kept).to_contain_text("28 days")
    keep(page, "cases")
    refusal.get_by_role("button", name="Delete this case").click()
    expect(refusal).to_contain_text("Delete this golden case?")
    refusal.get_by_role("button", name="Keep", exact=True).click()
    expect(cards).to_have_count(2)
    refusal.get_by_role("button", name="Delete this case").click()
    refusal.get_by_role("button", name="Delete", exact=True).click()
    expect(cards.get_by_role("heading")).to_have_text([LEAVE])
    expect(kept.get_by_role("button", name="Delete this case")).to_be_focused()
    kept.get_by_role("button", name="Delete this case").click()
    kept.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog.get_by_role("status").first).to_have_text("There are no golden cases yet. Make one of a rated answer.")
    expect(dialog.get_by_text("footnote eval --golden")).to_be_hidden()
    assert cases_of(page, server, screen.index) == []


@pytest.mark.nightly
def test_of_a_correction_the_admin_chooses_passages_and_facts_or_a_refusal(screen: Screen, page: Page, server: str) -> None:
    answer = rate(page, server, screen.index, LEAVE, "down", proposed_answer=PROPOSED)
    dialog = open_view(page, screen.index)
    expect(dialog.locator(".card")).to_have_count(1)
    make = dialog.get_by_role("button", name="Make a golden case")
    make.click()
    passage = dialog.get_by_role("group", name="A good answer cites one of").get_by_role("checkbox").first
    expect(passage).to_be_focused()
    expect(passage).not_to_be_checked()
    expect(dialog.locator(".checks")).to_contain_text("Employees receive 28 days of annual leave per year.")
    facts = dialog.get_by_label("A good answer contains")
    expect(facts).to_have_value("30\n2026")
    keep(page, "view-choice")
    facts.fill(" ")
    dialog.get_by_role("button", name="Save the case").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose a passage, or write down what the answer must contain.")
    facts.fill("x" * 501)
    dialog.get_by_role("button", name="Save the case").click()
    expect(dialog.get_by_role("alert")).to_contain_text("longer than 500 characters")
    page.keyboard.press("Escape")
    expect(make).to_be_focused()
    expect(dialog.locator("form")).to_have_count(0)
    assert cases_of(page, server, screen.index) == []

    page.keyboard.press("Enter")
    page.keyboard.press("Space")  # the first passage
    facts.fill("30 days\n\n 2026 ")
    dialog.get_by_role("button", name="Save the case").click()
    expect(dialog.get_by_role("button", name="Golden case ✓ – undo")).to_be_focused()
    (case,) = cases_of(page, server, screen.index)
    assert (case["answer"], case["facts"], [each["chunk_id"] for each in case["passages"]]) == (
        PROPOSED, ["30 days", "2026"], [answer["citations"][0]["chunk_id"]],
    )  # fmt: skip

    page.keyboard.press("Escape")
    page.request.delete(f"{server}/golden/{case['case_id']}")
    dialog = open_view(page, screen.index)
    dialog.get_by_role("button", name="Make a golden case").click()
    dialog.get_by_label("This question must not be answered").check()
    expect(dialog.get_by_label("A good answer contains")).to_be_disabled()
    dialog.get_by_role("button", name="Save the case").click()
    expect(dialog.get_by_role("button", name="Golden case ✓ – undo")).to_be_visible()
    (case,) = cases_of(page, server, screen.index)
    assert (case["expects"], case["passages"], case["facts"]) == ("refusal", [], [])


# --- what only some replies hold, in place of the server ------------------------------------------


PAGE_TWO = {"data": [{**ROW, "trace_id": f"u{number}"} for number in range(2)], "has_more": False, "last_id": None}
WITHHELD = {**ROW, "withheld": True, "question": "", "answer": "", "reason": "other", "tags": [], "citations": []}
CASE = {
    "case_id": "c1", "collection": "default", "expects": "answer", "withheld": False, "question": "How long?", "answer": None,
    "facts": [], "note": "", "permission_groups": ["staff"], "trace_id": None, "author": "boss", "changed_at": 1_780_000_000,
    "passages": [{"chunk_id": "plan#000", "doc_id": "plan", "title": "The plan", "state": state} for state in ("moved", "gone")],
}  # fmt: skip


FAILURES = ((403, "Only admins can see this.", 0), (503, "This could not be loaded: Down for now.", 1))


@pytest.mark.nightly
def test_others_ratings_and_withheld_ones_are_shown_to_admins_by_keyboard(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page = screen.page
    listing(page, of_rows(ROW, {**WITHHELD, "trace_id": "t2"}, {**ROW, "trace_id": "t3", "rating": "up"}))
    hidden = {**CASE, "withheld": True, "question": "", "passages": [{"chunk_id": "x#000", "doc_id": "x", "title": None, "state": "gone"}]}
    page.route("**/golden?*", of_rows(CASE, hidden))
    dialog = open_view(page)
    expect(dialog.locator(".card")).to_have_count(3)
    card, withheld, good = dialog.locator(".card").all()
    expect(card.get_by_role("heading")).to_have_text("How long is <b>leave</b>?")
    expect(card.locator(".words li")).to_have_text(["It is in 4.2.", "Too long", "dull"])
    expect(card).to_contain_text("Trace ID t1")
    expect(card.get_by_role("link", name="Open the conversation")).to_have_count(0)
    assert card.get_by_role("link", name="The plan p. 3").get_attribute("href") == "./?doc_id=plan&chunk_id=plan%23000#page=3"
    expect(withheld).to_contain_text("The answer depends on a document that you may not read, or that was deleted.")
    expect(withheld).to_contain_text("Something else")
    expect(withheld.get_by_role("button")).to_have_count(0)
    keep(page, "view-withheld")

    detail = "There is no passage plan#000 that you may read. Choose another, or send `facts`."
    problem = json.dumps({"title": "Bad request", "detail": detail})
    page.route("**/golden", lambda route: route.fulfill(status=422, body=problem, content_type="application/problem+json"))
    good.get_by_role("button", name="Make a golden case").click()
    expect(good.get_by_role("status")).to_have_text(detail)
    expect(good.get_by_label("A good answer contains")).to_be_visible()
    screen.complaints.clear()  # logged by the browser itself

    dialog.get_by_role("tab", name="Golden cases").click()
    expect(dialog.locator(".card")).to_have_count(2)
    first, second = dialog.locator(".card").all()
    expect(first.locator(".cited li")).to_have_text(
        ["The plan its text is in another passage now", "The plan no longer exists, or you may not read it"]
    )
    expect(first).to_contain_text("Asked as staff")
    expect(second).to_contain_text("Its texts are not shown.")
    expect(second.get_by_role("link")).to_have_count(0)
    expect(second.get_by_role("button", name="Delete this case")).to_be_visible()
    page.unroute("**/feedback?*")
    listing(page, of_rows(ROW))
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    is_operated_by_keyboard(page)
    is_offered_to_admins_only(page)


def is_operated_by_keyboard(page: Page) -> None:
    account, keys = page.get_by_role("button", name="Account"), page.keyboard
    account.focus()
    keys.press("Enter")
    entry = page.get_by_role("button", name="Feedback", exact=True)
    for _ in range(10):
        if entry.evaluate("node => node === document.activeElement"):
            break
        keys.press("Tab")
    keys.press("Enter")
    dialog = page.get_by_role("dialog", name="Feedback")
    ratings, cases = dialog.get_by_role("tab", name="Ratings"), dialog.get_by_role("tab", name="Golden cases")
    expect(dialog.get_by_text("1 rating", exact=True)).to_be_visible()
    keys.press("Tab")
    keys.press("Tab")
    expect(ratings).to_be_focused()
    keys.press("ArrowRight")
    expect(cases).to_be_focused()
    expect(cases).to_have_attribute("aria-selected", "true")
    keys.press("Home")
    expect(ratings).to_be_focused()
    keys.press("Tab")
    expect(dialog.get_by_role("combobox", name="Rating")).to_be_focused()
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    expect(account).to_be_focused()


def is_offered_to_admins_only(page: Page) -> None:
    page.route("**/collections?*", lambda route: route.fulfill(json={"data": [], "may_manage": False}))
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("link", name="Statistics")).to_be_visible()
    expect(page.get_by_role("button", name="Feedback", exact=True)).to_be_hidden()


@pytest.mark.nightly
def test_the_list_loads_page_by_page_and_says_what_fails_and_what_comes_too_late(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page = screen.page
    held: list[Route] = []
    listing(page, lambda route: held.append(route))
    dialog = open_view(page)
    status = dialog.get_by_role("status").first
    expect(status).to_have_text("Loading …")
    expect(dialog.get_by_role("tabpanel")).to_have_attribute("aria-busy", "true")
    rating = dialog.get_by_role("combobox", name="Rating")
    with page.expect_request("**/feedback?*rating=down*"):
        rating.select_option("down")
    wait_for(page, held, 2)
    first, second = held
    second.fulfill(json={"data": [ROW], "has_more": False, "last_id": None})
    expect(status).to_have_text("1 rating")
    first.fulfill(json={"data": [], "has_more": False, "last_id": None})  # too late
    dialog.get_by_role("tab", name="Golden cases").click()
    with page.expect_request("**/feedback?*rating=down*"):
        dialog.get_by_role("tab", name="Ratings").click()
    wait_for(page, held, 3)
    held[2].fulfill(json={"data": [ROW], "has_more": True, "last_id": "1 t2 ann"})
    expect(status).to_have_text("The newest rating")
    expect(dialog.get_by_role("tabpanel")).not_to_have_attribute("aria-busy", "true")
    dialog.get_by_role("button", name="Show more").click()
    wait_for(page, held, 4)
    assert held[3].request.url.partition("?")[2] == "limit=20&rating=down&after=1+t2+ann"
    held[3].fulfill(json=PAGE_TWO)
    expect(status).to_have_text("3 ratings")
    expect(dialog.get_by_role("button", name="Show more")).to_be_hidden()

    again = dialog.get_by_role("button", name="Try again")
    for number, (code, said, offered) in enumerate(
        ((403, "Only admins can see this.", 0), (503, "This could not be loaded: Down for now.", 1))
    ):
        rating.select_option(("up", "down")[number])
        wait_for(page, held, 5 + number)
        held[-1].fulfill(status=code, body='{"title": "No", "detail": "Down for now."}', content_type="application/problem+json")
        expect(status).to_have_text(said)
        expect(again).to_have_count(offered)
        keep(page, f"view-{code}")
    again.click()
    wait_for(page, held, 7)
    held[-1].fulfill(json={"data": [ROW], "has_more": False, "last_id": None})
    expect(status).to_have_text("1 rating")
    screen.complaints.clear()  # logged by the browser itself


@pytest.mark.nightly
@pytest.mark.parametrize("locale", ["en-GB", *(pytest.param(each, marks=pytest.mark.nightly) for each in ("de-DE", "ko-KR"))])
def test_the_view_is_accessible_and_fits(open_screen: Open, server: str, locale: str) -> None:
    page = open_screen(server, locale=locale, **STILL).page
    long = {
        **ROW,
        "trace_id": "t2",
        "user_id": "a.very.long.name.of.somebody@example.com",
        "question": f"{'Longword' * 12}?",
        "comment": "No.",
    }
    listing(page, of_rows({**ROW, "facts": ["30"], "proposed_answer": "30"}, long, WITHHELD))
    page.locator("#account").click()
    page.locator("#show-feedback").click()
    page.locator(".golden > button").first.click()
    expect(page.locator(".golden form")).to_be_visible()
    page.mouse.move(0, 0)
    keep(page, f"view-wide-{locale[:2]}")
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    keep(page, f"view-narrow-{locale[:2]}")
    assert grave_in(page) == []
    assert page.locator("#feedback").evaluate("node => node.scrollWidth <= node.clientWidth")
    page.locator("#golden_tab").click()
    expect(page.locator("[role=tabpanel]")).not_to_have_attribute("aria-busy", "true")
    keep(page, f"cases-narrow-{locale[:2]}")
    assert grave_in(page) == []
