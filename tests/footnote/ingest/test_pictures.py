"""Pictures in Word files, presentations and OpenDocument texts: where the text that OCR reads in them stands."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.child import ParserProcess
from footnote.ingest.scans import ScanParser
from footnote.ports import OcrLine, OcrPage
from footnote.types import Parsed
from tests.footnote.ingest.packages import relations, xml, zip_of

BLIP = '<a:blip r:embed="{}"/>'


def picture(text: str) -> bytes:
    """What the fake reads as this text; large enough to be no icon."""
    return b"\x89PNG\r\n" + text.encode() + b"\0" + random.Random(text).randbytes(5_000)


class FakeOcr:
    languages: tuple[str, ...] = ("eng",)

    async def read(self, image: bytes, timeout_s: float, dpi: int | None = None) -> list[OcrPage]:
        text = image.removeprefix(b"\x89PNG\r\n").split(b"\0")[0].decode()
        if text == "damaged":
            raise UnreadableFile("OCR cannot read this image; it may be damaged or too large.", "Save it as PNG.")
        rows = tuple((OcrLine(line, 0.9, 10, 40 * n, 400, 40 * n + 20, 20),) for n, line in enumerate(text.split("\n"), 1))
        return [OcrPage(500, 500, rows)]

    async def as_pdf(self, image: bytes, timeout_s: float, dpi: int) -> bytes:
        raise AssertionError("pictures are not turned")


def word(*content: str, **pictures: bytes) -> bytes:
    paragraphs = (f"<w:p><w:r>{text if text.startswith('<') else f'<w:t>{text}</w:t>'}</w:r></w:p>" for text in content)
    return zip_of(
        {
            "_rels/.rels": relations(officeDocument="word/document.xml"),
            "word/document.xml": xml("w:document", f"<w:body>{''.join(paragraphs)}</w:body>"),
            "word/_rels/document.xml.rels": relations(**{name: f"media/{name}.png" for name in pictures}),
            **{f"word/media/{name}.png": data for name, data in pictures.items()},
        }
    )


def slides(*content: str, hidden: int = 0, **pictures: bytes) -> bytes:
    numbers = range(1, len(content) + 1)
    ids = "".join(f"<p:sldId id='{255 + n}' r:id='slide_{n}'/>" for n in numbers)
    files: dict[str, str | bytes] = {
        "ppt/presentation.xml": xml("p:presentation", f"<p:sldIdLst>{ids}</p:sldIdLst>"),
        "ppt/_rels/presentation.xml.rels": relations(**{f"slide_{n}": f"slides/slide{n}.xml" for n in numbers}),
    }
    for n, text in zip(numbers, content, strict=True):
        files[f"ppt/slides/slide{n}.xml"] = xml("p:sld", f"<p:cSld><p:spTree>{text}</p:spTree></p:cSld>", 'show="0"' if n == hidden else "")
        files[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations(**{name: f"../media/{name}.png" for name in pictures})
    return zip_of(files | {f"ppt/media/{name}.png": data for name, data in pictures.items()})


def shape(text: str) -> str:
    return f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def open_document(*content: str, **pictures: bytes) -> bytes:
    paragraphs = "".join(f"<text:p>{text}</text:p>" for text in content)
    body = f"<office:body><office:text>{paragraphs}</office:text></office:body>"
    files: dict[str, str | bytes] = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": xml("office:document-content", body),
    }
    return zip_of(files | {f"Pictures/{name}.png": data for name, data in pictures.items()})


@pytest.fixture
async def read() -> AsyncIterator[Any]:
    made: list[ScanParser] = []

    async def parse(data: bytes, name: str, *, with_pictures: bool = True) -> Parsed:
        made.append(ScanParser(ParserProcess(), FakeOcr(), with_pictures=with_pictures))
        return await made[-1].parse(data, name)

    yield parse
    for each in made:
        await each.close()


def texts(parsed: Parsed) -> list[tuple[str, int | None, str]]:
    return [(block.kind, block.page, block.text) for block in parsed.blocks]


async def test_a_picture_in_a_word_file_stands_between_its_paragraphs(read: Any) -> None:
    file = word("The valve is red.", BLIP.format("image_1"), "It is closed at night.", image_1=picture("Valve V7\nto the tank"))
    parsed = await read(file, "valves.docx")
    assert [(kind, text) for kind, _, text in texts(parsed)] == [
        ("paragraph", "The valve is red."),
        ("image", "Valve V7\nto the tank"),
        ("paragraph", "It is closed at night."),
    ]
    assert parsed.reason == "Pictures with text that OCR read: 1."


async def test_a_picture_in_an_opendocument_text_follows_its_paragraph(read: Any) -> None:
    image = '<draw:frame><draw:image xlink:href="Pictures/plan.png"/></draw:frame>'
    parsed = await read(open_document("The plan:", image, "It was drawn in May.", plan=picture("Hall 2, gate C")), "plan.odt")
    assert [text for _, _, text in texts(parsed)] == ["The plan:", "Hall 2, gate C", "It was drawn in May."]


async def test_a_picture_on_a_slide_comes_after_its_text(read: Any) -> None:
    file = slides(shape("Pumps"), shape("Tanks") + BLIP.format("image_1"), shape("Pipes"), image_1=picture("Tank T4 holds 900 litres"))
    assert [(page, text) for kind, page, text in texts(await read(file, "plant.pptx")) if kind != "heading"] == [
        (1, "Pumps"), (2, "Tanks"), (2, "Tank T4 holds 900 litres"), (3, "Pipes"),
    ]  # fmt: skip


async def test_a_picture_is_read_once_and_not_on_a_hidden_slide(read: Any) -> None:
    logo, note = BLIP.format("image_1"), BLIP.format("image_2")
    file = slides(logo, logo, note, hidden=3, image_1=picture("Harbour board"), image_2=picture("Draft, confidential"))
    assert [text for _, _, text in texts(await read(file, "plant.pptx"))] == ["Harbour board"]


async def test_a_word_file_of_pictures_only_is_read(read: Any) -> None:
    parsed = await read(word(BLIP.format("image_1"), image_1=picture("Scanned in the archive.")), "archive.docx")
    assert (parsed.title, parsed.format, texts(parsed)) == ("archive", "docx", [("image", None, "Scanned in the archive.")])


async def test_damaged_pictures_and_icons_are_left_out(read: Any) -> None:
    file = word("Text.", BLIP.format("image_1"), BLIP.format("image_2"), image_1=picture("damaged"), image_2=picture("icon text")[:900])
    parsed = await read(file, "a.docx")
    assert ([text for _, _, text in texts(parsed)], parsed.reason) == (["Text."], None)


async def test_pictures_are_not_read_unless_it_is_set(read: Any) -> None:
    file = word("The valve is red.", BLIP.format("image_1"), image_1=picture("Valve V7 to the tank"))
    assert [text for _, _, text in texts(await read(file, "a.docx", with_pictures=False))] == ["The valve is red."]
    with pytest.raises(UnreadableFile, match="at most images"):
        await read(word(BLIP.format("image_1"), image_1=picture("Scanned.")), "a.docx", with_pictures=False)
