"""Builds small PDFs object by object, so that the position of each line is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """Points from the left and from the bottom of a page of 600 × 800."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False
    upwards: bool = False

    def drawn(self) -> str:
        matrix = "0 1 -1 0" if self.upwards else "1 0 0 1"
        return f"BT /F{2 if self.bold else 1} {self.size} Tf {matrix} {self.x} {self.y} Tm ({self.text}) Tj ET"


@dataclass(frozen=True)
class Glyphs:
    """Codes in hexadecimal digits, in the third font."""

    x: float
    y: float
    codes: str

    def drawn(self) -> str:
        return f"BT /F3 10 Tf 1 0 0 1 {self.x} {self.y} Tm <{self.codes}> Tj ET"


@dataclass(frozen=True)
class Run:
    """A line of texts after each other; one after `^` is raised and smaller until the next `^`."""

    x: float
    y: float
    text: str
    size: float = 10

    def drawn(self) -> str:
        shown = []
        for i, part in enumerate(self.text.split("^")):
            size, rise = (0.6 * self.size, 0.35 * self.size) if i % 2 else (self.size, 0)
            shown.append(f"/F1 {size} Tf {rise} Ts ({part}) Tj")
        return f"BT 1 0 0 1 {self.x} {self.y} Tm {' '.join(shown)} ET"


@dataclass(frozen=True)
class Rule:
    """A thin line from one point to another."""

    x0: float
    y0: float
    x1: float
    y1: float

    def drawn(self) -> str:
        return f"0.5 w {self.x0} {self.y0} m {self.x1} {self.y1} l S"


@dataclass(frozen=True)
class Image:
    """One grey pixel, stretched over the page."""

    def drawn(self) -> str:
        return "q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"


@dataclass(frozen=True)
class Marked:
    """A small image as marked content, to which the structure of a tagged file refers."""

    number: int
    x: float
    y: float

    def drawn(self) -> str:
        image = f"q 90 0 0 20 {self.x} {self.y} cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
        return f"/Figure << /MCID {self.number} >> BDC {image} EMC"


@dataclass(frozen=True)
class Dot:
    """A filled square of 3 points."""

    x: float
    y: float

    def drawn(self) -> str:
        return f"{self.x} {self.y} 3 3 re f"


@dataclass(frozen=True)
class Background:
    """The whole page, painted grey."""

    def drawn(self) -> str:
        return "0.9 g 0 0 600 800 re f 0 g"


Drawing = Text | Run | Glyphs | Rule | Marked | Dot | Image | Background


def paragraph(*lines: str, x: float = 60, y: float = 700, size: float = 10) -> list[Text]:
    return [Text(x, y - 12 * i, line, size) for i, line in enumerate(lines)]


def make_pdf(
    pages: Sequence[Sequence[Drawing]],
    title: str = "",
    page_keys: str = "",
    form: bool = False,
    annotations: Sequence[str] = (),
    catalog: str = "",
    fonts: Sequence[str] = (),
    more: Sequence[str] = (),
) -> bytes:
    """`page_keys`: more keys of every page, e.g. `/Rotate 90`; `form`: what is drawn stands in a form, moved by (10, 20). `annotations`:
    the keys of those of the first page; one with a /FT is a field. They may refer to each other as `{0}`, `{1}`. `catalog`: its further
    keys. `fonts`: from F3 on. `more`: further objects, to which fonts and catalog refer as `<0>`, `<1>`."""
    last = 6 + (3 if form else 2) * len(pages)
    numbers = [last + i for i in range(len(annotations))]
    refs = [f"{number} 0 R" for number in numbers]
    fields = " ".join(ref for ref, keys in zip(refs, annotations, strict=True) if "/FT" in keys)
    acro_form = f"/AcroForm << /Fields [{fields}] /DA (/F1 10 Tf) /DR << /Font << /F1 3 0 R >> >> >>" if fields else ""
    first_font = last + len(annotations)
    first_more = first_font + len(fonts)

    def referring(keys: str) -> str:
        for i in range(len(more)):
            keys = keys.replace(f"<{i}>", f"{first_more + i} 0 R")
        return keys

    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {acro_form} {referring(catalog)} >>".encode(),
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{6 + 2 * i} 0 R' for i in range(len(pages)))}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({title}) >>".encode(),
    ]
    forms: list[bytes] = []
    for i, drawings in enumerate(pages):
        content = "\n".join(drawing.drawn() for drawing in drawings).encode("cp1252")
        own_fonts = " ".join(f"/F{3 + k} {first_font + k} 0 R" for k in range(len(fonts)))
        resources = f"<< /Font << /F1 3 0 R /F2 4 0 R {own_fonts} >> >>"
        page_resources = f"<< /XObject << /X {6 + 2 * len(pages) + i} 0 R >> >>" if form else resources
        annots = f"/Annots [{' '.join(refs)}]" if annotations and not i else ""
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources {page_resources} {page_keys} {annots}"
        page += f" /Contents {7 + 2 * i} 0 R >>"
        objects.append(page.encode())
        objects.append(_stream("", b"q 1 0 0 1 10 20 cm /X Do Q" if form else content))
        forms.append(_stream(f"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources {resources}", content))
    objects += forms if form else []
    objects += [f"<< /Type /Annot /P 6 0 R {keys.format(*refs)} >>".encode("cp1252") for keys in annotations]
    objects += [f"<< /Type /Font {referring(keys)} >>".encode() for keys in fonts]
    objects += [referring(body).encode("latin-1") for body in more]
    data = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def _stream(keys: str, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (keys.encode(), len(content), content)
