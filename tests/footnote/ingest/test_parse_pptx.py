"""PowerPoint files: a slide is a page, its title a heading."""

from __future__ import annotations

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.types import Block, Parsed
from tests.footnote.ingest.packages import relations, xml, zip_of


def shape(*paragraphs: str, kind: str = "", top: int | None = None) -> str:
    place = f"<p:spPr><a:xfrm><a:off x='0' y='{top}'/></a:xfrm></p:spPr>" if top is not None else ""
    placeholder = f"<p:nvPr><p:ph {kind}/></p:nvPr>" if kind else "<p:nvPr/>"
    return f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='x'/>{placeholder}</p:nvSpPr>{place}<p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def p(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


NUMBER = 'type="sldNum"'
TITLE, BODY = 'type="title"', 'idx="1"'


def read(*slides: str, parts: dict[str, str] | None = None, hidden: tuple[int, ...] = ()) -> Parsed:
    numbers = range(1, len(slides) + 1)
    ids = "".join(f"<p:sldId id='{255 + n}' r:id='slide_{n}'/>" for n in numbers)
    authors = {"commentAuthors": "commentAuthors.xml", "authors": "authors.xml"}
    files: dict[str, str | bytes] = {
        "ppt/presentation.xml": xml("p:presentation", f"<p:sldIdLst>{ids}</p:sldIdLst>"),
        "ppt/_rels/presentation.xml.rels": relations(**{f"slide_{n}": f"slides/slide{n}.xml" for n in numbers}, **authors),
    }
    for n, content in zip(numbers, slides, strict=True):
        shown = 'show="0"' if n in hidden else ""
        files[f"ppt/slides/slide{n}.xml"] = xml("p:sld", f"<p:cSld><p:spTree>{content}</p:spTree></p:cSld>", shown)
    return parse(zip_of(files | (parts or {})), "talk.pptx")


def test_the_title_comes_first_and_paragraphs_become_a_list_with_its_nesting() -> None:
    body = shape(p("호수"), p("깊이 80 m", '<a:pPr lvl="1"/>'), p("섬"), kind=BODY)
    assert read(body + shape(p("The lake"), kind=TITLE)).blocks == (
        Block("heading", "The lake", 1, 1),
        Block("list", "- 호수\n  - 깊이 80 m\n- 섬", page=1),
    )


def test_numbered_paragraphs_and_those_without_bullets_are_distinguished() -> None:
    body = shape(
        p("Steps:", "<a:pPr><a:buNone/></a:pPr>"), *(p(text, "<a:pPr><a:buAutoNum/></a:pPr>") for text in ("Row", "Rest")), kind=BODY
    )
    assert read(shape(p("How"), kind=TITLE) + body).blocks[1:] == (
        Block("paragraph", "Steps:", page=1),
        Block("list", "1. Row\n2. Rest", page=1),
    )


def test_nested_groups_are_read_and_the_slide_number_is_not() -> None:
    group = f"<p:grpSp><p:grpSp>{shape(p('Innen'))}</p:grpSp>{shape(p('Außen'))}</p:grpSp>"
    blocks = read(shape(p("Title"), kind=TITLE) + group + shape(p("7"), kind=NUMBER)).blocks
    assert [block.text for block in blocks] == ["Title", "Innen", "Außen"]


def test_the_topmost_short_text_replaces_a_missing_title() -> None:
    blocks = read(shape(p("One thing."), p("Another."), p("A third."), top=900) + shape(p("Overview"), top=10)).blocks
    assert blocks[0] == Block("heading", "Overview", 1, 1)


def test_a_slide_without_any_title_gets_its_number() -> None:
    blocks = read(shape(p("One"), kind=TITLE), shape(p("a"), p("b"), p("c"))).blocks
    assert [(block.kind, block.text, block.page) for block in blocks if block.kind == "heading"] == [
        ("heading", "One", 1),
        ("heading", "2", 2),
    ]


def cell(text: str, attributes: str = "") -> str:
    return f"<a:tc {attributes}><a:txBody>{p(text)}</a:txBody></a:tc>"


def table(*rows: str) -> str:
    return f"<p:graphicFrame><a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in rows)}</a:tbl></p:graphicFrame>"


def test_a_table_on_a_slide_keeps_its_merged_cells() -> None:
    rows = [
        cell("Boat") + cell("Fees", 'gridSpan="2"') + cell("", 'hMerge="1"'),
        cell("Kayak", 'rowSpan="2"') + cell("5") + cell("6"),
        cell("", 'vMerge="1"') + cell("7") + cell("8"),
    ]
    assert read(shape(p("Fees"), kind=TITLE) + table(*rows)).blocks[1] == Block(
        "table", "| Boat | Fees |  |\n| --- | --- | --- |\n| Kayak | 5 | 6 |\n| Kayak | 7 | 8 |", page=1
    )


def test_titles_and_notes_of_a_table_are_read_beside_it() -> None:
    rest = cell("", 'hMerge="1"') * 2
    lines = [cell(text, 'gridSpan="3"') + rest for text in ("Boats of the club", "In thousands", "Without tax")]
    rows = ["".join(map(cell, row)) for row in (("Boat", "Fee", "Crew"), ("Kayak", "5", "2"), ("Ferry", "7", "3"))]
    assert read(shape(p("Fees"), kind=TITLE) + table(*lines[:2], *rows, lines[2])).blocks[1:] == (
        Block("caption", "Boats of the club", page=1),
        Block("caption", "In thousands", page=1),
        Block("table", "| Boat | Fee | Crew |\n| --- | --- | --- |\n| Kayak | 5 | 2 |\n| Ferry | 7 | 3 |", page=1),
        Block("paragraph", "Without tax", page=1),
    )


def test_a_table_without_names_of_columns_has_an_empty_header() -> None:
    rows = (("7", "Ada", "Lake", "311"), ("8", "Ben", "Hill", "312"))
    assert read(shape(p("Staff"), kind=TITLE) + table(*("".join(map(cell, row)) for row in rows))).blocks[1:] == (
        Block("table", "|  |  |  |  |\n| --- | --- | --- | --- |\n| 7 | Ada | Lake | 311 |\n| 8 | Ben | Hill | 312 |", page=1),
    )


def test_the_speakers_notes_follow_the_slide() -> None:
    notes = xml("p:notes", f"<p:cSld><p:spTree>{shape(p('Mention the storm.'), kind=BODY)}{shape(p('1'), kind=NUMBER)}</p:spTree></p:cSld>")
    parts = {"ppt/notesSlides/n.xml": notes, "ppt/slides/_rels/slide1.xml.rels": relations(notesSlide="../notesSlides/n.xml")}
    assert read(shape(p("Lake"), kind=TITLE), parts=parts).blocks[1] == Block("paragraph", "Mention the storm.", page=1)


def test_alternative_texts_are_read() -> None:
    picture = "<p:pic><p:nvPicPr><p:cNvPr id='4' name='Picture 3' descr='Eine Fähre am Steg'/></p:nvPicPr></p:pic>"
    assert read(shape(p("Lake"), kind=TITLE) + picture).blocks[1] == Block("image", "Eine Fähre am Steg", page=1)


def test_hidden_slides_are_left_out_and_named() -> None:
    parsed = read(shape(p("One"), kind=TITLE), shape(p("Draft"), kind=TITLE), hidden=(2,))
    assert [block.text for block in parsed.blocks] == ["One"]
    assert (parsed.pages, parsed.reason, parsed.remedy) == (2, "Hidden slides were left out: 1.", "Show them and add the file again.")


def test_a_presentation_with_only_images_is_refused() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read("<p:pic/>")
    assert (caught.value.reason, caught.value.remedy) == (
        "This file contains no text, at most images.",
        "Run OCR on its images, or add a file with text.",
    )


def run(text: str, attributes: str = "") -> str:
    return f"<a:r><a:rPr {attributes}/><a:t>{text}</a:t></a:r>"


def texts(*paragraphs: str, styles: str = "") -> list[str]:
    body = shape(*(f"<a:p>{content}</a:p>" for content in paragraphs)).replace("<p:txBody>", f"<p:txBody>{styles}")
    return [block.text for block in read(shape(p("Title"), kind=TITLE) + body).blocks[1:]]


def test_struck_text_is_left_out() -> None:
    assert texts(
        run("The toll is ") + run("4 ", 'strike="sngStrike"') + run("6 ", 'strike="dblStrike"') + run("7.", 'strike="noStrike"')
    ) == ["The toll is 7."]
    styles = "<a:lstStyle><a:lvl1pPr><a:defRPr strike='sngStrike'/></a:lvl1pPr></a:lstStyle>"
    assert texts(run("Old."), run("New.", 'strike="noStrike"'), f'<a:pPr lvl="1"/>{run("Below.")}', styles=styles) == ["New.", "Below."]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (run("The dam broke in 1976") + run("4", 'baseline="30000"') + run("."), "The dam broke in 1976."),
        (run("It covers 45 km") + run("2", 'baseline="30%"') + run(" of land."), "It covers 45 km² of land."),
        (run("CO") + run("2", 'baseline="-25000"') + run(" levels"), "CO2 levels"),
        (run("Room 12") + run("3", 'baseline="0"'), "Room 123"),
    ],
)
def test_raised_text_keeps_apart_from_the_number_before_it(runs: str, expected: str) -> None:
    assert texts(runs) == [expected]


def test_an_equation_is_read_in_its_paragraph() -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    root = f"<m:rad><m:radPr><m:degHide/></m:radPr><m:deg/><m:e>{r('2gh')}</m:e></m:rad>"
    choice = f"<mc:Choice Requires='a14'><m><m:oMathPara><m:oMath>{r('v=')}{root}</m:oMath></m:oMathPara></m></mc:Choice>"
    both = f"<mc:AlternateContent>{choice}<mc:Fallback>{run('picture')}</mc:Fallback></mc:AlternateContent>"
    assert texts(run("So") + both) == ["So v = √(2 gh)"]


def test_comments_follow_the_slide_with_their_replies() -> None:
    old = xml(
        "p:cmLst",
        '<p:cm authorId="0" idx="1"><p:text>Is it deep?</p:text></p:cm><p:cm authorId="7" idx="4"><p:text>Date?</p:text></p:cm>'
        '<p:cm authorId="1" idx="1"><p:text>80 m.</p:text><p:ext><p:parentCm authorId="0" idx="1"/></p:ext></p:cm>',
    )
    body = "<p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody>"
    reply = f'<p:replyLst><p:reply id="{{R}}" authorId="{{A}}">{body.format("Done.")}</p:reply></p:replyLst>'
    new = xml("p:cmLst", f'<p:cm id="{{C}}" authorId="{{A}}">{reply}{body.format("Add a map.")}</p:cm>')
    parts = {
        "ppt/commentAuthors.xml": xml("p:cmAuthorLst", '<p:cmAuthor id="0" name="Ida Falk"/><p:cmAuthor id="1" name="Tom Ray"/>'),
        "ppt/authors.xml": xml("p:authorLst", '<p:author id="{A}" name="Eva Lind"/>'),
        "ppt/comments/comment1.xml": old,
        "ppt/comments/modern.xml": new,
        "ppt/slides/_rels/slide1.xml.rels": relations(comments="../comments/comment1.xml", comments_2="../comments/modern.xml"),
    }
    blocks = read(shape(p("Lake"), kind=TITLE), shape(p("Pier"), kind=TITLE), parts=parts).blocks
    assert [(block.text, block.page) for block in blocks] == [
        ("Lake", 1),
        ("Comment (Ida Falk): Is it deep?\nReply (Tom Ray): 80 m.", 1),
        ("Comment: Date?", 1),
        ("Comment (Eva Lind): Add a map.\nReply (Eva Lind): Done.", 1),
        ("Pier", 2),
    ]


def test_the_alternative_text_of_a_group_is_read_and_none_of_decoration() -> None:
    group = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='3' name='g' descr='Two boats in a lock'/></p:nvGrpSpPr>{}</p:grpSp>"
    decorative = "<p:pic><p:cNvPr id='4' name='n' descr='A wavy line'><a:ext><a:decorative val='1'/></a:ext></p:cNvPr></p:pic>"
    blocks = read(shape(p("Lake"), kind=TITLE) + group.format(shape(p("Upper"))) + decorative).blocks
    assert [(block.kind, block.text) for block in blocks[1:]] == [("image", "Two boats in a lock"), ("paragraph", "Upper")]


STRUCK = 'strike="sngStrike"'


def test_a_file_that_is_mostly_struck_says_so() -> None:
    struck = shape(f"<a:p>{run('The lock opens at 7 on all days.', STRUCK)}</a:p>")
    assert read(struck + shape(p("It is closed."))).reason == "Most of the text is struck through and was left out."
