"""Hangul files, binary and zipped: headings, lists, tables, boxes, notes, page headers."""

from __future__ import annotations

import struct

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed
from tests.footnote.ingest.ole_files import control, hangul, hangul_cell, hangul_paragraph, record
from tests.footnote.ingest.packages import zip_of

FEES = "| 구분 | 요금 |\n| --- | --- |\n| 성인 | 2,000원 |\n| 어린이 | 2,000원 |"


def shape(kind: int, depth: int) -> bytes:
    return record(25, 1, struct.pack("<I", kind << 23 | depth << 25) + bytes(30))


INFO = shape(0, 0) + shape(1, 1) + shape(2, 0) + shape(2, 1) + shape(3, 0)
PLAIN, OUTLINE, NUMBER, INNER_NUMBER, BULLET = range(5)


def read(body: bytes, **options: int) -> Parsed:
    return parse(hangul(body, info=INFO, **options), "규정.hwp")


def paragraphs(*texts: tuple[str, int]) -> bytes:
    return b"".join(hangul_paragraph(text, shape=number) for text, number in texts)


@pytest.mark.parametrize("flags", [0, 1])
def test_paragraphs_headings_and_lists_follow_their_shapes(flags: int) -> None:
    body = paragraphs(
        ("요금", OUTLINE), ("요금은 다음과 같다.", PLAIN), ("하나", NUMBER), ("안", INNER_NUMBER), ("둘", NUMBER), ("점", BULLET)
    )
    parsed = read(body, flags=flags)
    lines = "1. 하나\n  1. 안\n2. 둘\n- 점"
    assert parsed.blocks == (Block("heading", "요금", 2), Block("paragraph", "요금은 다음과 같다."), Block("list", lines))
    assert (parsed.title, parsed.format) == ("요금", "hwp")


def test_a_table_follows_the_paragraph_that_holds_it_and_keeps_its_spans() -> None:
    caption = record(72, 2, bytes(24)) + hangul_paragraph("표 1. 요금표", 2)
    cells = hangul_cell(0, 0, "구분", 2) + hangul_cell(0, 1, "요금", 2) + hangul_cell(1, 0, "성인", 2)
    cells += hangul_cell(1, 1, "2,000원", 2, rows=2) + hangul_cell(2, 0, "어린이", 2)
    body = hangul_paragraph("요금은 다음과 같다.", controls=1) + control(b"tbl ", 1) + caption + record(77, 2, bytes(20)) + cells
    expected = (
        Block("paragraph", "요금은 다음과 같다."),
        Block("caption", "표 1. 요금표"),
        Block("table", FEES),
        Block("paragraph", "끝."),
    )
    assert read(body + hangul_paragraph("끝.")).blocks == expected


def test_boxes_notes_headers_and_equations_are_read_and_hidden_comments_are_not() -> None:
    box = control(b"gso ", 1) + record(76, 2, bytes(20)) + record(72, 3, bytes(24)) + hangul_paragraph("상자", 3)
    note = control(b"fn  ", 1) + record(72, 2, bytes(16)) + hangul_paragraph("각주", 2)
    comment = control(b"tcmt", 1) + record(72, 2, bytes(16)) + hangul_paragraph("비밀", 2)
    script = "a over b"
    equation = control(b"eqed", 1) + record(88, 2, struct.pack("<IH", 0, len(script)) + script.encode("utf-16-le"))
    header = control(b"head", 1) + record(72, 2, bytes(16)) + hangul_paragraph("머리말", 2)
    texts = [block.text for block in read(hangul_paragraph("본문", controls=5) + box + note + comment + equation + header).blocks]
    assert texts == ["머리말", "본문 a over b", "상자", "각주"]


def test_a_frame_around_text_is_not_a_table() -> None:
    cell = hangul_cell(0, 0, "공고", 2) + hangul_paragraph("제1조(목적) 이 규정은 요금을 정한다.", 2)
    assert [block.kind for block in read(hangul_paragraph("") + control(b"tbl ", 1) + record(77, 2, bytes(20)) + cell).blocks] == [
        "paragraph"
    ] * 2


@pytest.mark.parametrize(
    ("flags", "reason"), [(2, "This file needs a password."), (4, "This Hangul file is a distribution copy, whose text is locked.")]
)
def test_a_locked_file_says_so(flags: int, reason: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(hangul_paragraph("x"), flags=flags)
    assert caught.value.reason == reason


@pytest.mark.parametrize("body", [record(66, 0, bytes(40))[:-8], b"\xff" * 40])
def test_records_that_end_too_soon_are_damage(body: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        read(body)


# --- zipped

NAMES = 'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head"'
HEAD = f"""<hh:head {NAMES}><hh:style id="0" engName="Normal"/><hh:style id="2" engName="Outline 1"/>
<hh:paraPr id="0"><hh:heading type="NONE" level="0"/></hh:paraPr><hh:paraPr id="2"><hh:heading type="NUMBER" level="0"/></hh:paraPr>
<hh:paraPr id="4"><hh:heading type="BULLET" level="0"/></hh:paraPr></hh:head>"""


def p(inner: str, style: int = 0, properties: int = 0) -> str:
    inner = inner if inner.startswith("<") else f"<hp:t>{inner}</hp:t>"
    return f'<hp:p styleIDRef="{style}" paraPrIDRef="{properties}"><hp:run>{inner}</hp:run></hp:p>'


def tc(row: int, column: int, text: str, rows: int = 1) -> str:
    place = f'<hp:cellAddr colAddr="{column}" rowAddr="{row}"/><hp:cellSpan colSpan="1" rowSpan="{rows}"/>'
    return f"<hp:tc><hp:subList>{p(text)}</hp:subList>{place}</hp:tc>"


def zipped(*sections: str, **files: str) -> bytes:
    parts = {f"Contents/section{number}.xml": f"<hp:sec {NAMES}>{body}</hp:sec>" for number, body in enumerate(sections)}
    return zip_of({"mimetype": "application/hwp+zip", "Contents/header.xml": HEAD, **parts, **files})


def test_zipped_paragraphs_headings_and_lists() -> None:
    body = p("요금", 2) + p("<hp:t>한<hp:tab/>줄<hp:lineBreak/>둘째 줄</hp:t>") + p("하나", 0, 2) + p("둘", 0, 2) + p("점", 0, 4)
    blocks = parse(zipped(body), "규정.hwpx").blocks
    assert blocks == (Block("heading", "요금", 1), Block("paragraph", "한 줄\n둘째 줄"), Block("list", "1. 하나\n2. 둘\n- 점"))


def test_a_zipped_table_keeps_its_spans_and_caption() -> None:
    rows = [tc(0, 0, "구분") + tc(0, 1, "요금"), tc(1, 0, "성인") + tc(1, 1, "2,000원", rows=2), tc(2, 0, "어린이")]
    caption = f"<hp:caption><hp:subList>{p('표 1. 요금표')}</hp:subList></hp:caption>"
    table = f"<hp:tbl>{caption}{''.join(f'<hp:tr>{row}</hp:tr>' for row in rows)}</hp:tbl>"
    assert parse(zipped(p(f"{table}<hp:t>다음과 같다.</hp:t>")), "a.hwpx").blocks == (
        Block("paragraph", "다음과 같다."),
        Block("caption", "표 1. 요금표"),
        Block("table", FEES),
    )


def test_zipped_boxes_notes_and_headers_are_read_deleted_and_hidden_text_is_not() -> None:
    def story(tag: str, text: str) -> str:
        return f"<hp:{tag}><hp:subList>{p(text)}</hp:subList></hp:{tag}>"

    body = p(f"<hp:ctrl>{story('header', '머리말')}</hp:ctrl><hp:t>본<hp:deleteBegin/>삭제<hp:deleteEnd/>문</hp:t>")
    body += p(
        f"<hp:rect>{story('drawText', '상자')}</hp:rect><hp:ctrl>{story('footNote', '각주')}{story('hiddenComment', '비밀')}</hp:ctrl>"
    )
    body += p("<hp:equation><hp:script>a over b</hp:script></hp:equation>")
    assert [block.text for block in parse(zipped(body), "a.hwpx").blocks] == ["머리말", "본문", "상자", "각주", "a over b"]


def test_sections_are_read_in_the_order_of_the_spine_or_of_their_numbers() -> None:
    items = "".join(f'<item id="s{number}" href="Contents/section{number}.xml"/>' for number in range(2))
    head = f"<metadata><title>요금 안내</title></metadata><manifest>{items}</manifest>"
    spine = f'<package>{head}<spine><itemref idref="s1"/><itemref idref="s0"/></spine></package>'
    files = {"Contents/content.hpf": spine}
    assert [block.text for block in parse(zipped(p("영"), p("일"), **files), "a.hwpx").blocks] == ["일", "영"]
    assert parse(zipped(p("영"), p("일"), **files), "요금.hwpx").title == "요금 안내"
    many = zipped(*(p(str(number)) for number in range(12)))
    assert [block.text for block in parse(many, "a.hwpx").blocks] == [str(number) for number in range(12)]


def test_a_zipped_file_with_a_password_says_so() -> None:
    manifest = '<manifest><file-entry full-path="Contents/section0.xml"><encryption-data/></file-entry></manifest>'
    with pytest.raises(UnreadableFile, match=r"^This file needs a password"):
        parse(zipped(p("x"), **{"META-INF/manifest.xml": manifest}), "a.hwpx")


def test_a_zipped_file_without_sections_is_damaged() -> None:
    with pytest.raises(UnreadableFile, match=r"^This file is damaged"):
        parse(zipped(), "a.hwpx")
