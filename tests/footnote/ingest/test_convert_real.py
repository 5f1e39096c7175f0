"""Old files that LibreOffice itself makes from known ones; skipped where it is not installed (its installation takes minutes)."""

from __future__ import annotations

import http.server
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest import convert
from footnote.ingest.child import ParserProcess
from footnote.ingest.convert import Converter, ConvertingParser, PackageConverter, find_libreoffice, find_packages
from footnote.types import Block
from tests.footnote.ingest.packages import zip_of

pytestmark = pytest.mark.skipif(find_libreoffice() is None, reason="LibreOffice is not installed.")

PAGE = """<html><body><h1>Gebühren</h1><p>Was die Fähre kostet, 배편 요금.</p>{more}
<table><tr><td>Linie</td><td>Preis</td></tr><tr><td>8</td><td>2,50</td></tr></table></body></html>"""
TABLE = "| Linie | Preis |\n| --- | --- |\n| 8 | 2,50 |"
WORKBOOK = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Fees"><Table><Row><Cell><Data ss:Type="String">Line</Data></Cell><Cell><Data ss:Type="String">Fee</Data></Cell></Row>
<Row><Cell><Data ss:Type="Number">8</Data></Cell><Cell><Data ss:Type="Number">2.5</Data></Cell></Row></Table></Worksheet></Workbook>"""
SLIDES = """<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"
office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page draw:name="p">
<draw:frame svg:width="9cm" svg:height="3cm"><draw:text-box><text:p>The ferry leaves at nine.</text:p></draw:text-box></draw:frame>
</draw:page></office:presentation></office:body></office:document>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("old")


def save_as(folder: Path, name: str, content: str | bytes, target: str) -> bytes:
    """The file as LibreOffice saves it in another format."""
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [str(find_libreoffice()), profile, "--headless", "--convert-to", target, "--outdir", str(folder / "out"), str(folder / name)]
    subprocess.run(command, check=True, timeout=90, capture_output=True)
    return (folder / "out" / f"{Path(name).stem}.{target.partition(':')[0]}").read_bytes()


@pytest.fixture(scope="module")
def word(folder: Path) -> bytes:
    return save_as(folder, "fees.html", PAGE.format(more=""), "doc:MS Word 97")


@pytest.fixture
async def reader() -> AsyncIterator[ConvertingParser]:
    made = ConvertingParser(ParserProcess(), Converter(str(find_libreoffice())))
    yield made
    await made.close()


async def test_an_old_word_file_keeps_its_headings_tables_and_letters(reader: ConvertingParser, word: bytes) -> None:
    parsed = await reader.parse(word, "fees.doc")
    assert parsed.blocks == (
        Block("heading", "Gebühren", 1),
        Block("paragraph", "Was die Fähre kostet, 배편 요금."),
        Block("table", TABLE),
    )
    assert parsed.format == "doc"


@pytest.mark.nightly
async def test_old_slides_are_read(reader: ConvertingParser, folder: Path) -> None:
    parsed = await reader.parse(save_as(folder, "talk.fodp", SLIDES, "ppt:MS PowerPoint 97"), "talk.ppt")
    assert "The ferry leaves at nine." in [block.text for block in parsed.blocks]
    assert (parsed.format, parsed.pages) == ("ppt", 1)


async def test_packages_read_old_word_and_powerpoint_files_too(word: bytes, folder: Path) -> None:
    reader = ConvertingParser(ParserProcess(), PackageConverter(find_packages()))
    texts = (await reader.parse(word, "fees.doc")).blocks
    slides = await reader.parse(save_as(folder, "talk.fodp", SLIDES, "ppt:MS PowerPoint 97"), "talk.ppt")
    await reader.close()
    assert texts == (Block("heading", "Gebühren", 1), Block("paragraph", "Was die Fähre kostet, 배편 요금."), Block("table", TABLE))
    assert "The ferry leaves at nine." in [block.text for block in slides.blocks]


@pytest.mark.nightly
async def test_an_excel_2003_xml_file_with_the_extension_of_a_sheet_is_read(reader: ConvertingParser) -> None:
    parsed = await reader.parse(WORKBOOK.encode(), "fees.xls")
    assert parsed.blocks[1] == Block("table", "| Line | Fee |\n| --- | --- |\n| 8 | 2.5 |", page=1)
    assert parsed.format == "excelml"


@pytest.mark.sample(1)
@pytest.mark.parametrize("cut", [0.2, 0.6, 0.95])
async def test_a_truncated_file_is_refused_or_read(reader: ConvertingParser, word: bytes, cut: float) -> None:
    try:
        found: object = (await reader.parse(word[: int(len(word) * cut)], "fees.doc")).blocks
    except UnreadableFile as exc:
        found = exc.remedy
    assert found


class _Site(http.server.BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)

    do_HEAD = do_OPTIONS = do_PROPFIND = do_GET

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    """(address of a web server, the paths that were requested from it)."""
    asked: list[str] = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Site", (_Site,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.nightly
@pytest.mark.slow("starts LibreOffice")
async def test_nothing_that_a_file_links_to_is_requested(
    reader: ConvertingParser, folder: Path, site: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, asked = site
    picture = (
        f'<draw:frame text:anchor-type="as-char" svg:width="3cm" svg:height="3cm"><draw:image xlink:href="{address}/x.png"/></draw:frame>'
    )
    document = SLIDES.partition("<office:body>")[0].replace("presentation", "text")
    content = f"{document}<office:body><office:text><text:p>Linked {picture}</text:p></office:text></office:body></office:document>"
    content = content.replace("xmlns:office", 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:office', 1)
    data = save_as(folder, "linked.fodt", content, "doc:MS Word 97")
    assert address.encode("utf-16-le") in data
    asked.clear()
    assert "Linked" in (await reader.parse(data, "linked.doc")).blocks[0].text
    assert asked == []
    monkeypatch.setattr(convert, "_SETTINGS", ())  # the same without our profile: it does ask, so the file is what it should be
    await reader.parse(data, "linked.doc")
    assert asked


async def test_a_web_page_or_an_archive_named_doc_is_not_converted(word: bytes) -> None:
    class Never(Converter):
        async def convert(self, data: bytes, old: object) -> bytes:
            raise AssertionError

    reader = ConvertingParser(ParserProcess(), Never(str(find_libreoffice())))
    assert (await reader.parse(b"<html><body>Hi</body></html>", "a.doc")).format == "html"
    assert (await reader.parse(b"{\\rtf1 Hi}", "a.doc")).format == "rtf"
    with pytest.raises(UnreadableFile, match="ZIP"):
        await reader.parse(zip_of({"a.exe": "x"}), "a.doc")
    await reader.close()
