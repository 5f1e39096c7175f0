"""The statistics page: the figures of `/stats` as plots and tables, for admins and for others."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import serving
from tests.browser.test_accessibility import NARROW, STILL, grave_in

Open = Callable[..., Page]
DOCUMENTS = {
    "ferry.md": "# Ferry\n\nA ferry costs 4 euros. It crosses the river every hour.\n",
    "tower.md": "# Tower\n\nThe tower was built in 1894 by Ann Smith.\n",
}
ANSWERED, UNANSWERED = "How much does a ferry cost?", "Which opera did the mayor dislike?"


def ask(server: str, question: str) -> str:
    body = json.dumps({"query_text": question, "index_name": "default", "permission_groups": []}).encode()
    request = urllib.request.Request(f"{server}/ask", body, {"content-type": "application/json"})
    return str(json.load(urllib.request.urlopen(request, timeout=30))["outcome"])


@pytest.fixture(scope="module")
def asked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server where three questions were asked; one of them has no answer."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "files").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "files" / name).write_text(text)
    quiet = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    ingest = [sys.executable, "-m", "footnote_local", "ingest", str(folder / "files"), "--data", str(folder / "data")]
    subprocess.run(ingest, check=True, capture_output=True, env={**os.environ, **quiet})
    with serving(folder / "data", **quiet) as server:
        assert [ask(server, question) in ("answered", "cached") for question in (ANSWERED, ANSWERED, UNANSWERED)] == [True, True, False]
        yield server


@pytest.fixture
def open_page(new_context: Callable[..., BrowserContext], asked_server: str) -> Iterator[Open]:
    """Opens the page; at the end there was no error in its console."""
    complaints: list[str] = []

    def open_one(before: Callable[[Page], None] = lambda _: None, **look: Any) -> Page:
        page = new_context(**{"viewport": {"width": 1280, "height": 860}, **look}).new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
        before(page)
        page.goto(f"{asked_server}/statistics")
        expect(page.locator("html[data-ready]")).to_be_attached()
        return page

    yield open_one
    assert complaints == []


def tile(page: Page, name: str) -> str:
    return page.locator("#overview .tiles > div").filter(has=page.get_by_text(name, exact=True)).locator("dd").inner_text()


def test_the_page_is_in_the_menu_and_shows_the_figures_of_the_api(
    open_page: Open, asked_server: str, open_screen: Callable[..., Any]
) -> None:
    screen = open_screen(asked_server)
    screen.page.get_by_role("button", name="Account").click()
    screen.page.get_by_role("link", name="Statistics").click()
    page = screen.page
    expect(page.locator("html[data-ready]")).to_be_attached()
    total = page.request.get(f"{asked_server}/stats").json()["total"]
    assert (tile(page, "Questions"), tile(page, "Answered")) == (str(total["turns"]), "66.7 %")
    for chart in ("Questions by result", "Time to the complete answer", "Tokens"):
        expect(page.get_by_role("img", name=chart)).to_be_visible()
    page.locator("figure").first.get_by_text("Show as table").click()
    today = page.locator("figure").first.locator("tbody tr").last
    expect(today.locator("td")).to_have_text(["2", str(total["closest"]), str(total["refusals"]), "0"])


def test_admins_see_unanswered_questions_documents_and_health(open_page: Open) -> None:
    page = open_page()
    expect(page.locator("#questions-body tbody th")).to_have_text([UNANSWERED])
    cited, never = page.locator("#documents-body tbody").all()
    assert (cited.locator("tr").all_inner_texts(), never.locator("tr").all_inner_texts()) == (["Ferry\t2\t+0 / −0"], ["Tower\tdefault"])
    expect(page.locator("#health-body")).to_contain_text("all work")
    expect(page.locator("#users-body tbody th")).to_have_text(["local"])


def test_the_table_is_downloaded_as_csv(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    page.get_by_label("Period").select_option("7 days")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename.startswith("footnote-day-")
    head, *rows = csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines())
    assert (head[:2], [row[1] for row in rows]) == (["day", "turns"], ["3"])


def test_period_and_collection_filter_everything(open_page: Open) -> None:
    page = open_page()
    with page.expect_response(lambda reply: "by=hour" in reply.url and "by=question" not in reply.url):
        page.get_by_label("Period").select_option("Today")
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    assert tile(page, "Questions") == "3"
    page.locator("#collection").evaluate("list => list.add(new Option('empty', 'empty'))")
    page.locator("#collection").select_option("empty")
    expect(page.locator("#overview-body")).to_have_text("No questions in this period.")
    expect(page.locator("#questions-body")).to_have_text("Every question was answered.")
    expect(page.locator("#documents-body")).to_have_text("There are no documents that you may read.")


def test_others_than_admins_get_no_sections_of_admins(open_page: Open) -> None:
    asked: list[str] = []

    def as_user(page: Page) -> None:
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/me/preferences", lambda route: route.fulfill(json={"is_admin": False}))

    page = open_page(as_user)
    expect(page.get_by_text("Your own questions.")).to_be_visible()
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    for name in ("Unanswered questions", "Documents cited most", "Users with most questions", "Health"):
        expect(page.get_by_role("heading", name=name)).to_be_hidden()
    assert [url for url in asked if "by=question" in url or "by=document" in url or "by=user" in url or "/ingest/" in url] == []


@pytest.mark.parametrize(
    ("status", "said"), [(403, "Only admins can see this."), (503, "The store is down."), (500, "The server returned an error (500).")]
)
def test_a_section_that_cannot_be_loaded_says_why_and_is_tried_again(open_page: Open, status: int, said: str) -> None:
    def failing(page: Page) -> None:
        def fail(route: Route) -> None:
            body = "{}" if status == 500 else json.dumps({"detail": "The store is down.", "title": "…"})
            route.fulfill(status=status, content_type="application/problem+json", body=body if status != 500 else "oops")

        page.route("**/stats?*by=question*", fail)

    page = open_page(failing)
    expect(page.locator("#questions-body").get_by_role("alert")).to_contain_text(said)
    page.unroute("**/stats?*by=question*")
    page.locator("#questions-body").get_by_role("button", name="Try again").click()
    expect(page.locator("#questions-body tbody th")).to_have_text([UNANSWERED])


@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(("locale", "title"), [("en-GB", "Statistics"), ("de-DE", "Statistik"), ("ko-KR", "통계")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Open, locale: str, title: str, look: dict[str, Any], scheme: str, tmp_path: Path) -> None:
    page = open_page(locale=locale, color_scheme=scheme, **{**STILL, **look})
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_every_control_is_reached_by_keyboard(open_page: Open) -> None:
    page = open_page()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"period", "collection", "download", "language", "Show as table"} <= reached
