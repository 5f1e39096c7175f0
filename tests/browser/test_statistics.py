"""The statistics page: the figures of `/stats` as plots and tables, for admins and for others."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import serving
from tests.browser.office import add_file
from tests.browser.test_accessibility import NARROW, grave_in, violations_in

Open = Callable[..., Page]
DOCUMENTS = {
    "ferry.md": "# Ferry\n\nA ferry costs 4 euros. It crosses the river every hour.\n",
    "tower.md": "# Tower\n\nThe tower was built in 1894 by Ann Smith.\n",
}
ANSWERED, UNANSWERED = "How much does a ferry cost?", "Which opera did the mayor dislike?"


@pytest.fixture(scope="session")
def asked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server where three questions were asked; one of them has no answer."""
    with (
        serving(tmp_path_factory.mktemp("asked"), LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as server,
        httpx.Client(base_url=server, timeout=30) as client,
    ):
        for name, text in DOCUMENTS.items():
            add_file(client, name, text.encode(), "default")
        for question in (ANSWERED, ANSWERED, UNANSWERED):
            asked = {"query_text": question, "index_name": "default", "permission_groups": []}
            outcome = client.post("/ask", json=asked).raise_for_status().json()["outcome"]
            assert (outcome in ("answered", "cached")) is (question == ANSWERED)
        yield server


@pytest.fixture
def open_page(new_context: Callable[..., BrowserContext], asked_server: str) -> Iterator[Open]:
    """Opens the page; at the end there was no error in its console."""
    complaints: list[str] = []

    def open_one(before: Callable[[Page], None] = lambda _: None, **look: Any) -> Page:
        page = new_context(**look).new_page()
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


@pytest.mark.nightly
def test_the_page_is_in_the_menu_and_shows_admins_the_figures_of_the_api(
    open_page: Open, asked_server: str, open_screen: Callable[..., Any]
) -> None:
    page = open_screen(asked_server).page
    page.get_by_role("button", name="Account").click()
    page.get_by_role("link", name="Statistics").click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    total = page.request.get(f"{asked_server}/stats").json()["total"]
    assert (tile(page, "Questions"), tile(page, "Answered")) == (str(total["turns"]), "66.7 %")
    for chart in ("Questions by result", "Time to the complete answer"):
        expect(page.get_by_role("img", name=chart)).to_be_visible()
    page.locator("figure").first.get_by_text("Show as table").click()
    today = page.locator("figure").first.locator("tbody tr").last
    expect(today.locator("td")).to_have_text(["2", str(total["closest"]), str(total["refusals"]), "0"])

    expect(page.locator("#questions-body tbody th")).to_have_text([UNANSWERED])
    cited, never = page.locator("#documents-body tbody").all()
    assert (cited.locator("tr").all_inner_texts(), never.locator("tr").all_inner_texts()) == (["Ferry\t2\t+0 / −0"], ["Tower\tdefault"])
    expect(page.locator("#users-body tbody th")).to_have_text(["local"])
    assert grave_in(page) == []
    page.emulate_media(color_scheme="dark")
    assert grave_in(page) == []
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"period", "collection", "download", "language", "Show as table"} <= reached


@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
def test_usage_and_cost_by_day_model_and_user(open_page: Open, server_with_model: str, look: dict[str, Any]) -> None:
    page = open_page(**look)
    usage = page.locator("#usage-body")
    expect(usage).to_contain_text("No language model is connected, and none was used in this period: there is no cost.")
    with httpx.Client(base_url=server_with_model, timeout=30) as client:
        add_file(client, "ferry.md", DOCUMENTS["ferry.md"].encode(), "costs")
        asked = {"query_text": ANSWERED, "index_name": "costs", "permission_groups": [], "options": {"answer_cache": False}}
        client.post("/ask", json=asked).raise_for_status()
        page.goto(f"{server_with_model}/statistics")
        expect(page.locator("html[data-ready]")).to_be_attached()
        expect(usage).to_contain_text("The cost is unknown, because these models have no price: scripted.")
        expect(usage.get_by_role("link", name="Set their prices")).to_have_attribute("href", "admin#/settings/llm.prices")
        assert violations_in(page) == []

        client.put("/settings/llm.prices", json={"value": {"scripted": {"input": 1000, "output": 2000}}}).raise_for_status()
        page.reload()
        expect(page.get_by_role("img", name="Cost at current prices")).to_be_visible()
        expect(usage).not_to_contain_text("The cost is unknown")
        total = client.get("/stats").json()["total"]
        assert total["cost"] == pytest.approx((total["prompt_tokens"] + 2 * total["completion_tokens"]) / 1000)
        figures = [f"{total[name]:,}" for name in ("turns", "prompt_tokens", "completion_tokens")]
        cost = f"{total['cost']:,.{4 if total['cost'] < 1 else 2}f}"
        expect(usage.locator(".tiles dd")).to_have_text([*figures, cost])
        expect(usage.locator("tbody").last.locator("tr").first.locator("td")).to_have_text([*figures, cost])  # today
        of = {name: page.locator(f"#{name}-body tbody tr") for name in ("models", "users")}
        expect(of["users"]).to_have_count(1)
        expect(of["users"].locator("td").nth(2)).to_have_text(cost)
        expect(of["models"].filter(has_text="scripted").locator("td").nth(2)).to_have_text(cost)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        client.put("/settings/llm.prices", json={"value": None}).raise_for_status()


def test_sections_are_filtered_downloaded_loaded_again_and_left_out_for_others(open_page: Open) -> None:
    reply: dict[str, Any] = {}

    def failing(page: Page) -> None:
        page.route("**/stats?*by=question*", lambda route: route.fulfill(content_type="application/problem+json", **reply))

    down = json.dumps({"detail": "The store is down.", "title": "…"})
    reply.update(status=403, body=down)
    page = open_page(failing)
    said = page.locator("#questions-body").get_by_role("alert")
    expect(said).to_contain_text("Only admins can see this.")
    for status, body, words in ((503, down, "The store is down."), (500, "oops", "The server returned an error (500).")):
        reply.update(status=status, body=body)
        page.locator("#questions-body").get_by_role("button", name="Try again").click()
        expect(said).to_contain_text(words)
    page.unroute("**/stats?*by=question*")
    page.locator("#questions-body").get_by_role("button", name="Try again").click()
    expect(page.locator("#questions-body tbody th")).to_have_text([UNANSWERED])

    page.locator("#period").select_option("7 days")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename.startswith("footnote-day-")
    head, *rows = csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines())
    assert (head[:2], [row[1] for row in rows]) == (["day", "turns"], ["3"])

    with page.expect_response(lambda reply: "by=hour" in reply.url and "by=question" not in reply.url):
        page.locator("#period").select_option("Today")
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    assert tile(page, "Questions") == "3"
    page.locator("#collection").evaluate("list => list.add(new Option('empty', 'empty'))")
    page.locator("#collection").select_option("empty")
    expect(page.locator("#overview-body")).to_have_text("No questions in this period.")
    expect(page.locator("#questions-body")).to_have_text("Every question was answered.")
    expect(page.locator("#documents-body")).to_have_text("There are no documents that you may read.")

    asked: list[str] = []

    def as_user(route: Route) -> None:
        route.fulfill(json={"is_admin": False})

    page.on("request", lambda request: asked.append(request.url))
    page.route("**/me/preferences", as_user)
    page.reload()
    expect(page.get_by_text("Your own questions.")).to_be_visible()
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    for name in ("Unanswered questions", "Documents cited most", "Users with most questions"):
        expect(page.get_by_role("heading", name=name)).to_be_hidden()
    assert [url for url in asked if "by=question" in url or "by=document" in url or "by=user" in url or "/ingest/" in url] == []


@pytest.mark.nightly
@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(("locale", "title"), [("en-GB", "Statistics"), ("de-DE", "Statistik"), ("ko-KR", "통계")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Open, locale: str, title: str, look: dict[str, Any], scheme: str) -> None:
    page = open_page(locale=locale, color_scheme=scheme, **look)
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
