"""The API's reference in a browser, under the page's content security policy."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from footnote_local.openapi import FILE


@pytest.mark.nightly
def test_the_reference_shows_every_operation_and_tries_one_out(page: Page, server: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{server}/docs")
    paths = json.loads(FILE.read_text("utf-8"))["paths"]
    expect(page.locator(".opblock")).to_have_count(sum(len(methods) for methods in paths.values()))
    health = page.locator("#operations-Health-health")
    health.get_by_role("button").first.click()
    health.get_by_role("button", name="Try it out").click()
    health.get_by_role("button", name="Execute").click()
    expect(health.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")
    assert complaints == []
