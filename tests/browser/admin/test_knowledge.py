"""What a collection builds beside words and vectors, in the administration page: built, watched and removed."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.admin.conftest import add_file
from tests.browser.admin.view import NARROW, Open, done, get, post, section
from tests.browser.test_accessibility import grave_in

TOWER = b"# Tower\n\nAnn Smith built the Harbour Tower for Northwind Logistics.\n"


def kind(page: Page, name: str) -> Locator:
    found: Locator = section(page, "Knowledge").get_by_role("listitem").filter(has=page.get_by_role("heading", name=name, exact=True))
    return found


def made_by(page: Page, collection: str) -> dict[str, Any]:
    return {each["kind"]: each["made_by"] for each in get(page, f"/collections/{collection}/knowledge")["data"]}


def test_connections_are_built_by_rules_and_removed(open_admin: Open, files_server: str) -> None:
    page = open_admin("collections/sights", server=files_server)
    connections = kind(page, "Connections")
    expect(connections.locator(".badge")).to_have_text("off")
    expect(connections).to_contain_text("Building takes: 1 passage · no language model · about 1 second")
    expect(connections.get_by_role("button")).to_have_text(["Build"])  # there is no model
    connections.get_by_role("button", name="Build").click()
    done(page, "It is being built in the background.")
    expect(connections.get_by_role("heading")).to_be_focused()
    expect(connections.locator(".badge")).to_have_text("built by rules")
    expect(connections).to_contain_text("1 of 1 passage")
    expect(connections.locator("progress")).to_be_hidden()
    assert made_by(page, "sights") == {"graph": "rules", "late_interaction": None, "summary_tree": None}

    connections.get_by_role("button", name="Remove").click()
    expect(connections).to_contain_text("Remove what was built, and build it no more?")
    connections.get_by_role("button", name="Cancel").click()
    assert made_by(page, "sights")["graph"] == "rules"
    connections.get_by_role("button", name="Remove").click()
    connections.get_by_role("button", name="Remove").click()
    done(page, "It was removed and is built no more.")
    expect(connections.locator(".badge")).to_have_text("off")
    assert made_by(page, "sights")["graph"] is None


def test_why_a_kind_cannot_be_built_is_said_in_the_pages_language(open_admin: Open, files_server: str) -> None:
    page = open_admin("collections/ships", server=files_server, **NARROW)
    for name in ("Token vectors", "Summary tree"):
        expect(kind(page, name)).to_contain_text("It is made of vectors, and this collection has none.")
        expect(kind(page, name).get_by_role("button")).to_have_count(0)
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#language").select_option("de")
    expect(page.locator(".knowledge")).to_contain_text("Das wird aus Vektoren gemacht, und diese Sammlung hat keine.")


def test_building_with_the_model_says_what_it_takes_and_how_far_it_is(open_admin: Open, server_with_model: str) -> None:
    add_file(server_with_model, "modelled", "tower.md", TOWER)
    page = open_admin("collections/modelled", server=server_with_model)
    connections = kind(page, "Connections")
    expect(connections).to_contain_text("With the model: 1 passage · about ")
    expect(connections).to_contain_text("cost unknown: no prices are set")
    with page.expect_request(lambda sent: sent.method == "POST" and sent.url.endswith("/knowledge")) as sent:
        connections.get_by_role("button", name="Build with the model").click()
    assert json.loads(sent.value.post_data or "") == {"kinds": ["graph"], "made_by": "model"}
    expect(connections.locator(".badge")).to_have_text("being built")  # this model's replies name nothing
    expect(connections).to_contain_text("0 of 1 passage")
    expect(connections.locator("progress")).to_be_visible()
    post(server_with_model, "/collections/modelled/knowledge", kinds=["graph"], made_by="rules")
    expect(connections.locator(".badge")).to_have_text("built by rules")  # the page asks again while something is being built
    connections.get_by_role("button", name="Remove").click()
    connections.get_by_role("button", name="Remove").click()
    expect(connections.locator(".badge")).to_have_text("off")
