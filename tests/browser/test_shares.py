"""Sharing a conversation by link: the owner's dialog, and the page of whoever opens the link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Screen
from tests.browser.office import Office, add_file, sign_in
from tests.browser.test_accessibility import NARROW, Open, grave_in

LEAVE, PAY = "How many days of annual leave do employees receive?", "What is the bridge warden paid?"
GONE = "This link is unknown, was deleted or has expired. Ask for a new one."
Enter = Callable[..., Page]


@pytest.fixture(scope="module")
def talk(office: Office) -> str:
    """The id of ann's conversation about a document for everyone and one for `staff`."""
    with office.client("ann", "staff") as ann:
        add_file(ann, "leave.txt", b"Employees receive 28 days of annual leave.", "shared")
        add_file(ann, "pay.txt", b"The bridge warden is paid 900 crowns.", "shared", ("staff",))
        for question in (LEAVE, PAY):
            asked = {"query_text": question, "index_name": "shared", "permission_groups": [], "room_id": "talk"}
            ann.post("/ask", json=asked).raise_for_status()
    return "talk"


@pytest.fixture
def enter(new_context: Callable[..., BrowserContext], office: Office) -> Iterator[Enter]:
    """Opens an address as a user. The page must have logged no errors except refusals."""
    screens: list[Screen] = []

    def open_one(address: str, user: str, *groups: str, **context: Any) -> Page:
        screens.append(Screen(new_context(**context).new_page(), office.url))
        page = screens[-1].page
        page.goto(f"{office.url}{address}")
        sign_in(page, office.token(user, *groups))
        expect(page.locator("html[data-ready]")).to_be_attached()
        return page

    yield open_one
    for screen in screens:
        screen.complaints = [complaint for complaint in screen.complaints if "status of 4" not in complaint]
        screen.assert_quiet()


def share(office: Office, room: str) -> str:
    """A link to ann's conversation: its path on the server."""
    with office.client("ann", "staff") as ann:
        return str(ann.post("/shares", json={"room_id": room}).raise_for_status().json()["path"])


def test_a_conversation_is_shared_read_by_others_and_unshared(enter: Enter, office: Office, talk: str) -> None:
    ann = enter(f"/#/c/{talk}", "ann", "staff")
    ann.get_by_role("button", name="Share the conversation").click()
    dialog = ann.get_by_role("dialog", name="Share the conversation")
    dialog.get_by_label("Valid for").select_option("7 days")
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("status")).to_have_text("Copy the link now. It is shown only this once.")
    expect(dialog.get_by_role("listitem")).to_contain_text("valid until")
    expect(dialog).to_contain_text("Whoever has the link and can sign in reads")
    expect(dialog.get_by_text("This address works on this computer only.")).to_be_visible()
    assert grave_in(ann) == []
    path = dialog.get_by_label("Link", exact=True).input_value().removeprefix(office.url)
    assert path.startswith("/shared#")

    ben = enter(path, "ben")
    expect(ben.locator(".question")).to_have_text([LEAVE, PAY])
    expect(ben.locator(".turn").first).to_contain_text("28 days of annual leave")
    expect(ben.locator("#dates")).to_have_text(re.compile(r"^Asked on \w+ \d+, \d{4}, shared on .*, can be read until .*\.$"))
    expect(ben.locator(".turn").last.locator(".note")).to_have_text(
        "This answer is not shown to you: a source of it was changed or deleted, or you cannot read it."
    )
    expect(ben.locator("body")).not_to_contain_text("900")
    assert not ben.locator("textarea, form:visible").count()
    assert grave_in(ben) == []
    cem = enter(path, "cem", "staff")
    expect(cem.locator(".turn").last).to_contain_text("900 crowns")
    cem.locator(".cite").last.click()
    expect(cem.get_by_role("heading", name="pay")).to_be_visible()
    dialog.get_by_role("button", name="Delete the link").click()
    expect(dialog.get_by_role("status")).to_have_text("The link was deleted. It opens nothing any more.")
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    ann.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    ben.reload()
    expect(ben.locator("#thread")).to_have_text(GONE)
    ben.goto(f"{office.url}/shared#")  # cut off where it was copied
    expect(ben.locator("#thread")).to_have_text(GONE)
    ben.locator("#language").select_option("de")
    expect(ben.locator("#thread")).to_contain_text("Dieser Link ist unbekannt, wurde gelöscht oder ist abgelaufen.")


def test_a_shared_citation_opens_at_its_sentence_and_back_returns(open_screen: Open, server: str) -> None:
    page = (screen := open_screen(server, **NARROW)).page
    lines = [f"Rule {n} of the harbour is written on the board at pier {n}." for n in range(1, 30)]
    text = "\n".join([*lines, "The ferry to the lighthouse leaves at noon."])
    screen.open_with("rules.txt", text.encode())
    asked = {"query_text": "When does the ferry to the lighthouse leave?", "index_name": screen.index, "room_id": screen.index}
    assert page.request.post(f"{server}/ask", data={**asked, "permission_groups": []}).ok
    page.goto(f"{server}/#/c/{screen.index}")
    page.reload()
    page.get_by_role("button", name="Share the conversation").click()
    dialog = page.get_by_role("dialog", name="Share the conversation")
    expect(dialog).to_contain_text("Anyone who has the link and can reach this server reads")
    dialog.get_by_label("Valid for").select_option("until it is deleted")
    dialog.get_by_role("button", name="Make a link").click()
    expect(link := dialog.get_by_label("Link", exact=True)).to_be_visible()
    page.goto(shared := link.input_value())
    expect(page.get_by_role("link", name="Ask your own question")).to_be_visible()
    expect(page.locator("#dates")).to_have_text(re.compile(r"shared on [^,]*, \d{4}\.$"))
    page.locator("#language").select_option("de")
    expect(page.locator("#dates")).to_have_text(re.compile(r"^Gefragt am \d+\. "))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".cite").first.click()
    expect(marked := page.locator("#source-view mark:not(.also)")).to_have_text("The ferry to the lighthouse leaves at noon.")
    expect(marked).to_be_in_viewport()
    page.go_back()
    expect(page).to_have_url(shared)
    expect(page.locator(".cite").first).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ko-KR"])
def test_axe_finds_nothing_serious_where_a_conversation_is_shared_and_read(
    enter: Enter, office: Office, talk: str, locale: str, look: dict[str, Any]
) -> None:
    reader = enter(share(office, talk), "ben", locale=locale, **look)
    expect(reader.locator(".turn")).to_have_count(2)
    assert grave_in(reader) == []
    owner = enter(f"/#/c/{talk}", "ann", "staff", locale=locale, **look)
    owner.locator("#share").click()
    owner.locator(".share-dialog .primary").click()
    expect(owner.locator(".share-links li").first).to_be_visible()
    assert grave_in(owner) == []
    assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert reader.evaluate("document.documentElement.scrollWidth <= innerWidth")
