"""Parses LaTeX: headings, paragraphs, lists and tables. Formulas stay as they are written, and the document says so."""

from __future__ import annotations

import re
from dataclasses import replace
from unicodedata import normalize

from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.latex_macros import group, written_out
from footnote.ingest.parse.plain import join_lines
from footnote.ingest.parse.table import blocks_of, divide, fill_spans
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n|(?<!\\)%[^\n]*", re.MULTILINE)
_TITLE = re.compile(r"\\(title|author)\s*(?:\[[^\]]{0,500}\])?\s*\{((?:[^{}]|\{[^{}]{0,500}\}){1,1000})\}")
_PART = re.compile(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]{0,500}\])?\s*\{((?:[^{}]|\{[^{}]{0,500}\}){0,1000})\}"
    r"|\\begin\s*\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]\n]*\])?(?:\{\w+\})?"
    r"|\\begin\s*\{(tabular[xy]?\*?|longtable)\}"
)
_VERBATIM = re.compile(r"\\begin\s*\{(verbatim|lstlisting|minted)\*?\}")
_RULE = re.compile(
    r"\\(?:(?:top|mid|bottom)rule|hline|(?:cmidrule|cline)\s*(?:\([lr]*\))?\{[^{}]*\}|addlinespace|endhead|endfoot|endlastfoot|endfirsthead)"
    r"(?:\[[^\]\n]*\])?"
)
_ROW_END = re.compile(r"(?:\\\\\*?|\\tabularnewline)[ \t]*(?:\[[^\]\n]{0,50}\])?")
_CELL_END = re.compile(r"(?<!\\)&")
_SPANS = re.compile(r"\s*\\multicolumn\s*")
_ROWS = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?")
_INNER = re.compile(r"\\begin\s*\{tabular\}(?:\[\w\])?\{(?:[^{}]|\{[^{}]*\})*\}((?:(?!\\begin).)*?)\\end\s*\{tabular\}", re.DOTALL)
_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
_MATH = re.compile(
    r"\$\$.{0,5000}?\$\$|\$[^$\n]{1,1000}\$|\\begin\{(equation|align|gather|multline|eqnarray)\*?\}.{0,3000}?\\end\{\1\*?\}", re.DOTALL
)
_UNREAD = re.compile(r"\\begin\s*\{(?:equation|align|eqnarray|gather)|\\(?:input|include)\b|\$")
_SILENT = re.compile(
    r"(?:[~ ]{1,3}(?=\\(?:label|cite|ref|eqref)))?"
    r"\\(?:label|cite[a-zA-Z]*|ref|eqref|pageref|autoref|cref|Cref|vspace|hspace|includegraphics|bibliography|bibliographystyle|input|include"
    r"|usepackage|thispagestyle|pagestyle|setlength|newcommand|renewcommand|definecolor|begin|end)\*?\s*(?:\[[^\[\]]{0,500}\]|\{[^{}]{0,500}\})*"
)
_COMMAND = re.compile(r"\\(?:[a-zA-Z@]+\*?(?:\[[^\[\]]{0,500}\])?[ \t]*|[,;:! ])")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_ACCENTS = dict(zip("`'^~\"=.uvHckrd", map(chr, (768, 769, 770, 771, 776, 772, 775, 774, 780, 779, 807, 808, 778, 803)), strict=True))
"""What stands above or below a letter → the character that combines with it."""
_ACCENT = re.compile(r"""\\(?:([`'^~"=.])\s*|([uvHckrd])(?:\s+|(?=\{)))\{?\\?([A-Za-z])\}?""")
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?![A-Za-z])(?:\{\}|[ ]+)?")
_LETTERS = dict(zip("ss ae AE oe OE aa AA o O l L".split(), "ß æ Æ œ Œ å Å ø Ø ł Ł".split(), strict=True))
_ITEM = re.compile(r"\s*\\item\b[ \t]*")
_MARK = re.compile("\0(\\d+)\0")
_LIST_END = re.compile(r"\\end\s*\{(?:itemize|enumerate|description)\}")
_LABEL = re.compile(r"\[([^\[\]]{1,300})\]\s*")
_SIGNS = (("\\\\", "\n"), ("\\ ", " "), ("~", " "), ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))


def parse(data: bytes) -> Parsed:
    """Parses LaTeX."""
    written, verbatim = _apart(decode(data))
    text = _with_letters(written_out(_COMMENT.sub("", written)))
    text = _MARK.sub(lambda mark: verbatim[int(mark[1])], text)
    head = {found[1]: words for found in _TITLE.finditer(text) if (words := " ".join(_plain(found[2]).split()))}
    title = head.get("title", "")
    body = text.partition("\\begin{document}")[2].partition("\\end{document}")[0] or text
    blocks: list[Block] = [Block("heading", title, 1)] if title else []
    blocks += [Block("paragraph", head["author"])] if "author" in head else []
    at = 0
    while part := _PART.search(body, at):
        blocks += _texts(body[at : part.start()])
        at = part.end()
        if part[1] and (heading := _plain(part[2])):
            blocks.append(Block("heading", " ".join(heading.split()), _LEVELS[part[1]]))
        elif part[3]:
            end = body.find(f"\\end{{{part[3]}", at)
            code = body[at : end if end >= 0 else len(body)]
            at += len(code)
            blocks += [Block("code", code.strip("\n"))] if code.strip() else []
        elif part[4]:
            found, at = _table(body, at, part[4])
            blocks += found
    parsed = Parsed((*blocks, *_texts(body[at:])), usable_title(title))
    if _UNREAD.search(body):
        parsed = replace(
            parsed,
            reason="Formulas of this LaTeX file are read as they are written, and files that it includes are not read.",
            remedy="If they matter, add the PDF that is made of it instead.",
        )
    return parsed


def _apart(text: str) -> tuple[str, list[str]]:
    """(The text with a mark for each part that is verbatim, these parts). One without an end reaches to the end of the text."""
    written: list[str] = []
    parts: list[str] = []
    at = 0
    while found := _VERBATIM.search(text, at):
        end = text.find(f"\\end{{{found[1]}", found.end())
        stop = text.find("}", end) + 1 if end >= 0 else 0
        written += [text[at : found.start()], f"\0{len(parts)}\0"]
        at = stop or len(text)
        parts.append(text[found.start() : at])
    return "".join((*written, text[at:])), parts


def _with_letters(text: str) -> str:
    """The text with letters for commands that write them."""
    text = _ACCENT.sub(lambda found: normalize("NFC", found[3] + _ACCENTS[found[1] or found[2]]), text)
    return _LETTER.sub(lambda found: _LETTERS[found[1]], text)


def _table(text: str, at: int, name: str) -> tuple[list[Block], int]:
    """(The blocks of the table that begins at `at`, behind the name of its environment; where it ends)."""
    begin, end = f"\\begin{{{name}}}", f"\\end{{{name}}}"
    stop, inner = text.find(end, at), text.find(begin, at)
    while 0 <= inner < stop:
        stop, inner = text.find(end, stop + 1), text.find(begin, inner + 1)
    stop = stop if stop >= 0 else len(text)
    option = re.compile(r"\s*\[[^\]]*\]").match(text, at)
    at = option.end() if option else at
    for _ in range(1 if name in ("tabular", "longtable") else 2):  # the width, the columns
        _, at = group(text, at)
    content = _INNER.sub(lambda found: _CELL_END.sub(" ", _ROW_END.sub(" ", found[1])), text[at:stop])
    head, is_repeated, rest = content.partition("\\endfirsthead")
    if is_repeated:  # the header that further pages have, and what stands at their end
        content = head + re.split(r"\\end(?:head|foot|lastfoot)\b", rest)[-1]
    rows = [[_cell(cell) for cell in _CELL_END.split(row)] for row in _ROW_END.split(_RULE.sub("", content)) if row.strip()]
    filled, merged = fill_spans(rows)
    blocks = list(blocks_of(divide(filled, merged, is_sheet=False))) if any(text for row in rows for text, _ in row) else []
    return blocks, min(stop + len(end), len(text))


def _cell(written: str) -> tuple[str, int]:
    """A cell's text, and the number of its columns."""
    span = 1
    if columns := _SPANS.match(written):
        count, at = group(written, columns.end())
        _, at = group(written, at)
        inner, _ = group(written, at)
        written, span = inner, int(count) if count.isdecimal() and len(count) < 3 else 1
    if rows := _ROWS.search(written):
        _, at = group(written, rows.end())
        _, at = group(written, at)
        inner, at = group(written, at)
        written = written[: rows.start()] + inner + written[at:]
    return " ".join(_plain(written).split()), max(span, 1)


def _texts(text: str) -> list[Block]:
    """Paragraphs and lists."""
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", _LIST_END.sub("\n\n", _TITLE.sub("", text))):
        lead, *items = _ITEM.split(paragraph)
        if words := _plain(lead):
            blocks.append(Block("paragraph", join_lines([" ".join(line.split()) for line in words.split("\n") if line.strip()])))
        if lines := [f"- {' '.join(_plain(_LABEL.sub(_labelled, item, 1)).split())}" for item in items if _plain(item)]:
            if blocks and blocks[-1].kind == "list" and not words:
                lines.insert(0, blocks.pop().text)
            blocks.append(Block("list", "\n".join(lines)))
    return blocks


def _labelled(found: re.Match[str]) -> str:
    """What an item of a list of descriptions describes."""
    return found[0] if found.start() else f"{found[1].rstrip(':')}: "


def _plain(text: str) -> str:
    """The text without commands. Formulas stay as they are written."""
    kept = list[str]()

    def keep(written: re.Match[str]) -> str:
        kept.append(written[0][1:] if _ESCAPED.fullmatch(written[0]) else written[0])
        return f"\0{len(kept) - 1}\0"

    text = _ESCAPED.sub(keep, _SILENT.sub("", _MATH.sub(keep, text)))
    for sign, shown in _SIGNS:
        text = text.replace(sign, shown)
    text = _COMMAND.sub("", text).replace("{", "").replace("}", "")
    return re.sub("\0(\\d+)\0", lambda number: kept[int(number[1])], text).strip()
