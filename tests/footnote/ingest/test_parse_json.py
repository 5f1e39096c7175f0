"""JSON and JSON lines become readable records."""

from __future__ import annotations

import json

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block


def blocks(value: object, file_name: str = "a.json") -> tuple[Block, ...]:
    return parse(json.dumps(value, ensure_ascii=False).encode(), file_name).blocks


def test_flat_records_become_a_table() -> None:
    assert blocks([{"boat": "Kajak", "fee": 5}, {"boat": "나룻배", "open": True}]) == (
        Block("table", "| boat | fee | open |\n| --- | --- | --- |\n| Kajak | 5 |  |\n| 나룻배 |  | true |"),
    )


@pytest.mark.parametrize(
    ("data", "file_name", "block", "reason"),
    [
        pytest.param(
            b'{"a": 1, "b": "x"}\n\n{"a": 2, "b": "y"}\n',
            "log.jsonl",
            Block("table", "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |"),
            None,
            id="lines of records like a list of them",
        ),
        pytest.param(
            b'{"a": 1, // a comment\n}',
            "settings.json",
            Block("code", '{"a": 1, // a comment\n}'),
            "This is not valid JSON; it was read as text.",
            id="invalid JSON as text",
        ),
    ],
)
def test_other_forms_of_json_are_read(data: bytes, file_name: str, block: Block, reason: str | None) -> None:
    parsed = parse(data, file_name)
    assert (parsed.blocks, parsed.format, parsed.reason) == ((block,), "json", reason)


def test_a_nested_record_becomes_lines_with_paths_under_its_name() -> None:
    record = {"title": "Lake", "size": {"depth": 80, "islands": ["Ufenau", "Lützelau"]}, "note": None}
    assert blocks([record]) == (
        Block("heading", "Lake", 1),
        Block("list", "- title: Lake\n- size › depth: 80\n- size › islands: Ufenau, Lützelau"),
    )


def test_lists_of_records_within_a_record_get_a_heading() -> None:
    value = {"lake": "Zürichsee", "boats": [{"name": "a", "fee": 1}, {"name": "b", "fee": 2}]}
    assert blocks(value) == (
        Block("list", "- lake: Zürichsee"),
        Block("heading", "boats", 1),
        Block("table", "| name | fee |\n| --- | --- |\n| a | 1 |\n| b | 2 |"),
    )


def test_a_text_too_long_for_a_name_is_no_heading() -> None:
    """A question of a few sentences is what its record says, not what it is called."""
    for length, heads in ((200, True), (201, False)):
        record = {"question": "x" * length, "answers": ["Yes."]}
        said = Block("list", f"- question: {'x' * length}\n- answers: Yes.")
        assert blocks([record]) == ((Block("heading", "x" * length, 1), said) if heads else (said,))


def test_long_texts_keep_their_records_apart() -> None:
    found = blocks([{"id": 1, "text": "word " * 60}, {"id": 2, "text": "short"}])
    assert [(block.kind, block.text[:5]) for block in found] == [
        ("heading", "1"),
        ("list", "- id:"),
        ("heading", "2"),
        ("list", "- id:"),
    ]


def test_deeply_nested_values_are_read_as_text() -> None:
    assert parse(b"[" * 200_000, "a.json").blocks[0].kind == "code"


def test_levels_beyond_a_hundred_are_written_as_json() -> None:
    heading, line = blocks(json.loads('{"a":' * 220 + "1" + "}" * 220))
    assert (heading.kind, heading.text) == ("heading", " › ".join("a" * 100))
    rest = '{"a": ' * 20 + "1" + "}" * 20
    assert line == Block("list", f"- {' › '.join('a' * 100)}: {rest}")


def test_an_object_of_records_becomes_a_table_with_their_names() -> None:
    pumps = {"north": {"litres": [20, 35], "hall": "B"}, "south": {"litres": [], "hall": "C", "built": {"in": 1998}}}
    assert blocks(pumps) == (
        Block("table", "|  | litres | hall | built › in |\n| --- | --- | --- | --- |\n| north | 20, 35 | B |  |\n| south |  | C | 1998 |"),
    )
    assert blocks({"pumps": {"north": {"hall": "B"}, "south": {"litres": 3}}}) == (
        Block("heading", "pumps › north", 2),
        Block("list", "- hall: B"),
        Block("heading", "pumps › south", 2),
        Block("list", "- litres: 3"),
    )


def test_a_record_keeps_its_short_parts_and_long_ones_name_it() -> None:
    rooms = [{"door": 4, "seats": 30}, {"door": 6, "seats": 12}]
    value = [{"name": "Annex", "rooms": rooms, "keeper": {"name": "Orr"}}, {"name": "Mill", "rooms": rooms[:1]}]
    assert blocks(value) == (
        Block("heading", "Annex", 1),
        Block("list", "- name: Annex\n- rooms: door: 4, seats: 30\n- rooms: door: 6, seats: 12\n- keeper › name: Orr"),
        Block("heading", "Mill", 1),
        Block("list", "- name: Mill\n- rooms: door: 4, seats: 30"),
    )
    long = "Its roof was mended twice. " * 9
    assert blocks([{"name": "Annex", "rooms": rooms, "log": [{"note": long}, {"note": long}]}, {"name": "Mill"}])[:4] == (
        Block("heading", "Annex", 1),
        Block("list", "- name: Annex\n- rooms: door: 4, seats: 30\n- rooms: door: 6, seats: 12"),
        Block("heading", "Annex › log › 1", 2),
        Block("list", f"- note: {long.strip()}"),
    )


def test_records_without_a_name_are_numbered() -> None:
    assert [block.text for block in blocks([{"a": {"b": "x" * 201}}, {"a": {"b": "y"}}]) if block.kind == "heading"] == ["1 › a", "2 › a"]


def test_a_long_list_has_a_line_for_each_item() -> None:
    words = [f"word number {number}" for number in range(20)]
    assert blocks({"id": 7, "words": words})[1].text.split("\n") == ["- id: 7", *(f"- words: {word}" for word in words)]


def test_a_long_object_beside_values_gets_a_heading() -> None:
    found = blocks({"name": "kit", "parts": {f"p{number}": number for number in range(13)}, "size": {"h": 1}})
    assert [(block.kind, block.text[:20]) for block in found] == [
        ("heading", "kit"),
        ("list", "- name: kit\n- size ›"),
        ("heading", "kit › parts"),
        ("list", "- p0: 0\n- p1: 1\n- p2"),
    ]


def test_a_notebook_gives_its_texts_its_code_and_what_the_code_printed() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["80 m\n", "\x1b[32mdeep\x1b[0m\n"]},
        {"output_type": "stream", "name": "stderr", "text": "warning"},
        {"output_type": "execute_result", "data": {"text/plain": "81", "text/html": "<b>81</b>"}},
        {"output_type": "display_data", "data": {"text/plain": "<Figure>", "image/png": "iVBOR"}},
        {"output_type": "error", "ename": "E", "traceback": ["at line 1"]},
        "broken",
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Lake\n", "Deep."]},
        {"cell_type": "code", "source": "depth = 80", "outputs": outputs},
        {"cell_type": "code", "source": "", "outputs": [{"name": "stdout", "text": "x" * 9000}]},
        {"cell_type": "code", "source": None, "outputs": None},
        "broken",
    ]
    assert blocks({"nbformat": 4, "cells": cells}, "lake.ipynb") == (
        Block("heading", "Lake", 1),
        Block("paragraph", "Deep."),
        Block("code", "depth = 80"),
        Block("code", "80 m\ndeep\n81"),
        Block("code", "x" * 4000),
    )


def test_a_record_of_nothing_but_empty_lists_keeps_their_names() -> None:
    table = Block("table", "| apiKey | oauth |\n| --- | --- |\n| [] |  |\n|  | read, write |")
    assert blocks([{"apiKey": []}, {"oauth": ["read", "write"]}]) == (table,)
