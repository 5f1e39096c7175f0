"""Limits of ZIP-based files, and XML attacks."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.package import Package, attr, child, local, parse_xml
from tests.footnote.ingest.packages import xml, zip_of

BODY = "<w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body>"


def reason_of(data: bytes, file_name: str = "a.docx") -> str:
    with pytest.raises(UnreadableFile) as caught:
        parse(data, file_name)
    assert caught.value.remedy
    return caught.value.reason


def test_entities_are_neither_expanded_nor_loaded() -> None:
    for declaration in ('<!ENTITY a "aaaa">', '<!ENTITY a SYSTEM "file:///etc/hostname">', '<!ENTITY % a SYSTEM "http://localhost/x">'):
        document = xml("w:document", BODY).replace("?>", f"?><!DOCTYPE x [{declaration}]>", 1)
        assert reason_of(zip_of({"word/document.xml": document})) == "This file looks like an attack: it defines entities."


def test_a_billion_laughs_are_refused() -> None:
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    document = f'<!DOCTYPE x [<!ENTITY l0 "ha">{levels}]><x a="&l9;">&l9;</x>'
    with pytest.raises(UnreadableFile):
        parse_xml(document.encode())


def test_entities_in_a_streamed_part_are_refused_too() -> None:
    data = zip_of({"xl/worksheets/sheet1.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x><row/></x>'})
    with pytest.raises(UnreadableFile):
        list(Package(data).rows("xl/worksheets/sheet1.xml", "row"))


@pytest.mark.parametrize("data", [b"PK\x03\x04 cut off", zip_of({"word/document.xml": "<w:doc"}), zip_of({"word/other.xml": "<x/>"})])
def test_a_damaged_file_is_refused(data: bytes) -> None:
    assert reason_of(data) == "This file is damaged: a part of it cannot be read."


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            zip_of({"word/document.xml": xml("w:document", BODY), "word/media/x.bin": bytes(20_000_000)}),
            "This file looks like an attack: a part of it is packed too tightly.",
            id="a part with an excessive compression ratio is refused",
        ),
        pytest.param(
            zip_of({f"word/{i}": "" for i in range(5_001)}),
            "This file looks like an attack: it holds too many parts.",
            id="too many parts are refused",
        ),
        pytest.param(
            zip_of({f"word/{i}": bytes(8_000_000) for i in range(27)}),
            "This file is too large when unpacked.",
            id="a file that is too large when unpacked is refused",
        ),
        pytest.param(
            zip_of({"word/document.xml": "<a>" * 5_000}),
            "This file is damaged: a part of it cannot be read.",
            id="deeply nested elements are refused",
        ),
        pytest.param(
            zip_of({"word/document.xml": xml("w:document", BODY)}, zipfile.ZIP_STORED).replace(b"Hello", b"Jello"),
            "This file is damaged: a part of it cannot be read.",
            id="a part with a wrong checksum is damaged",
        ),
    ],
)
def test_a_package_that_cannot_be_read_is_refused(given: Any, expected: Any) -> None:
    assert reason_of(given) == expected


def test_names_are_case_insensitive_and_paths_stay_within_the_package() -> None:
    package = Package(zip_of({"Word\\Document.xml": "<x/>", "../../etc/passwd": "y"}))
    assert package.read("word/document.xml") == b"<x/>"
    assert package.read("/etc/passwd") == b""
    assert package.names("word/") == ["word/document.xml"]


def test_relationships_are_resolved_within_the_package() -> None:
    relations = (
        '<Relationships><Relationship Id="a" Type="x/image" Target="../media/a%20b.png"/>'
        '<Relationship Id="b" Type="x/image" Target="/xl/c.png"/>'
        '<Relationship Id="c" Type="x/link" Target="http://x" TargetMode="External"/>'
        '<Relationship Id="d" Type="x/image" Target="../../../../etc/passwd"/></Relationships>'
    )
    found = Package(zip_of({"xl/sheets/_rels/s.xml.rels": relations})).related("xl/sheets/s.xml")
    assert {key: relation.target for key, relation in found.items()} == {"a": "xl/media/a b.png", "b": "xl/c.png", "d": "etc/passwd"}


def test_names_are_compared_without_their_namespace() -> None:
    root = parse_xml(b'<a:x xmlns:a="one" xmlns:b="two" b:id="7"><a:y><b:z/></a:y></a:x>')
    found = child(root, "y", "z")
    assert (local(root), attr(root, "id"), attr(root, "none")) == ("x", "7", None)
    assert found is not None
    assert child(root, "y", "none", "z") is None
