"""Documents, collections, people and experiments in the administration page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.admin.view import WIDE, Open, done, get, listed, post, said, section, setting, settled
from tests.browser.conftest import serving
from tests.browser.office import sign_in
from tests.nightly import DEEP


def test_documents_are_filtered_sorted_tried_again_deleted_and_restored(open_admin: Open, files_server: str) -> None:
    page = open_admin(server=files_server)
    section(page, "Documents and jobs").get_by_role("link", name="1", exact=True).first.click()  # the failed one
    settled(page)
    listed(page, "broken.pdf")
    expect(page.locator("tbody")).to_contain_text("This PDF is damaged.")
    page.get_by_label("State").select_option("Any")
    expect(page.locator("#view")).to_contain_text("4 of 4 documents")
    page.get_by_role("button", name="Document", exact=True).click()
    listed(page, "Boat", "broken.pdf", "Ferry", "Tower")
    page.get_by_role("button", name="Document", exact=True).click()
    listed(page, "Tower", "Ferry", "broken.pdf", "Boat")
    expect(page.get_by_role("columnheader", name="Document", exact=True)).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Collection").select_option("ships")
    page.get_by_label("Search").fill("ferry")
    listed(page, "Ferry")
    page.reload()
    settled(page)
    listed(page, "Ferry")  # the address keeps the filters
    page.get_by_label("Search").fill("nothing like this")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")

    page.goto(f"{files_server}/admin#/documents")
    page.reload()
    settled(page)
    page.get_by_label("Choose broken.pdf").check()
    with page.expect_response("**/retry") as retried:
        page.get_by_role("button", name="Try 1 failed again").click()
    assert retried.value.status == 202
    done(page, "1 document is read again.")
    page.get_by_label("Collection").select_option("ships")
    page.get_by_label("Choose all shown rows").check()
    expect(page.locator(".chosen")).to_contain_text("3 documents chosen")
    page.get_by_label("Choose broken.pdf").uncheck()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    expect(page.locator(".chosen")).to_contain_text("Delete 2 documents? They can be restored for an hour.")
    page.locator(".chosen").get_by_role("button", name="Cancel").click()
    assert len(get(page, "/documents")["data"]) == 4
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    done(page, "2 documents were deleted.")
    assert sorted(each["title"] for each in get(page, "/documents")["data"]) == ["Tower", "broken.pdf"]
    listed(page, "broken.pdf")  # the filter stays
    page.locator(".note").get_by_role("button", name="Restore").click()
    done(page, "2 documents are restored.")
    listed(page, "broken.pdf", "Boat", "Ferry")
    assert len(get(page, "/documents")["data"]) == 4
    expect(page.locator(".note")).to_have_count(0)

    page.goto(f"{files_server}/admin#/documents")
    page.reload()
    settled(page)
    page.request.delete(f"{files_server}/documents/FERRY")
    page.reload()
    settled(page)
    expect(page.locator("#view")).to_contain_text("3 of 3 documents")
    page.get_by_label("State").select_option("Deleted")
    listed(page, "Ferry")
    page.get_by_label("Choose Ferry").check()
    expect(page.locator(".chosen").get_by_role("button")).to_have_text(["Restore"])
    page.locator(".chosen").get_by_role("button", name="Restore").click()
    done(page, "1 document is restored.")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")
    page.get_by_label("State").select_option("Any")
    expect(page.locator("#view")).to_contain_text("4 of 4 documents")


@pytest.mark.nightly
def test_chosen_documents_get_other_readers_and_another_collection_and_back(open_admin: Open, files_server: str) -> None:
    page = open_admin("documents", server=files_server)
    before = {each["title"]: each["permission_groups"] for each in get(page, "/documents")["data"]}
    for title in ("Ferry", "Boat"):
        page.get_by_label(f"Choose {title}").check()
    page.get_by_text("Change readers").click()
    bar = page.locator(".chosen")
    bar.get_by_label("Readers").fill("")
    expect(bar).to_contain_text("Name at least one group.")
    bar.get_by_label("Readers").fill("crew, harbour")
    expect(bar).to_contain_text("crew, harbour can then read 2 documents. No longer: everyone.")
    bar.get_by_role("button", name="Save").click()
    done(page, "2 documents have other readers and are read again.")
    changed = {each["title"]: each["permission_groups"] for each in get(page, "/documents")["data"]}
    assert changed == before | {"Ferry": ["crew", "harbour"], "Boat": ["crew", "harbour"]}
    page.locator(".note").get_by_role("button", name="Undo").click()
    done(page, "2 documents have other readers and are read again.")
    assert {each["title"]: each["permission_groups"] for each in get(page, "/documents")["data"]} == before

    collections = collections_of(page)
    page.get_by_label("Choose Ferry").check()
    bar.locator("summary").get_by_text("Move").click()
    options = bar.get_by_label("Collection").locator("option").all_inner_texts()
    target = next(name for name in options if name != collections["Ferry"])
    bar.get_by_label("Collection").select_option(target)
    bar.get_by_role("button", name="Move").click()
    done(page, "1 document was moved and is read again.")
    assert collections_of(page) == collections | {"Ferry": target}
    page.locator(".note").get_by_role("button", name="Undo").click()
    done(page, "1 document was moved and is read again.")
    assert collections_of(page) == collections

    problem = json.dumps({"detail": "The index is down."})
    page.route("**/documents/FERRY", lambda route: route.fulfill(status=503, content_type="application/problem+json", body=problem))
    for title in ("Ferry", "Boat"):
        page.get_by_label(f"Choose {title}").check()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    page.locator(".chosen").get_by_role("button", name="Delete").click()
    done(page, "It failed for 1: The index is down.")
    expect(page.locator("tbody tr")).to_have_count(3)
    assert sorted(each["title"] for each in get(page, "/documents")["data"]) == ["Ferry", "Tower", "broken.pdf"]
    assert page.request.post(f"{files_server}/documents/BOAT/restore").ok


def collections_of(page: Page) -> dict[str, str]:
    return {each["title"]: each["collection"] for each in get(page, "/documents")["data"]}


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
    expect(properties.get_by_label("Vectors").locator("option")).to_have_text(["as configured", "none, words only", "builtin"])
    properties.get_by_label("Vectors").select_option("none, words only")
    properties.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="boats")).to_be_visible()
    settled(page)
    found = get(page, "/collections/boats")
    assert (found["description"], found["aliases"], found["settings"]["embedder"]) == ("All that swims.", ["ships"], "none")
    assert found["settings"]["permission_groups"] == ["crew", "staff"]
    page.get_by_label("Another name").fill("vessels")
    page.get_by_role("button", name="Add").click()
    done(page, "Saved.")
    assert sorted(get(page, "/collections/boats")["aliases"]) == ["ships", "vessels"]
    section(page, "Delete").get_by_role("button", name="Delete").click()
    section(page, "Delete").get_by_role("button", name="Delete").click()
    said(page, "boats was deleted. You can restore it for an hour.")
    row = page.locator("tbody tr").filter(has_text="boats")
    expect(row).to_contain_text("deleted")
    settled(page)
    assert "boats" not in [each["name"] for each in get(page, "/collections")["data"]]
    row.get_by_role("button", name="Restore").click()
    done(page, "boats was restored.")
    assert get(page, "/collections/boats")["documents"] == {"FAILED": 1, "READY": 2}
    page.goto(f"{files_server}/admin#/collections/boats")
    settled(page)
    section(page, "Properties").get_by_label("Name").fill("ships")
    section(page, "Properties").get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="ships")).to_be_visible()


@pytest.mark.nightly
def test_of_many_documents_few_are_drawn_and_all_are_searched(open_admin: Open) -> None:
    many = 10_000 if DEEP else 1000
    same: dict[str, Any] = {
        "file_name": "x.md",
        "collection": "default",
        "state": "READY",
        "reason": None,
        "remedy": None,
        "pages": None,
        "size": 10,
    }
    same |= {"format": "markdown", "permission_groups": ["*"], "updated_at": 1.7e9}
    listed = [{"doc_id": f"d{n}", "title": f"Document {n}", **same} for n in range(many)]

    def page_of(route: Route) -> None:
        if "deleted=true" in route.request.url:
            return route.fulfill(json={"data": [], "has_more": False, "last_id": None})
        after = re.search(r"after=d(\d+)", route.request.url)
        start = int(after[1]) + 1 if after else 0
        data = listed[start : start + 200]
        route.fulfill(json={"data": data, "has_more": start + 200 < len(listed), "last_id": data[-1]["doc_id"]})

    page = open_admin("documents", lambda page: page.route("**/documents?*", page_of))
    expect(page.locator("#view")).to_contain_text(f"{many:,} of {many:,} documents")
    expect(page.locator("tbody tr")).to_have_count(25)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("tbody tr")).to_have_count(50)
    for _ in range(2):
        page.get_by_role("button", name="Document", exact=True).click()
    expect(page.locator("tbody th a").first).to_have_text(f"Document {many - 1}")
    page.get_by_label("Search").fill("document 77")
    expect(page.locator("#view")).to_contain_text(f"{111 if DEEP else 11} of {many:,} documents")


# --- people and experiments ----------------------------------------------------------------------


def test_people_shows_use_limits_and_budgets_of_single_people(open_admin: Open) -> None:
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

    page.goto(page.url.split("#")[0] + "#/people")
    settled(page)
    budgets = section(page, "Budgets of single people")
    expect(budgets).to_contain_text("Nobody has a budget of their own.")
    for user, tokens in (("ann", "50000"), ("local", "0")):
        budgets.get_by_label("User").fill(user)
        budgets.get_by_label("Tokens per day").fill(tokens)
        budgets.get_by_role("button", name="Save").click()
        said(page, "Saved.")
        expect(budgets.locator("tbody tr").filter(has_text=user)).to_be_visible()
        settled(page)
    expect(budgets.locator("tbody tr")).to_have_text(["ann50,000as for everybodyRemove", "localunlimitedas for everybodyRemove"])
    assert setting(page, "budget.users")["value"]["ann"] == {"tokens_per_day": 50000, "money_per_day": None}
    assert get(page, "/audit?action=setting.set")["data"][0]["object_id"] == "budget.users"
    budgets.get_by_label("User").fill("ann")
    budgets.get_by_label("Tokens per day").fill("-1")
    budgets.get_by_role("button", name="Save").click()
    expect(budgets.get_by_role("alert")).to_contain_text("greater than or equal to 0")
    for user, left in (("ann", 1), ("local", 0)):
        budgets.locator("tbody tr").filter(has_text=user).get_by_role("button", name="Remove").click()
        expect(budgets.locator("tbody tr")).to_have_count(left)
        settled(page)
    assert setting(page, "budget.users")["value"] == {}


@pytest.mark.nightly
def test_an_admin_makes_and_ends_sessions_and_others_are_not_admins(new_context: Callable[..., BrowserContext], tmp_path: Path) -> None:
    data, quiet = tmp_path / "data", {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false", "AUTH__MODE": "session"}
    command = [sys.executable, "-m", "footnote_local", "session", "create", "--data", str(data)]
    command += ["--user", "root", "--role", "admin", "--groups", "staff"]
    made = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **quiet})
    with serving(data, **quiet) as server:
        page = new_context(**WIDE).new_page()
        page.goto(f"{server}/admin#/people")
        sign_in(page, made.stdout.split()[-1])
        settled(page)
        creation, sessions = section(page, "New session"), section(page, "Sessions").locator("tbody tr")
        creation.get_by_label("User").fill("eva")
        creation.get_by_label("Groups").fill("board")
        creation.get_by_role("button", name="Create").click()
        expect(creation.get_by_role("alert")).to_have_text("You are not in board. You can give only groups that you are in.")
        creation.get_by_label("Groups").fill("staff")
        creation.get_by_label("Valid for (hours)").fill("2")
        creation.get_by_role("button", name="Create").click()
        expect(creation).to_contain_text("The token of eva. It is shown this once: give it to them now.")
        token = creation.locator("code").inner_text()
        expect(sessions).to_have_count(2)
        expect(sessions.filter(has_text="eva")).to_contain_text("staff")
        expect(section(page, "Groups").locator("tbody tr").filter(has_text="staff")).to_contain_text("eva, root")
        page.reload()
        settled(page)
        expect(page.locator("#view")).not_to_contain_text(token)

        other = new_context(**WIDE).new_page()
        other.goto(f"{server}/admin#/settings")
        sign_in(other, token)
        expect(other.locator("#view")).to_have_text("Only admins can use this page.")
        row = sessions.filter(has_text="eva")
        row.get_by_role("button", name="End the session").first.click()
        row.get_by_role("button", name="End the session").first.click()
        said(page, "The session was ended.")
        expect(row.get_by_role("button", name="End the session")).to_have_count(0)
        assert page.request.get(f"{server}/me/preferences", headers={"authorization": f"Bearer {token}"}).status == 401


def test_an_experiment_is_created_replayed_started_stopped_and_deleted(open_admin: Open, admin_server: str) -> None:
    asked = {"query_text": "How much does a ferry cost?", "index_name": "default", "permission_groups": []}
    post(admin_server, "/feedback", trace_id=post(admin_server, "/ask", **asked)["trace_id"], rating="up")
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
    section(page, "Replay").get_by_role("button", name="Replay").click()
    expect(section(page, "Replay")).to_contain_text("Replayed questions with a good answer: 1, with a bad one: 0.")
    expect(section(page, "Replay").locator("tbody tr").filter(has_text="control").first).to_contain_text("1.000 (1.000 – 1.000)")
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
