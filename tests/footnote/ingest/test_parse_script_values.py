"""Values of JavaScript, and where they stand in Markdown with components."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.script_values import read


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("25;", "25"),
        ("'it\\'s {5}, a:b'", "it's {5}, a:b"),
        ('"two\\nlines"', "two\nlines"),
        ("[{plan:'Free',price:'0'}, {plan: \"Pro\", 'price': 12.5,},]", [{"plan": "Free", "price": "0"}, {"plan": "Pro", "price": "12.5"}]),
        ("{\n\tnew: '3.1',\n\tinner: {on: true, off: false, no: null}\n}", {"new": "3.1", "inner": {"on": "yes", "off": "no", "no": ""}}),
        ("['a', 'b']", ["a", "b"]),
    ],
)
def test_values_are_read(written: str, value: Any) -> None:
    assert read(written) == value


@pytest.mark.parametrize(
    "written", ["limit", "[plan]", "{a: b(5)}", "[() => 5]", "{...rest}", "{plan}", "`5 ${x}`", "", "[" * 5_000, "<b>5</b>", "[1, "]
)
def test_what_depends_on_something_else_is_no_value(written: str) -> None:
    assert read(written) is None


def texts(body: str) -> list[str]:
    return [block.text for block in parse(body.encode(), "page.mdx").blocks]


def test_a_value_that_a_page_exports_stands_where_it_is_named() -> None:
    exports = "export const limit = 25\n\nexport const site = {\n  version: '3.1'\n}\n\n"
    text = texts(f"{exports}The limit of {{site.version}} is {{limit}} MB, not {{other}} `{{limit}}`.")[-1]
    assert text == "The limit of 3.1 is 25 MB, not {other} {limit}."


def test_records_in_a_property_are_a_table() -> None:
    body = "<PriceTable title=\"Prices\" rows={[{plan: 'Free', price: '0'}, {plan: 'Pro', price: '12 USD'}]} />\n\nAsk us."
    assert texts(body) == ["Prices", "| plan | price |\n| --- | --- |\n| Free | 0 |\n| Pro | 12 USD |", "Ask us."]


def test_a_single_record_in_a_property_is_a_list() -> None:
    assert texts("<Price rows={[{plan: 'Pro', price: '12 USD'}]} />") == ["- plan: Pro\n- price: 12 USD"]


def test_a_list_that_is_no_list_of_records_keeps_its_texts() -> None:
    assert texts("<Side items={[{label: 'Stars', items: [{label: 'Red one'}]}]} />") == ["Stars: Red one"]
