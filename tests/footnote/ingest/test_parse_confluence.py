"""Pages of Confluence in storage format."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.ingest.parse import parse
from footnote.ingest.parse.confluence import INCOMPLETE, make_file
from footnote.types import Block, Parsed

PAGES = Path(__file__).parents[2] / "confluence_pages"


def page(body: str, title: str = "A page") -> Parsed:
    return parse(make_file("1081345", title, body), "A page.xml")


def blocks(body: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in page(body).blocks]


def read(name: str) -> tuple[Block, ...]:
    return page((PAGES / f"{name}.xml").read_text()).blocks


def test_a_runbook_has_headings_steps_code_and_tasks() -> None:
    code = 'gatewayctl drain --node "$1" && \\\n  test "$(gatewayctl queue --count)" -lt 5 # &nbsp; stays <as it is>'
    assert read("runbook") == (
        Block("paragraph", "Who is on call?"),
        Block("paragraph", "The rota is kept in On-call rota. Ask for changes."),
        Block("heading", "Restart the payment gateway", 1),
        Block("paragraph", "A restart takes about two minutes – payments are queued meanwhile…"),
        Block("list", "1. Drain the node:\n  drain.sh"),
        Block("code", code),
        Block("list", "2. Restart it and wait for READY.\n  - If it stays STARTING, read the log."),
        Block("paragraph", "Why so slow?"),
        Block("paragraph", "The gateway loads 40,000 certificates."),
        Block("heading", "Afterwards", 2),
        Block("list", "- ☑ Tell the merchants by 2026-03-02\n- ☐ Close PAY-1312"),
        Block("image", "Gateway dashboard with a queue of zero"),
        Block("caption", "Dashboard after a restart"),
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(
            "compatibility",
            (
                Block("paragraph", "Supported databases as of release 7.4."),
                Block(
                    "table",
                    "| Database | Versions | Status |\n| --- | --- | --- |\n"
                    "| PostgreSQL | • 15 • 16 (recommended) | Supported ✔ |\n"
                    "| Oracle | ✘ not before 8.0, see the roadmap |  |\n"
                    "| MySQL | 8.4 | innodb_page_size=16k |\n"
                    "| MySQL | 9.x | Tasks: ☐ test |",
                ),
                Block("table", "|  |  |\n| --- | --- |\n| Owner | jdoe |\n| Review | 2026-09-30 |"),
            ),
            id="a table keeps its rows whatever is in its cells",
        ),
        pytest.param(
            "layout_de",
            (
                Block("heading", "Reisekosten", 2),
                Block("paragraph", "Bahnfahrten in der zweiten Klasse werden erstattet. Für Flüge gilt eine Grenze von 450 €."),
                Block("paragraph", "Belege verfallen nach sechs Monaten."),
                Block("paragraph", "Ansprechpartnerin"),
                Block("paragraph", "Frau Özdemir, Zimmer 4.12"),
                Block("paragraph", "Wer spart, reist länger."),
                Block("paragraph", "Formular: Antrag 2026.docx"),
            ),
            id="a layout is read cell by cell",
        ),
        pytest.param(
            "minutes_ko",
            (
                Block("heading", "주간 회의록", 1),
                Block("paragraph", "참석자: , 김민수"),
                Block("list", "- 배포 일정은 3월 14일로 확정한다.\n- 🚀 성능 시험은 다음 주에 시작한다.\n- 회식"),
                Block("code", "오류 코드: E-4012\n  재시도: 3회"),
            ),
            id="comments emoticons and placeholders leave the text as it is",
        ),
        pytest.param(
            "plugins",
            (
                Block("paragraph", "Linux"),
                Block("paragraph", "Unpack the archive under /opt."),
                Block("paragraph", "Windows"),
                Block("paragraph", "Run the installer."),
                Block("paragraph", "Latency is below 20 ms at the median."),
                Block("code", "@startuml\nClient -> Gateway : pay\n@enduml"),
                Block("paragraph", "Embedded markup"),
                Block("paragraph", "Links: outside, inside the page, https://example.org/plain."),
            ),
            id="of unknown macros the body is kept and parameters are not",
        ),
        pytest.param(
            "old_editor",
            (
                Block("paragraph", "Left column."),
                Block("paragraph", "Right column."),
                Block("code", "SELECT *\nFROM users"),
                Block("paragraph", "SLA: Service level agreement"),
                Block("paragraph", "H2O\nsecond line"),
            ),
            id="macros of the old editor are read too",
        ),
    ],
)
def test_a_page_becomes_blocks(name: str, expected: tuple[Block, ...]) -> None:
    assert read(name) == expected


def test_the_title_is_that_of_the_page() -> None:
    parsed = page("<h1>Overview</h1><p>Text.</p>", "Terms & <conditions>")
    assert (parsed.title, parsed.format) == ("Terms & <conditions>", "confluence")
    assert parsed.blocks[0] == Block("heading", "Overview", 1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one<b>two</p><p>three</p>", [("paragraph", "onetwo"), ("paragraph", "three")]),
        ("<p>&unknown; & &Auml;</p>", [("paragraph", "&unknown; & Ä")]),
        ("<p>a&#0;b &#xD800;&#252;</p>", [("paragraph", "a\ufffdb \ufffdü")]),
        ("<x:own><p>Kept.</p></x:own><!-- not this --><?nor this?>", [("paragraph", "Kept.")]),
        ("<ac:structured-macro><p>No name.</p></ac:structured-macro><p>Next.</p>", [("paragraph", "Next.")]),
        ("<ac:task-list><ac:task/><ac:other/></ac:task-list><p>Next.</p>", [("list", "- ☐"), ("paragraph", "Next.")]),
        ('<ac:image/><ac:link/><p><ac:emoticon/><img alt="A map of the port"/></p>', [("image", "A map of the port")]),
    ],
)
def test_malformed_pages_are_read_as_far_as_possible(body: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(body) == expected


@pytest.mark.parametrize(
    "body",
    ["<div>" * 300 + "deep" + "</div>" * 300 + "<p>After.</p>", f"<p>{'a' * 10_000_001}</p><p>After.</p>", "<p>x < y</p>", "<p>cut of"],
    ids=["deep", "long", "comparison", "cut off"],
)
def test_a_page_that_cannot_be_read_to_its_end_says_so(body: str) -> None:
    parsed = page(f"<p>Before.</p>{body}")
    assert (parsed.blocks[0].text, parsed.reason) == ("Before.", INCOMPLETE)
    assert parsed.remedy is not None


def test_a_page_of_plugins_is_read_to_its_end() -> None:
    parsed = page("<x:own y:a='1'><p>Kept.</p></x:own><p>&unknown; & &Auml;</p>")
    assert (parsed.reason, parsed.remedy) == (None, None)
