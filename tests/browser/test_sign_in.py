"""Signing in: nothing is accessible without a token, and no work is lost when a session ends."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Request, Route, expect

from tests.browser.conftest import Screen
from tests.browser.office import Office, sign_in
from tests.browser.test_accessibility import LEAVE, NARROW, grave_in

OVER = "Your session has expired. Sign in again to continue where you left off."
Open = Callable[..., Screen]


@pytest.fixture
def arrive(new_context: Callable[..., BrowserContext], office: Office) -> Iterator[Open]:
    """Opens the page and, with a `token`, signs in. It must have logged no errors except refusals."""
    screens: list[Screen] = []

    def open_one(token: str | None = None, **context: Any) -> Screen:
        screen = Screen(new_context(**context).new_page(), office.url)
        screens.append(screen)
        screen.page.goto(office.url)
        expect(screen.page.get_by_role("dialog")).to_be_visible()
        if token:
            sign_in(screen.page, token)
            expect(screen.page.locator("html[data-ready]")).to_be_attached()
            screen.page.locator("#into").evaluate("(field, name) => (field.value = name)", screen.index)
        return screen

    yield open_one
    for screen in screens:
        expected = "status of (401|404|422)|net::ERR_FAILED"  # 404: a document that is polled while it is deleted
        screen.complaints = [complaint for complaint in screen.complaints if not re.search(expected, complaint)]
        screen.assert_quiet()


# --- signing in and out ----------------------------------------------------------------------------------


def test_nothing_is_shown_until_the_right_token_is_given_and_after_signing_out(arrive: Open, office: Office) -> None:
    page = arrive().page
    panel, field, problem = page.get_by_role("dialog", name="Sign in"), page.get_by_label("Token"), page.get_by_role("alert")
    page.get_by_role("button", name="Sign in with a token").click()
    expect(panel).to_contain_text("footnote session create")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(problem).to_have_text("Enter your token.")
    for wrong in ("wrong", "two words"):
        sign_in(page, wrong)
        expect(problem).to_contain_text("This token is unknown or has expired.")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
    assert grave_in(page) == []
    for _ in range(3):
        page.keyboard.press("Escape")
        expect(panel).to_be_visible()
    for _ in range(5):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.activeElement.closest('#sign-in') !== null")
    assert page.locator("html[data-ready]").count() == 0

    token = office.token("eve")
    page.route("**/sessions", lambda route: route.abort())
    sign_in(page, token)
    expect(problem).to_have_text("The server cannot be reached. Is it still running?")
    page.unroute("**/sessions")
    page.route("**/sessions", lambda route: route.fulfill(status=204))
    sign_in(page, token)
    expect(problem).to_contain_text("the browser did not store it")
    page.unroute("**/sessions")
    sign_in(page, f"  {token}\n")
    expect(panel).to_be_hidden()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#no-conversations")).to_have_text("Your conversations appear here.")

    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(panel).to_be_hidden()
    assert page.evaluate("[document.cookie, document.querySelector('#token')]") == ["", None]
    page.evaluate(
        "sessionStorage.setItem('footnote.unfinished.room', JSON.stringify({ request: { query_text: 'Secret?' }, from: 'a.0', at: 1 }))"
    )
    page.get_by_role("button", name="Account").click()
    assert grave_in(page) == []
    page.route("**/sessions", lambda route: route.abort())
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("#account-status")).to_have_text("You are still signed in. The server cannot be reached. Is it still running?")
    page.unroute("**/sessions")
    page.get_by_role("button", name="Sign out").click()
    expect(panel).to_contain_text("Sign in to use this server.")
    expect(page.locator("#sign-out")).to_have_attribute("hidden", "")
    assert page.context.cookies() == []
    assert page.evaluate("[...Object.keys(sessionStorage), localStorage.getItem('footnote.signed-in')]") == [None]
    sign_in(page, token)
    expect(problem).to_contain_text("This token is unknown")


# --- a session that ends -------------------------------------------------------------------------


@pytest.mark.nightly
def test_an_answer_continues_when_the_session_ends_before_and_during_it(arrive: Open, office: Office, handbook: bytes) -> None:
    token = office.token("dan")
    screen = arrive(token)
    page = screen.page
    screen.add("handbook.pdf", handbook)
    office.end(token)
    page.clock.install()
    screen.ask(LEAVE)
    expect(page.get_by_role("dialog", name="Sign in")).to_contain_text(OVER)
    page.clock.run_for(60_000)  # signed out, so they look for their token
    page.clock.resume()
    token = office.token("dan")
    sign_in(page, token)
    screen.finished()
    expect(page.locator(".question")).to_have_text([LEAVE])
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator("#conversation-list li")).to_have_count(1)

    asked: list[Request] = []

    def cut(route: Route) -> None:
        asked.append(route.request)
        if len(asked) > 1:
            route.continue_()
            return
        answer = route.fetch()
        office.end(token)
        route.fulfill(response=answer, body="\n\n".join(answer.text().split("\n\n")[:3]) + "\n\n")

    page.route("**/ask/stream", cut)
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    screen.ask("How many days of annual leave are there?")
    expect(page.locator(".link:visible")).to_be_visible()
    page.clock.run_for(1000)
    expect(page.get_by_role("dialog")).to_contain_text(OVER)
    page.clock.resume()
    sign_in(page, office.token("dan"))
    screen.finished()
    expect(page.locator(".answer").last).to_contain_text("28 days")
    expect(page.locator(".failed")).to_have_count(0)
    assert [request.headers.get("last-event-id") is not None for request in asked] == [False, True, True]


@pytest.mark.nightly
def test_a_file_is_added_and_saved_although_the_session_ends_meanwhile(arrive: Open, office: Office) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page

    def hold(route: Route) -> None:
        office.end(token)
        route.continue_()

    page.route("**/uploads/form", hold, times=1)
    screen.pick({"letter.txt": b"A letter came on Monday."})
    expect(page.get_by_role("dialog")).to_contain_text(OVER)
    token = office.token()
    sign_in(page, token)
    expect(page.get_by_role("heading", name="1 added")).to_be_visible()
    expect(page.locator("#document-list li")).to_have_attribute("data-state", "READY")
    office.end(token)
    page.get_by_role("link", name="Download").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    with page.expect_download() as download:
        sign_in(page, office.token())
    assert Path(download.value.path()).read_bytes() == b"A letter came on Monday."


# --- signed origins ------------------------------------------------------------------------------


def test_every_write_request_declares_the_hash_of_its_body(arrive: Open, office: Office) -> None:
    screen = arrive()
    page = screen.page
    hashes: dict[str, bool] = {}

    def note(request: Request) -> None:
        path = f"{request.method} {re.sub(r'[0-9a-f]{8,}', '…', request.url.removeprefix(office.url))}"
        declared = request.headers.get("x-amz-content-sha256")
        if request.method != "GET" and not path.endswith("/uploads/form"):
            hashes[path] = declared == hashlib.sha256(request.post_data_buffer or b"").hexdigest()
        else:
            assert declared is None, path

    page.on("request", note)
    sign_in(page, office.token())
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#into").fill(screen.index)
    screen.pick({"broken.pdf": b"%PDF-1.7 nothing", "letter.txt": "Straße, 편지".encode()})
    documents = page.locator("#document-list")
    documents.get_by_role("button", name="Try again: broken.pdf").click()
    screen.answer_to("편지?")
    documents.get_by_role("button", name="Delete letter").click()
    documents.get_by_role("button", name="Delete", exact=True).click()
    expect(documents.locator("li")).to_have_count(1)
    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert set(hashes.values()) == {True}
    kinds = {re.sub(r"/documents/[^/]+", "/documents/…", path) for path in hashes}
    assert kinds == {
        "POST /sessions", "POST /uploads", "POST /documents/…/retry", "POST /ask/stream", "DELETE /documents/…", "DELETE /sessions",
    }  # fmt: skip


# --- accessibility --------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ko-KR"])
@pytest.mark.parametrize("look", [{}, {"color_scheme": "dark"}, NARROW], ids=["wide", "dark", "narrow"])
def test_axe_finds_nothing_serious_in_the_panel_and_the_menu(arrive: Open, office: Office, locale: str, look: dict[str, Any]) -> None:
    page = arrive(locale=locale, **look).page
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert grave_in(page) == []
    sign_in(page, office.token())
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#account").click()
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- readers of an upload -------------------------------------------------------------------

NOTE = b"# Note\n\nThe lighthouse keeper is called Quint."
OPTIONS = ["only me", "hr", "staff", "all my groups", "everyone"]


def test_a_file_is_readable_by_the_chosen_groups(arrive: Open, office: Office) -> None:
    screen = arrive(office.token("ann", "hr", "staff"))
    page = screen.page
    choice = page.locator("#readers")
    expect(choice.locator("option")).to_have_text(OPTIONS)
    groups: list[Any] = []
    for place, shown in ((0, "for me only"), (1, "for hr"), (3, "for hr, staff"), (4, "for everyone")):
        choice.select_option(OPTIONS[place])
        with page.expect_request("**/uploads") as asked:
            screen.pick({f"note-{place}.md": NOTE + str(place).encode()})
        groups.append(asked.value.post_data_json["permission_groups"])
        row = page.locator("#document-list li").filter(has=page.locator(f"[title='note-{place}.md']"))
        expect(row).to_have_attribute("data-state", "READY")
        expect(row.locator(".readers")).to_have_text(shown)
    assert groups == [["user:ann"], ["hr"], ["hr", "staff"], ["*"]]
    assert grave_in(page) == []
    page.locator("#language").select_option("ko")
    expect(choice.locator("option")).to_have_text(["나만", "hr", "staff", "내 모든 그룹", "모든 사람"])
    expect(row.locator(".readers")).to_have_text("모두에게 공개")
    bob = arrive(office.token("bob", "staff"))
    bob.page.locator("#index").select_option(screen.index)
    expect(bob.page.locator("#document-list .name")).to_have_count(2)
    assert {row.get_attribute("title") for row in bob.page.locator("#document-list .name").all()} == {"note-3.md", "note-4.md"}
    expect(bob.page.locator("#document-list .owner")).to_have_text(["added by ann"] * 2)
    expect(page.locator("#document-list .owner")).to_have_text(["내가 추가"] * 3)  # of the one for ann alone it goes without saying
