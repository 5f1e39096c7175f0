"""YAML: records become tables, settings stay as they are written."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block, Parsed


def read(text: str, file_name: str = "a.yaml") -> Parsed:
    return parse(text.encode(), file_name)


def test_records_become_a_table_with_their_values_as_written() -> None:
    text = "# Berths of the harbour\n- berth: 07\n  free: yes\n  since: 2024-05-01\n- berth: 12\n  boats: [Ibis, Tern]\n"
    parsed = read(text)
    assert parsed.blocks == (
        Block("code", "# Berths of the harbour"),
        Block(
            "table", "| berth | free | since | boats |\n| --- | --- | --- | --- |\n| 07 | yes | 2024-05-01 |  |\n| 12 |  |  | Ibis, Tern |"
        ),
    )
    assert (parsed.format, parsed.title) == ("yaml", "a.yaml")


def test_named_records_become_a_table_with_their_names() -> None:
    assert read("ports:\n  north: {depth: 4, keeper: Orr}\n  south:\n    depth: 6\n    tide: {high: 9}\n", "a.yml").blocks == (
        Block("heading", "ports", 1),
        Block("table", "|  | depth | keeper | tide › high |\n| --- | --- | --- | --- |\n| north | 4 | Orr |  |\n| south | 6 |  | 9 |"),
    )


SETTINGS = """\
# Crane controller
mode: auto  # or manual

# Limits of the arm
arm:
  # above this the crane stops
  load_kg: 900
  reach:
    m: 12

lamp:
  colours:
    - red
    - green
night: true
"""


def test_settings_keep_their_lines_and_comments_below_their_keys() -> None:
    assert read(SETTINGS).blocks == (
        Block("code", "# Crane controller\nmode: auto  # or manual\n\nnight: true"),
        Block("heading", "arm", 1),
        Block("code", "# Limits of the arm\narm:\n  # above this the crane stops\n  load_kg: 900\n  reach:\n    m: 12"),
        Block("heading", "lamp", 1),
        Block("code", "lamp:\n  colours:\n    - red\n    - green"),
    )


def test_a_long_part_is_divided_at_its_keys_below_their_paths() -> None:
    script = "\n".join(f"          step {number}" for number in range(80))
    found = read(
        f"jobs:\n  lift:  # the first job\n    runs: crane\n    steps:\n      - name: raise\n        run: |\n{script}\n      - run: stop\n"
    ).blocks
    assert [(block.kind, block.level, block.text[:34]) for block in found] == [
        ("heading", 2, "jobs › lift"),
        ("code", 0, "lift:  # the first job\n  runs: crane"[:34]),
        ("heading", 3, "jobs › lift › steps › raise"),
        ("code", 0, "- name: raise\n  run: |\n    step 0\n"[:34]),
        ("heading", 3, "jobs › lift › steps › 2"),
        ("code", 0, "- run: stop"),
    ]


def test_each_document_of_a_file_has_its_name() -> None:
    text = "kind: Crane\nmetadata:\n  name: east\nload: 3\n---\n# spare\nkind: Crane\nid: west\n---\n- a\n- b\n"
    assert read(text).blocks == (
        Block("heading", "east", 1),
        Block("code", "kind: Crane\nmetadata:\n  name: east\nload: 3"),
        Block("heading", "west", 1),
        Block("code", "# spare\nkind: Crane\nid: west"),
        Block("heading", "3", 1),
        Block("code", "- a\n- b"),
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- {a: &x 1, b: 2}\n- {a: *x, b: 3}\n", id="aliases"),
        pytest.param("- {a: !secret key, b: 2}\n- {a: 2, b: 3}\n", id="tags"),
        pytest.param("- a: |\n    one\n    two\n  b: 2\n- a: 2\n  b: 3\n", id="texts over several lines"),
        pytest.param("- a: 1  # old\n  b: 2\n- a: 2\n  b: 3\n", id="comments"),
    ],
)
def test_records_whose_yaml_has_to_be_seen_are_no_table(text: str) -> None:
    blocks = read(text).blocks
    assert {block.kind for block in blocks} == {"code"} or [block.text for block in blocks if block.kind == "heading"] == ["1", "2"]
    assert "\n".join(block.text for block in blocks if block.kind == "code") == text.rstrip()


def test_aliases_are_not_expanded() -> None:
    lines = ["a: &a [ha, ha]", *(f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True))]
    assert sum(len(block.text) for block in read("\n".join(lines)).blocks) < 500


@pytest.mark.parametrize("text", ["{% if tide %}\nport: 4\n", "[" * 100_000, "- " * 100_000 + "x", "a: [1\nb: 2"])
def test_what_is_no_yaml_or_nested_too_deeply_is_read_as_code(text: str) -> None:
    assert "".join(block.text for block in read(text).blocks if block.kind == "code").replace("\n", "") == text.replace("\n", "").rstrip()


@pytest.mark.parametrize("value", ["", " {}", " []"])
def test_keys_without_a_value_stay_where_a_table_would_lose_them(value: str) -> None:
    written = "\n".join(block.text for block in read(f"jobs:\n- moor:{value}\n- run: make\n").blocks)
    assert ("moor" in written, "make" in written) == (True, True)
    blocks = read(f"berths:\n- name: west\n  open:{value}\n- name: east\n  depth: 4\n").blocks
    assert [block.text for block in blocks if block.kind == "code"] == [f"- name: west\n  open:{value}", "- name: east\n  depth: 4"]


def test_a_key_without_a_value_in_one_record_is_an_empty_cell() -> None:
    assert read("- {name: TZ, value: UTC}\n- {name: LEVEL, value: ''}\n").blocks[0].text.endswith("| TZ | UTC |\n| LEVEL |  |")
