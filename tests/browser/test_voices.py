"""The view of what customers say: search, filters, the plot, themes, and its states."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.browser.conftest import POLL_MS, Screen
from tests.browser.test_accessibility import NARROW, Open, grave_in

WEB = Path(__file__).parents[2] / "functions/query/footnote_query/web"
REVIEWS = [f"2026-03-{n:02},web,lamp,1,The delivery of my lamp came {n} days late." for n in range(1, 13)]
REVIEWS += [f"2026-04-{n:02},mail,chair,5,The app crashes when I open page {n} of the list." for n in range(1, 13)]


def add_reviews(page: Page, server: str) -> str:
    """A collection of voices of its own, as every test uses another."""
    name = f"voices-{uuid4().hex[:6]}"
    assert page.request.post(f"{server}/collections", data={"name": name, "settings": {"chunker": "voices"}}).ok
    data = "\n".join(["Date,Channel,Product,Rating,Review", *REVIEWS]).encode()
    file = FilePayload(name="reviews.csv", mimeType="text/csv", buffer=data)
    made = page.request.post(f"{server}/ingest/file", multipart={"file": file, "index_name": name}).json()
    while page.request.get(f"{server}/documents/{made['doc_id']}").json()["state"] != "READY":
        page.wait_for_timeout(POLL_MS)
    return name


def open_voices(screen: Any, server: str) -> Any:
    page = screen.page
    name = add_reviews(page, server)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#account").click()
    page.get_by_role("button", name="What customers say").click()
    dialog = page.get_by_role("dialog", name="What customers say")
    dialog.get_by_label("Collection").select_option(f"collection:{name}")
    expect(dialog.get_by_text("24 voices", exact=True)).to_be_visible()
    return dialog


def test_voices_are_searched_filtered_counted_and_grouped(screen: Screen, server: str) -> None:
    dialog = open_voices(screen, server)
    expect(dialog.locator(".voices-plot rect")).to_have_count(2)
    dialog.get_by_text("Show as a table").click()
    expect(dialog.locator(".voices-plot tbody tr").first).to_have_text(re.compile("Mar 1, 2026.*12.*1.0"))
    themes = dialog.locator(".voices-theme")
    expect(themes).to_have_count(2)
    assert sorted(word for word in ("delivery", "crashes") if themes.filter(has_text=word).count()) == ["crashes", "delivery"]
    expect(themes.first.locator("blockquote")).to_have_count(3)
    assert grave_in(screen.page) == []

    dialog.get_by_role("combobox", name="Rating", exact=True).select_option("low")
    dialog.get_by_label("What should they be about?").fill("late delivery")
    screen.page.keyboard.press("Enter")
    expect(dialog.get_by_text("12 voices", exact=True)).to_be_visible()
    found = dialog.locator(".voices-list li")
    expect(found).to_have_count(10)
    expect(found.first).to_contain_text("days late")
    dialog.get_by_role("button", name="Show more").click()
    expect(found).to_have_count(12)

    dialog.get_by_role("combobox", name="Channel", exact=True).select_option("mail")
    dialog.get_by_role("button", name="Search", exact=True).click()
    expect(dialog.get_by_role("status")).to_have_text("No voices were found.")
    dialog.get_by_role("combobox", name="Rating", exact=True).select_option("any")
    dialog.get_by_role("button", name="Search", exact=True).click()
    expect(themes).to_have_count(1)
    themes.first.get_by_role("button", name="Search for this").click()
    expect(dialog.get_by_label("What should they be about?")).to_have_value(re.compile("crashes"))
    says = "Some voices are found by their words only so far. Search again to find more by meaning."
    search, status = dialog.get_by_role("button", name="Search", exact=True), dialog.get_by_role("status")
    expect(dialog.get_by_text(says)).to_be_hidden()
    pending = [True]

    def reply(route: Route) -> None:
        there = route.fetch()
        route.fulfill(response=there, json=there.json() | {"vectors_pending": pending[0]})

    screen.page.route("**/voc/search", reply)
    search.click()
    expect(dialog.get_by_text(says)).to_be_visible()
    pending[0] = False
    search.click()
    expect(dialog.get_by_text(says)).to_be_hidden()

    for code, text in ((403, "You may not see this. It is for admins."), (503, "This could not be loaded: Down for now.")):
        problem = {"status": code, "json": {"detail": "Down for now.", "status": code}, "content_type": "application/problem+json"}
        screen.page.route("**/voc/themes*", partial(fail, problem))
        search.click()
        expect(status).to_have_text(text)
        expect(dialog.locator(".voices-theme")).to_have_count(0)
    screen.page.unroute("**/voc/themes*")
    dialog.get_by_label("Collection").select_option("product")  # what is said about the answers, for admins
    expect(status).to_have_text(re.compile("voice"))
    dialog.get_by_label("What should they be about?").fill("crashes")
    screen.page.keyboard.press("Escape")  # empties the search field, as browsers do
    screen.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(screen.page.locator("#account")).to_be_focused()
    screen.complaints.clear()  # Chromium tells of every failed request


def fail(problem: dict[str, Any], route: Route) -> None:
    route.fulfill(**problem)


@pytest.mark.nightly
def test_the_view_is_accessible_on_a_narrow_dark_screen(open_screen: Open, server: str) -> None:
    screen = open_screen(server, color_scheme="dark", **NARROW)
    open_voices(screen, server)
    assert grave_in(screen.page) == []


def test_texts_of_the_view_are_there_in_every_language() -> None:
    keys = {
        name: re.findall(r"^  (\w+):", (WEB / f"i18n/{name}.voices.js").read_text("utf-8"), re.MULTILINE) for name in ("en", "de", "ko")
    }
    assert keys["en"] == keys["de"] == keys["ko"]
    used = set(re.findall(r"'(voices_\w+)'", "".join((WEB / name).read_text("utf-8") for name in ("voices.js", "voices_plot.js"))))
    assert used <= set(keys["en"])
