"""Code in Markdown: found wherever a stream is cut, left alone, and never where something is appended."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from footnote.text.code_spans import CodeScanner, Piece, fenced_code, followed_by, prose_spans, sub_prose

CODE = [
    ("a `b[1]` c [1]", ["`b[1]`"]),
    ("``a ` b`` and ` c `", ["``a ` b``", "` c `"]),
    ("a`b``c`d``e", ["`b``c`"]),
    ("`it goes\non` here", ["`it goes\non`"]),
    ("`a paragraph\n\nends` it `so`", ["` it `"]),
    ("`an item\n- ends` it", []),
    ("`a quotation\n> ends` it", []),
    ("`a heading\n## ends` it", []),
    ("# `it ends\nwith` its line", []),
    ("| `a row |\n| ends` too |", []),
    ("`a fence\n```\nends` it", ["```\nends` it"]),
    ("Escaped \\`x[1]\\` and \\\\`y`", ["`y`"]),
    ("In code a `\\` escapes nothing", ["`\\`"]),
    ("Never closed: `x[1], ``y", []),
    ("x\n```sh\ngrep [1]\n```\nSee [1]", ["```sh\ngrep [1]\n```"]),
    ("```\na\n```\n~~~\nb\n~~~", ["```\na\n```", "~~~\nb\n~~~"]),
    ("````md\n```\nx\n```\n````\ny", ["````md\n```\nx\n```\n````"]),
    ("~~~ py `x`\n```\n~~\n~~~~ \nx", ["~~~ py `x`\n```\n~~\n~~~~ "]),
    ("```a[1]``` is inline", ["```a[1]```"]),
    ("Not ```at the beginning\nof a line", []),
    ("```\nfour spaces\n    ```\nclose nothing", ["```\nfour spaces\n    ```\nclose nothing"]),
    ("```\nunclosed [1]\n\n[2]", ["```\nunclosed [1]\n\n[2]"]),
    ("1. a\n   ```\n   x[1]\n   ```\n   y [1]", ["```\n   x[1]\n   ```"]),
    ("- ~~~\n  x[1]\n  ~~~\n- b [1]", ["~~~\n  x[1]\n  ~~~"]),
    ("1. a\n     ```\nsloppy[1]\n```\nb [1]", ["```\nsloppy[1]\n```"]),
    ("> ```\n> x[1]\n\nb [1]", ["```\n> x[1]\n"]),
    ("> ```\n> x[1]\n> ```\n> b [1]", ["```\n> x[1]\n> ```"]),
    ("```\n> ```\nx", ["```\n> ```\nx"]),
    ("~~gone~~ and 10~20", []),
    ("Zeile `eins`,\r\n\r\n한국어 `둘`", ["`eins`", "`둘`"]),
    ("", []),
]


def scanned(pieces: Iterable[str]) -> list[tuple[str, bool]]:
    """What the scanner tells apart, with neighbours of a kind joined."""
    scanner, joined = CodeScanner(), list[tuple[str, bool]]()
    found = [piece for text in pieces for piece in scanner.feed(text)] + scanner.flush()
    for text, is_code in found:
        before = joined.pop()[0] if joined and joined[-1][1] == is_code else ""
        joined.append((before + text, is_code))
    return joined


@pytest.mark.parametrize(("text", "code"), CODE)
def test_code_is_told_from_prose_wherever_the_stream_is_cut(text: str, code: list[str]) -> None:
    whole = scanned([text])
    assert [piece for piece, is_code in whole if is_code] == code
    assert "".join(piece for piece, _ in whole) == text
    assert scanned(text) == whole
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            assert scanned((text[:first], text[first:second], text[second:])) == [each for each in whole if each[0]]


def test_prose_and_blocks_are_given_out_as_they_come() -> None:
    scanner = CodeScanner()
    assert scanner.feed("It is") == [Piece("It is", False)]
    assert scanner.feed(" so:\n```") == [Piece(" so:\n", False)]
    assert scanner.feed("sh\ngrep") == [Piece("```", True), Piece("sh\n", True), Piece("grep", True)]
    assert scanner.feed(" a `") == [Piece(" a `", True)]
    assert scanner.feed("\n```\nb `c") == [Piece("\n", True), Piece("```", True), Piece("\nb ", False)]
    assert scanner.feed(" d") == []
    assert scanner.feed("`.") == [Piece("`c d`", True), Piece(".", False)]


def test_a_pattern_is_replaced_outside_code_only() -> None:
    assert sub_prose(re.compile(r"\[\d\]"), "", "a [1] `b [2]` [3]c") == "a  `b [2]` c"
    assert list(prose_spans("a `b` c")) == [(0, 2), (5, 7)]
    assert list(prose_spans("`b`")) == []


@pytest.mark.sample(3)
@pytest.mark.timeout(30)  # quadratic time takes minutes, linear time a second
@pytest.mark.parametrize("part", ["`", "\\", "\n`a", "- ```\n", "~~~\n", "`a``b```", "a\n", "| `", "> ```\n"])
def test_text_without_end_takes_linear_time(part: str) -> None:
    assert sum(end - start for start, end in prose_spans(part * 100_000)) >= 0


@pytest.mark.parametrize(
    ("code", "fenced"),
    [
        ("a", "```\na\n```"),
        ("a `b` ``c``", "```\na `b` ``c``\n```"),
        ("```sh\na\n```", "````\n```sh\na\n```\n````"),
        ("`````", "``````\n`````\n``````"),
    ],
)
def test_code_gets_a_fence_longer_than_those_in_it(code: str, fenced: str) -> None:
    assert fenced_code(code) == fenced


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("It is so.", "It is so. [1]"),
        ("Run `foo`.", "Run `foo`. [1]"),
        ("Run `foo. It", "Run \\`foo. It [1]"),
        ("Run \\`foo` and ``bar", "Run \\`foo\\` and \\`\\`bar [1]"),
        ("```\nx\n```", "```\nx\n```\n[1]"),
        ("a\n\n~~~\nx", "a\n\n~~~\nx\n~~~\n[1]"),
        ("- ``` x", "- \\`\\`\\` x [1]"),
        ("~~~ x", "\\~~~ x [1]"),
        ("> ```\n> x", "> ```\n> x\n\n[1]"),
    ],
)
def test_appended_text_is_outside_code(text: str, whole: str) -> None:
    assert followed_by(text, "[1]") == whole
    assert any("[1]" in whole[start:end] for start, end in prose_spans(whole))
