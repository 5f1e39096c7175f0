"""Modes: answers from documents, also in a conversation; from the model alone; from an agent with tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import STANDALONE
from tests.browser.test_accessibility import STILL, grave_in

LEAVE = "How many days of annual leave do employees receive?"
Open = Callable[..., Any]


def receipt(page: Page) -> Any:
    """The opened receipt of the last answer."""
    found = page.locator(".receipt").last
    found.locator("summary").click()
    return found


def test_a_follow_up_is_completed_from_the_conversation_and_the_receipt_says_so(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    for question in (LEAVE, "And what does it cost?"):
        screen.ask(question)
        screen.finished()
    expect(receipt(screen.page).locator("q")).to_have_text(STANDALONE)


def test_without_a_model_a_follow_up_is_completed_with_words_of_the_last_question(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    for question in (LEAVE, "And when does it expire?"):
        screen.ask(question)
        screen.finished()
    expect(receipt(screen.page).locator("q")).to_contain_text("And when does it expire? days annual leave")
    expect(screen.page.locator(".answer").last).to_contain_text("end of March")


def test_the_model_alone_searches_nothing_and_is_remembered(open_handbook: Open, server_with_model: str, tmp_path: Path) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    screen.open_advanced()
    page.get_by_label("Answer from").select_option("Model only")
    for option in ("#retriever", "#results"):
        expect(page.locator(option)).to_be_hidden()
    with page.expect_request("**/ask/stream") as asked:
        screen.ask("Tell me about the sea.")
    assert set(asked.value.post_data_json) == {"query_text", "index_name", "permission_groups", "mode", "room_id", "debug"}
    screen.finished()
    expect(page.locator(".answer p")).to_have_text("Yes 🎉, 28 days.")
    expect(page.locator(".after .note")).to_have_count(0)
    facts = receipt(page)
    expect(facts.locator("dl")).not_to_contain_text("Search queries")
    expect(facts.locator("table")).to_have_count(0)
    screen.picture(tmp_path / "model.png")
    page.reload()
    expect(page.get_by_label("Answer from")).to_have_value("gpt")
    page.get_by_label("Answer from").select_option("Documents")
    expect(page.locator("#retriever")).to_be_visible()


@pytest.mark.parametrize(
    ("locale", "labels"),
    [
        ("en-GB", ["Writing the answer", "Using add", "Searching the documents", "Writing the answer"]),
        ("de-DE", ["Antwort wird geschrieben", "add wird verwendet", "Dokumente werden durchsucht", "Antwort wird geschrieben"]),
        ("ko-KR", ["답변 작성 중", "add 사용 중", "문서 검색 중", "답변 작성 중"]),
    ],
)
def test_an_agents_rounds_and_tools_are_shown_as_steps(
    open_handbook: Open, server_with_model: str, locale: str, labels: list[str], tmp_path: Path
) -> None:
    screen = open_handbook(server_with_model, locale=locale, **STILL)
    page = screen.page
    screen.open_advanced()
    page.locator("#mode").select_option("pa")
    screen.ask("Add 2 and 3 for the bridge, and tell of annual leave.")
    screen.finished()
    expect(page.locator(".answer p")).to_have_text("Employees receive 28 days of annual leave1, and 2 + 3 is 5.")
    rows = receipt(page).locator(".chart li > span:first-child")
    expect(rows.last).to_be_visible()  # the receipt is filled when it opens
    shown = rows.all_inner_texts()
    names = ["round", "tool:mcp_add", "tool:search_documents", "round#2"]
    steps = [f"{label} {name}" for label, name in zip(labels, names, strict=True)]
    assert sorted(set(steps) & set(shown)) == sorted(steps)
    assert shown.index(steps[0]) < shown.index(steps[1]) < shown.index(steps[3])
    screen.picture(tmp_path / f"agent-{locale}.png")
    assert grave_in(page) == []
    page.locator(".cite").click()
    expect(page.locator("#passage-text mark")).to_contain_text("28 days of annual leave")


def test_a_passage_of_a_connected_system_is_shown_without_its_document(open_screen: Open, server_with_model: str) -> None:
    screen = open_screen(server_with_model)
    page = screen.page
    screen.open_advanced()
    page.locator("#mode").select_option("pa")
    screen.ask("When does the ferry leave?")
    screen.finished()
    page.locator(".cite").click()
    expect(page.locator("#source-note")).to_have_text("This document is in a connected system. The cited passage is shown below.")
    expect(page.locator("#passage-text mark")).to_have_text("Supports the answer: The ferry leaves every hour from pier 4.")
    assert all("status of 404" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself


@pytest.mark.parametrize(
    ("locale", "question", "answer", "always"),
    [
        ("en-GB", "Hi", "Hello! I answer questions from your documents.", "Documents, always search"),
        ("de-DE", "Hallo", "Hallo! Ich beantworte Fragen aus Ihren Dokumenten.", "Dokumente, immer suchen"),
        ("ko-KR", "안녕하세요", "안녕하세요! 문서를 바탕으로 질문에 답해 드립니다.", "문서(항상 검색)"),
    ],
)
def test_a_greeting_is_not_searched_for_unless_everything_is(
    open_handbook: Open, server: str, locale: str, question: str, answer: str, always: str
) -> None:
    screen = open_handbook(server, locale=locale)
    page = screen.page
    screen.ask(question)
    screen.finished()
    expect(page.locator(".answer").last).to_contain_text(answer)
    screen.open_advanced()
    page.locator("#mode").select_option(always)
    expect(page.locator("#retriever")).to_be_visible()
    with page.expect_request("**/ask/stream") as asked:
        screen.ask(question)
    assert (asked.value.post_data_json["mode"], asked.value.post_data_json["search"]) == ("rag", "always")
    screen.finished()
    expect(page.locator(".turn").last).not_to_contain_text(answer)


@pytest.mark.parametrize("mode", ["gpt", "pa"])
def test_without_a_model_the_documents_can_be_asked_instead(open_handbook: Open, server: str, mode: str, tmp_path: Path) -> None:
    screen = open_handbook(server)
    page = screen.page
    screen.recall_mode(mode)
    screen.ask(LEAVE)
    screen.finished()
    expect(page.locator(".failed")).to_contain_text("This needs a language model. No language model is configured. Set LLM__BASE_URL")
    screen.picture(tmp_path / "no-model.png")
    page.get_by_role("button", name="Ask the documents").click()
    expect(page.locator(".answer")).to_contain_text("28 days")
    expect(page.locator(".question")).to_have_count(1)
    expect(page.get_by_label("Answer from")).to_have_value("rag")
    assert all("status of 503" in complaint for complaint in screen.complaints)
    screen.complaints.clear()  # logged by the browser itself
