"""Accounts in the page: an invitation, signing in by name and password, another password, and the admin who invites."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL, Session
from footnote.settings import Settings
from tests.browser.office import Office
from tests.browser.test_accessibility import NARROW, grave_in

PASSWORD, OTHER = "three quiet otters", "four noisy otters"
Invite = Callable[..., str]


@pytest.fixture
def invite(office: Office) -> Invite:
    """→ the link of an operator's invitation."""

    def one(name: str, *groups: str, role: Any = "user") -> str:
        async def make() -> str:
            core = Core(Settings(footnote_data=office.data))
            try:
                return await core.accounts.invite(Session(name, groups, role), 3600, by=LOCAL.user_id)
            finally:
                await core.close()

        with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one
            return f"{office.url}/#/invitation/{name}/{thread.submit(asyncio.run, make()).result()}"

    return one


def join(page: Page, link: str, password: str = PASSWORD) -> None:
    page.goto(link)
    page.get_by_label("New password").fill(password)
    page.get_by_role("button", name="Set password").click()


@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
def test_an_invited_person_chooses_a_password_and_signs_in_again(
    new_context: Callable[..., BrowserContext], office: Office, invite: Invite, look: dict[str, Any]
) -> None:
    name = f"ada{len(look)}"
    page, link = new_context(**look).new_page(), invite(name)
    join(page, link, "short")
    dialog, problem = page.get_by_role("dialog", name="Welcome"), page.get_by_role("alert")
    expect(dialog).to_contain_text(f"You have been invited to Footnote as {name}.")
    expect(problem).to_contain_text("12 to 256 characters")
    assert grave_in(page) == []
    page.get_by_role("button", name="Show password").click()
    field = page.get_by_label("New password")
    expect(field).to_have_attribute("type", "text")
    field.fill(PASSWORD)
    field.press("Enter")
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(dialog).to_be_hidden()
    assert page.url.rstrip("/") == office.url

    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Name")).to_be_focused()
    assert grave_in(page) == []
    page.get_by_label("Name").fill(name.upper())
    page.get_by_label("Password", exact=True).fill("not the password")
    page.get_by_label("Password", exact=True).press("Enter")
    expect(problem).to_contain_text("The name or the password is wrong.")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#sign-in")).to_be_hidden()

    again = new_context(**look).new_page()
    join(again, link, OTHER)
    expect(again.get_by_role("alert")).to_contain_text("This invitation was used already")


def test_the_owner_changes_the_password(new_context: Callable[..., BrowserContext], invite: Invite) -> None:
    page = new_context(locale="de-DE").new_page()
    page.goto(invite("eva"))
    page.get_by_label("Neues Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Passwort festlegen").click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#account").click()
    page.get_by_role("button", name="Passwort ändern").click()
    dialog = page.get_by_role("dialog", name="Passwort ändern")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator("#account").click()
    page.get_by_role("button", name="Passwort ändern").click()
    page.get_by_label("Bisheriges Passwort").fill("nicht das richtige")
    page.get_by_label("Neues Passwort").fill(OTHER)
    page.get_by_role("button", name="Passwort festlegen").click()
    expect(page.get_by_role("alert")).to_have_text("Das bisherige Passwort ist falsch.")
    page.get_by_label("Bisheriges Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Passwort festlegen").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#account-status")).to_have_text("Ihr Passwort wurde geändert.")


def test_an_admin_invites_and_withdraws(new_context: Callable[..., BrowserContext], office: Office, invite: Invite) -> None:
    page = new_context().new_page()
    join(page, invite("root", "staff", "crew", role="admin"))
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.goto(f"{office.url}/admin#/people")
    form = page.locator("section").filter(has=page.get_by_role("heading", name="Invite"))
    form.get_by_label("User").fill("bob")
    form.get_by_label("staff").check()
    form.get_by_role("button", name="Invite").click()
    expect(form).to_contain_text("Send this link to bob.")
    link = form.locator("code").inner_text()
    assert grave_in(page) == []
    row = page.get_by_role("row").filter(has_text="bob")
    expect(row).to_contain_text("invited until")
    stranger = new_context().new_page()
    join(stranger, link)
    expect(stranger.locator("html[data-ready]")).to_be_attached()
    expect(stranger.locator("#readers option")).to_have_text(["only me", "staff", "everyone"])
    page.reload()
    expect(row.first).to_contain_text("active")
    row.first.get_by_role("button", name="Remove").click()
    row.first.get_by_role("button", name="Remove").click()
    expect(page.locator("#status")).to_have_text("The account of bob was removed.")
    stranger.reload()
    expect(stranger.get_by_role("dialog", name="Sign in")).to_be_visible()


def test_without_accounts_the_form_asks_for_a_token(new_context: Callable[..., BrowserContext], office: Office) -> None:
    page = new_context().new_page()
    page.route("**/sign-in", lambda route: route.fulfill(json={"passwords": False}))
    page.goto(office.url)
    expect(page.get_by_label("Token")).to_be_focused()
    expect(page.get_by_role("button", name="name and password")).to_be_hidden()
