"""The measurement of scans; its figures are not tested here."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from bench import scans
from bench.scans import Page, draw, flat, main, measure, pages_of
from footnote.ports import OcrLine, OcrPage
from tests.footnote.ingest.scan_files import FONT


@pytest.fixture(autouse=True)
def one_font(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path(FONT).exists():
        pytest.skip("The font is missing. On Debian: apt-get install fonts-noto-cjk")
    monkeypatch.setattr(scans, "FONTS", {"sans": (FONT, FONT), "serif": (FONT, FONT)})


class Reads:
    """Reads the same line on each image."""

    languages: tuple[str, ...] = ("eng",)

    async def read(self, image: bytes, timeout_s: float, dpi: int | None = None) -> list[OcrPage]:
        return [OcrPage(10, 10, ((OcrLine("abcdefghij", 0.9, 0, 0, 1, 1, 1),), (OcrLine("klmnopqrst", 0.4, 0, 0, 1, 1, 1),)))]

    async def as_pdf(self, image: bytes, timeout_s: float, dpi: int) -> bytes:
        raise NotImplementedError


async def test_the_error_is_the_share_of_characters_to_edit() -> None:
    image = Image.new("L", (10, 10))
    error, uncertain, _ = await measure([Page(image, "abcdefghij\nklmnopqrXX"), Page(image, "abcdefghij klmnopqrst")], Reads(), 200)
    assert (error, uncertain) == (2 / 42, 0.5)


def test_pages_hold_all_of_the_text_in_lines_that_fit() -> None:
    text = "The quay is cleaned on Mondays and on Thursdays before the first boat arrives. " * 60
    pages = list(draw([("heading", "Quay"), ("paragraph", text)], "sans", 100))
    assert len(pages) == 2
    assert flat(" ".join(page.text for page in pages)) == flat(f"Quay {text}")
    assert all(page.image.size == (827, 1169) for page in pages)


def test_short_documents_and_those_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Too short.")
    (tmp_path / "b.zip").write_bytes(b"PK")
    (tmp_path / "c.md").write_text("# Moorings\n\n" + "Each mooring has a number that is painted on its bollard. " * 40)
    assert [page.text.split("\n")[0] for page in pages_of(tmp_path, 6, 100)] == ["Moorings"]


def test_without_tesseract_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "find_tesseract", lambda: None)
    with pytest.raises(SystemExit, match="apt-get install tesseract-ocr"):
        main([str(tmp_path)])
