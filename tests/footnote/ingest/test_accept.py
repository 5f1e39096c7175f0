"""Validation of new files and their names."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.collections import check_collection
from footnote.errors import BadRequest, Forbidden, TooLarge
from footnote.ingest.accept import check_file_name, check_groups, check_metadata, check_size
from footnote.types import Caller

ANN = Caller("ann", frozenset({"eng"}))
LOCAL = Caller("local", sees_all=True)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("sub/report.pdf", "sub/report.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("a\\b\\..\\c.txt", "a/b/c.txt"),
        ("C:\\Users\\x.txt", "Users/x.txt"),
        ("//server/share.txt", "server/share.txt"),
        (" a / b.txt ", "a/b.txt"),
        ("tab\there\r\n.txt", "tabhere.txt"),
        ("\ud800half.txt", "half.txt"),
        (".env", ".env"),
        ("e\u0301.txt", "é.txt"),
        ("d/" * 200 + "end.txt", "d/" * 146 + "end.txt"),
    ],
)
def test_a_file_name_is_normalised(name: str, kept: str) -> None:
    assert check_file_name(name) == kept


def test_a_long_name_is_cut_at_its_beginning_without_a_leading_slash() -> None:
    assert check_file_name("a" * 10 + "/" + "b" * 299) == "b" * 299
    assert check_file_name("a" * 400 + ".pdf") == "a" * 296 + ".pdf"


@pytest.mark.parametrize(
    ("check", "given", "told"),
    [
        *((check_file_name, name, "no usable name") for name in ("", " ", "..", ". / ..", "\\", "C:", "\0\u202e")),
        *((check_collection, name, "An index name has") for name in ("", ".a", "-a", "a b", "a/b", "a\n", "x" * 65)),
        *((check_groups, group, "A permission group has") for group in ("a b", "**", "-a", "a,b", "x" * 129)),
        *((check_metadata, url, "must start with http:// or https://") for url in (
            "javascript:alert(1)//https://x", " https://x", "data:text/html,https://x", "//x", "x https://x", "file:///a?http://x",
            "\nhttps://x",
        )),
    ],
)  # fmt: skip
def test_an_invalid_name_group_or_address_is_refused(check: Any, given: str, told: str) -> None:
    arguments = {check_groups: (["hr", given], ANN), check_metadata: ({"url": given},)}.get(check, (given,))
    with pytest.raises(BadRequest, match=told):
        check(*arguments)


@pytest.mark.parametrize("name", ["a", "색인", "team-1.docs_2", "x" * 64])
def test_valid_collection_names(name: str) -> None:
    assert check_collection(name) == name


def test_groups_are_trimmed_and_default_to_the_writer_or_everyone() -> None:
    assert check_groups([" eng ", "", "user:ann", "*"], ANN) == {"eng", "user:ann", "*"}
    assert check_groups([" "], ANN) == {"user:ann"}
    assert check_groups([], LOCAL) == {"*"}


def test_default_groups_are_those_of_the_collection_if_the_caller_may_write_to_them() -> None:
    assert check_groups([], ANN, ("eng", "*")) == {"eng", "*"}
    assert check_groups([], LOCAL, ("hr",)) == {"hr"}
    for default in (("hr",), ("eng", "hr"), ("user:ben",)):
        with pytest.raises(Forbidden, match="only members of this collection's default groups"):
            check_groups([], ANN, default)
    assert check_groups(["eng"], ANN, ("hr",)) == {"eng"}


@pytest.mark.parametrize("url", ["https://example.org/a", "http://example.org"])
def test_an_address_of_the_web_is_kept(url: str) -> None:
    assert check_metadata({"url": url}) == {"url": url}


def test_a_file_above_the_size_limit_is_refused_with_the_limit() -> None:
    check_size(2 * 2**20, 2)
    with pytest.raises(TooLarge, match=r"2\.5 MB; 2 MB are allowed"):
        check_size(5 * 2**19, 2)
