"""The view of feedback for admins: the list with its filters and states, and golden cases made, undone, listed and deleted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.test_accessibility import DARK, LEAVE, NARROW, STILL, grave_in
from tests.browser.test_feedback import keep

Open = Callable[..., Any]
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
    found: list[dict[str, Any]] = page.request.get(f"{server}/golden", params={"index_name": index}).json()["data"]
    return found


def listing(page: Page, reply: Callable[[Route], None]) -> None:
    """Answers the list of feedback in place of the server."""
    page.route("**/feedback?*", reply)


def wait_for(page: Page, held: list[Route], number: int) -> None:
    """Until the handler was called so many times."""
    while len(held) < number:
        page.wait_for_timeout(10)


def of_rows(*rows: dict[str, Any]) -> Callable[[Route], None]:
    return lambda route: route.fulfill(json={"data": list(rows), "has_more": False, "last_id": None})


def test_feedback_is_listed_with_its_answer_and_filtered(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
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


def test_a_good_answer_becomes_a_golden_case_by_one_click_and_back(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
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


def test_of_a_correction_the_admin_chooses_passages_and_facts(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
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


def test_a_question_that_must_not_be_answered_becomes_a_case(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    rate(screen.page, server, screen.index, LEAVE, "down", reason="wrong")
    dialog = open_view(screen.page, screen.index)
    expect(dialog.locator(".card")).to_have_count(1)
    dialog.get_by_role("button", name="Make a golden case").click()
    dialog.get_by_label("This question must not be answered").check()
    expect(dialog.get_by_label("A good answer contains")).to_be_disabled()
    dialog.get_by_role("button", name="Save the case").click()
    expect(dialog.get_by_role("button", name="Golden case ✓ – undo")).to_be_visible()
    (case,) = cases_of(screen.page, server, screen.index)
    assert (case["expects"], case["passages"], case["facts"]) == ("refusal", [], [])


def test_golden_cases_are_listed_with_what_became_of_their_passages_and_deleted(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    answer = rate(page, server, screen.index, LEAVE, "up")
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


def test_a_case_says_that_its_passage_is_gone_or_that_it_is_withheld(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    case = {
        "case_id": "c1", "collection": "default", "expects": "answer", "withheld": False, "question": "How long?", "answer": None,
        "facts": [], "note": "", "permission_groups": ["staff"], "trace_id": None, "author": "boss", "changed_at": 1_780_000_000,
        "passages": [{"chunk_id": "plan#000", "doc_id": "plan", "title": "The plan", "state": state} for state in ("moved", "gone")],
    }  # fmt: skip
    hidden = {**case, "withheld": True, "question": "", "passages": [{"chunk_id": "x#000", "doc_id": "x", "title": None, "state": "gone"}]}
    page.route("**/golden?*", of_rows(case, hidden))
    dialog = open_view(page)
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


def test_free_words_are_shown_as_they_are_and_others_turns_by_their_trace_id(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    listing(page, of_rows(ROW))
    card = open_view(page).locator(".card")
    expect(card.get_by_role("heading")).to_have_text("How long is <b>leave</b>?")
    expect(card.locator(".words li")).to_have_text(["It is in 4.2.", "Too long", "dull"])
    expect(card).to_contain_text("Trace ID t1")
    expect(card.get_by_role("link", name="Open the conversation")).to_have_count(0)
    assert card.get_by_role("link", name="The plan p. 3").get_attribute("href") == "./?doc_id=plan&chunk_id=plan%23000#page=3"


def test_a_withheld_rating_says_so_and_offers_no_case(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    listing(page, of_rows({**ROW, "withheld": True, "question": "", "answer": "", "reason": "other", "tags": [], "citations": []}))
    card = open_view(page).locator(".card")
    expect(card).to_contain_text("The answer depends on a document that you may not read, or that was deleted.")
    expect(card).to_contain_text("Something else")
    expect(card.get_by_role("button")).to_have_count(0)
    keep(page, "view-withheld")


def test_a_case_that_the_server_refuses_says_why_and_lets_the_admin_choose(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    page = screen.page
    listing(page, of_rows({**ROW, "rating": "up"}))
    detail = "There is no passage plan#000 that you may read. Choose another, or send `facts`."
    problem = json.dumps({"title": "Bad request", "detail": detail})
    page.route("**/golden", lambda route: route.fulfill(status=422, body=problem, content_type="application/problem+json"))
    card = open_view(page).locator(".card")
    card.get_by_role("button", name="Make a golden case").click()
    expect(card.get_by_role("status")).to_have_text(detail)
    expect(card.get_by_label("A good answer contains")).to_be_visible()
    screen.complaints.clear()  # logged by the browser itself


def test_the_list_goes_on_page_by_page(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    asked: list[str] = []

    def reply(route: Route) -> None:
        asked.append(route.request.url.partition("?")[2])
        is_first = "after" not in route.request.url
        rows = [{**ROW, "trace_id": f"t{is_first}{i}"} for i in range(2)]
        route.fulfill(json={"data": rows, "has_more": is_first, "last_id": "1 t2 ann" if is_first else None})

    listing(page, reply)
    dialog = open_view(page)
    expect(dialog.get_by_role("status").first).to_have_text("The newest 2 ratings")
    dialog.get_by_role("button", name="Show more").click()
    expect(dialog.get_by_role("status").first).to_have_text("4 ratings")
    expect(dialog.get_by_role("button", name="Show more")).to_be_hidden()
    assert asked == ["limit=20", "limit=20&after=1+t2+ann"]


def test_it_says_that_it_loads_and_an_earlier_reply_changes_nothing(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    held: list[Route] = []
    listing(page, lambda route: held.append(route))
    dialog = open_view(page)
    status = dialog.get_by_role("status").first
    expect(status).to_have_text("Loading …")
    expect(dialog.get_by_role("tabpanel")).to_have_attribute("aria-busy", "true")
    with page.expect_request("**/feedback?*rating=down*"):
        dialog.get_by_role("combobox", name="Rating").select_option("down")
    wait_for(page, held, 2)
    first, second = held
    second.fulfill(json={"data": [ROW], "has_more": False, "last_id": None})
    expect(status).to_have_text("1 rating")
    first.fulfill(json={"data": [], "has_more": False, "last_id": None})
    dialog.get_by_role("tab", name="Golden cases").click()
    with page.expect_request("**/feedback?*rating=down*"):
        dialog.get_by_role("tab", name="Ratings").click()
    wait_for(page, held, 3)
    held[2].fulfill(json={"data": [ROW], "has_more": False, "last_id": None})
    expect(status).to_have_text("1 rating")
    expect(dialog.get_by_role("tabpanel")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.parametrize(
    ("status", "said", "again"), [(403, "Only admins can see this.", 0), (503, "This could not be loaded: Down for now.", 1)]
)
def test_a_failure_is_shown_in_words_and_tried_again(open_screen: Open, server: str, status: int, said: str, again: int) -> None:
    screen = open_screen(server)
    problem = json.dumps({"title": "No", "detail": "Down for now."})
    listing(screen.page, lambda route: route.fulfill(status=status, body=problem, content_type="application/problem+json"))
    dialog = open_view(screen.page)
    expect(dialog.get_by_role("status").first).to_have_text(said)
    expect(dialog.get_by_role("button", name="Try again")).to_have_count(again)
    keep(screen.page, f"view-{status}")
    if again:
        screen.page.unroute("**/feedback?*")
        listing(screen.page, of_rows(ROW))
        dialog.get_by_role("button", name="Try again").click()
        expect(dialog.get_by_role("status").first).to_have_text("1 rating")
    screen.complaints.clear()  # logged by the browser itself


def test_others_than_admins_have_no_such_entry(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    page.route("**/collections?*", lambda route: route.fulfill(json={"data": [], "may_manage": False}))
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("link", name="Statistics")).to_be_visible()
    expect(page.get_by_role("button", name="Feedback", exact=True)).to_be_hidden()


def test_the_view_is_operated_by_keyboard(open_screen: Open, server: str) -> None:
    page = open_screen(server).page
    listing(page, of_rows(ROW))
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


LOOKS = {"wide": {}, "dark": DARK, "narrow": {**NARROW, "viewport": {"width": 390, "height": 844}}}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ko-KR"])
def test_the_view_is_accessible_and_fits(open_screen: Open, server: str, look: str, locale: str) -> None:
    page = open_screen(server, locale=locale, **STILL, **LOOKS[look]).page
    long = {
        **ROW,
        "trace_id": "t2",
        "user_id": "a.very.long.name.of.somebody@example.com",
        "question": f"{'Longword' * 12}?",
        "comment": "No.",
    }
    withheld = {**ROW, "withheld": True, "question": "", "answer": "", "reason": "other", "tags": [], "citations": []}
    listing(page, of_rows({**ROW, "facts": ["30"], "proposed_answer": "30"}, long, withheld))
    page.locator("#account").click()
    page.locator("#show-feedback").click()
    page.locator(".golden > button").first.click()
    expect(page.locator(".golden form")).to_be_visible()
    page.mouse.move(0, 0)
    keep(page, f"view-{look}-{locale[:2]}")
    assert grave_in(page) == []
    assert page.locator("#feedback").evaluate("node => node.scrollWidth <= node.clientWidth")
    page.locator("#golden_tab").click()
    expect(page.locator("[role=tabpanel]")).not_to_have_attribute("aria-busy", "true")
    keep(page, f"cases-{look}-{locale[:2]}")
    assert grave_in(page) == []
