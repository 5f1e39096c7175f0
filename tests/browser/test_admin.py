"""The administration page: what an admin does there reaches the store, and each view says when it is empty, failed or not for this user."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import WAIT_MS, serving
from tests.browser.test_accessibility import STILL, grave_in

Open = Callable[..., Page]
VIEWS = ("overview", "documents", "collections", "people", "prompts", "settings", "terms", "experiments", "audit")
NARROW = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1366, "height": 900}}
LEAVE = {"doc_id": "LEAVE", "content": "Employees receive 28 days of leave.", "permission_groups": ["*"]}
FERRY = "# Ferry\n\nA ferry costs 4 euros. It crosses the river every hour.\n"


@pytest.fixture(scope="module")
def admin_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two documents, one of which failed, and a question that was asked."""
    folder = tmp_path_factory.mktemp("admin")
    (folder / "files").mkdir()
    (folder / "files" / "ferry.md").write_text(FERRY)
    (folder / "files" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    quiet = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    ingest = [sys.executable, "-m", "footnote_local", "ingest", str(folder / "files"), "--data", str(folder / "data")]
    subprocess.run(ingest, check=False, capture_output=True, env={**os.environ, **quiet})
    with serving(folder / "data", **quiet) as server:
        post(server, "/ask", query_text="How much does a ferry cost?", index_name="default", permission_groups=[])
        yield server


def post(server: str, path: str, **body: Any) -> Any:
    request = urllib.request.Request(f"{server}{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=30))


@pytest.fixture
def open_admin(new_context: Callable[..., BrowserContext], admin_server: str) -> Iterator[Open]:
    """Opens `/admin#/<view>`; at the end there was no error in its console and no request to another host."""
    complaints: list[str] = []

    def open_one(view: str = "overview", before: Callable[[Page], None] = lambda _: None, server: str = admin_server, **look: Any) -> Page:
        page = new_context(**{**WIDE, **look}).new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
        page.on("request", lambda sent: None if sent.url.startswith((server, "data:", "blob:")) else complaints.append(sent.url))
        before(page)
        page.goto(f"{server}/admin#/{view}")
        settled(page)
        return page

    yield open_one
    assert complaints == []


def settled(page: Page) -> None:
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    expect(page.locator('#view [aria-busy="true"]')).to_have_count(0)


def section(page: Page, name: str) -> Any:
    return page.locator("#view section").filter(has=page.get_by_role("heading", name=name, exact=True))


def tile(page: Page, of: str, name: str) -> str:
    return str(section(page, of).locator(".tiles > div").filter(has=page.get_by_text(name, exact=True)).locator("dd").inner_text())


# --- overview ------------------------------------------------------------------------------------


def test_the_overview_shows_health_documents_and_todays_questions(open_admin: Open) -> None:
    page = open_admin()
    expect(section(page, "Health")).to_contain_text("Everything works.")
    expect(section(page, "Health").locator("li").filter(has_text="Search index")).to_contain_text("works")
    expect(section(page, "Health").locator("li").filter(has_text="Language model")).to_contain_text("not set up")
    of = "Documents and jobs"
    assert [tile(page, of, name) for name in ("Documents", "Failed", "Waiting jobs", "Collections")] == ["1", "1", "0", "1"]
    assert [tile(page, "Today (UTC)", name) for name in ("Questions", "Cost")] == ["1", "0.00"]
    expect(section(page, "Last syncs")).to_contain_text("No sources yet.")
    page.get_by_role("navigation").get_by_role("link", name="Statistics").click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert page.url.endswith("/statistics")


def test_a_backend_that_is_down_is_named_with_what_is_wrong(open_admin: Open) -> None:
    def down(page: Page) -> None:
        parts = {"status": "not ready", "parts": {"store": "ok", "index": "OpenSearch does not answer."}}
        page.route("**/ingest/ready", lambda route: route.fulfill(status=503, json=parts))
        page.route("**/stats/ready", lambda route: route.abort())

    page = open_admin(before=down)
    expect(section(page, "Health").get_by_role("alert")).to_have_text("2 parts are down.")
    rows = section(page, "Health").locator("li")
    expect(rows.nth(0)).to_contain_text("OpenSearch does not answer.")
    expect(rows.nth(0)).to_contain_text("Search index")
    expect(rows.nth(1)).to_contain_text("Function stats")
    page.unroute("**/ingest/ready")
    page.unroute("**/stats/ready")
    page.get_by_role("button", name="Check again").click()
    expect(section(page, "Health")).to_contain_text("Everything works.")


def test_a_model_that_is_configured_and_does_not_answer_is_down(open_admin: Open, tmp_path: Path) -> None:
    dead = {"LLM__BASE_URL": "http://127.0.0.1:9/v1", "LLM__MODEL": "gone", "LLM__RETRIES": "0", "EMBEDDING__BUILTIN": "false"}
    with serving(tmp_path / "data", **dead) as server:
        page = open_admin(server=server)
        row = section(page, "Health").locator("li").filter(has_text="Language model")
        expect(row).to_contain_text("down")


def test_the_account_menu_leads_admins_here_and_feedback_and_voices_open_on_the_page(open_admin: Open, admin_server: str) -> None:
    page = open_admin()
    page.goto(admin_server)
    page.get_by_role("button", name="Account").click()
    page.get_by_role("link", name="Administration").click()
    settled(page)
    page.get_by_role("navigation").get_by_role("link", name="Feedback").click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Feedback")).to_be_visible()
    page.goto(f"{admin_server}/admin")
    page.get_by_role("navigation").get_by_role("link", name="What customers say").click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="What customers say")).to_be_visible()


def test_the_first_page_loads_nothing_of_the_administration(open_admin: Open, admin_server: str) -> None:
    loaded: list[str] = []
    page = open_admin()
    page.on("request", lambda sent: loaded.append(sent.url))
    page.goto(admin_server)
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert [url for url in loaded if "admin" in url] == []


# --- settings ------------------------------------------------------------------------------------


def get(page: Page, path: str) -> Any:
    reply = page.request.get(page.url.split("/admin")[0] + path)
    assert reply.status == 200, reply.text()
    return reply.json()


def setting(page: Page, key: str) -> dict[str, Any]:
    return next(each for each in get(page, "/settings?limit=200")["data"] if each["key"] == key)


def said(page: Page, text: str) -> None:
    expect(page.locator("#status")).to_have_text(text)


def test_a_setting_is_found_changed_undone_and_reset(open_admin: Open) -> None:
    page = open_admin("overview")
    page.get_by_role("navigation").get_by_role("link", name="Settings").click()  # 1
    page.get_by_label("Search").fill("RAG__ALPHA")
    page.locator("#view").get_by_role("link", name="rag.alpha").click()  # 2
    before = setting(page, "rag.alpha")
    expect(page.locator("#view")).to_contain_text("It was never changed here.")
    page.get_by_label("New value").fill("7")
    page.get_by_role("button", name="Save").click()  # 3
    expect(page.locator("#view .problem")).to_contain_text("Input should be less than or equal to 1")
    assert setting(page, "rag.alpha") == before
    for value in ("0.7", "0.8"):
        page.get_by_label("New value").fill(value)
        page.get_by_role("button", name="Save").click()
        said(page, "Saved.")
        expect(page.locator(".facts")).to_contain_text(value)
    settled(page)
    assert (setting(page, "rag.alpha")["value"], setting(page, "rag.alpha")["source"]) == (0.8, "runtime")
    expect(section(page, "History").locator("tbody tr")).to_have_count(2)
    page.get_by_role("button", name="Undo the last change").click()
    said(page, "The last change was undone.")
    expect(page.locator(".facts")).to_contain_text("0.7")
    assert setting(page, "rag.alpha")["value"] == 0.7
    expect(section(page, "History").locator("tbody tr").first).to_contain_text("undoes change 2")
    page.get_by_role("button", name="Reset to the configured value").click()
    expect(page.locator(".facts")).to_contain_text("default")
    assert setting(page, "rag.alpha") == before


def test_settings_of_other_kinds_are_changed_and_those_of_the_environment_are_not(open_admin: Open) -> None:
    page = open_admin("settings/rag.forbidden_check_mode")
    page.get_by_label("New value").fill("maybe")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#view .problem")).to_contain_text("Input should be 'llm' or 'qdrant'")
    page.goto(page.url.split("#")[0] + "#/settings/rag.switched_on")
    settled(page)
    page.get_by_label("New value").fill('["spelling"]')
    page.get_by_role("button", name="Save").click()
    said(page, "Saved.")
    assert setting(page, "rag.switched_on")["value"] == ["spelling"]
    page.get_by_role("button", name="Reset to the configured value").click()
    expect(page.locator(".facts")).to_contain_text("default")
    page.goto(page.url.split("#")[0] + "#/settings/llm.base_url")
    settled(page)
    expect(page.locator("#view")).to_contain_text("This setting is set where the server runs, as LLM__BASE_URL")
    expect(page.get_by_label("New value")).to_have_count(0)
    page.goto(page.url.split("#")[0] + "#/settings/rag.nothing")
    expect(page.locator("#view")).to_contain_text("There is no such setting.")


def test_settings_are_filtered_by_what_was_changed(open_admin: Open) -> None:
    page = open_admin("settings")
    every = get(page, "/settings?limit=200")["data"]
    page.get_by_label("Show", exact=True).select_option("Not at its default")
    names = page.locator("tbody th a").all_inner_texts()
    assert sorted(names) == sorted(each["key"] for each in every if each["source"] != "default")
    page.get_by_label("Search").fill("no such words")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")


# --- prompts -------------------------------------------------------------------------------------


def test_a_prompt_is_edited_compared_rolled_back_and_reset(open_admin: Open) -> None:
    page = open_admin("overview")
    page.get_by_role("navigation").get_by_role("link", name="Prompts").click()  # 1
    row = page.locator("tbody tr").filter(has=page.get_by_role("link", name="answer_footnote", exact=True))
    row.get_by_role("link", name="packaged").nth(1).click()  # 2: German
    settled(page)
    text = page.get_by_label("Text")
    packaged = text.input_value()
    assert packaged == get(page, "/prompts/answer_footnote?lang=de")["template"]
    text.fill(packaged + "\n{{ nothing }}")
    page.get_by_role("button", name="Save as a new version").click()  # 3
    expect(page.locator("#view .problem").first).to_contain_text("the prompt has no value `nothing`")
    for line in ("Antworte kurz.", "Antworte lang."):
        text.fill(f"{packaged}\n{line}")
        page.get_by_role("button", name="Save as a new version").click()
        expect(page.locator("#status")).to_contain_text("is saved and active.")
        settled(page)
    changes = section(page, "Changes")
    expect(changes.locator("del")).to_have_text("- Antworte kurz.")
    expect(changes.locator("ins")).to_have_text("+ Antworte lang.")
    changes.get_by_label("Compared with").select_option("packaged")
    expect(changes.locator("ins")).to_have_text("+ Antworte lang.")
    expect(changes.locator("del")).to_have_count(0)
    section(page, "Versions").get_by_role("button", name="Activate").click()
    page.get_by_role("button", name="Activate").click()
    said(page, "Version 1 is active.")
    settled(page)
    assert get(page, "/prompts/answer_footnote?lang=de")["template"].endswith("Antworte kurz.")
    expect(text).to_have_value(f"{packaged}\nAntworte kurz.")
    page.get_by_role("button", name="Use the packaged text").click()
    page.get_by_role("button", name="Use the packaged text").click()
    said(page, "The packaged text is active.")
    assert get(page, "/prompts/answer_footnote?lang=de")["source"] == "packaged"


def test_a_prompt_is_tried_on_a_question_before_it_is_saved(open_admin: Open, server_with_model: str) -> None:
    post(
        server_with_model,
        "/insert-doc",
        index_name="leave",
        data={"doc_id": "LEAVE", "content": "Employees receive 28 days of leave.", "permission_groups": ["*"]},
    )
    page = open_admin("prompts/answer_numbered/en", server=server_with_model)
    before = get(page, "/prompts/answer_numbered?lang=en")
    page.get_by_label("Text").fill("Answer LOUDLY from {{ documents[0].text }}")
    preview = section(page, "Preview")
    preview.get_by_label("Question").fill("How many days of leave do employees receive?")
    preview.get_by_label("Collection").select_option("leave")
    preview.get_by_role("button", name="Try").click()
    expect(preview.locator("blockquote")).to_contain_text("28 days")
    preview.get_by_text("What the model was shown").click()
    expect(preview.locator("pre")).to_have_text("Answer LOUDLY from Employees receive 28 days of leave.")
    assert get(page, "/prompts/answer_numbered?lang=en") == before


def test_without_a_model_a_preview_says_so(open_admin: Open) -> None:
    page = open_admin("prompts/answer_numbered/en")
    section(page, "Preview").get_by_label("Question").fill("How much does a ferry cost?")
    section(page, "Preview").get_by_role("button", name="Try").click()
    expect(section(page, "Preview")).to_contain_text("There is no language model to show the text to.")


# --- forbidden terms and audit -------------------------------------------------------------------


def test_a_term_is_added_tried_and_removed_and_the_audit_tells_who(open_admin: Open, tmp_path: Path) -> None:
    page = open_admin("terms")
    expect(page.locator("#view")).to_contain_text("No forbidden terms.")
    page.get_by_label("Term", exact=True).fill("a/b salary")
    page.get_by_label("Topic named in the notice").fill("Pay")
    page.get_by_label("Match").select_option("exact")
    page.get_by_role("button", name="Add", exact=True).click()
    said(page, "a/b salary is forbidden.")
    settled(page)
    (stored,) = get(page, "/forbidden-terms")["data"]
    assert (stored["term"], stored["match_type"], stored["topic"]) == ("a/b salary", "exact", "Pay")
    trial = section(page, "Try a question")
    trial.get_by_label("Question").fill("What is the a/b salary?")
    trial.get_by_role("button", name="Try").click()
    expect(trial).to_contain_text("This question is refused with this notice:")
    expect(trial.locator("blockquote")).to_contain_text("Questions about Pay cannot be answered here.")
    trial.get_by_label("Question").fill("How much does a ferry cost?")
    trial.get_by_role("button", name="Try").click()
    expect(trial).to_contain_text("This question is allowed: it matches no term.")
    page.get_by_label("Term", exact=True).fill("!?")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#view .problem").first).to_contain_text("contains no letter or digit")
    page.locator("tbody").get_by_role("button", name="Delete").click()
    expect(page.locator("tbody")).to_contain_text("Allow a/b salary again?")
    page.keyboard.press("Escape")
    expect(page.locator("tbody").get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    said(page, "a/b salary is allowed again.")
    assert get(page, "/forbidden-terms")["data"] == []

    page.get_by_role("navigation").get_by_role("link", name="Audit").click()
    settled(page)
    page.get_by_label("Kind").select_option("forbidden terms")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("term.delete")
    expect(page.locator("tbody tr").first).to_contain_text("local")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    head, *rows = csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines())
    assert head == ["at", "user", "action", "object", "facts"]
    assert [row[1:3] for row in rows] == [["local", "term.delete"], ["local", "term.set"]]
    page.get_by_label("Who").fill("nobody")
    page.get_by_label("Who").blur()
    expect(page.locator("#view")).to_contain_text("Nothing is recorded.")


# --- documents and collections -------------------------------------------------------------------


@pytest.fixture
def files_server(tmp_path: Path) -> Iterator[str]:
    """A server of its own, with documents in two collections; one of them failed."""
    with serving(tmp_path / "data", LLM__DISCOVER="false", EMBEDDING__BUILTIN="false") as server:
        for name, index in (("ferry", "ships"), ("boat", "ships"), ("tower", "sights")):
            data = {"doc_id": name.upper(), "title": name.title(), "content": f"A {name} costs 4 euros.", "permission_groups": ["*"]}
            post(server, "/insert-doc", index_name=index, data=data)
        add_file(server, "ships", "broken.pdf", b"%PDF-1.7 nothing")
        yield server


def add_file(server: str, index: str, name: str, content: bytes) -> None:
    edge = "footnote-boundary"
    head = f'--{edge}\r\ncontent-disposition: form-data; name="index_name"\r\n\r\n{index}\r\n'
    head += f'--{edge}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    request = urllib.request.Request(f"{server}/ingest/file", body, {"content-type": f"multipart/form-data; boundary={edge}"})
    document = json.load(urllib.request.urlopen(request, timeout=30))
    while document["state"] not in ("READY", "FAILED"):
        time.sleep(0.1)
        document = json.load(urllib.request.urlopen(f"{server}/documents/{document['doc_id']}", timeout=30))


def titles(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in page.locator("tbody th").all_inner_texts()]


def test_documents_are_filtered_sorted_and_the_failed_ones_found_from_the_overview(open_admin: Open, files_server: str) -> None:
    page = open_admin(server=files_server)
    section(page, "Documents and jobs").get_by_role("link", name="1", exact=True).first.click()  # the failed one
    settled(page)
    assert titles(page) == ["broken.pdf"]
    expect(page.locator("tbody")).to_contain_text("This PDF is damaged.")
    page.get_by_label("State").select_option("Any")
    expect(page.locator("#view")).to_contain_text("4 of 4 documents")
    page.get_by_role("button", name="Document", exact=True).click()
    assert titles(page) == ["Boat", "broken.pdf", "Ferry", "Tower"]
    page.get_by_role("button", name="Document", exact=True).click()
    assert titles(page) == ["Tower", "Ferry", "broken.pdf", "Boat"]
    expect(page.get_by_role("columnheader", name="Document", exact=True)).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Collection").select_option("ships")
    page.get_by_label("Search").fill("ferry")
    assert titles(page) == ["Ferry"]
    page.reload()
    settled(page)
    assert titles(page) == ["Ferry"]  # the address keeps the filters
    page.get_by_label("Search").fill("nothing like this")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")


def test_chosen_documents_are_tried_again_and_deleted(open_admin: Open, files_server: str) -> None:
    page = open_admin("documents", server=files_server)
    page.get_by_label("Choose broken.pdf").check()
    with page.expect_response("**/retry") as retried:
        page.get_by_role("button", name="Try 1 failed again").click()
    assert retried.value.status == 202
    said(page, "1 document is read again.")
    settled(page)
    page.get_by_label("Collection").select_option("ships")
    page.get_by_label("Choose all shown rows").check()
    expect(page.locator(".chosen")).to_contain_text("3 documents chosen")
    page.get_by_label("Choose broken.pdf").uncheck()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    expect(page.locator(".chosen")).to_contain_text("Delete 2 documents? They cannot be restored.")
    page.locator(".chosen").get_by_role("button", name="Cancel").click()
    assert len(get(page, "/documents")["data"]) == 4
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    said(page, "2 documents were deleted.")
    settled(page)
    assert sorted(each["title"] for each in get(page, "/documents")["data"]) == ["Tower", "broken.pdf"]
    assert titles(page) == ["broken.pdf"]  # the filter stays


def test_what_fails_for_some_documents_is_told_with_the_first_reason(open_admin: Open, files_server: str) -> None:
    page = open_admin("documents", server=files_server)
    problem = json.dumps({"detail": "The index is down."})
    page.route("**/documents/FERRY", lambda route: route.fulfill(status=503, content_type="application/problem+json", body=problem))
    for title in ("Ferry", "Boat"):
        page.get_by_label(f"Choose {title}").check()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    said(page, "It failed for 1: The index is down.")
    settled(page)
    assert sorted(titles(page)) == ["Ferry", "Tower", "broken.pdf"]


def test_a_collection_is_created_changed_renamed_deleted_and_restored(open_admin: Open, files_server: str) -> None:
    page = open_admin("collections", server=files_server)
    page.get_by_label("Name").fill("a name with spaces")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("#view .problem")).to_contain_text("An index name has 1 to 64 letters")
    page.get_by_label("Name").fill("harbour")
    page.get_by_label("Title").fill("The harbour")
    page.get_by_role("button", name="Create").click()
    said(page, "harbour was created.")
    page.locator("tbody").get_by_role("link", name="ships").click()
    settled(page)
    expect(page.locator(".facts")).to_contain_text("Passages")
    properties = section(page, "Properties")
    properties.get_by_label("Name").fill("boats")
    properties.get_by_label("Description").fill("All that swims.")
    properties.get_by_label("Default readers (groups)").fill("staff, crew")
    properties.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="boats")).to_be_visible()
    settled(page)
    found = get(page, "/collections/boats")
    assert (found["description"], found["settings"]["permission_groups"], found["aliases"]) == (
        "All that swims.",
        ["crew", "staff"],
        ["ships"],
    )
    page.get_by_label("Another name").fill("vessels")
    page.get_by_role("button", name="Add").click()
    said(page, "Saved.")
    settled(page)
    assert sorted(get(page, "/collections/boats")["aliases"]) == ["ships", "vessels"]
    section(page, "Delete").get_by_role("button", name="Delete").click()
    section(page, "Delete").get_by_role("button", name="Delete").click()
    row = page.locator("tbody tr").filter(has_text="boats")
    expect(row).to_contain_text("deleted")
    settled(page)
    assert "boats" not in [each["name"] for each in get(page, "/collections")["data"]]
    row.get_by_role("button", name="Restore").click()
    said(page, "boats was restored.")
    settled(page)
    assert get(page, "/collections/boats")["documents"] == {"FAILED": 1, "READY": 2}


# --- people and experiments ----------------------------------------------------------------------


def test_people_shows_who_used_how_much_and_the_limits_lead_to_their_settings(open_admin: Open) -> None:
    page = open_admin("people")
    expect(page.locator("#view")).to_contain_text("Nobody signs in")
    row = section(page, "Use today (UTC)").locator("tbody tr")
    expect(row).to_contain_text("local")
    expect(row).to_contain_text("no budget")
    section(page, "Budgets and limits").get_by_role("link", name="budget.tokens_per_day").click()
    page.get_by_label("New value").fill("1000")
    page.get_by_role("button", name="Save").click()
    said(page, "Saved.")
    page.get_by_role("navigation").get_by_role("link", name="People").click()
    expect(section(page, "Use today (UTC)").locator("tbody tr")).to_contain_text("0 %")
    page.goto(page.url.split("#")[0] + "#/settings/budget.tokens_per_day")
    page.get_by_role("button", name="Undo the last change").click()
    said(page, "The last change was undone.")


def test_a_session_is_ended_by_an_admin_and_others_are_not_admins(
    open_admin: Open, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    data, quiet = tmp_path / "data", {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false", "AUTH__MODE": "session"}
    command = [sys.executable, "-m", "footnote_local", "session", "create", "--data", str(data)]

    def token(user: str, *more: str) -> str:
        made = subprocess.run([*command, "--user", user, *more], check=True, capture_output=True, text=True, env={**os.environ, **quiet})
        return made.stdout.split()[-1]

    ann, root = token("ann", "--groups", "staff"), token("root", "--role", "admin")
    with serving(data, **quiet) as server:
        page = new_context(**WIDE).new_page()
        page.goto(f"{server}/admin#/people")
        page.get_by_label("Token").fill(root)
        page.get_by_role("button", name="Sign in").click()
        settled(page)
        sessions = section(page, "Sessions")
        expect(sessions.locator("tbody tr")).to_have_count(2)
        expect(section(page, "Groups").locator("tbody tr").filter(has_text="staff")).to_contain_text("ann")
        row = sessions.locator("tbody tr").filter(has_text="ann")
        row.get_by_role("button", name="End the session").click()
        row.get_by_role("button", name="End the session").click()
        said(page, "The session was ended.")
        expect(section(page, "Sessions").locator("tbody tr")).to_have_count(1)
        headers = {"authorization": f"Bearer {ann}"}
        assert page.request.get(f"{server}/me/preferences", headers=headers).status == 401
        other = new_context(**WIDE).new_page()
        other.goto(f"{server}/admin#/settings")
        other.get_by_label("Token").fill(token("bob"))
        other.get_by_role("button", name="Sign in").click()
        expect(other.locator("#view")).to_have_text("Only admins can use this page.")


def test_an_experiment_is_created_started_stopped_and_deleted(open_admin: Open) -> None:
    page = open_admin("experiments")
    expect(page.locator("#view")).to_contain_text("No experiments yet.")
    creation = section(page, "New experiment")
    creation.get_by_label("Name").first.fill("Two words")
    creation.get_by_role("button", name="Create").click()
    expect(creation.locator(".problem")).not_to_be_empty()
    creation.get_by_label("Name").first.fill("try-words")
    variant = creation.locator("fieldset").nth(1)
    variant.get_by_label("Search").select_option("Keyword")
    variant.get_by_label("Options").fill("-spelling")
    creation.get_by_role("button", name="Create").click()
    settled(page)
    expect(page.get_by_role("heading", name="try-words")).to_be_visible()
    made = get(page, "/experiments/try-words")
    assert (made["state"], made["arms"][1]["retriever"], made["arms"][1]["options"]) == ("DRAFT", "bm25", {"spelling": False})
    expect(section(page, "Arms")).to_contain_text("bm25 · −spelling")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    assert get(page, "/experiments/try-words")["state"] == "RUNNING"
    expect(section(page, "Results").locator("tbody tr")).to_have_count(2)
    expect(section(page, "Results")).to_contain_text("Undecided so far")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert get(page, "/experiments/try-words")["state"] == "STOPPED"
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#view")).to_contain_text("No experiments yet.")
    assert get(page, "/experiments")["data"] == []


# --- every view ----------------------------------------------------------------------------------


def as_user(page: Page) -> None:
    page.route("**/me/preferences", lambda route: route.fulfill(json={"is_admin": False}))


@pytest.mark.parametrize("view", VIEWS)
def test_who_is_no_admin_reads_only_that(open_admin: Open, view: str) -> None:
    asked: list[str] = []

    def watched(page: Page) -> None:
        as_user(page)
        page.on("request", lambda sent: asked.append(sent.resource_type))

    page = open_admin(view, watched)
    expect(page.locator("#view")).to_have_text("Only admins can use this page.")
    assert asked.count("fetch") == 1  # the preferences, and no data


READS = {
    "documents": "documents?limit", "collections": "collections?all", "people": "settings", "prompts": "prompts?", "settings": "settings?",
    "terms": "forbidden-terms?", "experiments": "experiments?", "audit": "audit?",
}  # fmt: skip


@pytest.mark.parametrize("view", READS)
def test_a_view_that_cannot_be_loaded_says_why_and_is_tried_again(open_admin: Open, view: str) -> None:
    def is_read(url: str) -> bool:
        return f"/{READS[view]}" in url

    def fail(route: Route) -> None:
        route.fulfill(status=503, content_type="application/problem+json", body=json.dumps({"detail": "The store is down."}))

    page = open_admin(view, lambda page: page.route(is_read, fail))
    expect(page.locator("#view").get_by_role("alert")).to_contain_text("The store is down.")
    page.unroute(is_read)
    page.locator("#view").get_by_role("button", name="Try again").click()
    settled(page)
    expect(page.locator("#view")).not_to_contain_text("The store is down.")


@pytest.mark.parametrize("view", VIEWS)
def test_while_a_view_loads_it_says_so(open_admin: Open, view: str) -> None:
    held: list[Route] = []
    page = open_admin("audit" if view == "overview" else "overview")
    page.route("**/me/preferences", lambda route: held.append(route))
    page.get_by_role("navigation").locator(f'[data-view="{view}"]').click()
    expect(page.locator("#view")).to_have_text("Loading …")
    expect(page.locator("#main")).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    settled(page)
    expect(page.locator("#title")).to_be_focused()


LOOKS: dict[str, dict[str, Any]] = {
    "en-light-1366": {"locale": "en-GB", "color_scheme": "light", **WIDE},
    "de-dark-390": {"locale": "de-DE", "color_scheme": "dark", **NARROW},
    "ko-light-1366": {"locale": "ko-KR", "color_scheme": "light", **WIDE},
    "en-dark-1366": {"locale": "en-GB", "color_scheme": "dark", **WIDE},
    "ko-light-390": {"locale": "ko-KR", "color_scheme": "light", **NARROW},
}


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious_in_any_view(open_admin: Open, look: str, tmp_path: Path) -> None:
    pictures = Path(os.environ.get("PICTURES", tmp_path))
    grave = {}
    page = open_admin(**STILL, **LOOKS[look])
    for view in SHOWN:
        page.goto(page.url.split("#")[0] + f"#/{view}")
        page.wait_for_function("view => document.querySelector('[aria-current=page]').dataset.view === view", arg=view.split("/")[0])
        settled(page)
        page.screenshot(path=pictures / f"{view.replace('/', '-')}.{look}.png", full_page=True)
        grave[view] = grave_in(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    assert {view: found for view, found in grave.items() if found} == {}


SHOWN = (*VIEWS, "settings/rag.alpha", "prompts/system/en", "collections/default")
