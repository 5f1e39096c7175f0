"""The administration page: its overview, and what holds for every view: empty, loading, failed, forbidden, accessible."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.admin.conftest import add_file
from tests.browser.admin.view import NARROW, VIEWS, WIDE, Open, get, listed, said, section, settled, tile
from tests.browser.conftest import POLL_MS, serving
from tests.browser.test_accessibility import violations_in
from tests.nightly import DEEP
from tests.ollama_server import running_ollama


def test_the_overview_shows_health_documents_and_todays_questions_and_leads_on(open_admin: Open, admin_server: str) -> None:
    page = open_admin()
    health = section(page, "Health")
    expect(health.get_by_role("alert")).to_have_text("3 things need attention.")
    expect(health.locator(".problems b")).to_have_text(["Failed documents", "Language model", "Embeddings"])
    health.get_by_text("parts work").click()
    expect(health.locator("li").filter(has_text="Search index")).to_contain_text("works")
    of = "Documents and jobs"
    assert [tile(page, of, name) for name in ("Documents", "Failed", "Waiting jobs", "Collections")] == ["2", "1", "0", "2"]
    assert tile(page, "Today (UTC)", "Questions") == str(get(page, "/stats?by=day")["total"]["turns"])
    assert tile(page, "Today (UTC)", "Cost") == "0.00"
    expect(section(page, "Today (UTC)")).to_contain_text("No language model is connected, and none was used in this period")
    sync = section(page, "Last syncs").locator("li")
    expect(sync).to_contain_text("handbooks")
    expect(sync).to_contain_text("1 added, 0 changed, 0 renamed, 0 removed, 0 unchanged")
    page.get_by_role("navigation").get_by_role("link", name="Statistics").click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert page.url.endswith("/statistics")

    page.goto(admin_server)
    page.get_by_role("button", name="Account").click()
    page.get_by_role("link", name="Administration").click()
    settled(page)
    page.get_by_role("navigation").get_by_role("link", name="Feedback").click()
    settled(page)
    expect(page.get_by_role("heading", name="Feedback")).to_be_focused()
    page.goto(f"{admin_server}/?open=feedback")
    expect(page.get_by_role("dialog").get_by_role("heading", name="Feedback")).to_be_visible()
    page.goto(f"{admin_server}/admin")
    page.get_by_role("navigation").get_by_role("link", name="What customers say").click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="What customers say")).to_be_visible()


def test_problems_of_backends_and_documents_are_shown(open_admin: Open) -> None:
    wrong = "The search engine cannot be reached. Check that it is running and that OPENSEARCH__URL is correct."

    def down(page: Page) -> None:
        parts = {"status": "not ready", "parts": {"store": "ok", "index": wrong}}
        page.route("**/ingest/ready", lambda route: route.fulfill(status=503, json=parts))
        page.route("**/stats/ready", lambda route: route.abort())

    page = open_admin(before=down)
    rows = page.locator("#view .problems li")
    expect(section(page, "Health").get_by_role("alert")).to_have_text("5 things need attention.")
    expect(rows.nth(0)).to_contain_text(wrong)
    expect(rows.nth(0)).to_contain_text("Search index")
    expect(rows.nth(1)).to_contain_text("Function stats")
    page.locator("#language").select_option("de")
    settled(page)
    expect(rows.nth(0)).to_contain_text("Die Suchmaschine ist nicht erreichbar. Prüfen Sie, ob sie läuft und OPENSEARCH__URL stimmt.")
    expect(rows.filter(has_text="Sprachmodell")).to_contain_text("Es ist kein Sprachmodell konfiguriert. Verbinden Sie eines auf der Seite")
    expect(rows.filter(has_text="Embeddings")).to_contain_text("Dokumente werden nur über ihre Wörter gefunden.")
    expect(rows.filter(has_text="Fehlgeschlagene Dokumente")).to_contain_text("1 Dokument konnte nicht gelesen werden.")
    section(page, "Zustand").get_by_text("Teile funktionieren").click()
    expect(page.locator("#view details li").filter(has_text="Verbotene Begriffe")).to_contain_text("Begriffe: 0")
    page.locator("#language").select_option("ko")
    settled(page)
    expect(rows.first).to_contain_text("검색 엔진에 연결할 수 없습니다. 실행 중인지, OPENSEARCH__URL이 올바른지 확인하세요.")
    page.locator("#language").select_option("en")
    settled(page)
    page.unroute("**/ingest/ready")
    page.unroute("**/stats/ready")
    page.get_by_role("button", name="Check again").click()
    expect(section(page, "Health").get_by_role("alert")).to_have_text("3 things need attention.")
    expect(section(page, "Health")).not_to_contain_text("Everything works.")
    page.route("**/admin/health", lambda route: route.fulfill(json={"data": []}))
    page.get_by_role("button", name="Check again").click()
    expect(section(page, "Health").locator('.note[data-state="ok"]')).to_have_text("Everything works.")

    page.goto(page.url.split("#")[0] + "#/documents")
    settled(page)
    expect(page.locator("tbody .why")).to_contain_text("This PDF is damaged.")
    page.locator("#language").select_option("ko")
    settled(page)
    expect(page.locator("tbody .why")).to_have_text("이 PDF는 손상되었습니다. PDF 프로그램에서 열어 다시 저장한 다음 새 파일을 추가하세요.")


@pytest.mark.parametrize("look", [WIDE, NARROW], ids=["wide", "narrow"])
def test_problems_are_dealt_with_from_the_overview(open_admin: Open, tmp_path: Path, look: dict[str, Any]) -> None:
    quiet = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    with serving(tmp_path / "data", **quiet) as server, running_ollama("llama3.2") as ollama:
        add_file(server, "default", "broken.pdf", b"%PDF-1.7 nothing")
        page = open_admin(server=server, **look)
        health = section(page, "Health")
        problems = health.locator(".problems li")
        expect(problems.filter(has_text="Failed documents")).to_contain_text("1 document could not be read.")
        with page.expect_response("**/documents/retry"):
            problems.filter(has_text="Failed documents").get_by_role("button", name="Try again").click()
        said(page, "1 document is read again.")
        problems.filter(has_text="Language model").get_by_role("button", name="Connect a language model").click()
        form = page.locator(".connect-dialog")
        form.get_by_label("Provider").select_option("Another one")
        form.get_by_label("Address").fill(f"http://127.0.0.1:{ollama.port}/v1")
        form.get_by_role("button", name="Save").click()
        expect(form.locator(".connect-status")).to_contain_text("Saved. llama3.2 answers after")
        page.keyboard.press("Escape")
        expect(problems.filter(has_text="Language model")).to_have_count(0)
        settled(page)
        health.get_by_text("parts work").click()
        expect(health.get_by_role("button", name="Change the language model")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations_in(page) == []

        page.get_by_role("link", name="Show the failed documents").click()
        settled(page)
        listed(page, "broken.pdf")


@pytest.mark.nightly
def test_a_model_that_is_configured_and_does_not_answer_is_down(open_admin: Open, tmp_path: Path) -> None:
    dead = {"LLM__BASE_URL": "http://127.0.0.1:9/v1", "LLM__MODEL": "gone", "LLM__RETRIES": "0", "EMBEDDING__BUILTIN": "false"}
    with serving(tmp_path / "data", **dead) as server:
        page = open_admin(server=server)
        row = section(page, "Health").locator("li").filter(has_text="Language model")
        expect(row).to_contain_text("down")


# --- every view ------------------------------------------------------------------------------------

READS = {
    "documents": "documents?limit", "collections": "collections?all", "people": "settings", "prompts": "prompts?", "settings": "settings?",
    "terms": "forbidden-terms?", "feedback": "collections", "experiments": "experiments?", "audit": "audit?",
}  # fmt: skip


@pytest.mark.nightly
def test_a_view_says_that_it_loads_why_it_cannot_and_that_it_is_for_admins(open_admin: Open) -> None:
    page = open_admin("audit")
    held: list[Route] = []
    for view in VIEWS:
        page.route("**/me/preferences", lambda route: held.append(route))
        if view in READS:
            page.route(is_read(view), fail)
        page.get_by_role("navigation").locator(f'[data-view="{view}"]').click()
        expect(page.locator("#view")).to_have_text("Loading …")
        expect(page.locator("#main")).to_have_attribute("aria-busy", "true")
        while not held:  # the view's module is loaded first
            page.wait_for_timeout(POLL_MS)
        held.pop().continue_()
        settled(page)
        page.unroute("**/me/preferences")
        expect(page.locator("#title")).to_be_focused()
        if view in READS:
            expect(page.locator("#view").get_by_role("alert")).to_contain_text("The store is down.")
            page.unroute_all()
            page.locator("#view").get_by_role("button", name="Try again").click()
            settled(page)
            expect(page.locator("#view")).not_to_contain_text("The store is down.")

    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.resource_type == "fetch" else None)
    page.route("**/me/preferences", lambda route: route.fulfill(json={"is_admin": False}))
    for view in VIEWS:
        page.get_by_role("navigation").locator(f'[data-view="{view}"]').click()
        page.wait_for_function("view => document.querySelector('[aria-current=page]').dataset.view === view", arg=view)
        settled(page)
        expect(page.locator("#view")).to_have_text("Only admins can use this page.")
    assert {url.rpartition("/me/")[2] for url in asked} == {"preferences"}  # and no data


def is_read(view: str) -> Callable[[str], bool]:
    return lambda url: f"/{READS[view]}" in url


def fail(route: Route) -> None:
    route.fulfill(status=503, content_type="application/problem+json", body=json.dumps({"detail": "The store is down."}))


def test_every_control_of_a_view_is_reached_by_keyboard_with_a_visible_focus(open_admin: Open) -> None:
    page = open_admin("documents")
    reached, unseen = [], []
    for _ in range(40):
        page.keyboard.press("Tab")
        name, seen = page.evaluate(FOCUSED)
        reached.append(name)
        if not seen:
            unseen.append(name)
    controls = (
        "Skip to the content",
        "Overview",
        "Audit",
        "Search",
        "Collection",
        "State",
        "Choose all shown rows",
        "Document",
        "Choose Ferry",
        "Ferry",
    )
    assert [name for name in controls if name not in reached] == []
    assert unseen == []


FOCUSED = """() => {
  const node = document.activeElement
  const name = node.getAttribute('aria-label') || node.labels?.[0]?.innerText || node.innerText.trim()
  return [name, node === document.body || getComputedStyle(node).outlineStyle !== 'none']
}"""
LOOKS: dict[str, dict[str, Any]] = {
    "en-light-1366": {"locale": "en-GB", "color_scheme": "light", **WIDE},
    "de-dark-390": {"locale": "de-DE", "color_scheme": "dark", **NARROW},
    "ko-light-1366": {"locale": "ko-KR", "color_scheme": "light", **WIDE},
    "en-dark-1366": {"locale": "en-GB", "color_scheme": "dark", **WIDE},
    "ko-light-390": {"locale": "ko-KR", "color_scheme": "light", **NARROW},
}


@pytest.mark.parametrize("look", [pytest.param(look, marks=[pytest.mark.nightly] if look != "de-dark-390" else []) for look in LOOKS])
def test_axe_finds_nothing_serious_in_any_view(open_admin: Open, look: str) -> None:
    grave = {}
    page = open_admin(**LOOKS[look])
    for view in SHOWN if DEEP else SAMPLE:
        page.goto(page.url.split("#")[0] + f"#/{view}")
        page.wait_for_function("view => document.querySelector('[aria-current=page]').dataset.view === view", arg=view.split("/")[0])
        settled(page)
        grave[view] = violations_in(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    assert {view: found for view, found in grave.items() if found} == {}


SAMPLE = ("overview", "documents", "settings/rag.alpha")
SHOWN = (*VIEWS, "settings/rag.alpha", "prompts/system/en", "collections/default")
