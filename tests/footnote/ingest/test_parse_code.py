"""Source code is cut at its definitions, so that a citation shows its location."""

from __future__ import annotations

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block


def headings(code: str, file_name: str) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in parse(code.encode(), file_name).blocks if block.kind == "heading"]


def test_a_definition_is_under_its_name_with_its_comment() -> None:
    code = (
        "import os\n\n\n# Rows.\n@fast\ndef row(a):\n    return a\n\n\nclass Boat:\n    x = 1\n\n    async def sail(self):\n        pass\n"
    )
    parsed = parse(code.encode(), "src/ferry.py")
    assert parsed.blocks == (
        Block("code", "import os"),
        Block("heading", "row", 1),
        Block("code", "# Rows.\n@fast\ndef row(a):\n    return a"),
        Block("heading", "Boat", 1),
        Block("code", "class Boat:\n    x = 1"),
        Block("heading", "sail", 2),
        Block("code", "    async def sail(self):\n        pass"),
    )
    assert (parsed.title, parsed.format) == ("ferry.py", "code")


@pytest.mark.parametrize(
    ("file_name", "code", "expected"),
    [
        ("a.go", "type Boat struct {\n}\n\nfunc (b *Boat) Sail() error {\n\tif x {\n\t}\n}\n", [(1, "Boat"), (1, "Sail")]),
        (
            "a.rs",
            "pub struct Boat<T> {\n}\nimpl<T> Sail for Boat<T> {\n    fn sail(&self) {}\n}\n",
            [(1, "Boat<T>"), (1, "Sail for Boat<T>"), (2, "sail")],
        ),
        (
            "A.java",
            "public class Boat {\n    public void sail(int n) throws X {\n        for (;;) {}\n    }\n}\n",
            [(1, "Boat"), (2, "sail")],
        ),
        ("a.ts", "export interface Boat {}\nexport const sail = async (n: number): Promise<void> => {}\n", [(1, "Boat"), (1, "sail")]),
        ("a.c", "static int row(int a,\n        int b)\n{\n    return a;\n}\n", [(1, "row")]),
        ("a.sql", "-- Boats.\nCREATE TABLE IF NOT EXISTS boats (id int);\nselect 1;\n", [(1, "boats")]),
        ("a.yaml", "boats:\n  - {% kayak %}\nfees: 5\n", [(1, "boats"), (1, "fees")]),
        ("a.toml", "[lake]\ndepth = 80\n\n[[lake.boats]]\nname = 'x'\n", [(1, "lake"), (1, "lake.boats")]),
        ("a.sh", "#!/bin/sh\nrow() {\n  ls\n}\n", [(1, "row")]),
        ("a.rb", "module Lake\n  class Boat\n  end\nend\n", [(1, "Lake"), (2, "Boat")]),
    ],
)
def test_definitions_are_found_in_many_languages(file_name: str, code: str, expected: list[tuple[int, str]]) -> None:
    assert headings(code, file_name) == expected


def test_no_line_of_code_is_lost() -> None:
    code = "a = 1\n\ndef b():\n    return 'é'\n\nc = 배\n\n\ndef d(): pass\n"
    found = "\n".join(block.text for block in parse(code.encode(), "a.py").blocks if block.kind == "code")
    assert [line for line in found.split("\n") if line] == [line for line in code.split("\n") if line]


def test_a_page_within_code_is_still_code() -> None:
    assert parse(b'PAGE = "<html><body>x</body></html>"\n', "page.py").format == "code"


def test_generated_code_is_one_block() -> None:
    assert [block.kind for block in parse(("function a(){} " * 500).encode(), "min.js").blocks] == ["code"]


def test_unclosed_calls_take_linear_time() -> None:
    assert len(parse(("int row(\n" * 2_000).encode(), "a.c").blocks) >= 1
