"""The account panel: exporting and deleting the reader's data, and the preferred model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import LEAVE, NARROW, Open, grave_in


def test_all_data_can_be_exported_and_then_deleted(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page = screen.page
    screen.answer_to(LEAVE)
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()  # the only user of a server does not sign in
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#readers")).to_be_hidden()
    expect(page.locator("#document-list .readers")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    assert download.value.suggested_filename == "footnote-data.jsonl"
    lines = [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]
    assert lines[-1]["conversations"][0]["content"] == LEAVE

    forget = page.get_by_role("button", name="Delete my data")
    forget.click()
    expect(page.get_by_role("button", name="Keep", exact=True)).to_be_focused()
    assert grave_in(page) == []
    page.keyboard.press("Escape")
    expect(forget).to_be_focused()
    forget.click()
    page.locator("#account-menu").get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#no-conversations")).to_have_text("Your conversations appear here.")
    expect(page.locator(".turn")).to_have_count(0)
    assert page.request.get(f"{server}/me/data").body() == b""


@pytest.mark.nightly
def test_a_preferred_model_can_be_chosen_if_there_are_several(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page = screen.page
    account, preferred = page.get_by_role("button", name="Account"), page.get_by_label("Preferred model")
    account.click()
    expect(page.get_by_role("link", name="Download my data")).to_be_visible()
    expect(preferred).to_be_hidden()
    account.click()
    setting = f"{server_with_model}/settings/llm.allowed_models"
    assert page.request.put(setting, data={"value": ["scripted", "small"]}).ok
    account.click()
    preferred.select_option("small")
    expect(page.get_by_text("This model will answer from now on.")).to_be_visible()
    page.keyboard.press("Escape")
    screen.answer_to(LEAVE)
    expect(page.locator(".receipt summary")).to_contain_text("small")
    account.click()
    expect(preferred).to_have_value("small")
    assert grave_in(page) == []
    with page.expect_response("**/me/preferences"):
        preferred.select_option("Default")
    assert page.request.put(setting, data={"value": []}).ok


@pytest.mark.nightly
@pytest.mark.parametrize("look", [{}, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("locale", ["de-DE", "ko-KR"])
def test_axe_finds_nothing_serious_in_the_account(open_screen: Open, server_with_model: str, locale: str, look: dict[str, Any]) -> None:
    page = open_screen(server_with_model, locale=locale, **look).page
    setting = f"{server_with_model}/settings/llm.allowed_models"
    assert page.request.put(setting, data={"value": ["scripted", "small"]}).ok
    page.locator("#account").click()
    expect(page.locator("#preferred")).to_be_visible()
    page.locator("#forget").click()
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.request.put(setting, data={"value": []}).ok
