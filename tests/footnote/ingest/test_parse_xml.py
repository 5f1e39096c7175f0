"""XML: files of values are read as JSON with the same content, others as code."""

from __future__ import annotations

import json

import pytest

from footnote.ingest.parse import parse
from footnote.types import Block

BOATS = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- Stand: März -->
<fleet xmlns="urn:x" xmlns:y="urn:y">
  <boat id="3"><name>Ibis</name><y:crew><y:m>Ann</y:m><y:m>Bo</y:m></y:crew></boat>
  <boat id="4"><name>Möwe</name><berth quay="C">12</berth></boat>
</fleet>"""


def test_repeated_elements_become_a_table_with_attributes_and_paths() -> None:
    parsed = parse(BOATS.encode("latin-1"), "fleet.xml")
    rows = "| 3 | Ibis | Ann, Bo |  |  |\n| 4 | Möwe |  | C | 12 |"
    header = "| id | name | crew | berth › quay | berth › berth |\n| --- | --- | --- | --- | --- |"
    assert parsed.blocks == (Block("paragraph", "Stand: März"), Block("table", f"{header}\n{rows}"))
    assert (parsed.format, parsed.title) == ("xml", "fleet.xml")


def test_records_are_read_as_from_json() -> None:
    text = (
        "<r><season>2</season><trip><title>Reef</title><stop at='9'><n>A</n></stop><stop at='11'><n>B</n></stop><note>%s</note></trip>"
        % ("x" * 300)
    )
    text += "<trip><title>Bay</title></trip></r>"
    trips = [{"title": "Reef", "stop": [{"at": "9", "n": "A"}, {"at": "11", "n": "B"}], "note": "x" * 300}, {"title": "Bay"}]
    value = {"season": "2", "trip": trips}
    assert parse(text.encode(), "a.xml").blocks == parse(json.dumps(value).encode(), "a.json").blocks


def test_comments_between_records_are_kept() -> None:
    text = b"<r><!-- laid up --><b><n>1</n></b><b><n>2</n></b></r>"
    assert parse(text, "a.xml").blocks[0] == Block("list", "- comment: laid up")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<settings><db host='x'/><log>info</log></settings>", id="settings"),
        pytest.param("<doc><p>One <b>bold</b> word.</p><p>Two <b>more</b>.</p></doc>", id="text with elements in it"),
        pytest.param("<r><i><n>1</n></i><i><n>2</n></r>", id="not well-formed"),
        pytest.param("<a>" * 1_000, id="nested very deeply"),
        pytest.param(
            '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r><i><n>&x;</n></i><i><n>2</n></i></r>', id="entity of a file"
        ),
        pytest.param('<!DOCTYPE r [<!ENTITY x "haha">]><r><i><n>&x;</n></i><i><n>2</n></i></r>', id="entity"),
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Row><Data>Kayak</Data></Row><Row><Data>5</Data></Row></Workbook>',
    ],
)
def test_any_other_xml_is_read_as_code(text: str) -> None:
    parsed = parse(text.encode(), "a.xml")
    assert (parsed.blocks, parsed.format) == ((Block("code", text),), "xml")


INVOICE = """<Invoice xmlns:b="urn:b"><b:ID>471102</b:ID><b:DueDate>2018-04-04</b:DueDate>
<b:Issued><b:DateTimeString format="102">20180305</b:DateTimeString></b:Issued>
<SupplierParty><Party><PartyName><b:Name>Kontor</b:Name></PartyName></Party></SupplierParty>
<b:PayableAmount currencyID="EUR">85.90</b:PayableAmount><b:Quantity unitCode="KGM">4</b:Quantity>%s</Invoice>"""


def test_a_document_of_values_is_told_as_labelled_fields() -> None:
    assert parse((INVOICE % "").encode(), "a.xml").blocks == (
        Block("heading", "Invoice", 1),
        Block(
            "list",
            "- ID: 471102\n- DueDate: 2018-04-04\n- Issued › DateTimeString: 2018-03-05\n- SupplierParty › PartyName: Kontor\n"
            "- PayableAmount: 85.90 EUR\n- Quantity: 4 KGM",
        ),
    )


def test_a_file_in_a_document_is_read_and_what_is_not_read_is_said() -> None:
    held = (
        '<Object mimeCode="text/plain" filename="note.txt">VGlkZSBhdCAzLg==</Object>'
        '<Object mimeCode="image/png" filename="map.png">iVBORw0KGgo=</Object><Object mimeCode="image/png" filename="void.png"/>'
    )
    parsed = parse((INVOICE % held).encode(), "a.xml")
    assert parsed.blocks[1].text.endswith("\n- Object: note.txt, map.png, void.png")
    assert [block.text for block in parsed.blocks[2:]] == ["Attachments: note.txt, map.png", "note.txt", "Tide at 3."]
    assert str(parsed.reason).startswith("The attachment map.png was not read.")
