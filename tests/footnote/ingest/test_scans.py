"""Scans: which pages OCR reads, what becomes of their lines, and what is said of those that it cannot read."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bench.scans import scan
from footnote.errors import Scan, UnreadableFile
from footnote.ingest import scans
from footnote.ingest.child import ParserProcess
from footnote.ingest.parse import parse
from footnote.ingest.parsed import from_json, to_json
from footnote.ingest.scans import ScanParser
from footnote.ports import OcrLine, OcrPage
from footnote.types import Parsed, Place
from tests.footnote.ingest.pdf_files import Image, make_pdf, paragraph
from tests.footnote.ingest.scan_files import drawn, pdf_of, photo, tesseract

COMPARE = "Compare important passages with the original pages."
BETTER = "Add a better scan, or install the language of the text for Tesseract where the server runs and add the file again."


def line(text: str, y: float = 100, confidence: float = 0.9, x: float = 200, size: float = 30) -> OcrLine:
    return OcrLine(text, confidence, x, y, x + 0.5 * size * len(text), y + size, size)


def page(*rows: Sequence[OcrLine] | OcrLine) -> OcrPage:
    return OcrPage(1667, 2222, tuple((row,) if isinstance(row, OcrLine) else tuple(row) for row in rows))


class FakeOcr:
    """Answers with these pages, or raises these errors, one after the other."""

    languages: tuple[str, ...] = ("deu", "eng")

    def __init__(self, *answers: OcrPage | UnreadableFile) -> None:
        self.answers = list(answers)
        self.images: list[bytes] = []

    async def read(self, image: bytes, timeout_s: float, dpi: int | None = None) -> list[OcrPage]:
        self.images.append(image)
        answer = self.answers.pop(0)
        if isinstance(answer, UnreadableFile):
            raise answer
        return [answer]

    async def as_pdf(self, image: bytes, timeout_s: float, dpi: int) -> bytes:
        raise AssertionError("no page lies on its side")


class Here:
    """Parses in this process."""

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        return parse(data, file_name)

    async def close(self) -> None:
        pass


@pytest.fixture
async def reading() -> AsyncIterator[Any]:
    made: list[ScanParser] = []

    async def read(data: bytes, *answers: OcrPage | UnreadableFile, name: str = "a.pdf") -> Parsed:
        made.append(ScanParser(Here(), FakeOcr(*answers)))
        return await made[-1].parse(data, name)

    yield read
    for each in made:
        await each.close()


async def test_scanned_pages_come_between_the_pages_with_text(reading: Any) -> None:
    text = make_pdf([paragraph("First page of the minutes."), [Image()], paragraph("Third page of the minutes.")])
    parsed = await reading(text, page(line("The second page was scanned in May.")))
    assert [(block.page, block.text) for block in parsed.blocks] == [
        (1, "First page of the minutes."),
        (2, "The second page was scanned in May."),
        (3, "Third page of the minutes."),
    ]
    said = "Read by OCR: 1 of 3 pages (2); lines: 1, uncertain: 0, illegible and left out: 0."
    assert (parsed.reason, parsed.remedy, parsed.pages) == (said, COMPARE, 3)


async def test_lines_have_their_places_and_confidences(reading: Any) -> None:
    parsed = await reading(make_pdf([[Image()]]), page(line("Gates open at six.", 500), line("They close at nine.", 540, 0.5)))
    [block] = parsed.blocks
    first, second = block.places
    assert (first.page, first.confidence, second.confidence) == (1, 0.9, 0.5)
    assert (first.x0, first.y0, first.y1) == pytest.approx((72, 180, 190.8), abs=0.5)  # 200 dots are 72 points
    assert parsed.reason.startswith("Read by OCR: 1 of 1 pages (1); lines: 2, uncertain: 1,")


async def test_places_are_stored_with_their_confidence() -> None:
    place = Place(0, 1, 1.0, 2.0, 3.0, 4.0, 0.875)
    read = parse(make_pdf([paragraph("A line.")]), "a.pdf")
    stored = from_json(to_json(replace(read, blocks=(replace(read.blocks[0], places=(place, place._replace(confidence=None))),))))
    assert [each.confidence for each in stored.blocks[0].places] == [0.88, None]


async def test_a_tilted_line_is_marked_where_it_is(reading: Any) -> None:
    tilted = (replace(line("One of the lines of a page that lies askew.", y), slope=0.02, y1=y + 43) for y in (300, 340, 380))
    [block] = (await reading(make_pdf([[Image()]]), page(*tilted))).blocks
    assert [round(place.y0) for place in block.places] == [108, 122, 137]
    assert [round(place.y1) for place in block.places] == [123, 138, 152]


async def test_illegible_lines_are_left_out_and_counted(reading: Any) -> None:
    parsed = await reading(make_pdf([[Image()]]), page(line("The ferry takes nine cars."), line("lE=ß vv", 180, 0.31)))
    assert [block.text for block in parsed.blocks] == ["The ferry takes nine cars."]
    assert parsed.reason == "Read by OCR: 1 of 1 pages (1); lines: 1, uncertain: 0, illegible and left out: 1."


async def test_a_page_in_a_language_that_is_not_read_is_said_to_be_unread(reading: Any) -> None:
    parsed = await reading(
        make_pdf([[Image()], [Image()]]), page(line("The kiosk sells maps.")), page(line("Bce nonH po2KHa", confidence=0.45))
    )
    assert [block.text for block in parsed.blocks] == ["The kiosk sells maps."]
    assert parsed.reason.endswith(" Not legible to OCR: 1 of 2 pages (2); languages that it reads here: deu, eng.")
    assert parsed.remedy == f"{COMPARE} {BETTER}"


async def test_a_scan_of_which_nothing_can_be_read_is_refused(reading: Any) -> None:
    with pytest.raises(UnreadableFile) as caught:
        await reading(make_pdf([[Image()]]), page(line("Bce nonH po2KHa", confidence=0.45)))
    assert caught.value.reason == "Not legible to OCR: 1 of 1 pages (1); languages that it reads here: deu, eng."


async def test_a_blank_scan_is_refused(reading: Any) -> None:
    with pytest.raises(UnreadableFile, match="OCR found no text in this file"):
        await reading(make_pdf([[Image()]]), page(line(".-", confidence=0.9)))


async def test_a_page_that_fails_does_not_affect_the_others(reading: Any) -> None:
    failed = UnreadableFile("OCR of an image took too long.", "Add a smaller image.")
    parsed = await reading(make_pdf([[Image()], [Image()]]), failed, page(line("Berths are let by the month.")))
    assert [(block.page, block.text) for block in parsed.blocks] == [(2, "Berths are let by the month.")]
    assert "Not legible to OCR: 1 of 2 pages (1)" in parsed.reason


async def test_pages_after_the_time_limit_are_named(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((0.0, 10.0, 1000.0, 1001.0))
    monkeypatch.setattr("footnote.ingest.scans.time", type("Time", (), {"monotonic": lambda: next(now)}))
    monkeypatch.setattr("footnote.ingest.scans.os", type("Os", (), {"cpu_count": lambda: 1}))
    parsed = await reading(make_pdf([[Image()]] * 3), page(line("Read while there was time.")))
    assert [block.page for block in parsed.blocks] == [1]
    assert parsed.reason.endswith(" Not read by OCR in time: 2 of 3 pages (2–3).")
    assert parsed.remedy.endswith("Split it into smaller files and add those.")


async def test_columns_are_read_one_after_the_other(reading: Any) -> None:
    left = (
        "The old mill was built beside",
        "the river in a dry summer and",
        "has ground flour ever since its",
        "first wheel was set in motion.",
    )
    right = (
        "Visitors cross a narrow bridge",
        "to reach the garden, which the",
        "miller's daughter has planted",
        "with herbs and with old roses.",
    )
    rows = [
        (line(a, 300 + 40 * i, size=28), line(b, 300 + 40 * i, x=900, size=28)) for i, (a, b) in enumerate(zip(left, right, strict=True))
    ]
    parsed = await reading(make_pdf([[Image()]]), page(*rows))
    assert [block.text for block in parsed.blocks] == [" ".join(left), " ".join(right)]


async def test_larger_lines_are_headings_and_slightly_larger_ones_are_not(reading: Any) -> None:
    rows = [line("Opening hours", 100, size=46), line("The mill is open on all days.", 180), line("It is closed at noon.", 280, size=34)]
    parsed = await reading(make_pdf([[Image()]]), page(*rows))
    assert [block.kind for block in parsed.blocks] == ["heading", "paragraph", "paragraph"]


async def test_an_image_file_is_read_as_a_document(reading: Any) -> None:
    parsed = await reading(photo(drawn(("Notice",))), page(line("The lift is out of order.")), name="Notice board.png")
    assert (parsed.title, parsed.format, [block.text for block in parsed.blocks]) == (
        "Notice board",
        "image",
        ["The lift is out of order."],
    )


@pytest.mark.parametrize(("kind", "name"), [("PNG", ".png"), ("JPEG", ".jpg"), ("TIFF", ".tif"), ("WEBP", ".webp"), ("GIF", ".gif")])
def test_without_ocr_an_image_is_refused_with_what_to_install(kind: str, name: str) -> None:
    with pytest.raises(Scan) as caught:
        parse(photo(drawn(("Notice",)), kind), "a")
    assert caught.value.reason == f"This is an image ({name}), which is not supported."
    assert caught.value.remedy.startswith("Install Tesseract with the language of the text where the server runs")


async def test_pdfs_with_text_are_not_given_to_ocr(reading: Any) -> None:
    parsed = await reading(make_pdf([paragraph("All of this is text.")]))
    assert (parsed.reason, parsed.scans) == (None, None)


async def test_a_real_scan_is_read_in_child_processes() -> None:
    parser = ScanParser(ParserProcess(), tesseract())
    pages = (
        drawn(("Lockers are emptied each Friday.",)),
        drawn(("Die Schließfächer werden freitags geleert.",)),
        drawn(("보관함은 금요일마다 비웁니다.",)),
    )
    parsed = await parser.parse(pdf_of(*pages), "lockers.pdf")
    await parser.close()
    english, german, korean = parsed.blocks
    assert (english.page, english.text) == (1, "Lockers are emptied each Friday.")
    assert (german.page, german.text) == (2, "Die Schließfächer werden freitags geleert.")
    assert (korean.page, korean.text[:8]) == (3, "보관함은 금요일")
    [place] = parsed.blocks[0].places
    assert (place.x0, place.y0) == pytest.approx((150 * 72 / 200, 155 * 72 / 200), abs=6)
    assert place.confidence is not None
    assert place.confidence > scans.READABLE


@pytest.mark.parametrize("turn", [90, 180, 270])
async def test_a_page_that_lies_on_its_side_is_turned_and_marked_in_place(turn: int) -> None:
    lines = ("The archive keeps drawings of all the harbour's cranes.", "Copies are made on request within two days.") * 4
    upright = drawn(lines, top=100)
    parser = ScanParser(ParserProcess(), tesseract())
    parsed = await parser.parse(pdf_of(upright.rotate(turn, expand=True)), "cranes.pdf")  # anticlockwise
    await parser.close()
    text = " ".join(block.text for block in parsed.blocks)
    assert text.startswith(" ".join(lines[:2]))
    place = parsed.blocks[0].places[0]
    across, down = (150 + 900 / 2) * 72 / 200, 122 * 72 / 200
    width, height = (size * 72 / 200 for size in upright.size)
    expected = {90: (down, width - across), 180: (width - across, height - down), 270: (height - down, across)}[turn]
    assert ((place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2) == pytest.approx(expected, abs=40)
    assert (place.x1 - place.x0 > place.y1 - place.y0) == (turn == 180)


@pytest.mark.parametrize(("turn", "kind"), [(90, "PNG"), (180, "JPEG"), (270, "TIFF"), (180, "WEBP")])
async def test_an_image_that_lies_on_its_side_is_turned(turn: int, kind: str) -> None:
    lines = ("The quarry is blasted on weekdays between ten and noon.", "Three short signals are sounded before each blast.") * 4
    parser = ScanParser(ParserProcess(), tesseract())
    parsed = await parser.parse(photo(drawn(lines).rotate(turn, expand=True), kind), f"quarry.{kind.lower()}")
    await parser.close()
    assert " ".join(block.text for block in parsed.blocks).startswith(" ".join(lines[:2]))


async def test_each_page_of_an_image_file_is_turned_by_itself() -> None:
    texts = ("The upper lock is filled within eleven minutes.", "The lower lock has a gate that is lifted by hand.")
    first, second = (scan(drawn((text,) * 8), 1) for text in texts)
    out = io.BytesIO()
    first.save(out, "TIFF", save_all=True, append_images=[second.rotate(180)])
    parser = ScanParser(ParserProcess(), tesseract())
    parsed = await parser.parse(out.getvalue(), "locks.tiff")
    await parser.close()
    assert [(block.page, block.text) for block in parsed.blocks] == [(1, " ".join([texts[0]] * 8)), (2, " ".join([texts[1]] * 8))]
