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


def test_a_nested_record_becomes_lines_under_its_name() -> None:
    record = {"title": "Lake", "size": {"depth": 80, "islands": ["Ufenau", "Lützelau"]}, "note": None}
    assert blocks([record]) == (
        Block("heading", "Lake", 1),
        Block("paragraph", "title: Lake\nsize:\n  depth: 80\n  islands:\n    - Ufenau\n    - Lützelau"),
    )


def test_lists_of_records_within_a_record_get_a_heading() -> None:
    value = {"lake": "Zürichsee", "boats": [{"name": "a", "fee": 1}, {"name": "b", "fee": 2}]}
    assert blocks(value) == (
        Block("paragraph", "lake: Zürichsee"),
        Block("heading", "boats", 1),
        Block("table", "| name | fee |\n| --- | --- |\n| a | 1 |\n| b | 2 |"),
    )


def test_a_text_too_long_for_a_name_is_no_heading() -> None:
    """A question of a few sentences is what its record says, not what it is called."""
    for length, heads in ((200, True), (201, False)):
        record = {"question": "x" * length, "answers": ["Yes."]}
        said = Block("paragraph", f"question: {'x' * length}\nanswers:\n  - Yes.")
        assert blocks([record]) == ((Block("heading", "x" * length, 1), said) if heads else (said,))


def test_long_texts_keep_their_records_apart() -> None:
    found = blocks([{"id": 1, "text": "word " * 60}, {"id": 2, "text": "short"}])
    assert [(block.kind, block.text[:5]) for block in found] == [
        ("heading", "1"),
        ("paragraph", "id: 1"),
        ("heading", "2"),
        ("paragraph", "id: 2"),
    ]


def test_deeply_nested_values_are_read_as_text() -> None:
    assert parse(b"[" * 200_000, "a.json").blocks[0].kind == "code"


def test_levels_beyond_a_hundred_are_written_as_json() -> None:
    lines = blocks(json.loads('{"a":' * 120 + "1" + "}" * 120))[0].text.split("\n")
    assert (lines[100], lines[101]) == ("  " * 100 + "a:", "  " * 101 + '{"a": ' * 19 + "1" + "}" * 19)


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
