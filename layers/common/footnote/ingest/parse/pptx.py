"""Parses PowerPoint files: title, text, tables, charts, speaker notes and comments of each slide; a slide is a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from footnote.ingest.parse.decode import spaced
from footnote.ingest.parse.drawing import alt_text, read_chart, read_diagram
from footnote.ingest.parse.embedded import embedded
from footnote.ingest.parse.notes import comment
from footnote.ingest.parse.omml import read_equation
from footnote.ingest.parse.package import Element, Package, Relation, attr, child, count, damaged, local
from footnote.ingest.parse.runs import Formula, joined, run_of
from footnote.ingest.parse.struck import reported
from footnote.ingest.parse.table import blocks_of, divide, fill_spans
from footnote.types import Block, FileWithin, Parsed

_TITLES = ("title", "ctrTitle")
_FRAME = ("dt", "ftr", "sldNum", "hdr", "sldImg")  # date, footer and number of a slide
_LISTS = ("body", "obj", None)  # placeholders whose paragraphs have bullets by default
_MAX_SPAN = 100
_LONGEST_HEADING = 120


def parse(data: bytes) -> Parsed:
    """Parses a PowerPoint file (.pptx)."""
    package = Package(data)
    part = package.main_part("ppt/presentation.xml")
    root = package.xml(part)
    if root is None:
        raise damaged()
    relations = package.related(part)
    slides = [relations.get(_relation_id(node)) for node in root.iterfind("{*}sldIdLst/{*}sldId")]
    authors = _authors(package, relations)
    blocks: list[Block] = []
    files: dict[str, FileWithin] = {}
    hidden = struck = 0
    for number, relation in enumerate(slides, 1):
        slide = package.xml(relation.target) if relation else None
        if slide is None or relation is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
        else:
            struck += sum(len(node.text or "") for node in slide.iter("{*}t") if _is_struck(child(node.getparent(), "rPr"), None))
            reader = _Slide(package, relation.target, number, authors)
            blocks.extend(reader.read(slide))
            files = reader.files | files
    title = package.title() or next((block.text for block in blocks if block.kind == "heading" and not block.text.isdecimal()), "")
    reason, remedy = (f"Hidden slides were left out: {hidden}.", "Show them and add the file again.") if hidden else (None, None)
    parsed = Parsed(tuple(blocks), title, len(slides), reason=reason, remedy=remedy, files=tuple(files.values()))
    return reported(parsed, struck)


class _Slide:
    def __init__(self, package: Package, part: str, number: int, authors: Mapping[str, str]) -> None:
        self._authors = authors
        self._package = package
        self._relations = package.related(part)
        self._number = number
        self.files: dict[str, FileWithin] = {}  # part → the embedded file

    def read(self, slide: Element) -> list[Block]:
        """The blocks of a slide: the title first, then the rest in the order of a screen reader."""
        shapes = list(_shapes(child(slide, "cSld", "spTree")))
        titles = [shape for shape in shapes if _placeholder(shape)[0] in _TITLES] or _topmost(shapes)
        title = " ".join(text for shape in titles for _, _, text in _paragraphs(child(shape, "txBody"))).replace("\n", " ")
        blocks = [block for shape in shapes if shape not in titles for block in self._shape(shape)]
        blocks += [*self._notes(), *self._comments()]
        # a slide without a title gets its number, so that its text is not attributed to the previous slide
        return [Block("heading", title or f"{self._number}", 1, self._number), *blocks] if title or blocks else []

    def _shape(self, shape: Element) -> Iterator[Block]:
        tag = local(shape)
        if tag == "sp" and _placeholder(shape)[0] not in _FRAME:
            yield from self._text(shape)
        if tag in ("pic", "graphicFrame", "sp", "cxnSp", "grpSp") and (text := alt_text(next(shape.iter("{*}cNvPr"), None))):
            yield Block("image", text, page=self._number)
        if tag == "graphicFrame":
            for node in shape.iter("{*}tbl", "{*}chart", "{*}relIds"):
                yield from self._graphic(node)
            for node in shape.iter("{*}oleObj"):
                relation = self._relations.get(_relation_id(node))
                if relation and (file := embedded(self._package, relation, self._number)):
                    self.files[relation.target] = file

    def _text(self, shape: Element) -> Iterator[Block]:
        kind, is_placeholder = _placeholder(shape)
        paragraphs = list(_paragraphs(child(shape, "txBody")))
        bulleted = is_placeholder and kind in _LISTS and len(paragraphs) > 1
        lines: list[str] = []
        for level, marker, text in paragraphs:
            if marker == "" or not (marker or bulleted or (lines and level)):
                if lines:
                    yield Block("list", "\n".join(lines), page=self._number)
                    lines = []
                yield Block("paragraph", text, page=self._number)
            else:
                lines.append("  " * level + f"{marker or '-'} " + text.replace("\n", "\n" + "  " * (level + 1)))
        if lines:
            yield Block("list", "\n".join(lines), page=self._number)

    def _graphic(self, node: Element) -> list[Block]:
        tag = local(node)
        if tag == "tbl":
            rows, merged = fill_spans([_row(row) for row in node if local(row) == "tr"])
            return list(blocks_of(divide(rows, merged, is_sheet=False), self._number))
        relation: Relation | None = self._relations.get(attr(node, "dm" if tag == "relIds" else "id") or "")
        read = read_diagram if tag == "relIds" else read_chart
        return read(self._package, relation.target, self._number) if relation else []

    def _notes(self) -> list[Block]:
        part = next((relation.target for relation in self._relations.values() if relation.kind == "notesSlide"), "")
        root = self._package.xml(part) if part else None
        shapes = [
            shape for shape in _shapes(child(root, "cSld", "spTree")) if local(shape) == "sp" and _placeholder(shape)[0] not in _FRAME
        ]
        return [Block("paragraph", text, page=self._number) for shape in shapes for _, _, text in _paragraphs(child(shape, "txBody"))]

    def _comments(self) -> Iterator[Block]:
        """The slide's comments with their replies, of old and new versions of PowerPoint."""
        for relation in self._relations.values():
            root = self._package.xml(relation.target) if relation.kind == "comments" else None
            threads: dict[tuple[str | None, str | None], list[Element]] = {}
            for node in root if root is not None else ():
                key = attr(node, "authorId"), attr(node, "idx") or attr(node, "id")
                parent = next(node.iter("{*}parentCm"), None)
                thread = threads.get((attr(parent, "authorId"), attr(parent, "idx"))) if parent is not None else None
                thread = [] if thread is None else thread
                thread += [node, *node.iterfind("{*}replyLst/{*}reply")]
                threads[key] = thread  # a reply to a reply is one of the thread
            for thread in {id(thread): thread for thread in threads.values()}.values():
                remarks = ((self._authors.get(attr(node, "authorId") or "", ""), _remark(node)) for node in thread)
                yield from comment(remarks, page=self._number)


def _authors(package: Package, relations: Mapping[str, Relation]) -> dict[str, str]:
    """Id → name of those who comment."""
    parts = (package.xml(relation.target) for relation in relations.values() if relation.kind in ("commentAuthors", "authors"))
    return {attr(node, "id") or "": attr(node, "name") or "" for root in parts if root is not None for node in root}


def _remark(node: Element) -> str:
    old = child(node, "text")
    return (old.text or "") if old is not None else "\0".join(text for _, _, text in _paragraphs(child(node, "txBody")))


def _shapes(tree: Element | None) -> Iterator[Element]:
    """All shapes: groups, and then the shapes in them."""
    for node in tree if tree is not None else ():
        tag = local(node)
        if tag == "AlternateContent" and len(node):
            yield from _shapes(node[0])
        elif tag not in ("nvGrpSpPr", "grpSpPr") and attr(next(node.iter("{*}cNvPr"), None), "hidden") not in ("1", "true"):
            yield node
            if tag == "grpSp":
                yield from _shapes(node)


def _topmost(shapes: list[Element]) -> list[Element]:
    """The topmost short text, which serves as the title of a slide that has none."""
    texts: list[tuple[int, Element]] = []
    for shape in shapes:
        top = attr(next(shape.iter("{*}off"), None), "y") or ""
        if local(shape) == "sp" and top.isdecimal() and _placeholder(shape)[0] not in _FRAME and any(_paragraphs(child(shape, "txBody"))):
            texts.append((int(top), shape))
    shape = min(texts, key=lambda pair: pair[0])[1] if texts else None
    lines = [text for _, _, text in _paragraphs(child(shape, "txBody"))]
    return [shape] if shape is not None and len(lines) <= 2 and sum(map(len, lines)) <= _LONGEST_HEADING else []


def _placeholder(shape: Element) -> tuple[str | None, bool]:
    """(type, whether the shape is a placeholder)."""
    node = child(shape, "nvSpPr", "nvPr", "ph")
    return attr(node, "type"), node is not None


def _paragraphs(body: Element | None) -> Iterator[tuple[int, str | None, str]]:
    """(level, marker, text). Marker: `-` or `1.` if the paragraph specifies it, "" = explicitly none, None = not specified."""
    number = 0
    styles = child(body, "lstStyle")
    for node in body if body is not None else ():
        if local(node) != "p":
            continue
        properties = child(node, "pPr")
        level = count(properties, "lvl", 8, 0)
        if not (text := _text_of(node, child(styles, f"lvl{level + 1}pPr", "defRPr"))):
            continue
        numbered = child(properties, "buAutoNum")
        number = number + 1 if numbered is not None else 0
        marker = f"{number}." if numbered is not None else "-" if child(properties, "buChar") is not None else None
        yield level, "" if child(properties, "buNone") is not None else marker, text


def _text_of(paragraph: Element, default: Element | None) -> str:
    """`default`: the properties of runs that do not specify them."""
    texts: list[str] = []
    _read(paragraph, default, texts)
    return spaced(joined(texts))


def _read(parent: Element, default: Element | None, texts: list[str]) -> None:
    """Collects the runs of a paragraph that are not struck."""
    for node in parent:
        tag = local(node)
        if tag in ("r", "fld"):
            properties = child(node, "rPr")
            if not _is_struck(properties, default) and (text := child(node, "t")) is not None:
                texts.append(run_of(text.text or "", _position(attr(properties, "baseline") or attr(default, "baseline"))))
        elif tag == "br":
            texts.append("\0")
        elif tag == "AlternateContent":
            _read(node[:1], default, texts)
        elif tag in ("oMath", "oMathPara"):
            texts.append(Formula(read_equation(node)))
        elif tag in ("m", "Choice"):
            _read(node, default, texts)


def _is_struck(properties: Element | None, default: Element | None) -> bool:
    return (attr(properties, "strike") or attr(default, "strike")) not in (None, "noStrike")


def _position(baseline: str | None) -> str:
    """`baseline`: how far text is above the line, in percent or in thousandths of one."""
    value = (baseline or "").rstrip("%")
    return "" if not value.strip("-0.") else "sub" if value.startswith("-") else "super"


def _row(row: Element) -> list[tuple[str | None, int]]:
    cells: list[tuple[str | None, int]] = []
    for cell in (node for node in row if local(node) == "tc"):
        if attr(cell, "hMerge") in ("1", "true"):
            continue
        text = " ".join(text for _, _, text in _paragraphs(child(cell, "txBody")))
        goes_on = attr(cell, "vMerge") in ("1", "true")
        cells.append((None if goes_on else text, max(count(cell, "gridSpan", _MAX_SPAN), 1)))
    return cells


def _relation_id(node: Element) -> str:
    """The relationship id, which has a namespace; `id` without one is the slide's number."""
    return next((value for key, value in node.items() if key.endswith("}id")), "")
