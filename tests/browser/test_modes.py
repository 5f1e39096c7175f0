"""Modes: answers from documents, also in a conversation; from the model alone; from an agent with tools."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import STANDALONE
from tests.browser.test_accessibility import LEAVE, Open, grave_in


def receipt(page: Page) -> Any:
    """The opened receipt of the last answer."""
    found = page.locator(".receipt").last
    found.locator("summary").click()
    return found


@pytest.mark.nightly
def test_the_model_alone_searches_nothing_and_a_follow_up_names_its_subject(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    for question in (LEAVE, "And what does it cost?"):
        screen.answer_to(question)
    expect(receipt(page).locator("q")).to_have_text(STANDALONE)

    screen.open_advanced()
    page.get_by_role("combobox", name="Answer from").select_option("Documents, always search")
    expect(page.locator("#retriever")).to_be_visible()
    with page.expect_request("**/ask/stream") as asked:
        screen.ask("Hi")
    assert (asked.value.post_data_json["mode"], asked.value.post_data_json["search"]) == ("rag", "always")
    screen.finished()
    page.get_by_role("combobox", name="Answer from").select_option("Model only")
    for option in ("#retriever", "#results"):
        expect(page.locator(option)).to_be_hidden()
    with page.expect_request("**/ask/stream") as asked:
        screen.ask("Tell me about the sea.")
    assert set(asked.value.post_data_json) == {"query_text", "index_name", "permission_groups", "quote", "mode", "room_id", "debug"}
    screen.finished()
    last = page.locator(".turn").last
    expect(last.locator(".answer p").first).to_have_text("Yes 🎉, 28 days.")
    expect(last.locator(".after .note")).to_have_count(0)
    facts = receipt(page)
    expect(facts.locator("dl")).not_to_contain_text("Search queries")
    expect(facts.locator("table")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("combobox", name="Answer from")).to_have_value("gpt")
    page.get_by_role("combobox", name="Answer from").select_option("Documents")
    expect(page.locator("#retriever")).to_be_visible()


def test_an_agents_rounds_and_tools_are_shown_and_what_a_connected_system_said(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    screen.open_advanced()
    page.locator("#mode").select_option("pa")
    screen.answer_to("Add 2 and 3 for the bridge, and tell of annual leave.")
    expect(page.locator(".answer p")).to_have_text("Employees receive 28 days of annual leave1, and 2 + 3 is 5.")
    rows = receipt(page).locator(".chart li > span:first-child")
    expect(rows.last).to_be_visible()  # the receipt is filled when it opens
    shown = rows.all_inner_texts()
    steps = [
        "Writing the answer round",
        "Using add tool:mcp_add",
        "Searching the documents tool:search_documents",
        "Writing the answer round#2",
    ]
    assert sorted(set(steps) & set(shown)) == sorted(steps)
    assert shown.index(steps[0]) < shown.index(steps[1]) < shown.index(steps[3])
    assert grave_in(page) == []
    page.locator("#language").select_option("ko")
    expect(rows.filter(has_text="tool:mcp_add")).to_have_text("add 사용 중 tool:mcp_add")
    page.locator("#language").select_option("en")
    page.locator(".cite").click()
    expect(page.locator("#passage-text mark")).to_contain_text("28 days of annual leave")
    page.keyboard.press("Escape")

    screen.answer_to("When does the ferry leave?")
    page.locator(".cite").last.click()
    expect(page.locator("#source-note")).to_have_text("This document is in a connected system. The cited passage is shown below.")
    expect(page.locator("#passage-text mark")).to_have_text("Supports the answer: The ferry leaves every hour from pier 4.")
    screen.complained_only_of("status of 404")  # logged by the browser itself
