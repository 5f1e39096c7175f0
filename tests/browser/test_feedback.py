"""Rating an answer: the thumbs, the form with reasons, tags, a proposal and the sources that answer, changing and taking back."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from footnote.types import DOWN_TAGS, REASONS, UP_TAGS
from tests.browser.test_accessibility import LEAVE, STILL, Open, grave_in, grave_in_both

WEB = Path(__file__).parents[2] / "functions/query/footnote_query/web"
RIGHT = "Employees receive 30 days since 2026."


def keep(page: Page, name: str) -> None:
    """A picture of the page, in the folder FOOTNOTE_SCREENSHOTS if it is set."""
    if folder := os.environ.get("FOOTNOTE_SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def answered(open_handbook: Open, server: str, **options: Any) -> tuple[Any, Locator, str]:
    """The screen with an answer, its actions, and its trace id."""
    screen = open_handbook(server, **options)
    if screen.page.locator("#sheet").evaluate("sheet => sheet.open"):
        screen.page.keyboard.press("Escape")  # adding a file opened the documents
    screen.answer_to(LEAVE)
    rows = screen.page.request.get(f"{server}/conversations/{room_of(screen.page)}").json()["data"]
    return screen, screen.page.locator(".actions"), rows[-1]["trace_id"]


def room_of(page: Page) -> str:
    return page.url.partition("#/c/")[2]


def stored(page: Page, server: str, trace_id: str) -> dict[str, Any] | None:
    reply = page.request.get(f"{server}/feedback/{trace_id}")
    return dict(reply.json()) | {"given_at": 0} if reply.ok else None


def test_a_rating_is_sent_detailed_taken_back_and_changed(open_handbook: Open, server: str) -> None:
    screen, actions, trace_id = answered(open_handbook, server)
    page = screen.page
    expect(actions.get_by_role("button", name="Details")).to_be_hidden()
    up = actions.get_by_role("button", name="Good answer")
    up.click()
    expect(actions.get_by_role("status")).to_have_text("Thank you.")
    expect(up).to_have_attribute("aria-pressed", "true")
    assert stored(page, server, trace_id) == {
        "trace_id": trace_id, "rating": "up", "reason": None, "comment": None, "proposed_answer": None, "selected_citations": [],
        "tags": [], "given_at": 0,
    }  # fmt: skip
    actions.get_by_role("button", name="Details").click()
    expect(actions.get_by_role("group", name="What was wrong?")).to_have_count(0)
    expect(actions.get_by_label("What would have been right?")).to_have_count(0)
    actions.get_by_label("Exact").check()
    actions.get_by_role("group", name="Which sources answer the question?").get_by_role("checkbox").first.check()
    keep(page, "form-up")
    actions.get_by_role("button", name="Send").click()
    expect(up).to_be_focused()
    given = stored(page, server, trace_id)
    assert (given["rating"], given["tags"], len(given["selected_citations"])) == ("up", ["exact"], 1)
    actions.get_by_role("button", name="Take back").click()
    expect(actions.get_by_role("status")).to_have_text("Your rating was taken back.")
    expect(up).to_have_attribute("aria-pressed", "false")
    assert stored(page, server, trace_id) is None

    down = actions.get_by_role("button", name="Bad answer")
    down.click()
    expect(down).to_have_attribute("aria-expanded", "true")
    assert stored(page, server, trace_id) is None  # nothing is sent yet
    actions.get_by_label("Outdated").check()
    actions.get_by_label("Too short").check()
    actions.get_by_label("Comment").fill("See the new agreement.")
    actions.get_by_label("What would have been right?").fill(RIGHT)
    sources = actions.get_by_role("group", name="Which sources answer the question?").get_by_role("checkbox")
    sources.first.check()
    keep(page, "form-down")
    actions.get_by_role("button", name="Send").click()
    expect(actions.get_by_role("status")).to_have_text("Thank you.")
    expect(down).to_be_focused()
    chunk = page.request.get(f"{server}/conversations/{room_of(page)}").json()["data"][0]["citations"][0]["chunk_id"]
    assert stored(page, server, trace_id) == {
        "trace_id": trace_id, "rating": "down", "reason": "outdated", "comment": "See the new agreement.", "proposed_answer": RIGHT,
        "selected_citations": [chunk], "tags": ["too_short"], "given_at": 0,
    }  # fmt: skip

    page.reload()
    expect(down).to_have_attribute("aria-pressed", "true")
    actions.get_by_role("button", name="Details").click()
    expect(actions.get_by_label("Outdated")).to_be_checked()
    expect(actions.get_by_label("Too short")).to_be_checked()
    expect(actions.get_by_label("What would have been right?")).to_have_value(RIGHT)
    expect(sources.first).to_be_checked()
    actions.get_by_label("Incomplete").check()
    actions.get_by_role("button", name="Send").click()
    expect(actions.get_by_role("status")).to_have_text("Thank you.")
    given = stored(page, server, trace_id)
    assert (given["reason"], given["proposed_answer"], given["tags"]) == ("incomplete", RIGHT, ["too_short"])

    actions.get_by_role("button", name="Take back").click()
    expect(actions.get_by_role("status")).to_have_text("Your rating was taken back.")
    expect(down).to_have_attribute("aria-pressed", "false")
    expect(down).to_be_focused()
    assert stored(page, server, trace_id) is None
    expect(actions.get_by_role("button", name="Take back")).to_be_hidden()


@pytest.mark.nightly
def test_the_form_is_operated_by_keyboard_and_keeps_what_cannot_be_sent(open_handbook: Open, server: str) -> None:
    screen, actions, trace_id = answered(open_handbook, server, **STILL)
    page, keys = screen.page, screen.page.keyboard
    down = actions.get_by_role("button", name="Bad answer")
    down.focus()
    keys.press("Enter")
    expect(actions.get_by_label("Wrong", exact=True)).to_be_focused()
    keys.press("Escape")
    expect(actions.locator("form")).to_have_count(0)
    expect(down).to_be_focused()
    keys.press("Space")
    keys.press("ArrowRight")
    expect(actions.get_by_label("Incomplete")).to_be_checked()
    keys.press("Tab")
    keys.press("Space")  # the first tag
    expect(actions.get_by_label("Too long")).to_be_checked()
    for _ in range(3):
        keys.press("Tab")
    expect(actions.get_by_label("Comment")).to_be_focused()
    keys.type("Too much.")
    keep(page, "form-keyboard")
    assert grave_in_both(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 860})

    problem = json.dumps({"title": "Unavailable", "detail": "The store is down.", "status": 503})
    page.route("**/feedback", lambda route: route.fulfill(status=503, body=problem, content_type="application/problem+json"), times=1)
    send_by_keyboard(page)
    expect(actions.get_by_role("status")).to_have_text("The store is down.")
    expect(actions.get_by_label("Comment")).to_have_value("Too much.")
    expect(down).to_have_attribute("aria-pressed", "false")
    send_by_keyboard(page)
    expect(down).to_have_attribute("aria-pressed", "true")
    given = stored(page, server, trace_id)
    assert (given["reason"], given["comment"], given["tags"]) == ("incomplete", "Too much.", ["too_long"])
    screen.complaints.clear()  # logged by the browser itself


def send_by_keyboard(page: Page) -> None:
    for _ in range(10):
        if page.evaluate("document.activeElement.className") == "primary":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_the_page_offers_the_reasons_and_tags_that_the_server_knows() -> None:
    form = (WEB / "feedback_form.js").read_text("utf-8")

    def words(pattern: str) -> tuple[str, ...]:
        (found,) = re.findall(pattern, form)
        return tuple(re.findall(r"'(\w+)'", found))

    assert words(r"REASONS = \[(.*)\]") == REASONS
    assert (words(r"up: \[(.*?)\]"), words(r"down: \[(.*?)\]")) == (UP_TAGS, DOWN_TAGS)
    texts = (WEB / "i18n/en.feedback.js").read_text("utf-8")
    missing = [code for code in REASONS if f"  reason_{code}:" not in texts]
    assert missing + [tag for tag in (*UP_TAGS, *DOWN_TAGS) if f"  tag_{tag}:" not in texts] == []
