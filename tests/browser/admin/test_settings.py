"""Settings, prompts, forbidden terms and the audit in the administration page."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.admin.view import NARROW, WIDE, Open, done, get, post, said, section, setting, settled
from tests.browser.test_accessibility import violations_in

LEAVE = {"doc_id": "LEAVE", "content": "Employees receive 28 days of leave.", "permission_groups": ["*"]}


def test_settings_are_found_changed_undone_reset_and_filtered(open_admin: Open) -> None:
    page = open_admin("overview")
    page.get_by_role("navigation").get_by_role("link", name="Settings").click()  # 1
    page.get_by_role("searchbox", name="Search").fill("RAG__ALPHA")
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

    page.goto(page.url.split("#")[0] + "#/settings/rag.forbidden_check_mode")
    settled(page)
    expect(page.get_by_label("New value").locator("option")).to_have_text(["llm", "qdrant"])
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
    page.get_by_role("link", name="All settings").click()
    settled(page)
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("RAG__ALPHA")  # as it was left
    page.get_by_role("searchbox", name="Search").fill("")
    every = get(page, "/settings?limit=200")["data"]
    page.get_by_label("Show", exact=True).select_option("Not at its default")
    names = page.locator("tbody th a").all_inner_texts()
    assert sorted(names) == sorted(each["key"] for each in every if each["source"] != "default")
    page.get_by_role("searchbox", name="Search").fill("no such words")
    expect(page.locator("#view")).to_contain_text("Nothing matches.")


@pytest.mark.parametrize("look", [WIDE, NARROW], ids=["wide", "narrow"])
def test_settings_are_grouped_searched_by_value_and_reset_in_the_list(open_admin: Open, look: dict[str, Any]) -> None:
    page = open_admin("settings", **look)
    every = get(page, "/settings?limit=200")["data"]
    groups = page.locator("details.topic:visible")
    expect(groups.locator("h3")).to_have_text(
        ["Answers", "Search", "Documents and ingestion", "Language model", "Access", "Limits and cost", "Privacy and storage", "Operation"]
    )
    counted = [int(text.split()[0]) for text in page.locator("details.topic summary .hint:not(.about)").all_inner_texts()]
    assert sum(counted) == len(every)
    expect(page.get_by_role("status").filter(has_text="settings")).to_have_text(f"{len(every)} of {len(every)} settings")
    groups.filter(has_text="Limits and cost").locator("summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view").get_by_role("link", name="budget.tokens_per_day")).to_be_visible()
    expect(page.locator("#view").get_by_role("link", name="rag.alpha")).to_be_hidden()

    assert page.request.put(page.url.split("/admin")[0] + "/settings/rag.rrf_k", data={"value": 9417}).ok
    page.reload()
    settled(page)
    page.get_by_role("searchbox", name="Search").fill("9417")
    row = page.locator("tbody tr:visible")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("rag.rrf_k")
    expect(row.locator(".changed")).to_contain_text("changed here")
    assert violations_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    row.get_by_role("button", name="Reset").click()
    said(page, "rag.rrf_k is reset to the configured value.")
    assert setting(page, "rag.rrf_k")["source"] == "default"
    page.get_by_role("searchbox", name="Search").fill("LLM__BASE_URL")
    row = page.locator("tbody tr:visible").filter(has=page.get_by_role("link", name="llm.base_url", exact=True))
    expect(row.locator("td").last).to_have_text("LLM__BASE_URL")  # not to be changed here
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("")


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
    done(page, "Version 1 is active.")
    assert get(page, "/prompts/answer_footnote?lang=de")["template"].endswith("Antworte kurz.")
    expect(text).to_have_value(f"{packaged}\nAntworte kurz.")
    page.get_by_role("button", name="Use the packaged text").click()
    page.get_by_role("button", name="Use the packaged text").click()
    said(page, "The packaged text is active.")
    assert get(page, "/prompts/answer_footnote?lang=de")["source"] == "packaged"


@pytest.mark.nightly
def test_a_prompt_is_tried_on_a_question_before_it_is_saved(open_admin: Open, server_with_model: str) -> None:
    post(
        server_with_model,
        "/insert-doc",
        index_name="leave",
        data={"doc_id": "LEAVE", "content": "Employees receive 28 days of leave.", "permission_groups": ["*"]},
    )
    golden = {"question": "How many days of leave do employees receive?", "index_name": "leave", "expects": "answer", "facts": ["28"]}
    post(server_with_model, "/golden", **golden)
    page = open_admin("prompts/answer_numbered/en", server=server_with_model)
    before = get(page, "/prompts/answer_numbered?lang=en")
    page.get_by_label("Text").fill("Answer LOUDLY from {{ documents[0].text }}")
    preview = section(page, "Try it out")
    expect(preview.locator("datalist option")).to_have_attribute("value", golden["question"])
    preview.get_by_label("Question").fill(golden["question"])
    expect(preview.get_by_label("Collection")).to_have_value("leave")  # that of the golden case
    preview.get_by_role("button", name="Try").click()
    expect(preview.locator("blockquote")).to_contain_text("28 days")
    expect(preview.locator("pre").first).to_have_text("Answer LOUDLY from Employees receive 28 days of leave.")
    expect(preview.locator("pre").last).to_contain_text(golden["question"])
    assert get(page, "/prompts/answer_numbered?lang=en") == before


@pytest.mark.parametrize("look", [WIDE, NARROW], ids=["wide", "narrow"])
def test_without_a_model_a_prompt_shows_what_one_would_be_told(open_admin: Open, look: dict[str, Any]) -> None:
    page = open_admin("prompts", **look)
    row = page.locator("tbody tr").filter(has=page.get_by_role("link", name="answer_numbered", exact=True))
    expect(row).to_contain_text("Used for every question on the page.")
    row.get_by_role("link", name="answer_numbered", exact=True).click()
    settled(page)
    expect(page.locator("#view")).to_contain_text("Variables that the text may use: documents[].date")
    page.get_by_label("Text").fill("Answer LOUDLY from {{ documents[0].text }}")
    preview = section(page, "Try it out")
    preview.get_by_label("Question").fill("How much does a ferry cost?")
    preview.get_by_role("button", name="Try").click()
    expect(preview).to_contain_text("No language model is connected. This is what it would be told:")
    expect(preview.locator("pre")).to_have_count(2)
    expect(preview.locator("pre").first).to_contain_text(re.compile(r"Answer LOUDLY from Ferry\s+A ferry costs 4 euros"))
    expect(preview.locator("pre").last).to_contain_text("How much does a ferry cost?")
    assert violations_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    preview.get_by_role("button", name="Connect a language model").click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Language model")).to_be_focused()
    page.keyboard.press("Escape")
    preview.get_by_label("Question").fill("Was kostet eine Fähre?")
    preview.get_by_role("button", name="Try").click()
    expect(preview).to_contain_text("This question does not use this prompt.")


# --- forbidden terms and audit -------------------------------------------------------------------


def test_a_term_is_added_tried_and_removed_and_the_audit_tells_who(open_admin: Open, tmp_path: Path) -> None:
    page = open_admin("terms")
    expect(page.locator("#view")).to_contain_text("No forbidden terms.")
    page.get_by_label("Term", exact=True).fill("a/b salary")
    page.get_by_label("Topic named in the notice").fill("Pay")
    page.get_by_label("Match").select_option("exact")
    page.get_by_role("button", name="Add", exact=True).click()
    done(page, "a/b salary is forbidden.")
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
