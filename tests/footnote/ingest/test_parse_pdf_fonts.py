"""PDF: fonts that do not say which letters they show, or say it wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from footnote.errors import UnreadableFile
from footnote.ingest.parse import parse
from footnote.ingest.parse.pdf import OCR
from footnote.ingest.parse.pdf.legible import is_nonsense, is_shifted
from footnote.types import Parsed
from tests.footnote.ingest.pdf_files import Drawing, Glyphs, Image, Text, make_pdf, paragraph

LINES = (
    "The lighthouse is painted every fourth year, and its lamp is",
    "cleaned on the first Monday of each month by the keeper.",
    "Visitors have to be announced at the harbour office before noon.",
)


def composite(*more: str) -> tuple[Sequence[str], Sequence[str]]:
    """(fonts, further objects) of a font whose codes are numbers of glyphs."""
    system = "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    cid = f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Book /CIDSystemInfo {system}"
    font = "/Subtype /Type0 /BaseFont /ABCDEF+Book /Encoding /Identity-H /DescendantFonts [<0>]"
    return [f"{font} /ToUnicode <1>" if more else font], [f"{cid} /DW 500 >>", *more]


def glyph_ids(line: str) -> str:
    return "".join(f"{ord(char) - 29:04x}" for char in line)


def by_first_use(line: str) -> str:
    letters = dict.fromkeys("".join(LINES))
    return "".join(f"{list(letters).index(char) + 33:02x}" for char in line)


def to_unicode(change: Callable[[int], int]) -> str:
    """A map from ASCII codes of two bytes to what `change` makes of them."""
    rows = "\n".join(f"<{code:04x}> <{change(code):04x}>" for code in range(32, 127))
    body = f"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n95 beginbfchar\n{rows}\n"
    body += "endbfchar endcmap end"
    return f"<< /Length {len(body)} >>\nstream\n{body}\nendstream"


def ascii_codes(line: str) -> str:
    return "".join(f"{ord(char):04x}" for char in line)


NAMES = " ".join(f"/g{i}" for i in range(90))
BY_NUMBER = f"/Subtype /Type1 /BaseFont /ABCDEF+Book /FirstChar 33 /LastChar 122 /Widths [{'500 ' * 90}]"
NAMELESS = [f"{BY_NUMBER} /Encoding << /Type /Encoding /Differences [33 {NAMES}] >>"]

KINDS = {
    "numbers of glyphs": (glyph_ids, *composite()),
    "glyphs without names": (by_first_use, NAMELESS, ()),
    "private characters": (ascii_codes, *composite(to_unicode(lambda code: 0xE000 + code))),
    "replacement characters": (ascii_codes, *composite(to_unicode(lambda _: 0xFFFD))),
    "shifted letters": (ascii_codes, *composite(to_unicode(lambda code: code + 1))),
}


def read(kind: str, *pages: Sequence[Drawing], lines: Sequence[str] = LINES) -> Parsed:
    """The pages and after them one in a font of this kind."""
    written, fonts, more = KINDS[kind]
    last = [Glyphs(60, 600 - 14 * i, written(line)) for i, line in enumerate(lines)]
    return parse(make_pdf([*pages, [*paragraph("Chapter four"), *last]], fonts=fonts, more=more), "a.pdf")


@pytest.mark.parametrize("kind", KINDS)
def test_text_in_a_font_without_letters_is_left_out_and_said(kind: str) -> None:
    parsed = read(kind, paragraph("On the first page all is well."))
    assert [block.text for block in parsed.blocks] == ["On the first page all is well.", "Chapter four"]
    assert (parsed.reason, parsed.remedy) == ("1 of 2 pages (2) uses a font whose letters cannot be read.", OCR)


def test_pages_with_images_and_with_such_fonts_are_both_named() -> None:
    written, fonts, more = KINDS["numbers of glyphs"]
    bad = [Glyphs(60, 600, written(LINES[0]))]
    parsed = parse(make_pdf([paragraph("All is well."), bad, [Image()], bad], fonts=fonts, more=more), "a.pdf")
    assert parsed.reason == ("1 of 4 pages (3) contains only images. 2 of 4 pages (2, 4) use a font whose letters cannot be read.")
    assert parsed.remedy == OCR


def test_a_pdf_with_nothing_but_such_a_font_is_refused() -> None:
    written, fonts, more = KINDS["numbers of glyphs"]
    with pytest.raises(UnreadableFile) as caught:
        parse(make_pdf([[Glyphs(60, 600, written(line)) for line in LINES]], fonts=fonts, more=more), "a.pdf")
    assert (caught.value.reason, caught.value.remedy) == ("The fonts of this PDF do not say which letters they show.", OCR)


def test_a_right_map_is_believed() -> None:
    fonts, more = composite(to_unicode(lambda code: code))
    parsed = parse(make_pdf([[Glyphs(60, 600, ascii_codes(LINES[0]))]], fonts=fonts, more=more), "a.pdf")
    assert [block.text for block in parsed.blocks] == [LINES[0]]
    assert parsed.reason is None


def test_codes_that_are_letters_are_read_without_a_map() -> None:
    codes = "".join(f"{ord(char):02x}" for char in LINES[0])
    names = " ".join(f"/c{i}" for i in range(95))
    font = f"{BY_NUMBER} /Encoding << /Type /Encoding /Differences [32 {names}] >>"
    parsed = parse(make_pdf([[Glyphs(60, 600, codes)]], fonts=[font]), "a.pdf")
    assert [block.text for block in parsed.blocks] == [LINES[0]]
    assert parsed.reason is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("7KH OLJKWKRXVH LV SDLQWHG HYHU\\ IRXUWK \\HDU".split(), True),
        ("Ⴀ⁀ ꯍꯦ ̽ଋҨǥƹ ࣧҨဌ ൌൂറ ⴑ⥲䫑".split() * 3, True),
        ("묾푷 칺몮 컪비스 솒빪 쭖쩣 먾래 팢몮풔 뷁됇찗".split() * 2, True),
        ("THE HARBOUR OFFICE IS OPEN BEFORE NOON".split(), False),
        ("Die Kapitäne müssen sich beim Hafenamt melden".split(), False),
        ("등대는 매년 봄에 새로 칠하고 방문객은 항만 사무소에 미리 알려야 합니다".split(), False),
        ("маяк красят каждый четвертый год".split(), False),
        ("灯台は毎年春に塗り替えられ訪問者は事務所に連絡する".split(), False),
        ("12.5 17.25 1,204 88.1 -4.5 1999 2004 2031 100%".split(), False),
        ("7→ 6= hx [( ⊗ ∅".split(), False),
    ],
)
def test_nonsense_is_distinguished_from_text_without_a_map(words: list[str], expected: bool) -> None:
    assert is_nonsense(words) is expected


@pytest.mark.parametrize("by", [1, 3, 13])
def test_shifted_letters_are_told_from_right_ones(by: int) -> None:
    def moved(text: str) -> str:
        return "".join(chr((ord(char) - 97 + by) % 26 + 97) if "a" <= char <= "z" else char for char in text.lower())

    german = "Der Leuchtturm wird alle vier Jahre gestrichen, und die Lampe reinigt der Wärter an jedem ersten Montag im Monat gründlich."
    for text in (" ".join(LINES), german):
        assert not is_shifted(text)
        assert is_shifted(moved(text))


def shown(line: str, font: str, *codes: str) -> str:
    """A line in this font, which maps these letters to private characters as programs that write the codes of symbol fonts do."""
    fonts, more = composite(to_unicode(lambda code: 0xF000 + code if chr(code) in codes else code))
    named, described = ([text.replace("ABCDEF+Book", font) for text in texts] for texts in (fonts, more))
    data = make_pdf([[*paragraph("Before you leave"), Glyphs(60, 600, ascii_codes(line))]], fonts=named, more=described)
    return parse(data, "a.pdf").blocks[-1].text


@pytest.mark.parametrize(
    ("line", "font", "expected"),
    [
        ("q o", "ABCDEF+Wingdings-Regular", "☐ ☐"),
        ("q o", "OpenSymbol", "☐ ☐"),
        ("q o", "FontAwesome", "\uf071 \uf06f"),
        ("q Gate shut", "ABCDEF+Book", "☐ Gate shut"),
    ],
)
def test_private_characters_are_read_as_boxes_unless_they_are_icons(line: str, font: str, expected: str) -> None:
    assert shown(line, font, "q", "o") == expected


def test_private_characters_of_the_symbol_font_are_greek_letters() -> None:
    assert shown("m and a", "ABCDEF+SymbolMT", "m") == "μ and a"


def test_letters_in_wingdings_are_read_as_its_signs() -> None:
    font = "/Subtype /TrueType /BaseFont /ABCDEF+Wingdings /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 "
    font += f"/Widths [{'600 ' * 224}]"
    page: list[Drawing] = []
    for y, code, text in ((640, "fe", "Pumps off"), (620, "a8", "Gate shut"), (600, "6f", "Fuse out")):
        page += [Glyphs(60, y, code), Text(72, y, text)]
    assert parse(make_pdf([page], fonts=[font]), "a.pdf").blocks[0].text == "☑ Pumps off\n☐ Gate shut\n☐ Fuse out"
    assert parse(make_pdf([[Text(60, 640, "Load q is heavy")]]), "a.pdf").blocks[0].text == "Load q is heavy"
