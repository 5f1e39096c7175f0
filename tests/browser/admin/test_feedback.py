"""Feedback in the administration page, and the weights that are learned from it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.learn.feedback_weights import DocumentWeight, Weight, Weights, dump_weights
from footnote.settings import LLM, Embedding, Settings
from tests.browser.admin.view import Open, done, get, post, section, settled
from tests.browser.conftest import serving

QUIET = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
FERRY, BOAT = "How much does a ferry cost?", "How much does a boat cost?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def rated_server(folder: Path) -> Iterator[str]:
    """A server with two documents and two rated answers, a good one and a later bad one."""
    with serving(folder, **QUIET) as server:
        for name in ("ferry", "boat"):
            data = {"doc_id": name.upper(), "title": name.title(), "content": f"A {name} costs 4 euros.", "permission_groups": ["*"]}
            post(server, "/insert-doc", index_name="ships", data=data)
        rate(server, BOAT, "up")
        rate(server, FERRY, "down", reason="outdated", comment="It is 5 now.", proposed_answer="A ferry costs 5 euros.")
        yield server


def rate(server: str, question: str, rating: str, **given: Any) -> None:
    turn = post(server, "/ask", query_text=question, index_name="ships", permission_groups=[])
    post(server, "/feedback", trace_id=turn["trace_id"], rating=rating, **given)


async def learn(folder: Path) -> None:
    """As the hourly job leaves it: weights of both documents and a field."""
    core = Core(Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    stored = await core.collections.resolve("ships")
    weights = {
        document.doc_id: DocumentWeight(value, 7, rate, document.active_generation, tuple(readers or document.permission_groups))
        for name, value, rate, readers in (("FERRY", 0.95, 0.2, ()), ("BOAT", 1.08, 0.9, ("crew",)))
        for document in [await core.ledger.get(LOCAL, name)]
    }
    await core.records.put("weights", stored, dump_weights(Weights(weights, {"title": Weight(1.02, 9, 0.8)})), by="weights")
    await core.close()


@pytest.mark.nightly
def test_bad_answers_become_golden_cases_and_weights_are_learned_of_them(open_admin: Open, rated_server: str, folder: Path) -> None:
    page = open_admin("feedback", server=rated_server)
    cards = page.locator(".card")
    expect(page.get_by_role("combobox", name="Rating")).to_have_value("down")
    expect(cards.get_by_role("heading")).to_have_text([FERRY])
    for text in ("Bad answer", "Outdated", "It is 5 now.", "A ferry costs 5 euros.", "local"):
        expect(cards).to_contain_text(text)
    cards.get_by_text("Answer", exact=True).click()
    expect(cards.locator(".answer")).to_contain_text("A ferry costs 4 euros.")
    assert cards.get_by_role("link", name="Ferry").get_attribute("href") == "./?doc_id=FERRY&chunk_id=FERRY%23000"
    expect(cards.locator(".cited").first).to_have_text("FerryA ferry costs 4 euros.")
    cards.get_by_text("Time per step").click()
    expect(cards.locator("details").nth(1)).to_contain_text("Searching search")

    cards.get_by_role("button", name="Make a golden case").click()
    cards.get_by_label("A good answer contains").fill("5 euros")
    cards.get_by_role("button", name="Save the case").click()
    expect(cards.get_by_role("button", name="Golden case ✓ – undo")).to_be_focused()
    (case,) = get(page, "/golden")["data"]
    assert (case["question"], case["facts"], case["answer"]) == (FERRY, ["5 euros"], "A ferry costs 5 euros.")

    page.get_by_role("combobox", name="Rating").select_option("")
    expect(cards.get_by_role("heading")).to_have_text([FERRY, BOAT])
    page.get_by_role("combobox", name="Reason").select_option("outdated")
    expect(cards.get_by_role("heading")).to_have_text([FERRY])
    page.get_by_label("To", exact=True).fill("2020-01-01")
    expect(page.get_by_role("tabpanel").get_by_role("status").first).to_have_text("No answer was rated in this period, with these filters.")
    page.get_by_role("tab", name="Golden cases").click()
    expect(cards.get_by_role("heading")).to_have_text([FERRY])

    page.reload()
    settled(page)
    page.get_by_role("link", name="Open the conversation").click()  # of the admin's own rating
    expect(page.locator(".question")).to_have_text([FERRY])
    assert "/admin" not in page.url
    resets_learned_weights(open_admin("experiments", server=rated_server), folder)


def resets_learned_weights(page: Page, folder: Path) -> None:
    weights = section(page, "Learned weights")
    expect(weights).to_contain_text("Nothing has been learned from feedback yet.")
    with ThreadPoolExecutor(1) as pool:  # this thread runs the browser's loop
        pool.submit(asyncio.run, learn(folder)).result()
    page.reload()
    settled(page)
    expect(weights.get_by_role("heading", name="ships")).to_be_visible()
    expect(weights).to_contain_text("Only requests and experiments that name the option feedback_weights use them.")
    fields, documents = weights.get_by_role("table", name="Fields"), weights.get_by_role("table", name="Documents")
    expect(fields.locator("tbody tr")).to_have_text(["Title1.020980 %"])
    expect(documents.locator("tbody tr")).to_have_text(["Boat has changed since, not weighted1.080790 %", "Ferry0.950720 %"])
    documents.get_by_role("button", name="Weight").click()
    expect(documents.locator("tbody th")).to_have_text(["Ferry", "Boat has changed since, not weighted"])
    weights.get_by_role("button", name="Reset the weights of ships").click()
    expect(weights).to_contain_text("Drop them? Feedback that was given until now will not count any more.")
    weights.get_by_role("button", name="Reset the weights of ships").click()
    done(page, "The weights of ships were dropped.")
    expect(documents).to_have_count(0)
    assert get(page, "/audit?action=weights.")["data"][0]["object_id"] == "ships"


@pytest.mark.nightly
def test_a_failed_part_shows_why_and_is_retried(open_admin: Open) -> None:
    problem = json.dumps({"title": "No", "detail": "Down for now."})

    def fail(page: Page, status: int) -> None:
        page.route("**/feedback?*", lambda route: route.fulfill(status=status, body=problem, content_type="application/problem+json"))
        page.route("**/feedback/weights", lambda route: route.fulfill(status=503, body=problem, content_type="application/problem+json"))

    page = open_admin("feedback", lambda page: fail(page, 403))
    shown = page.get_by_role("tabpanel")
    expect(shown.get_by_role("status")).to_have_text("Only admins can see this.")
    expect(shown.get_by_role("button", name="Try again")).to_have_count(0)
    page.unroute("**/feedback?*")
    fail(page, 503)
    page.reload()
    expect(shown.get_by_role("status")).to_have_text("This could not be loaded: Down for now.")
    page.unroute("**/feedback?*")
    shown.get_by_role("button", name="Try again").click()
    expect(shown.get_by_role("status")).to_have_text("No answer was rated in this period, with these filters.")

    page.get_by_role("navigation").get_by_role("link", name="Experiments").click()
    settled(page)
    weights = section(page, "Learned weights")
    expect(weights.get_by_role("alert")).to_contain_text("Down for now.")
    expect(section(page, "New experiment").get_by_role("button", name="Create")).to_be_visible()
    page.unroute("**/feedback/weights")
    weights.get_by_role("button", name="Try again").click()
    expect(weights).to_contain_text("Nothing has been learned from feedback yet.")
