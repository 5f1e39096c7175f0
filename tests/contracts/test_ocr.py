"""What every `Ocr` does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest
from PIL import Image
from pypdfium2 import PdfDocument
from rapidfuzz.distance import Levenshtein

from bench.scans import flat
from footnote.errors import UnreadableFile
from footnote.ports import Ocr, OcrLine, OcrPage
from tests.footnote.ingest.scan_files import JAPANESE, drawn, photo, tesseract

ENGLISH = ("The harbour office opens at seven in the morning.", "Boats longer than twelve metres need a pilot.", "Call extension 5120.")
GERMAN = (
    "Das Hafenbüro öffnet täglich um sieben Uhr früh.",
    "Größere Schiffe benötigen einen Lotsen.",
    "Gebühr: 18,50 Euro für jede Nacht.",
)
KOREAN = (
    "항만 사무소는 매일 아침 일곱 시에 문을 엽니다.",
    "길이가 십이 미터를 넘는 배는 안내인이 필요합니다.",
    "문의는 내선 번호로 전화하시기 바랍니다.",
)
MIXED = ("새 서버는 Kubernetes에서 실행되며 Python으로 작성되었습니다.", "설정은 관리자가 저장소에서 변경합니다.")
RUSSIAN = (
    "Насосная станция номер 20417, отчёт от 12.03.2025",
    "Насос PX-300 работал 1 840 часов, расход 36 900 литров.",
    "Шланг DN 50 заменён, длина 10 метров, цена 11 200 рублей.",
    "Следующий осмотр насоса назначен на 26.03.2025 в 14:30.",
    "Телефон мастера 495 120 44 17, адрес office@pumps.example",
)
GREEK = (
    "Αντλιοστάσιο με αριθμό 20417, αναφορά της 12.03.2025",
    "Η αντλία PX-300 λειτούργησε 1 840 ώρες με 36 900 λίτρα.",
    "Ο σωλήνας DN 50 αλλάχθηκε, μήκος 10 μέτρα, 11 200 ευρώ.",
    "Ο επόμενος έλεγχος της αντλίας γίνεται στις 26.03.2025.",
)
JAPANESE_LINES = ("港の事務所は毎朝七時に開きます。", "十二メートルを超える船には水先人が必要です。", "料金は一泊につき千八百円です。")


@pytest.fixture(params=(tesseract,), ids=("tesseract",))
def ocr(request: pytest.FixtureRequest) -> Ocr:
    return request.param()  # type: ignore[no-any-return]


def lines_of(pages: Sequence[OcrPage]) -> list[OcrLine]:
    return [line for page in pages for row in page.rows for line in row]


def confidence(lines: Sequence[OcrLine]) -> float:
    return sum(line.confidence * len(line.text) for line in lines) / sum(len(line.text) for line in lines)


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, KOREAN, MIXED], ids=("en", "de", "ko", "mixed"))
async def test_at_most_a_twentieth_of_the_characters_is_wrong(ocr: Ocr, text: Sequence[str]) -> None:
    lines = lines_of(await ocr.read(photo(drawn(text)), 60))
    truth = flat(" ".join(text))
    assert Levenshtein.distance(truth, flat(" ".join(line.text for line in lines))) <= 0.05 * len(truth)
    assert confidence(lines) >= 0.75


async def test_each_line_has_its_box(ocr: Ocr) -> None:
    [page] = await ocr.read(photo(drawn(ENGLISH, left=200, top=300)), 60)
    lines = lines_of([page])
    assert (page.width, page.height, len(lines)) == (1200, 900, 3)
    for number, line in enumerate(lines):
        assert line.x0 == pytest.approx(200, abs=12)
        assert (line.y0 + line.y1) / 2 == pytest.approx(300 + 45 * number + 22, abs=14)


async def test_a_wide_gap_divides_a_row(ocr: Ocr) -> None:
    page = drawn(("Jetty north", "Jetty south"))
    [read] = await ocr.read(photo(drawn(("48 berths", "31 berths"), left=700, on=page)), 60)
    assert [[piece.text for piece in row] for row in read.rows] == [["Jetty north", "48 berths"], ["Jetty south", "31 berths"]]


async def test_a_script_that_is_not_read_has_a_low_confidence(ocr: Ocr) -> None:
    lines = lines_of(await ocr.read(photo(drawn(JAPANESE_LINES, face=JAPANESE)), 60))
    assert confidence(lines) < 0.6


@pytest.mark.parametrize("text", [RUSSIAN, GREEK], ids=("ru", "el"))
async def test_letters_like_latin_ones_have_a_low_confidence_among_numbers(ocr: Ocr, text: Sequence[str]) -> None:
    lines = lines_of(await ocr.read(photo(drawn(text)), 60))
    assert confidence(lines) < 0.6


async def test_an_image_without_text_has_no_lines(ocr: Ocr) -> None:
    [page] = await ocr.read(photo(Image.new("L", (600, 400), 255)), 60)
    assert lines_of([page]) == []


@pytest.mark.parametrize("kind", ["JPEG", "TIFF", "WEBP", "GIF", "BMP"])
async def test_images_of_each_kind_are_read(ocr: Ocr, kind: str) -> None:
    lines = lines_of(await ocr.read(photo(drawn(ENGLISH[:1]), kind), 60, 200))
    assert flat(lines[0].text) == ENGLISH[0]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"])
async def test_an_image_becomes_a_page_of_a_pdf(ocr: Ocr, kind: str) -> None:
    page = PdfDocument(await ocr.as_pdf(photo(drawn(ENGLISH), kind), 60, 200))[0]
    assert page.get_size() == pytest.approx((1200 * 72 / 200, 900 * 72 / 200), abs=1)


async def test_what_is_no_image_becomes_no_pdf(ocr: Ocr) -> None:
    with pytest.raises(UnreadableFile, match="may be damaged"):
        await ocr.as_pdf(b"GIF89a no image", 60, 200)


async def test_a_file_that_is_no_image_is_unreadable(ocr: Ocr) -> None:
    with pytest.raises(UnreadableFile, match="may be damaged"):
        await ocr.read(photo(drawn(ENGLISH))[:60], 60)


async def test_what_takes_too_long_is_ended(ocr: Ocr) -> None:
    start = time.monotonic()
    with pytest.raises(UnreadableFile, match="took too long"):
        await ocr.read(photo(drawn(ENGLISH * 4)), 0.05)
    assert time.monotonic() - start < 5


async def test_cancelling_ends_it(ocr: Ocr) -> None:
    task = asyncio.create_task(ocr.read(photo(drawn(ENGLISH * 4)), 60))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lines_of(await ocr.read(photo(drawn(ENGLISH[:1])), 60))
