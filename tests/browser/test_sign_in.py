"""Signing in: nothing is accessible without a token, and no work is lost when a session ends."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from footnote.bootstrap import Core
from footnote.guard.identity import Session, open_session
from footnote.settings import Settings
from tests.browser.conftest import Screen, serving
from tests.browser.test_accessibility import NARROW, STILL, grave_in

LEAVE = "How many days of annual leave do employees receive?"
OVER = "Your session has expired. Sign in again to continue where you left off."
Open = Callable[..., Screen]


class Office:
    """A server that requires sign-in, and its sessions."""

    def __init__(self, url: str, data: Path) -> None:
        self.url = url
        self._data = data

    def token(self, user_id: str = "ann", *groups: str) -> str:
        async def make() -> str:
            core = Core(Settings(footnote_data=self._data))
            try:
                return await open_session(Session(user_id, groups), 3600, cache=core.cache, records=core.records, now=core.clock())
            finally:
                await core.close()

        with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one
            return thread.submit(asyncio.run, make()).result()

    def end(self, token: str) -> None:
        assert httpx.delete(f"{self.url}/sessions", headers={"authorization": f"Bearer {token}"}).status_code == 204


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("data")
    with serving(data, LLM__DISCOVER="false", EMBEDDING__BUILTIN="false", AUTH__MODE="session") as url:
        yield Office(url, data)


@pytest.fixture
def arrive(new_context: Callable[..., BrowserContext], office: Office) -> Iterator[Open]:
    """Opens the page and, with a `token`, signs in. It must have logged no errors except refusals."""
    screens: list[Screen] = []

    def open_one(token: str | None = None, **context: Any) -> Screen:
        screen = Screen(new_context(**{"viewport": {"width": 1280, "height": 860}, **context}).new_page(), office.url)
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
        expected = "status of (401|404|422)"  # 404: a document that is polled while it is deleted
        screen.complaints = [complaint for complaint in screen.complaints if not re.search(expected, complaint)]
        screen.assert_quiet()


def sign_in(page: Page, token: str) -> None:
    page.locator("#token").fill(token)
    page.locator("#token").press("Enter")


# --- signing in ------------------------------------------------------------------------------------------


def test_nothing_is_shown_until_the_right_token_is_given(arrive: Open, office: Office) -> None:
    page = arrive().page
    panel, field = page.get_by_role("dialog", name="Sign in"), page.get_by_label("Token")
    expect(panel).to_contain_text("footnote session create")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("alert")).to_have_text("Enter your token.")
    for wrong in ("wrong", "two words"):
        sign_in(page, wrong)
        expect(panel.get_by_role("alert")).to_contain_text("This token is unknown or has expired.")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
    assert page.locator("html[data-ready]").count() == 0
    sign_in(page, f"  {office.token()}\n")
    expect(panel).to_be_hidden()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.get_by_role("button", name="Account")).to_be_visible()
    expect(page.locator("#no-conversations")).to_have_text("Your conversations appear here.")


def test_the_panel_stays_where_it_is_needed_and_the_focus_in_it(arrive: Open) -> None:
    page = arrive().page
    for _ in range(3):
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(5):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.activeElement.closest('#sign-in') !== null")


def test_a_reload_needs_no_second_sign_in_and_scripts_see_no_token(arrive: Open, office: Office) -> None:
    page = arrive(office.token()).page
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.evaluate("[document.cookie, document.querySelector('#token').value]") == ["", ""]


def test_a_browser_that_keeps_no_cookie_says_so(arrive: Open, office: Office) -> None:
    page = arrive().page
    page.route("**/sessions", lambda route: route.fulfill(status=204))
    sign_in(page, office.token())
    expect(page.get_by_role("alert")).to_contain_text("the browser did not store it")


def test_an_unreachable_server_is_reported_at_the_field(arrive: Open) -> None:
    screen = arrive()
    screen.page.route("**/sessions", lambda route: route.abort())
    sign_in(screen.page, "some-token")
    expect(screen.page.get_by_role("alert")).to_have_text("The server cannot be reached. Is it still running?")
    screen.complaints = [complaint for complaint in screen.complaints if "net::ERR_FAILED" not in complaint]


def test_without_sign_in_there_is_no_dialog_and_no_sign_out_button(open_screen: Callable[..., Screen], server: str) -> None:
    page = open_screen(server).page
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("link", name="Download my data")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


# --- signing out -----------------------------------------------------------------------------------------


def test_signing_out_leaves_no_data_in_the_page(arrive: Open, office: Office) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page
    page.evaluate(
        "sessionStorage.setItem('footnote.unfinished.room', JSON.stringify({ request: { query_text: 'Secret?' }, from: 'a.0', at: 1 }))"
    )
    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Sign out").click()
    panel = page.get_by_role("dialog", name="Sign in")
    expect(panel).to_contain_text("Sign in to use this server.")
    expect(page.locator("#sign-out")).to_have_attribute("hidden", "")
    assert page.context.cookies() == []
    assert page.evaluate("[...Object.keys(sessionStorage), localStorage.getItem('footnote.signed-in')]") == [None]
    sign_in(page, token)
    expect(panel.get_by_role("alert")).to_contain_text("This token is unknown")


def test_a_failed_sign_out_is_reported(arrive: Open, office: Office) -> None:
    screen = arrive(office.token())
    screen.page.route("**/sessions", lambda route: route.abort())
    screen.page.get_by_role("button", name="Account").click()
    screen.page.get_by_role("button", name="Sign out").click()
    expect(screen.page.locator("#account-status")).to_have_text(
        "You are still signed in. The server cannot be reached. Is it still running?"
    )
    screen.complaints = [complaint for complaint in screen.complaints if "net::ERR_FAILED" not in complaint]


# --- a session that ends -------------------------------------------------------------------------


def test_a_question_is_asked_again_after_signing_in(arrive: Open, office: Office, handbook: bytes) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page
    screen.add("handbook.pdf", handbook)
    office.end(token)
    page.clock.install()
    screen.ask(LEAVE)
    expect(page.get_by_role("dialog", name="Sign in")).to_contain_text(OVER)
    page.clock.run_for(60_000)  # signed out, so they look for their token
    page.clock.resume()
    sign_in(page, office.token())
    screen.finished()
    expect(page.locator(".question")).to_have_text([LEAVE])
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator("#conversation-list li")).to_have_count(1)


def test_an_answer_continues_when_the_session_ends_during_it(arrive: Open, office: Office, handbook: bytes) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page
    screen.add("handbook.pdf", handbook)
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
    page.clock.install()
    screen.ask(LEAVE)
    expect(page.locator(".link")).to_be_visible()
    page.clock.run_for(1000)
    expect(page.get_by_role("dialog")).to_contain_text(OVER)
    page.clock.resume()
    sign_in(page, office.token())
    screen.finished()
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator(".failed")).to_have_count(0)
    assert [request.headers.get("last-event-id") is not None for request in asked] == [False, True, True]


def test_an_upload_completes_although_the_session_ends_during_it(arrive: Open, office: Office) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page

    def hold(route: Route) -> None:
        office.end(token)
        route.continue_()

    page.route("**/uploads/form", hold, times=1)
    screen.pick({"letter.txt": b"A letter came on Monday."})
    expect(page.get_by_role("dialog")).to_contain_text(OVER)
    sign_in(page, office.token())
    expect(page.get_by_role("heading", name="1 of 1 done")).to_be_visible()
    expect(page.locator("#document-list li")).to_have_attribute("data-state", "READY")


def test_a_file_is_saved_after_signing_in(arrive: Open, office: Office, handbook: bytes) -> None:
    token = office.token()
    screen = arrive(token)
    page = screen.page
    screen.add("handbook.pdf", handbook)
    office.end(token)
    page.get_by_role("link", name="Download").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    with page.expect_download() as download:
        sign_in(page, office.token())
    assert Path(download.value.path()).read_bytes() == handbook


def test_another_person_does_not_find_the_conversation(arrive: Open, office: Office, handbook: bytes) -> None:
    screen = arrive(office.token("ann"))
    screen.add("handbook.pdf", handbook)
    screen.ask(LEAVE)
    screen.finished()
    other = arrive(office.token("bob"))
    expect(other.page.locator("#no-conversations")).to_be_visible()
    assert other.page.request.get(f"{office.url}/collections").json()["data"] == []


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
    screen.ask("편지?")
    screen.finished()
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


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ko-KR"])
@pytest.mark.parametrize("look", [{}, {"color_scheme": "dark"}, NARROW], ids=["wide", "dark", "narrow"])
def test_axe_finds_nothing_serious_in_the_panel_and_the_menu(
    arrive: Open, office: Office, locale: str, look: dict[str, Any], tmp_path: Path
) -> None:
    screen = arrive(locale=locale, **STILL, **look)
    page = screen.page
    sign_in(page, "wrong")
    expect(page.get_by_role("alert")).not_to_be_empty()
    screen.picture(tmp_path / f"panel-{locale}.png")
    assert grave_in(page) == []
    sign_in(page, office.token())
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#account").click()
    screen.picture(tmp_path / f"menu-{locale}.png")
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- readers of an upload -------------------------------------------------------------------

NOTE = b"# Note\n\nThe lighthouse keeper is called Quint."


@pytest.mark.parametrize(
    ("locale", "options", "hashes", "by_me"),
    [
        (
            "en-GB",
            ["only me", "hr", "staff", "all my groups", "everyone"],
            ["for me only", "for hr", "for hr, staff", "for everyone"],
            "added by me",
        ),
        (
            "de-DE",
            ["nur mich", "hr", "staff", "alle meine Gruppen", "alle"],
            ["nur für mich", "für hr", "für hr, staff", "für alle"],
            "von mir hinzugefügt",
        ),
        (
            "ko-KR",
            ["나만", "hr", "staff", "내 모든 그룹", "모든 사람"],
            ["나에게만 공개", "hr에게 공개", "hr, staff에게 공개", "모두에게 공개"],
            "내가 추가",
        ),
    ],
)
def test_a_file_is_readable_by_the_chosen_groups(
    arrive: Open,
    office: Office,
    locale: str,
    options: list[str],
    hashes: list[str],
    by_me: str,
    tmp_path: Path,
) -> None:
    screen = arrive(office.token("ann", "hr", "staff"), locale=locale, **STILL)
    page = screen.page
    choice = page.locator("#readers")
    expect(choice.locator("option")).to_have_text(options)
    groups: list[Any] = []
    for place, (name, shown) in enumerate(zip((0, 1, 3, 4), hashes, strict=True)):
        choice.select_option(options[name])
        with page.expect_request("**/uploads") as asked:
            screen.pick({f"note-{place}.md": NOTE + str(place).encode()})
        groups.append(asked.value.post_data_json["permission_groups"])
        row = page.locator("#document-list li").filter(has=page.locator(f"[title='note-{place}.md']"))
        expect(row).to_have_attribute("data-state", "READY")
        expect(row.locator(".readers")).to_have_text(shown)
    assert groups == [["user:ann"], ["hr"], ["hr", "staff"], ["*"]]
    assert grave_in(page) == []
    screen.picture(tmp_path / f"readers-{locale}.png")
    bob = arrive(office.token("bob", "staff"))
    bob.page.locator("#index").select_option(screen.index)
    expect(bob.page.locator("#document-list .name")).to_have_count(2)
    assert {row.get_attribute("title") for row in bob.page.locator("#document-list .name").all()} == {"note-2.md", "note-3.md"}
    expect(bob.page.locator("#document-list .owner")).to_have_text(["added by ann"] * 2)
    expect(page.locator("#document-list .owner")).to_have_text([by_me] * 3)  # of the one for ann alone it goes without saying


def test_the_only_user_of_a_server_is_not_asked_for_readers(open_screen: Open, server: str) -> None:
    screen = open_screen(server)
    expect(screen.page.locator("#readers")).to_be_hidden()
    screen.add("note.md", NOTE)
    expect(screen.page.locator("#document-list .readers")).to_have_count(0)
